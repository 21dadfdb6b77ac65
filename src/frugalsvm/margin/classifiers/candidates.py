"""SVMs for chosen wrong rows, and the classifiers they give."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from frugalsvm.margin.arrays import Flags, Floats
from frugalsvm.margin.classifiers.drafts import Bench, Draft, Limits, make_draft, make_limits
from frugalsvm.margin.rows.reduction import Reduced
from frugalsvm.margin.slots import EFFORT
from frugalsvm.margin.solver.compiled import solver
from frugalsvm.margin.solver.dual import Work, make_state, make_work
from frugalsvm.margin.tuning import MOST_PIVOTS, MOST_PIVOTS_PER_ROW
from frugalsvm.margin.watch import Watch


@dataclass(frozen=True)
class Candidate:
    """A classifier that keeps every limit.

    Attributes
    ----------
    a : ndarray of shape (n_rows,)
        Signed multipliers: f = sum a_j K(x_j, .) / 2 + b.
    b : float
        Intercept, for the rows' centred features.
    wrong : ndarray of bool of shape (n_rows,)
        Ints with a margin below their target.
    objective : float
        ||f||^2 + C sum xi.
    """

    a: Floats
    b: float
    wrong: Flags
    objective: float

    @classmethod
    def of(cls, draft: Draft) -> Candidate | None:
        """Return a copy of what compiled code has left, None if there is nothing."""
        objective, b = draft.numbers
        if math.isinf(objective):
            return None
        return cls(draft.a.copy(), float(b), draft.wrong.copy(), float(objective))


class Trainer:
    """One solver for one value of C, shared by heuristic and proof.

    Attributes
    ----------
    rows : Reduced
        The problem's rows.
    watch : Watch
        Ends its work.
    bench : Bench
        Its data, states, limits and room.
    max_pivots : int
        Most pivots of one solution.
    """

    def __init__(self, rows: Reduced, C: float, watch: Watch) -> None:
        self.rows, self.watch = rows, watch
        work = make_work(rows.Z, rows.K, rows.y, rows.target, watch.halt)
        self.bench = Bench(
            work=work,
            backup=make_state(work),
            kept=make_state(work),
            limits=make_limits(rows, rows.soft_box(C)),
            trial=make_draft(rows.n_rows),
        )
        self.max_pivots = MOST_PIVOTS + MOST_PIVOTS_PER_ROW * rows.n_rows

    @property
    def solver(self) -> Any:
        """The compiled solver, for compiled code."""
        return solver()

    @property
    def work(self) -> Work:
        """The solver's data and state."""
        return self.bench.work

    @property
    def limits(self) -> Limits:
        """What may be wrong, and the boxes of rows with a slack."""
        return self.bench.limits

    @property
    def effort(self) -> int:
        """Work done so far, in thousands of operations: about a microsecond each."""
        return int(self.work.counts[EFFORT])
