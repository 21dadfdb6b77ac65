"""The two problems as plain data: what the searches and the solvers' models are given."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from frugalsvm.data.costs import CostModel
from frugalsvm.data.losses import HINGE
from frugalsvm.data.rates import ErrorBudget

MAX_WEIGHT = 100.0
"""The default of `max_weight`, the paper's M3."""


@dataclass(frozen=True)
class SelectionProblem:
    """The paper's P1: the cheapest support for which some hyperplane meets both error budgets.

    A hyperplane (w, b) answers it with support S if w is zero outside S, ``|w_k| <= max_weight``,
    and at most ``budget.pos`` positives and ``budget.neg`` negatives have a margin
    y (w'x + b) below 1. M2 is infinite: a sample that may be wrong may be wrong by any amount.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
        Standardised features (mean 0, standard deviation 1); constant columns are all zero.
    positive : ndarray of bool of shape (n_samples,)
        Which samples are of the positive class.
    budget : ErrorBudget
        Allowed errors.
    costs : CostModel
        What supports cost.
    include, exclude : ndarray of bool of shape (n_features,)
        Features that every support holds (and pays for), and that none holds. Constant columns
        are excluded; the two never overlap.
    max_weight : float
        M3.
    """

    X: NDArray[np.float64]
    positive: NDArray[np.bool_]
    budget: ErrorBudget
    costs: CostModel
    include: NDArray[np.bool_]
    exclude: NDArray[np.bool_]
    max_weight: float = MAX_WEIGHT

    @property
    def n_features(self) -> int:
        """Number of features, excluded ones too."""
        return int(self.X.shape[1])

    @property
    def n_positive(self) -> int:
        """Number of positives."""
        return int(self.positive.sum())

    @property
    def n_negative(self) -> int:
        """Number of negatives."""
        return len(self.positive) - self.n_positive


@dataclass(frozen=True)
class CountLimit:
    """At most `max_errors` of the samples in `members` may be wrong (margin below 1).

    Sensitivity, specificity, accuracy and the recall of a subgroup are all of this kind.
    """

    name: str
    members: NDArray[np.bool_]
    max_errors: int


@dataclass(frozen=True)
class MarginProblem:
    """The rate-constrained SVM (the paper's CSVM, P2, P3) on given features.

    Minimise ||f||^2 + C sum xi over f = g + b, g in the kernel's space, b free, with
    y_i f(x_i) >= 1 - xi_i, such that every limit holds when a sample is wrong if its
    margin is below 1. With another loss L than the hinge, the sum is that of the L(y_i f(x_i)).

    Attributes
    ----------
    features : ndarray of shape (n_samples, n_features) or None
        The feature matrix if the kernel is linear; exactly one of `features` and `gram` is given.
    gram : ndarray of shape (n_samples, n_samples) or None
        The kernel's matrix for any other kernel.
    positive : ndarray of bool of shape (n_samples,)
        Which samples have y = +1.
    limits : tuple of CountLimit
        The first two are the sensitivity's and the specificity's; further ones may follow.
    C : float
        The paper's C: the objective has no factor 1/2, so libsvm's C is C/2.
    max_slack : float or None
        The paper's M1, an upper bound on every xi; None: none.
    semidefinite : bool
        Whether the kernel matrix is known to be positive semidefinite; otherwise it is checked,
        which takes time and memory.
    loss : {"hinge", "logistic", "dwd"}
        What a margin costs; see :mod:`frugalsvm.data.losses`.
    """

    features: NDArray[np.float64] | None
    gram: NDArray[np.float64] | None
    positive: NDArray[np.bool_]
    limits: tuple[CountLimit, ...]
    C: float
    max_slack: float | None = None
    semidefinite: bool = False
    loss: str = HINGE

    @property
    def y(self) -> NDArray[np.float64]:
        """Labels as +1 and -1."""
        return np.where(self.positive, 1.0, -1.0)
