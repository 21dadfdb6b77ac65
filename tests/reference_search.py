"""The whole idea of the search in one sitting, with nothing compiled and nothing clever.

Two facts carry it (docs/tour.md):

* **The gap.** A support S is feasible if and only if some samples can be given up within the
  budgets such that the others are separated by a direction w on S, max |w_k| = 1, with
  gap(w) = (lowest kept positive score) - (highest kept negative score) >= 2 / max_weight.
  For given kept samples the widest gap is a linear program, and where it is too narrow its
  multipliers name a few samples that cannot all be kept: a conflict.
* **Monotonicity.** What is infeasible stays so with fewer features. So every infeasible set T is a
  cut: an answer holds a feature outside of T.

The search repeats: take the cheapest set of features that hits all cuts. If it is feasible, nothing
cheaper is; otherwise enlarge it while it stays infeasible, and add the cut.
"""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
from scipy.optimize import linprog

from frugalsvm.data.problem import SelectionProblem

Support = frozenset[int]
Samples = frozenset[int]


class ReferenceSearch:
    """Solves one problem; `cuts` are the infeasible sets that prove the answer."""

    def __init__(self, problem: SelectionProblem) -> None:
        self.problem = problem
        self.included = frozenset(np.flatnonzero(problem.include).tolist())
        allowed = np.flatnonzero(~problem.exclude).tolist()
        self.allowed = frozenset(allowed)
        self.cuts: list[Support] = []
        self.floor = 2.0 / problem.max_weight * (1.0 - 5e-7)

    def solve(self) -> tuple[float, Support]:
        """Return the least cost and an answer of that cost; infinity if there is none."""
        if not self.is_feasible(self.allowed):
            return math.inf, frozenset()
        for support in self.by_cost():
            if all(support - cut for cut in self.cuts):
                if self.is_feasible(support):
                    return self.problem.costs.cost(support), support
                self.cuts.append(self.enlarged(support))
        raise AssertionError("the whole was feasible")

    def by_cost(self) -> list[Support]:
        """Return all supports, cheap ones first."""
        choices = sorted(self.allowed - self.included)
        supports = [
            self.included | set(extra)
            for size in range(len(choices) + 1)
            for extra in combinations(choices, size)
        ]
        return sorted(supports, key=lambda s: (self.problem.costs.cost(s), len(s), sorted(s)))

    def enlarged(self, support: Support) -> Support:
        """Return an infeasible set around an infeasible support: a stronger cut."""
        for k in sorted(self.allowed - support):
            if not self.is_feasible(support | {k}):
                support = support | {k}
        return support

    def is_feasible(self, support: Support) -> bool:
        """Return True if some hyperplane on the support meets both budgets."""
        budget = self.problem.budget
        if budget.pos >= self.problem.n_positive or budget.neg >= self.problem.n_negative:
            return True
        return self._separable(sorted(support), frozenset(), frozenset())

    def _separable(self, support: list[int], gone: Samples, kept: Samples) -> bool:
        """Give up samples until the rest is separated; `kept` are not to be given up any more."""
        conflict = self._conflict(support, gone)
        if not conflict:
            return True
        for sample in sorted(conflict - kept):
            if self._affordable(gone | {sample}) and self._separable(
                support, gone | {sample}, kept
            ):
                return True
            kept = kept | {sample}  # whoever gives it up was looked at
        return False

    def _affordable(self, gone: Samples) -> bool:
        positives = sum(bool(self.problem.positive[i]) for i in gone)
        budget = self.problem.budget
        return positives <= budget.pos and len(gone) - positives <= budget.neg

    def _conflict(self, support: list[int], gone: Samples) -> Samples:
        """Return samples that cannot all be right; none if all that are left can be.

        Maximise p - q such that positives score at least p, negatives at most q, |w_k| <= 1.
        """
        left = np.array([i for i in range(len(self.problem.X)) if i not in gone])
        positive = self.problem.positive[left]
        points, d = self.problem.X[np.ix_(left, support)], len(support)
        if d == 0:
            return frozenset((int(left[positive][0]), int(left[~positive][0])))
        y = np.where(positive, 1.0, -1.0)
        rows = np.column_stack((-y[:, None] * points, positive, -(~positive).astype(float)))
        solved = linprog(
            np.concatenate((np.zeros(d), [-1.0, 1.0])),
            A_ub=rows,
            b_ub=np.zeros(len(left)),
            bounds=[(-1.0, 1.0)] * d + [(None, None)] * 2,
        )
        if -solved.fun >= self.floor:
            return frozenset()
        return frozenset(left[solved.ineqlin.marginals < -1e-9].tolist())
