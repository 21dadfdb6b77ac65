"""Fits that would take much longer than their limit, one for each part that has to look at it."""

from __future__ import annotations

import contextlib
import io
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Fit = Callable[[float], dict[str, Any]]


def noisy(
    n: int, d: int, seed: int = 0, informative: int = 12, noise: float = 2.0
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return a weak signal in much noise: answers are found at once, proofs take very long."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    k = min(d, informative)
    signal = X[:, :k].sum(axis=1) / np.sqrt(k) + noise / 4 * rng.standard_normal(n)
    return X, signal > 0


def _told(estimator: Any) -> dict[str, Any]:
    value = getattr(estimator, "cost_", None)
    value = getattr(estimator, "objective_", None) if value is None else value
    return {"status": estimator.status_, "value": value, "bound": estimator.bound_}


def _select(
    make: Callable[[], tuple[Any, Any]], tpr: float, tnr: float, **given: Any
) -> Callable[[], Fit]:
    def prepare() -> Fit:
        from frugalsvm import FrugalSelector

        X, y = make()
        return lambda limit: _told(FrugalSelector(tpr, tnr, time_limit=limit, **given).fit(X, y))

    return prepare


def _train(
    make: Callable[[], tuple[Any, Any]], tpr: float, tnr: float, **given: Any
) -> Callable[[], Fit]:
    def prepare() -> Fit:
        from frugalsvm import RateSVC

        X, y = make()
        return lambda limit: _told(RateSVC(tpr, tnr, time_limit=limit, **given).fit(X, y))

    return prepare


def _whole() -> Fit:
    from frugalsvm import FrugalSVC

    X, y = noisy(500, 40)
    return lambda limit: _told(FrugalSVC(0.8, 0.8, C=1.0, time_limit=limit).fit(X, y))


def _for_new_data(
    make: Callable[[], tuple[Any, Any]], tpr: float, tnr: float, **given: Any
) -> Callable[[], Fit]:
    def prepare() -> Fit:
        from frugalsvm import FrugalSVCCV

        X, y = make()
        return lambda limit: _told(FrugalSVCCV(tpr, tnr, time_limit=limit, **given).fit(X, y))

    return prepare


def _frontier() -> Fit:
    from frugalsvm import frontier

    X, y = noisy(300, 20)

    def fit(limit: float) -> dict[str, Any]:
        found = frontier(X, y, time_limit=limit, total_time_limit=limit)
        return {"status": "returned", "value": len(found.points), "bound": None}

    return fit


def _command_line() -> Fit:
    """``frugalsvm fit --report`` with its defaults but the limit; imported before, as elsewhere."""
    from frugalsvm.cli import main

    import_module("frugalsvm.cli.fit")

    X, y = clinic()
    folder = Path(tempfile.mkdtemp(prefix="fuzz-limits-"))
    names = [f"x{k}" for k in range(X.shape[1])]
    lines = [",".join([*names, "y"])]
    lines += [
        ",".join([*(repr(float(v)) for v in row), "ill" if label else "well"])
        for row, label in zip(X, y, strict=True)
    ]
    (folder / "table.csv").write_text("\n".join(lines))
    prices = ["feature,cost", *(f"{name},{k + 1}" for k, name in enumerate(names))]
    (folder / "prices.csv").write_text("\n".join(prices))

    def fit(limit: float) -> dict[str, Any]:
        sys.argv = (
            f"frugalsvm fit {folder}/table.csv --target y --positive ill --min-tpr 0.79 "
            f"--min-tnr 0.79 --costs {folder}/prices.csv --time-limit {limit} "
            f"--model {folder}/model.json --report {folder}/report.html --quiet"
        ).split()
        code: Any = 0
        with contextlib.redirect_stdout(io.StringIO()):
            try:
                main()
            except SystemExit as ended:
                code = ended.code
        written = sorted(path.name for path in folder.iterdir() if path.suffix != ".csv")
        return {"status": f"exit {code}", "value": ", ".join(written), "bound": None}

    return fit


def clinic() -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return 768 x 8 like a clinic's table: skewed, rounded, hardly separable."""
    rng = np.random.default_rng(1)
    hidden = rng.standard_normal((768, 3))
    X = np.exp(0.4 * (hidden @ rng.standard_normal((3, 8)) + rng.standard_normal((768, 8))))
    X = np.round(X * np.array([4, 120, 70, 20, 80, 32, 0.5, 33]), 1)
    y = hidden @ np.array([1.0, 0.7, 0.4]) + 0.9 * rng.standard_normal(768) > 0.5
    return X, y


def binary(n: int, d: int) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return yes-no answers and a noisy majority of some of them."""
    rng = np.random.default_rng(2)
    X = (rng.random((n, d)) < 0.4).astype(float)
    return X, X[:, :9].sum(axis=1) + 1.2 * rng.standard_normal(n) > 3.6


def _groups(d: int) -> dict[str, Any]:
    rng = np.random.default_rng(3)
    return {
        "feature_costs": rng.integers(1, 15, d).astype(float).tolist(),
        "feature_groups": [f"g{k % 7}" if k % 3 else None for k in range(d)],
        "group_costs": {f"g{g}": float(g + 2) for g in range(7)},
    }


@dataclass(frozen=True)
class Regime:
    """A name, and what prepares the fit (which is not timed)."""

    name: str
    prepare: Callable[[], Fit]


REGIMES = (
    Regime("selection, small budgets, 300 x 60", _select(lambda: noisy(300, 60), 0.94, 0.94)),
    Regime("selection, large budgets, 1000 x 20", _select(lambda: noisy(1000, 20), 0.78, 0.78)),
    Regime("selection, binary, 500 x 60", _select(lambda: binary(500, 60), 0.8, 0.8)),
    Regime("selection, wide, 300 x 500", _select(lambda: noisy(300, 500), 0.9, 0.9)),
    Regime("selection, tall, 50000 x 20", _select(lambda: noisy(50_000, 20), 0.8, 0.8)),
    Regime(
        "selection, prices and groups, 400 x 40",
        _select(lambda: noisy(400, 40), 0.85, 0.85, **_groups(40)),
    ),
    Regime(
        "selection, prices, large budgets, 768 x 8",
        _select(clinic, 0.79, 0.79, feature_costs=[1.0, 9.0, 3.0, 4.0, 14.0, 2.0, 11.0, 1.5]),
    ),
    Regime(
        "selection, max_weight=1, 380 x 21",
        _select(lambda: noisy(380, 21), 0.8, 0.8, max_weight=1.0),
    ),
    Regime(
        "selection, solver='highs', 300 x 30",
        _select(lambda: noisy(300, 30), 0.85, 0.85, solver="highs"),
    ),
    Regime("training, linear, 1000 x 10", _train(lambda: noisy(1000, 10), 0.84, 0.84)),
    Regime("training, linear, 100000 x 10", _train(lambda: noisy(100_000, 10), 0.84, 0.84)),
    Regime("training, linear, 1000000 x 20", _train(lambda: noisy(1_000_000, 20), 0.75, 0.75)),
    Regime(
        "training, radial, 2000 x 10", _train(lambda: noisy(2000, 10), 0.88, 0.88, kernel="rbf")
    ),
    Regime(
        "training, radial, 20000 x 10", _train(lambda: noisy(20_000, 10), 0.85, 0.85, kernel="rbf")
    ),
    Regime("FrugalSVC, 500 x 40", _whole),
    Regime("for new data, 800 x 40", _for_new_data(lambda: noisy(800, 40), 0.8, 0.8)),
    Regime("for new data, 100000 x 20", _for_new_data(lambda: noisy(100_000, 20), 0.8, 0.8)),
    Regime("for new data, 1000000 x 20", _for_new_data(lambda: noisy(1_000_000, 20), 0.75, 0.75)),
    Regime(
        "for new data, radial, 5000 x 10",
        _for_new_data(lambda: noisy(5000, 10), 0.85, 0.85, kernel="rbf"),
    ),
    Regime(
        "for new data, certificate, 4000 x 30",
        _for_new_data(lambda: noisy(4000, 30), 0.8, 0.8, test_size=0.3),
    ),
    Regime("frontier, 300 x 20", _frontier),
    Regime("command line, fit --report, 768 x 8", _command_line),
)
