"""Which pair of targets to search for next, so that most of the others need no search."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from frugalsvm.tradeoff.ledger import COST_TOLERANCE, Cell, Ledger


def next_cell(ledger: Ledger, skip: Collection[Cell]) -> Cell | None:
    """Return the open pair whose search promises to settle the most others; None if none is open.

    A pair's cost lies between its bound and the cost known. If the search confirms the known
    cost, every tighter pair with the same known cost is settled; if it comes down to the bound,
    every looser pair with the same bound is. The pair where the lesser of the two counts is the
    greatest halves what is open, as bisection does on a line.

    Parameters
    ----------
    ledger : Ledger
        What is known.
    skip : collection of cells
        Pairs not to choose: being searched for, or given up.
    """
    open_cells = ~ledger.closed()
    chosen, best = None, (-1, -1, -1)
    for cell in ledger.cells:
        if open_cells[cell] and cell not in skip:
            promise = _promise(ledger, cell, open_cells)
            if promise > best:
                chosen, best = cell, promise
    return chosen


def _promise(ledger: Ledger, cell: Cell, open_cells: np.ndarray) -> tuple[int, int, int]:
    i, j = cell
    tolerance = COST_TOLERANCE * max(1.0, ledger.bound[cell])
    tighter = open_cells[i:, j:] & (ledger.cost[i:, j:] <= ledger.cost[cell] + tolerance)
    looser = open_cells[: i + 1, : j + 1] & (
        ledger.bound[: i + 1, : j + 1] >= ledger.bound[cell] - tolerance
    )
    counts = int(tighter.sum()), int(looser.sum())
    # Among equals the tighter pair: its panel serves more of the others at once.
    return min(counts), sum(counts), i + j
