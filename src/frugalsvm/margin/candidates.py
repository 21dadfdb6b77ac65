"""SVMs for chosen wrong rows, and the classifiers they give."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from frugalsvm.margin.active_set import solve
from frugalsvm.margin.conflicts import Flags, set_boxes
from frugalsvm.margin.dual import Floats, Ints, copy_state, intercept_range, make_work
from frugalsvm.margin.free_rows import stiffness
from frugalsvm.margin.moves import balance, settle
from frugalsvm.margin.reduction import Reduced

COUNTED = 1e-6
"""Margins this close to the target are scaled up to it; others are wrong."""


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
        Rows with a margin below their target.
    slack : ndarray of shape (n_rows,)
        The xi.
    objective : float
        ||f||^2 + C sum xi.
    """

    a: Floats
    b: float
    wrong: Flags
    slack: Floats
    objective: float


class Trainer:
    """One solver for one value of C, shared by heuristic and proof.

    Attributes
    ----------
    rows : Reduced
        The problem's rows.
    work, backup, kept : Work
        The solver, and two more to keep its states in.
    box : ndarray of shape (n_rows,)
        Largest multipliers of rows that may have a slack.
    """

    def __init__(self, rows: Reduced, C: float) -> None:
        self.rows = rows
        self.box = rows.soft_box(C)
        self.work = make_work(rows.Z, rows.K, rows.y, rows.target)
        self.backup = make_work(rows.Z, rows.K, rows.y, rows.target)
        self.kept = make_work(rows.Z, rows.K, rows.y, rows.target)
        self.max_pivots = 2000 + 20 * rows.n_rows

    def fit(self, hard: Flags, box: Floats | None = None, cutoff: float = math.inf) -> int:
        """Solve the SVM whose `hard` rows have no slack, from the present multipliers."""
        set_boxes(self.work, self.box if box is None else box, hard | self.rows.fixed)
        balance(self.work)
        return int(solve(self.work, cutoff, self.max_pivots, False))

    def keep(self) -> None:
        """Keep the present state for :meth:`refit`."""
        copy_state(self.work, self.kept)

    def refit(self, hard: Flags, cutoff: float = math.inf) -> int:
        """Solve like :meth:`fit`, from the kept state."""
        copy_state(self.kept, self.work)
        set_boxes(self.work, self.box, hard | self.rows.fixed)
        settle(self.work)
        return int(solve(self.work, cutoff, self.max_pivots, False))

    def stiffness(self, rows: Ints) -> Floats:
        """Return how fast a change of each row's multiplier meets resistance."""
        return np.asarray(stiffness(self.work, rows))

    @property
    def effort(self) -> int:
        """Work done so far, in thousands of operations: about a microsecond each."""
        return int(self.work.counts[3])

    def slack(self) -> Floats:
        """Return target minus margin of every row for the present multipliers."""
        work = self.work
        return np.asarray(work.y * (work.e - work.numbers[1]))

    def fits(self, wrong: Flags) -> bool:
        """Return True if every limit holds when these rows are wrong."""
        rows = self.rows
        return bool((rows.use @ wrong <= rows.caps).all() and not (wrong & rows.fixed).any())

    def candidate(self) -> Candidate | None:
        """Return the present, optimal SVM as a candidate; None if it breaks a limit.

        Where a whole interval of intercepts is optimal its middle is tried first, as libsvm
        does, then its ends.
        """
        low, high = intercept_range(self.work)
        middle = self.work.numbers[1]
        if math.isfinite(low) and math.isfinite(high):
            middle = 0.5 * (low + high)
        tries = [middle, *(b for b in (low, high) if math.isfinite(b) and low < high - 1e-9)]
        found = (self._at_intercept(b) for b in tries)
        return next((candidate for candidate in found if candidate is not None), None)

    def _at_intercept(self, b: float) -> Candidate | None:
        work, rows = self.work, self.rows
        scores = work.t - work.e
        margins = work.y * (scores + b)
        wrong = margins < rows.target - COUNTED
        if not self.fits(wrong):
            return None
        # Hard rows end a rounding error short of their target: a factor puts them on it.
        right = ~wrong & (rows.target > 0.5)
        scale = 1.0 / min(1.0, float(margins[right].min(initial=1.0)))
        slack = np.where(wrong, np.maximum(0.0, rows.target - scale * margins), 0.0)
        norm = max(0.0, 0.5 * float(work.a @ scores))
        paid = slack > 0.0
        objective = scale * scale * norm + float(self.box[paid] @ slack[paid])
        return Candidate(scale * work.a, scale * b, wrong, slack, objective)


def allowed_wrong(rows: Reduced, order: NDArray[np.int64]) -> Flags:
    """Return rows taken in the given order as long as the limits allow them to be wrong."""
    return np.asarray(take_in_order(rows.use, rows.caps, rows.fixed, order))


@njit(cache=True, nogil=True)
def take_in_order(use: Floats, caps: Floats, fixed: Flags, order: Ints) -> Flags:
    """Mark each row of the order that what is left of the limits has room for."""
    wrong = np.zeros(use.shape[1], dtype=np.bool_)
    left = caps.copy()
    for i in order:
        fits = not fixed[i] and not wrong[i]
        for k in range(len(left)):
            fits = fits and use[k, i] <= left[k]
        if fits:
            wrong[i] = True
            for k in range(len(left)):
                left[k] -= use[k, i]
    return wrong
