"""Fits of every kind; prints as JSON which kernels each of them had to compile."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress

import numpy as np
import pandas as pd
from numba.core import event
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_digits, load_wine, make_classification

from frugalsvm import FrugalSelector, FrugalSVC, FrugalSVCCV, RateSVC, frontier
from frugalsvm.data.exceptions import FrugalSVMError

Table = tuple[NDArray[np.float64], NDArray[np.bool_]]
Fit = Callable[[], object]


class Compiled(event.Listener):
    """Remembers what was compiled."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def on_start(self, event: event.Event) -> None:
        kernel = event.data["dispatcher"]
        function = getattr(kernel, "py_func", None) or kernel.__wrapped__
        self.names.append(f"{function.__module__}.{function.__name__}")

    def on_end(self, event: event.Event) -> None:
        pass


def informative(n: int, d: int, flip: float, seed: int) -> Table:
    """Return continuous features of which some matter."""
    X, y = make_classification(
        n, d, n_informative=min(6, d // 2), n_redundant=d // 5, flip_y=flip, random_state=seed
    )
    return X, y.astype(bool)


def one_hot(n: int, variables: int, seed: int) -> Table:
    """Return levels of categorical variables as columns."""
    rng = np.random.default_rng(seed)
    drawn = rng.integers(0, 4, (n, variables))
    score = rng.normal(size=(variables, 4))[np.arange(variables), drawn].sum(axis=1)
    X = np.hstack([np.eye(4)[drawn[:, v]] for v in range(variables)])
    return X, score + 0.5 * rng.standard_normal(n) > 0


def mixed(n: int, seed: int) -> Table:
    """Return measurements and answers of yes and no."""
    rng = np.random.default_rng(seed)
    X = np.hstack([rng.standard_normal((n, 6)), rng.integers(0, 2, (n, 6))])
    return X, X @ rng.standard_normal(12) + 0.5 * rng.standard_normal(n) > 0


def selections() -> Iterator[tuple[str, Fit]]:
    """Yield selections: of kinds of data, budgets and prices."""
    tables = {
        "cancer": load_breast_cancer(return_X_y=True),
        "noisy": informative(400, 12, 0.3, 1),
        "wide": informative(60, 300, 0.0, 2),
        "taller": informative(3000, 15, 0.1, 3),
        "tall": informative(25_000, 8, 0.1, 4),
        "one-hot": one_hot(500, 6, 5),
        "few categories": one_hot(150, 4, 6),
        "mixed": mixed(300, 7),
    }
    for name, (X, y) in tables.items():
        for rate in (1.0, 0.96, 0.85, 0.7):
            yield (
                f"{name} {rate}",
                lambda X=X, y=y, r=rate: FrugalSelector(r, r, time_limit=3).fit(X, y),
            )
    for name in ("noisy", "one-hot", "mixed", "wide"):
        X, y = tables[name]
        prices = np.arange(X.shape[1]) % 7 + 1.0
        groups = [k // 3 for k in range(X.shape[1])]
        cost = dict.fromkeys(range(max(groups) + 1), 4.0)
        yield (
            f"{name}, prices",
            lambda X=X, y=y, p=prices: FrugalSelector(
                0.8, 0.8, feature_costs=p, n_alternatives=2, time_limit=3
            ).fit(X, y),
        )
        yield (
            f"{name}, groups",
            lambda X=X, y=y, g=groups, c=cost: FrugalSelector(
                0.8, 0.8, feature_groups=g, group_costs=c, time_limit=3
            ).fit(X, y),
        )


def trainings() -> Iterator[tuple[str, Fit]]:
    """Yield trainings, several classes, cross-validated ones and a frontier."""
    X, y = load_breast_cancer(return_X_y=True)
    few = X[:, [7, 20, 24]]
    for loss in ("hinge", "logistic", "dwd"):
        yield (
            f"training {loss}",
            lambda loss=loss: RateSVC(0.95, 0.9, loss=loss, time_limit=3).fit(few, y),
        )
        yield (
            f"both {loss}",
            lambda loss=loss: FrugalSVC(0.94, 0.9, loss=loss, time_limit=5).fit(X, y),
        )
    for kernel in ("rbf", "poly"):
        yield (
            f"both {kernel}",
            lambda k=kernel: FrugalSVC(0.94, 0.9, kernel=k, time_limit=5).fit(X, y),
        )
    yield "slack", lambda: RateSVC(0.9, 0.9, max_slack=4.0, time_limit=3).fit(few, y)
    yield "impossible", lambda: RateSVC(1.0, 1.0, time_limit=3).fit(few[:, :1], y)
    noisy = informative(2500, 5, 0.2, 8)
    yield "many rows", lambda: RateSVC(0.8, 0.7, time_limit=4).fit(*noisy)
    yield "weights", lambda: FrugalSVC(0.9, 0.9, time_limit=5).fit(X, y, np.arange(len(y)) % 3 + 1)
    frame = pd.DataFrame(few, columns=["a", "b", "c"])
    yield "a frame", lambda: FrugalSVC(0.9, 0.8, time_limit=4).fit(frame, y)
    wine = load_wine(return_X_y=True)
    yield "classes", lambda: FrugalSVC(0.9, 0.9, time_limit=6).fit(*wine)
    digits = load_digits(return_X_y=True)
    yield "digits", lambda: FrugalSelector(0.8, 0.8, time_limit=4).fit(*digits)
    yield "unseen", lambda: FrugalSVCCV(0.85, 0.85, time_limit=15).fit(X[:, :12], y)
    yield (
        "frontier",
        lambda: frontier(X[:, :8], y, min_tprs=[0.85, 0.9], min_tnrs=[0.9], time_limit=15),
    )


def main() -> None:
    """Fit one after the other."""
    compiled = {}
    for name, fit in (*selections(), *trainings()):
        listener = Compiled()
        event.register("numba:compile", listener)
        # That there is no answer is one way to end.
        with warnings.catch_warnings(), suppress(FrugalSVMError):
            warnings.simplefilter("ignore")
            fit()
        event.unregister("numba:compile", listener)
        compiled[name] = listener.names
    sys.stdout.write(json.dumps(compiled))


if __name__ == "__main__":
    main()
