"""Which pair of targets to search for next, so that most of the others need no search."""

from __future__ import annotations

import math
from collections.abc import Collection

import numpy as np

from frugalsvm.tradeoff.ledger import Cell, Ledger


def next_cell(
    ledger: Ledger, skip: Collection[Cell], given_up: Collection[Cell] = ()
) -> Cell | None:
    """Return the open pair whose search promises to settle the most others; None if none is open.

    A pair's cost lies between its bound and the cost known. If the search confirms the known
    cost, every tighter pair with the same known cost is settled; if it comes down to the bound,
    every looser pair with the same bound is. The pair where the lesser of the two counts is the
    greatest halves what is open, as bisection does on a line. Before all others comes the
    tightest pair: a panel for it serves every other, and if none is found for it nor ruled out,
    other failures are told from bad luck (see `between_failures`).

    Parameters
    ----------
    ledger : Ledger
        What is known.
    skip : collection of cells
        Pairs not to choose: being searched for, or given up.
    given_up : collection of cells
        Pairs whose search ended without an end. Where a looser one of them has no panel, a pair
        without a panel is worth a search only for the proof that there is none: such pairs
        come last, the tightest first, since proving is easiest there.
    """
    open_cells = ~ledger.closed()
    tightest = ledger.cells[-1]
    if open_cells[tightest] and tightest not in skip:
        return tightest
    lost = [cell for cell in given_up if ledger.cost[cell] == math.inf]
    chosen, best = None, (-1, -1, -1, -1)
    for cell in ledger.cells:
        if open_cells[cell] and cell not in skip:
            doubtful = _doubtful(ledger, cell, lost)
            rank = (0, sum(cell), 0, 0) if doubtful else (1, *_promise(ledger, cell, open_cells))
            if rank > best:
                chosen, best = cell, rank
    return chosen


def easiest_cell(
    ledger: Ledger, skip: Collection[Cell], given_up: Collection[Cell] = ()
) -> Cell | None:
    """Return the loosest open pair; None if none is open. Parameters as of :func:`next_cell`.

    Loose targets are met by few features, so that their searches end soonest. Where time will
    not do for all pairs, these give the most answers.
    """
    lost = [cell for cell in given_up if ledger.cost[cell] == math.inf]
    open_cells = ~ledger.closed()
    waiting = [cell for cell in ledger.cells if open_cells[cell] and cell not in skip]

    def effort(cell: Cell) -> tuple[bool, int, int]:
        i, j = cell
        return _doubtful(ledger, cell, lost), i + j, abs(i - j)

    return min(waiting, key=effort, default=None)


def between_failures(ledger: Ledger, cell: Cell, given_up: Collection[Cell]) -> bool:
    """Return True if a search for the pair would fare no better than two that were given up.

    A looser pair for which nothing cheaper was found, and a tighter one for which nothing more
    was proven (or, where no panel is known, no infeasibility): for this pair finding is harder
    than for the first, proving harder than for the second. This saves time and concludes
    nothing: the pair stays open.
    """
    if ledger.bound[cell] == math.inf:
        return False  # proven infeasible: nothing is left to search for
    i, j = cell
    enough = math.inf if ledger.cost[cell] == math.inf else ledger.bound[cell]
    others = [other for other in given_up if other != cell]
    sought = any(a <= i and b <= j and ledger.cost[a, b] >= ledger.cost[cell] for a, b in others)
    proven = any(a >= i and b >= j and ledger.bound[a, b] <= enough for a, b in others)
    return sought and proven


def _doubtful(ledger: Ledger, cell: Cell, lost: Collection[Cell]) -> bool:
    """Return True if no panel is known for the pair, nor was one found for a looser pair."""
    i, j = cell
    return ledger.cost[cell] == math.inf and any(a <= i and b <= j for a, b in lost)


def _promise(ledger: Ledger, cell: Cell, open_cells: np.ndarray) -> tuple[int, int, int]:
    i, j = cell
    dear, cheap = ledger.cost[i:, j:], ledger.bound[: i + 1, : j + 1]
    tighter = open_cells[i:, j:] & np.asarray(dear <= ledger.cost[cell], dtype=bool)
    looser = open_cells[: i + 1, : j + 1] & np.asarray(cheap >= ledger.bound[cell], dtype=bool)
    counts = int(tighter.sum()), int(looser.sum())
    # Among equals the tighter pair: its panel serves more of the others at once.
    return min(counts), sum(counts), i + j
