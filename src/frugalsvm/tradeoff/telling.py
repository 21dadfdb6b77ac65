"""Telling the caller how far the frontier is."""

from __future__ import annotations

import math
from collections.abc import Callable

from frugalsvm.data.result import Progress, SelectionResult, Status
from frugalsvm.runtime.progress import COMPILING, describe
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.tradeoff.ledger import Cell, Ledger
from frugalsvm.tradeoff.points import FrontierPoint, FrontierProgress
from frugalsvm.tradeoff.setting import Grid

PAUSE = 0.5
"""Seconds between two reports on searches that are still running."""


class Teller:
    """Turns results and progress of searches into calls of the user's callback, one at a time.

    Parameters
    ----------
    callback : callable or None
        The user's.
    ledger : Ledger
        Knows how many pairs are settled; its lock keeps calls apart.
    grid : Grid
        Knows the targets.
    stop : Stopper
        Knows the time.
    """

    def __init__(
        self,
        callback: Callable[[FrontierProgress], None] | None,
        ledger: Ledger,
        grid: Grid,
        stop: Stopper,
    ) -> None:
        self.callback = callback
        self.ledger = ledger
        self.grid = grid
        self.stop = stop
        self._last = -math.inf

    def result(self, cell: Cell, result: SelectionResult) -> None:
        """Tell what a search ended with."""
        self._tell(f"{self._asked(cell)}: {_finding(result)}")

    def progress(self, cell: Cell, progress: Progress) -> None:
        """Tell how a search gets on, unless something was told just now."""
        if progress.phase != COMPILING and self.stop.elapsed - self._last >= PAUSE:
            cost = "nothing found" if math.isinf(progress.cost) else f"cost {progress.cost:g}"
            self._tell(f"{self._asked(cell)}: {cost}, bound {progress.bound:g} so far")

    def compiling(self, begins: bool) -> None:
        """Tell that kernels are compiled, and when that is over."""
        waiting = Progress(self.stop.elapsed, math.inf, 0.0, COMPILING)
        self._tell(describe(waiting) if begins else "compiled")

    def trained(self, point: FrontierPoint) -> None:
        """Tell that the classifier of a point is trained and cross-validated."""
        targets = f"TPR >= {point.min_tpr:.4g}, TNR >= {point.min_tnr:.4g}"
        self._tell(f"{targets}: classifier on the panel of cost {point.cost:g}", "training")

    def _asked(self, cell: Cell) -> str:
        tpr, tnr = self.grid.min_tprs[cell[0]], self.grid.min_tnrs[cell[1]]
        return f"TPR >= {tpr:.4g}, TNR >= {tnr:.4g}"

    def _tell(self, detail: str, phase: str = "searching") -> None:
        if self.callback is None:
            return
        with self.ledger.lock:
            settled = int(self.ledger.closed().sum())
            total = self.ledger.cost.size
            self._last = self.stop.elapsed
            self.callback(FrontierProgress(settled, total, self._last, phase, detail))


def _finding(result: SelectionResult) -> str:
    if result.has_answer:
        return f"cost {result.cost:g}, bound {result.bound:g}"
    return "cannot be met" if result.status is Status.INFEASIBLE else "nothing found yet"
