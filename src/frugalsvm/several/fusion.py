"""Classes that cannot be told apart, and the fusion of classes with which the rates can be met.

Whether a block of classes can be told from the rest depends on the block alone, not on how the rest
is divided. So the fusions that meet the rates are the partitions into blocks that can be, and a
block is only of use if it holds a class that cannot stand alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from frugalsvm.data.problem import SelectionProblem
from frugalsvm.data.rates import ErrorBudget
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.several.labels import Block, SeveralLabels
from frugalsvm.several.problem import SeveralProblem, Target
from frugalsvm.several.rates import SeveralRates
from frugalsvm.several.whole import Word, judge_everything

EFFORT = 2
MOST_SECONDS = 5.0  # for one block or one pair
MOST_PARTITIONS = 20_000  # with the same number of classes that are looked at


class Confusion(NamedTuple):
    """Pairs of classes (numbers, ascending) that cannot be told apart, and that may be so."""

    pairs: tuple[tuple[int, int], ...]
    doubtful: tuple[tuple[int, int], ...]


def targets_of(labels: SeveralLabels, rates: SeveralRates) -> tuple[Target, ...]:
    """Return the targets: each class or output with its integer budgets."""
    return tuple(
        Target(name, members, asked.budget(size, labels.n_samples - size))
        for name, members, size, asked in zip(
            labels.names, labels.members, labels.sizes, rates.of(labels), strict=True
        )
    )


def confused_classes(problem: SeveralProblem, short: tuple[int, ...], stop: Stopper) -> Confusion:
    """Return the pairs with a class of `short` that cannot be told apart.

    Two classes can be if some hyperplane on the allowed features, with no other class to care
    about, has the recalls asked for of both.
    """
    asked = [
        (a, b) for a, b in combinations(range(len(problem.targets)), 2) if a in short or b in short
    ]
    pairs, doubtful = [], []
    for number, (a, b) in enumerate(asked):
        word = judge_everything(
            _pair(problem, a, b), _share(stop, len(asked) - number), EFFORT
        ).word
        if word is Word.NO:
            pairs.append((a, b))
        elif word is Word.UNKNOWN:
            doubtful.append((a, b))
    return Confusion(tuple(pairs), tuple(doubtful))


def _share(stop: Stopper, left: int) -> Stopper:
    """Return the time for one pair: half of what there is goes to all the pairs that are left."""
    return stop.within(min(MOST_SECONDS, stop.remaining / (2 * left)))


def _pair(problem: SeveralProblem, a: int, b: int) -> SelectionProblem:
    """Return the problem of telling one class from another, with the recalls of both."""
    one, other = problem.targets[a], problem.targets[b]
    rows = one.positive | other.positive
    return SelectionProblem(
        np.ascontiguousarray(problem.X[rows]),
        one.positive[rows],
        ErrorBudget(one.budget.pos, other.budget.pos),
        problem.costs,
        problem.include,
        problem.exclude,
        problem.max_weight,
    )


class Fusion:
    """Looks for the fusion that keeps the most classes apart and meets the rates.

    Parameters
    ----------
    problem : SeveralProblem
        The problem of the classes as they are.
    labels : SeveralLabels
        The classes.
    rates : SeveralRates
        What is asked for; a fused class has to meet the strictest rates of its members.
    stop : Stopper
        Time limit and interrupt.
    """

    def __init__(
        self, problem: SeveralProblem, labels: SeveralLabels, rates: SeveralRates, stop: Stopper
    ) -> None:
        self.problem = problem
        self.labels = labels
        self.rates = rates
        self.stop = stop
        self.means = [problem.X[members].mean(axis=0) for members in labels.members]
        self._words: dict[Block, bool] = {}

    def find(self, confused: Confusion) -> tuple[Block, ...] | None:
        """Return the blocks; None if no fusion of at least two blocks was found.

        Of fusions with as many blocks, those of pairs that cannot be told apart come first, then
        those of classes whose means are near.
        """
        n = len(self.labels.names)
        singles = tuple((c,) for c in range(n))
        alone = frozenset(c for (c,) in singles if self.stands((c,)))
        for many in range(n - 1, 1, -1):
            options = list(islice(_partitions(n, many, alone), MOST_PARTITIONS))
            options.sort(key=lambda blocks: self._preference(blocks, confused))
            for blocks in options:
                if self.stop():
                    return None
                if all(self.stands(block) for block in blocks):
                    return blocks
        return None

    def stands(self, block: Block) -> bool:
        """Return True if the block as one class is known to meet its rates against the rest."""
        if block not in self._words:
            self._words[block] = self._ask(block) is Word.YES
        return self._words[block]

    def _ask(self, block: Block) -> Word:
        others = tuple((c,) for c in range(len(self.labels.names)) if c not in block)
        fused = self.labels.fuse((block, *others))
        number = next(t for t, members in enumerate(fused.members) if self._is(members, block))
        target = targets_of(fused, self.rates)[number]
        single = SeveralProblem.of(self.problem.single(0), (target,)).single(0)
        return judge_everything(single, self.stop.within(MOST_SECONDS), EFFORT).word

    def _is(self, members: NDArray[np.bool_], block: Block) -> bool:
        return bool(members[self.labels.members[block[0]]].all())

    def _preference(self, blocks: tuple[Block, ...], confused: Confusion) -> tuple[int, float]:
        fused = [pair for block in blocks for pair in combinations(block, 2)]
        known = sum(pair in confused.pairs for pair in fused)
        return -known, sum(float(np.sum((self.means[a] - self.means[b]) ** 2)) for a, b in fused)


def _partitions(n: int, many: int, alone: frozenset[int]) -> Iterator[tuple[Block, ...]]:
    """Yield the partitions of n classes into so many blocks.

    Blocks of several classes hold one that cannot stand alone; classes that cannot are in such.
    """

    def place(c: int, blocks: list[list[int]]) -> Iterator[tuple[Block, ...]]:
        if c == n:
            # One class alone has to be able to be; several are fused for one that cannot.
            if len(blocks) == many and all(
                (len(block) == 1) == alone.issuperset(block) for block in blocks
            ):
                yield tuple(tuple(block) for block in blocks)
            return
        if len(blocks) + n - c < many:
            return
        for block in blocks:
            block.append(c)
            yield from place(c + 1, blocks)
            block.pop()
        if len(blocks) < many:
            blocks.append([c])
            yield from place(c + 1, blocks)
            blocks.pop()

    return place(0, [])
