"""A fast sieve for supports in depth-first order: coinciding samples alone rule most of them out.

The walk over maximal supports visits neighbours that share all but their last features. The
cells of the shared part are kept, and of them only those that hold both classes: samples of a
pure cell can be told apart from then on whatever joins. The last feature is judged for all
candidates at once, by counting both classes in one pass over the samples that are left. What
remains to do for a support takes some ten nanoseconds.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from frugalsvm.runtime.compiled import helper, kernel
from frugalsvm.search.oracles.coincidence import find_levels
from frugalsvm.search.problem.catalogue import catalogue
from frugalsvm.search.problem.reduction import Bools, CoreProblem, Ints

Codes = NDArray[np.int16]
Counts = NDArray[np.int32]

PASSES = 2e7  # visits of samples between two looks at the clock
LARGEST_TABLE = 2e7  # entries
UNKNOWN = -1  # number of samples left where a feature with many values is in the support


class Sieve(NamedTuple):
    """Rules out supports on which every choice of a class for each cell exceeds a budget.

    Features are in the order of the catalogue, in which the walk chooses them.

    Attributes
    ----------
    codes : ndarray of int16 of shape (n_features, n_samples)
        The level of each sample.
    levels : ndarray of int64 of shape (n_features,)
        The number of levels; 0 for a feature with too many: its supports pass unseen.
    start : ndarray of int64 of shape (n_features + 1,)
        The columns of the i-th feature's levels are from ``start[i]`` to ``start[i + 1]``.
    masses : ndarray of int32 of shape (n_samples, n_columns)
        The weight of the sample in the column of each of its levels.
    cells : ndarray of int64 of shape (n_samples,)
        The cells by the free features.
    """

    codes: Codes
    levels: Ints
    start: Ints
    masses: Counts
    cells: Ints
    n_pos: int
    weight: Ints
    budgets: Ints
    halt: Ints

    @classmethod
    def of(cls, core: CoreProblem, halt: Ints) -> Sieve | None:
        """Return the sieve of a problem; None if it is too large or all values are many.

        Once `halt` is set what is left passes unseen.
        """
        found = find_levels(core)
        order = catalogue(core).features
        if not found.any_discrete or np.any(found.counts[core.free] == 0) or not len(order):
            return None
        levels = found.counts[order]
        start = np.concatenate(([0], np.cumsum(levels))).astype(np.int64)
        if start[-1] * max(1, levels.max()) * core.n_samples > LARGEST_TABLE:
            return None
        codes = np.ascontiguousarray(found.codes[order])
        masses = np.zeros((core.n_samples, start[-1]), np.int32)
        for i in np.flatnonzero(levels):
            masses[np.arange(core.n_samples), start[i] + codes[i]] = core.weight
        cells = np.zeros(core.n_samples, np.int64)
        if len(core.free):
            free = found.codes[core.free]
            cells = np.unique(free, axis=1, return_inverse=True)[1].reshape(-1).astype(np.int64)
        budgets = np.array([core.budget_pos, core.budget_neg], np.int64)
        return cls(codes, levels, start, masses, cells, core.n_pos, core.weight, budgets, halt)

    @property
    def all_discrete(self) -> bool:
        """True if no support passes unseen."""
        return bool(np.all(self.levels > 0))

    @property
    def batch(self) -> int:
        """How many supports are sifted in some 50 ms at most."""
        return max(1, int(PASSES / (3 * len(self.weight))))

    def passing(self, rows: Ints, sizes: Ints) -> Bools:
        """Return which supports, rows of catalogue positions, are not ruled out."""
        passes = np.ones(len(rows), np.bool_)
        if len(rows):
            _sift(self, rows, sizes, passes)
        return passes


class _Mixed(NamedTuple):
    """The samples of the cells that hold both classes.

    Attributes
    ----------
    samples, cells : ndarray of int64
        The samples, and the cell of each of them.
    left, number : int
        How many samples and how many cells there are.
    """

    samples: Ints
    cells: Ints
    left: int
    number: int


class _Counted(NamedTuple):
    """Both classes in each cell (rows) and at each level of the columns to come.

    Attributes
    ----------
    pos, neg : ndarray of int32 of shape (n_cells, n_columns)
        Their weights.
    least : ndarray of int32 of shape (n_columns,)
        What the cells lose at least.
    """

    pos: Counts
    neg: Counts
    least: Counts


@helper
def _refine(
    column: Codes,
    levels: int,
    n_pos: int,
    mixed_cells: _Mixed,
    names: Ints,
    samples_out: Ints,
    cells_out: Ints,
) -> tuple[int, int]:
    """Split the cells by a column and keep the mixed ones; return how many samples and cells."""
    samples, cells, left, number = mixed_cells
    names[: number * levels] = 0
    for a in range(left):
        names[cells[a] * levels + column[samples[a]]] |= 1 if samples[a] < n_pos else 2
    mixed = 0
    for c in range(number * levels):
        if names[c] == 3:
            names[c] = mixed
            mixed += 1
        else:
            names[c] = -1
    kept = 0
    for a in range(left):
        name = names[cells[a] * levels + column[samples[a]]]
        if name >= 0:
            samples_out[kept] = samples[a]
            cells_out[kept] = name
            kept += 1
    return kept, mixed


@helper
def _count_all(
    column: Codes,
    levels: int,
    masses: Counts,
    begin: int,
    n_pos: int,
    mixed_cells: _Mixed,
    counted: _Counted,
) -> None:
    """Count both classes in the cells split by a column and then by each later one."""
    samples, cells, left, number = mixed_cells
    pos, neg, least = counted
    pos[: number * levels, begin:] = 0
    neg[: number * levels, begin:] = 0
    end = masses.shape[1]
    for a in range(left):
        i = samples[a]
        c = cells[a] * levels + column[i]
        if i < n_pos:
            for q in range(begin, end):
                pos[c, q] += masses[i, q]
        else:
            for q in range(begin, end):
                neg[c, q] += masses[i, q]
    least[begin:] = 0
    for c in range(number * levels):
        for q in range(begin, end):
            least[q] += min(pos[c, q], neg[c, q])


@helper
def _exceeds(number: int, pos: Counts, neg: Counts, budgets: Ints, fewest: Ints) -> bool:
    """Return True if every choice of what the mixed cells lose exceeds a budget."""
    # fewest[j]: positives lost by the cells so far if they lose at most j negatives
    fewest[:] = 0
    most = budgets[1]
    for c in range(number):
        for q in range(pos.shape[1]):
            p, n = pos[c, q], neg[c, q]
            if p == 0 or n == 0:
                continue
            for j in range(most, -1, -1):
                lost = fewest[j] + p
                if j >= n:
                    lost = min(lost, fewest[j - n])
                fewest[j] = lost
            if fewest[most] > budgets[0]:
                return True
    return False


@kernel
def _sift(sieve: Sieve, rows: Ints, sizes: Ints, passes: Bools) -> None:
    """Judge the rows one after the other: a stem, one more feature, and the last.

    The cells of the stem are on a stack, `held` says by which features; the counts are those
    of the stem and `counted`, for all that may come last.
    """
    codes, levels, start, masses, base, n_pos, weight, budgets, halt = sieve
    n, depths = len(weight), rows.shape[1] + 1
    room = (n // 2 + 2) * max(1, levels.max())
    names = np.empty(max(room, base.max() + 1) * max(1, levels.max()), np.int64)
    samples, cells = np.empty((depths, n), np.int64), np.zeros((depths, n), np.int64)
    left, number = np.zeros(depths, np.int64), np.ones(depths, np.int64)
    left[0], number[0] = _refine(
        codes[0] * 0, 1, n_pos, _Mixed(np.arange(n), base, n, base.max() + 1),
        names, samples[0], cells[0],
    )  # fmt: skip
    held, filled, counted = np.full(depths, -1, np.int64), 0, -1
    pos, neg = np.empty((room, start[-1]), np.int32), np.empty((room, start[-1]), np.int32)
    counts = _Counted(pos, neg, np.empty(start[-1], np.int32))
    fewest = np.empty(budgets[1] + 1, np.int64)
    for r in range(len(rows)):
        if halt[0] != 0:
            return
        stem = sizes[r] - 2
        if stem < 0:
            continue  # a single feature is left to others
        shared = stem <= filled
        for depth in range(stem):
            k = rows[r, depth]
            if shared and depth < filled and held[depth] == k:
                continue
            shared = False
            held[depth] = k
            left[depth + 1] = UNKNOWN
            if left[depth] != UNKNOWN and levels[k] > 0:
                left[depth + 1], number[depth + 1] = _refine(
                    codes[k], levels[k], n_pos,
                    _Mixed(samples[depth], cells[depth], left[depth], number[depth]),
                    names, samples[depth + 1], cells[depth + 1],
                )  # fmt: skip
        g, last = rows[r, stem], rows[r, stem + 1]
        if left[stem] == UNKNOWN or levels[g] == 0 or levels[last] == 0:
            filled, counted = stem, -1
            continue
        if not shared or filled != stem or counted != g:
            _count_all(
                codes[g], levels[g], masses, start[g + 1], n_pos,
                _Mixed(samples[stem], cells[stem], left[stem], number[stem]), counts,
            )  # fmt: skip
        filled, counted = stem, g
        lost = 0
        for q in range(start[last], start[last + 1]):
            lost += counts.least[q]
        columns = slice(start[last], start[last + 1])
        passes[r] = lost <= budgets[0] + budgets[1] and not _exceeds(
            number[stem] * levels[g], pos[:, columns], neg[:, columns], budgets, fewest
        )
