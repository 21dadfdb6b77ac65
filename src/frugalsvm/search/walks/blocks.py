"""All supports of one size, most of them several at a time.

Let the features be numbered from 0 to n - 1, and let a block be a set of k + 1 of them whose
numbers add up to a multiple of n. For a support of k features there is one number that it lacks
to such a sum. If it does not hold that feature itself, it is in exactly one block; if it does,
it is called a loner. So the blocks and the loners together are all the supports, none of them
twice. A block that is infeasible rules out its k + 1 supports, and takes two to three times as
long to judge as one of them: with 30 features and k = 7, about half of the time is left.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from frugalsvm.compiled import kernel
from frugalsvm.search.problem.reduction import Ints

BLOCK_BATCH = 128
SUPPORT_BATCH = 256
STEPS = 2_000_000  # of the walk between two looks at the clock


class Blocks:
    """Walks the blocks, then the supports of blocks that were not ruled out, then the loners.

    Parameters
    ----------
    features : ndarray of int64 of shape (n,)
        The features to choose from.
    size : int
        How many of them a support has; at least 1, less than n.
    free : ndarray of int64
        Features that every support has beside them.
    """

    def __init__(self, features: Ints, size: int, free: Ints) -> None:
        self.features = features
        self.size = size
        self.free = free
        self._blocks = _Walk(len(features), size, blocks=True)
        self._loners = _Walk(len(features), size, blocks=False)
        self._opened: list[tuple[int, ...]] = []

    def draw_blocks(self) -> tuple[Ints, Ints] | None:
        """Return the next blocks with the free features added, and their sizes; None at the end."""
        if self._blocks.over:
            return None
        return self._with_free(self.features[self._blocks.draw(BLOCK_BATCH)])

    def reopen(self, blocks: list[tuple[int, ...]]) -> None:
        """Have the supports within these blocks (free features included) drawn one by one."""
        free = set(self.free.tolist())
        self._opened = [tuple(k for k in block if k not in free) for block in blocks]

    def draw_supports(self) -> tuple[Ints, Ints] | None:
        """Return the next supports to be judged one by one; None at the end."""
        if self._opened:
            within = combinations(self._opened.pop(), self.size)
            return self._with_free(np.array(list(within), dtype=np.int64))
        if self._loners.over:
            return None
        return self._with_free(self.features[self._loners.draw(SUPPORT_BATCH)])

    @property
    def blocks_over(self) -> bool:
        """True if all blocks were drawn."""
        return self._blocks.over

    @property
    def over(self) -> bool:
        """True if all was drawn."""
        return self._blocks.over and self._loners.over and not self._opened

    def _with_free(self, rows: Ints) -> tuple[Ints, Ints]:
        free = np.broadcast_to(self.free, (len(rows), len(self.free)))
        whole = np.ascontiguousarray(np.concatenate((free, rows), axis=1))
        return whole, np.full(len(rows), whole.shape[1], dtype=np.int64)


class _Walk:
    """The blocks or the loners, in lexicographic order."""

    def __init__(self, n: int, size: int, *, blocks: bool) -> None:
        self.n = n
        self.size = size
        self.blocks = blocks
        self.over = False
        self._chosen = np.arange(size)

    def draw(self, most: int) -> Ints:
        """Return the next ones, at most so many; fewer also if they are far between."""
        rows = np.empty((most, self.size + int(self.blocks)), np.int64)
        count, self.over = _walk(self.n, self.blocks, self._chosen, STEPS, rows)
        return rows[:count]


@kernel
def _walk(n: int, blocks: bool, chosen: Ints, steps: int, rows: Ints) -> tuple[int, bool]:
    """Go on from a support; return how many rows were filled in, and whether that was the end."""
    size = len(chosen)
    count = 0
    for _ in range(steps):
        if count == len(rows):
            return count, False
        total = 0
        for i in range(size):
            total += chosen[i]
        lacking = (n - total % n) % n
        loner = False
        for i in range(size):
            loner |= chosen[i] == lacking
        # A block is found from the support that lacks its last feature.
        if (blocks and lacking > chosen[size - 1]) or (loner and not blocks):
            for i in range(size):
                rows[count, i] = chosen[i]
            if blocks:
                rows[count, size] = lacking
            count += 1
        at = size - 1
        while at >= 0 and chosen[at] == n - size + at:
            at -= 1
        if at < 0:
            return count, True
        chosen[at] += 1
        for i in range(at + 1, size):
            chosen[i] = chosen[i - 1] + 1
    return count, False
