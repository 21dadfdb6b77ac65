"""What one search leaves for the next: across targets, and across training sets.

What may be reused, and why it is sound:

* A support that was an answer once is a good guess anywhere. It is only tried, never believed.
* A support proven infeasible stays infeasible for budgets that are no larger and a margin floor
  that is no lower, on the same samples or on more of them (in the same units): whatever
  hyperplane met the new budgets would have met the old ones.
* A proven bound on the cost holds on under the same conditions, if also the prices are the same
  and no feature has been allowed that was not before.

"The same samples or more of them" is checked on the numbers: every row of the old problem must
be a row of the new one with the same class.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from frugalsvm.data.problem import SelectionProblem
from frugalsvm.data.result import SelectionResult
from frugalsvm.search.tuning import (
    MOST_SEEDS,
    MOST_SETS,
)

Support = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Proof:
    """What was proven about one problem.

    Attributes
    ----------
    problem : SelectionProblem
        The problem.
    rows : Counter of bytes
        Fingerprints of its samples, class included.
    bound : Fraction, or infinity
        No allowed support is cheaper.
    infeasible : tuple of tuples of int
        Supports that no hyperplane meets the budgets on.
    """

    problem: SelectionProblem
    rows: Counter[bytes]
    bound: Fraction | float
    infeasible: tuple[Support, ...]

    def holds_for(self, problem: SelectionProblem, rows: Counter[bytes]) -> bool:
        """Return True if what is infeasible here is infeasible there."""
        old = self.problem
        return (
            problem.budget.pos <= old.budget.pos
            and problem.budget.neg <= old.budget.neg
            and problem.max_weight <= old.max_weight
            and problem.n_features == old.n_features
            and self.rows <= rows
        )

    def bound_holds_for(self, problem: SelectionProblem) -> bool:
        """Return True if, beyond that, the bound holds: same prices, no new freedom."""
        old = self.problem
        return bool(
            np.array_equal(problem.costs.feature, old.costs.feature)
            and problem.costs.groups_of == old.costs.groups_of
            and np.array_equal(problem.costs.group, old.costs.group)
            and np.all(problem.exclude >= old.exclude)
            and np.all(problem.include >= old.include)
        )


@dataclass(eq=False)
class Knowledge:
    """Collects what searches found; pass the same object to each of them.

    Examples
    --------
    >>> knowledge = Knowledge()
    >>> knowledge.seeds
    []
    """

    seeds: list[Support] = field(default_factory=list)
    proofs: list[Proof] = field(default_factory=list)

    def learn(
        self,
        problem: SelectionProblem,
        result: SelectionResult,
        bound: Fraction | float,
        infeasible: list[Support],
    ) -> None:
        """Remember an answer, the bound, and supports proven infeasible (original features)."""
        if result.has_answer and result.support not in self.seeds:
            self.seeds.append(result.support)
            del self.seeds[:-MOST_SEEDS]
        rows = fingerprints(problem)
        self.proofs.append(Proof(problem, rows, bound, tuple(infeasible[-MOST_SETS:])))

    def bound_for(self, problem: SelectionProblem) -> Fraction | float:
        """Return the best bound that earlier searches proved for this problem."""
        rows = fingerprints(problem)
        bounds = [
            proof.bound
            for proof in self.proofs
            if proof.holds_for(problem, rows) and proof.bound_holds_for(problem)
        ]
        return max(bounds, default=Fraction(0))

    def infeasible_for(self, problem: SelectionProblem) -> list[Support]:
        """Return the supports known to be infeasible for this problem."""
        rows = fingerprints(problem)
        return [
            support
            for proof in self.proofs
            if proof.infeasible and proof.holds_for(problem, rows)
            for support in proof.infeasible
        ]


def fingerprints(problem: SelectionProblem) -> Counter[bytes]:
    """Return a digest of each sample and its class, counted."""
    X = np.ascontiguousarray(problem.X)
    return Counter(
        hashlib.blake2b(row.tobytes() + bytes([bool(label)]), digest_size=16).digest()
        for row, label in zip(X, problem.positive, strict=True)
    )
