"""Known optima on real data: a fold of the breast-cancer data, from independent solvers' runs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from model_instances import margin_problem, selection_problem, standardised
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedKFold

from frugalsvm.data.result import Status
from frugalsvm.models import ModelKind, ModelOptions, get_solver
from frugalsvm.runtime.stopping import Stopper

pytestmark = pytest.mark.slow


def first_fold() -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the 512 training samples of the first of ten folds, standardised."""
    X, y = load_breast_cancer(return_X_y=True)
    train, _ = next(StratifiedKFold(10, shuffle=True, random_state=0).split(X, y))
    return standardised(X[train]), y[train] == 1


@pytest.mark.parametrize("name", ["highs", "gurobi"])
def test_eleven_features_separate_the_fold(name: str) -> None:
    X, positive = first_fold()
    result = get_solver(name).solve_selection(
        selection_problem(X, positive, 0, 0), stop=Stopper(600.0), options=ModelOptions()
    )
    assert (result.status, result.cost) == (Status.OPTIMAL, 11.0)


def test_p2_on_two_features() -> None:
    X, positive = first_fold()
    problem = margin_problem(positive, 10, 15, 32.0, features=X[:, [23, 24]])
    result = get_solver("scip").solve_margin(
        problem, ModelKind.P2, stop=Stopper(600.0), options=ModelOptions(m1=math.inf)
    )
    assert result.status is Status.OPTIMAL
    assert result.objective == pytest.approx(2412.240, rel=1e-5)
