"""The families of instances that are run by seed."""

from __future__ import annotations

import contextlib
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frugalsvm import FrugalSelector, RateSVC
from fuzz.checks.frontier import check_frontier
from fuzz.checks.judges import check_judges
from fuzz.checks.large_training import check_large_training
from fuzz.checks.metamorphic import check_metamorphic
from fuzz.checks.selection import check_selection
from fuzz.checks.training import check_training
from fuzz.generators.selections import random_selection
from fuzz.generators.trainings import random_training
from fuzz.instances import Verdict
from fuzz.workers import Job


def selection(seed: int) -> Verdict:
    """Check FrugalSelector against brute force."""
    return check_selection(random_selection(seed))


def training(seed: int) -> Verdict:
    """Check RateSVC against brute force."""
    return check_training(random_training(seed))


def warm_up() -> None:
    """Let everything be compiled that small instances use, so that no limit pays for it."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 5))
    X[:, 3:] = np.round(X[:, 3:])
    y = X.sum(axis=1) + rng.standard_normal(40) > 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for rates in ((0.8, 0.8), (0.95, 0.95)):
            _try(FrugalSelector(*rates, time_limit=5), X, y)
            _try(RateSVC(*rates, time_limit=5), X, y)
            _try(RateSVC(*rates, kernel="rbf", max_slack=3.0, time_limit=5), X, y)


def warm_up_large() -> None:
    """Let the kernels be compiled that only larger instances use."""
    from fuzz.checks.selection import data, parameters
    from fuzz.generators.planted import REGIMES, planted_selection

    for number, regime in enumerate(REGIMES):
        instance = planted_selection(number, regime).instance
        _try(FrugalSelector(**{**parameters(instance), "time_limit": 5.0}), *data(instance))


def _try(estimator: Any, X: NDArray[np.float64], y: NDArray[Any]) -> None:
    with contextlib.suppress(Exception):  # only the compilation matters here
        estimator.fit(X, y)


def warm_up_judges() -> None:
    """Let the kernels be compiled that are called directly."""
    warm_up()
    for seed in range(20):
        check_judges(seed)


JOBS = {
    "selection": Job("selection", selection, warm_up),
    "judges": Job("judges", check_judges, warm_up_judges),
    "training": Job("training", training, warm_up),
    "frontier": Job("frontier", check_frontier, warm_up),
    "large-training": Job("large-training", check_large_training, warm_up),
    "metamorphic": Job("metamorphic", check_metamorphic, warm_up_large),
}
