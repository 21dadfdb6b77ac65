"""Several selection problems on the same samples and features: one panel has to answer them all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frugalsvm.data.costs import CostModel
from frugalsvm.data.problem import SelectionProblem
from frugalsvm.data.rates import ErrorBudget


@dataclass(frozen=True)
class Target:
    """One of the questions: which samples are its positives, and how many errors it allows.

    Attributes
    ----------
    name : label
        What it is called: a class, or the number of an output.
    positive : ndarray of bool of shape (n_samples,)
        Its positives.
    budget : ErrorBudget
        Allowed errors.
    """

    name: Any
    positive: NDArray[np.bool_]
    budget: ErrorBudget


@dataclass(frozen=True)
class SeveralProblem:
    """The cheapest support on which every target has a hyperplane that meets its own budgets.

    A support answers it if it answers the paper's P1 for each target: the hyperplanes may differ,
    the features are paid for once. What is infeasible for one target is so for all of them
    together, and so are its subsets.

    Attributes
    ----------
    X, costs, include, exclude, max_weight
        As in :class:`~frugalsvm.data.problem.SelectionProblem`.
    targets : tuple of Target
        The questions; at least one.
    """

    X: NDArray[np.float64]
    targets: tuple[Target, ...]
    costs: CostModel
    include: NDArray[np.bool_]
    exclude: NDArray[np.bool_]
    max_weight: float = 100.0

    @classmethod
    def of(cls, problem: SelectionProblem, targets: tuple[Target, ...]) -> SeveralProblem:
        """Return the problem of these targets on another problem's samples, features and prices."""
        return cls(
            problem.X, targets, problem.costs, problem.include, problem.exclude, problem.max_weight
        )

    @property
    def n_features(self) -> int:
        """Number of features, excluded ones too."""
        return int(self.X.shape[1])

    def single(self, number: int) -> SelectionProblem:
        """Return the problem of one target alone."""
        target = self.targets[number]
        return SelectionProblem(
            self.X,
            target.positive,
            target.budget,
            self.costs,
            self.include,
            self.exclude,
            self.max_weight,
        )
