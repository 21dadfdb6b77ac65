"""The supports just below a cost: maximal, so that their infeasibility proves all the cheaper.

Infeasibility is inherited by subsets. To prove that no support within a limit of cost is
feasible it is enough to look at those to which no further feature can be added within it. They
are walked in depth-first order, feature by feature, in batches.

Where prices have so many digits that they are rounded down (`whole_prices`), a support that is a
little too dear may be walked, too; none within the limit is left out.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from frugalsvm.runtime.compiled import helper, kernel
from frugalsvm.search.problem.catalogue import Catalogue, most_affordable
from frugalsvm.search.problem.copying import copy_into
from frugalsvm.search.problem.reduction import Floats, Ints
from frugalsvm.search.tuning import (
    COUNT_STEPS,
    SPARSE,
    SPARSE_BATCHES,
)


class _Prices(NamedTuple):
    """The catalogue as the kernel reads it, and the positions from the cheapest on."""

    price: Floats
    start: Ints
    groups: Ints
    group_price: Floats
    original: Ints
    cheapest: Ints


class _Path(NamedTuple):
    """Where the walk is.

    Attributes
    ----------
    chosen : ndarray of int64
        The positions chosen, one for each depth.
    spent : ndarray of float
        What those before each depth cost.
    paid : ndarray of int64
        How many of those chosen are in each group.
    member : ndarray of bool
        Which are chosen.
    left : ndarray of float
        What all positions from each one on would cost.
    cursor : ndarray of three int64
        How many are chosen, the next position, the end.
    """

    chosen: Ints
    spent: Floats
    paid: Ints
    member: NDArray[np.bool_]
    left: Floats
    cursor: Ints


class MaximalSupports:
    """Walks the maximal supports whose cost, as the catalogue counts it, is at most `limit`.

    Of three features that cost 1 each, the maximal supports within 2 are the three pairs.
    """

    def __init__(self, features: Catalogue, limit: float) -> None:
        self.catalogue = features
        self.limit = limit
        self.width = most_affordable(features, limit)
        self._prices = _Prices(
            features.price, features.start, features.groups, features.group_price,
            features.original, np.argsort(features.price, kind="stable").astype(np.int64),
        )  # fmt: skip
        self._path = _Path(
            chosen=np.zeros(self.width + 1, np.int64),
            spent=np.zeros(self.width + 1),
            paid=np.zeros(len(features.group_price), np.int64),
            member=np.zeros(len(features.features), np.bool_),
            left=np.append(np.cumsum(features.full[::-1])[::-1], 0.0),
            cursor=np.zeros(3, np.int64),
        )

    @property
    def over(self) -> bool:
        """True if all supports were delivered."""
        return bool(self._path.cursor[2])

    def next_batch(self, size: int, steps: int = 1_000_000) -> tuple[Ints, Ints]:
        """Return up to `size` supports: rows of catalogue positions, and how many in each row.

        A batch may be short or empty before the end, as the steps of the walk are limited too.
        """
        rows = np.zeros((size, self.width), np.int64)
        sizes = np.zeros(size, np.int64)
        count = _walk(self._prices, self.limit, self._path, steps, rows, sizes)
        return rows[:count], sizes[:count]

    def count(self, most: int) -> int:
        """Return how many supports are left to walk, at most `most`.

        Where they are so far between that it would take too long to find out, `most`.
        """
        total, batches = 0, 0
        while not self.over and total < most:
            total += len(self.next_batch(min(most - total, 10_000), COUNT_STEPS)[1])
            batches += 1
            if batches > SPARSE_BATCHES and total < batches * COUNT_STEPS // SPARSE:
                return most
        return total


@helper
def _marginal(i: int, prices: _Prices, paid: Ints) -> float:
    """Return what the i-th feature would add to the cost."""
    total = prices.price[i]
    for g in range(prices.start[i], prices.start[i + 1]):
        if paid[prices.groups[g]] == 0:
            total += prices.group_price[prices.groups[g]]
    return float(total)


@helper
def _is_maximal(room: float, prices: _Prices, path: _Path) -> bool:
    """Return True if no feature outside costs at most `room` more."""
    for i in prices.cheapest:
        if path.member[i]:
            continue
        if _marginal(i, prices, path.paid) <= room:
            return False
        if len(prices.groups) == 0:
            return True  # the cheapest outside is too dear, so all are
    return True


@kernel
def _walk(prices: _Prices, limit: float, path: _Path, steps: int, rows: Ints, sizes: Ints) -> int:
    """Continue the walk until the rows are full, the steps are used up, or the end."""
    start, groups, original = prices.start, prices.groups, prices.original
    chosen, spent, paid, member, left, walk = path
    m = len(prices.price)
    least = prices.price[prices.cheapest[0]] if m > 0 else 0.0
    depth, cursor = walk[0], walk[1]
    count = 0
    for _ in range(steps):
        if count == len(rows):
            break
        room = limit - spent[depth]
        extended = False
        if room < least:
            cursor = m
        while cursor < m:
            marginal = _marginal(cursor, prices, paid)
            if marginal <= room and (original[cursor] < 0 or member[original[cursor]]):
                chosen[depth] = cursor
                member[cursor] = True
                for g in range(start[cursor], start[cursor + 1]):
                    paid[groups[g]] += 1
                depth += 1
                spent[depth] = spent[depth - 1] + marginal
                cursor += 1
                extended = True
                break
            cursor += 1
        if extended:
            continue
        if _is_maximal(room, prices, path):
            copy_into(chosen[:depth], rows[count])
            sizes[count] = depth
            count += 1
        # Leave out the last one chosen, and all branches in which it would surely still fit.
        while True:
            if depth == 0:
                walk[2] = 1
                walk[0], walk[1] = depth, cursor
                return count
            depth -= 1
            last = chosen[depth]
            member[last] = False
            for g in range(start[last], start[last + 1]):
                paid[groups[g]] -= 1
            marginal = _marginal(last, prices, paid)
            cursor = last + 1
            if marginal > limit - spent[depth] - left[cursor]:
                break
    walk[0], walk[1] = depth, cursor
    return count
