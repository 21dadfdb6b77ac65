"""All kernels at once, before they are needed: for images, notebooks, and machines without time.

Kernels are compiled when they are first used and kept on disk. Which ones a problem uses depends on
its values, budgets and size, so that a first fit compiles some and a later one others. Here small
problems of every kind are solved, one after the other, until all is on disk.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from frugalsvm.data.exceptions import FrugalSVMError
from frugalsvm.estimators.classifier import FrugalSVC
from frugalsvm.estimators.rate_svc import RateSVC
from frugalsvm.estimators.selector import FrugalSelector
from frugalsvm.runtime.stopping import compilation_at_leisure

SECONDS = 2.0
"""Limit of each fit; time spent compiling does not count."""


class Example(NamedTuple):
    """A problem and who is to solve it."""

    what: str
    estimator: Any
    X: NDArray[np.float64]
    y: NDArray[np.bool_]


def compile_kernels(on_progress: Callable[[str], None] | None = None) -> float:
    """Compile all that fits may need, once after an installation, and keep it on disk.

    Takes a minute or two; nothing is done again where it was done before.

    Parameters
    ----------
    on_progress : callable or None, default=None
        Called with a few words before each step.

    Returns
    -------
    float
        The seconds it took.
    """
    start = time.perf_counter()
    with compilation_at_leisure():
        for example in examples():
            if on_progress is not None:
                on_progress(example.what)
            # That there is no answer is one way to end.
            with warnings.catch_warnings(), suppress(FrugalSVMError):
                warnings.simplefilter("ignore")
                example.estimator.fit(example.X, example.y)
    return time.perf_counter() - start


def examples() -> Iterator[Example]:
    """Yield problems that together use every kernel."""
    tables = {
        "measurements": _measurements(300, 12),
        "answers of yes and no": _binary(300, 12),
        "few values": _few_values(200, 8),
        "measurements and few values": _mixed(200, 10),
        "many features": _measurements(60, 80),
    }
    rates = {"no errors": (1.0, 1.0), "few errors": (0.95, 0.95), "many errors": (0.75, 0.7)}
    for told, X in tables.items():
        for budget, (tpr, tnr) in rates.items():
            what, y = f"selection: {told}, {budget}", _classes(X, noise=0.0 if tpr == 1.0 else 0.5)
            yield Example(what, FrugalSelector(tpr, tnr, time_limit=SECONDS), X, y)
    X = tables["measurements"]
    y = _classes(X)
    for loss in ("hinge", "logistic", "dwd"):
        yield Example(f"training: {loss}", RateSVC(0.9, 0.9, loss=loss, time_limit=SECONDS), X, y)
    kernel = RateSVC(0.9, 0.9, kernel="rbf", time_limit=SECONDS)
    yield Example("training: a kernel", kernel, X[:, :4], y)
    slack = RateSVC(0.8, 0.8, max_slack=3.0, time_limit=SECONDS)
    yield Example("training: limited slack", slack, X, y)
    impossible = RateSVC(0.95, 0.95, time_limit=SECONDS)
    yield Example("training: rates out of reach", impossible, X[:40, :1], y[:40])
    yield Example("both", FrugalSVC(0.85, 0.85, time_limit=SECONDS), X, y)


def _measurements(n: int, d: int) -> NDArray[np.float64]:
    return np.random.default_rng(0).standard_normal((n, d))


def _binary(n: int, d: int) -> NDArray[np.float64]:
    return (np.random.default_rng(1).random((n, d)) < 0.4).astype(float)


def _few_values(n: int, d: int) -> NDArray[np.float64]:
    return np.asarray(np.round(np.random.default_rng(2).standard_normal((n, d))))


def _mixed(n: int, d: int) -> NDArray[np.float64]:
    return np.hstack((_measurements(n, d // 2), _binary(n, d - d // 2)))


def _classes(X: NDArray[np.float64], noise: float = 0.5) -> NDArray[np.bool_]:
    """Return classes by four features."""
    rng = np.random.default_rng(3)
    score = X[:, :4].sum(axis=1) + noise * rng.standard_normal(len(X))
    return np.asarray(score > np.median(score))
