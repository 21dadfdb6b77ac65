"""Which samples to give up: the exact answer for one support where the budgets are small.

A conflict is a set of samples that cannot all be counted correct, so one of them has to be
given up. The search branches over the members of a small conflict: the first is given up, or
it is kept and the second is given up, and so on. Disjoint conflicts in excess of what is left
of the budgets end a branch.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from frugalsvm.search.oracles.errors.separation import (
    CONFLICT,
    GO_ON,
    MANY_PIVOTS,
    SEPARATED,
    Points,
    conflict_of,
    new_tableau,
    points_of,
    separate,
    start,
)
from frugalsvm.search.problem.coinciding import Ranks
from frugalsvm.search.problem.reduction import Bools, CoreProblem, Floats, Ints
from frugalsvm.search.verdict import FEASIBLE, OPEN, RULED_OUT, Verdict

MAX_PIVOTS = 3_000  # of one conflict; an unlucky case is left undecided
SLICE = 3e7  # multiplications between two looks at the clock

NONE: Ints = np.zeros(0, np.int64)
NEVER = np.int64(1) << 60  # more positives than any budget


@dataclass(eq=False)
class Branch:
    """The droppable members of a conflict, and which of them is given up at the moment."""

    members: Ints
    cursor: int = 0


@dataclass(eq=False)
class Budgets:
    """What is left of both budgets, and what was decided about the samples."""

    left: Ints
    kept: Bools
    dropped: Bools
    path: list[Branch] = field(default_factory=list)


def never() -> bool:
    """Return False: the work need not stop."""
    return False


class ConflictOracle:
    """Finds conflicts and separating directions on chosen features; one per thread.

    When `stop` says so, what is being looked for is left undecided.
    """

    def __init__(
        self,
        points: Points,
        weight: Ints,
        budgets: tuple[int, int],
        ranks: Ranks | None = None,
        stop: Callable[[], bool] = never,
    ) -> None:
        self.points = points
        self.stop = stop
        self.ranks = ranks or Ranks(points.columns)
        self.weight = weight
        self.budgets = budgets
        self.n_features, n_samples = points.columns.shape
        self.tableau = new_tableau(n_samples, self.n_features)
        self.side = (np.arange(n_samples) >= points.n_pos).astype(np.int64)
        self._members = np.zeros(self.n_features + 2, np.int64)

    @classmethod
    def of(cls, core: CoreProblem, stop: Callable[[], bool] = never) -> ConflictOracle:
        """Return the oracle of a problem."""
        budgets = core.budget_pos, core.budget_neg
        return cls(points_of(core), core.weight, budgets, core.ranks, stop)

    def on(self, support: Ints) -> ConflictOracle:
        """Return the oracle on some features alone; samples that coincide on them merge.

        Fewer and heavier samples: most of them cannot be given up at all.
        """
        keys, n_pos = self.ranks.keys(support), self.points.n_pos
        kept, weights = [], []
        for begin, end in ((0, n_pos), (n_pos, len(keys))):
            _, first, which = np.unique(keys[begin:end], return_index=True, return_inverse=True)
            kept.append(begin + first)
            weights.append(np.bincount(which, self.weight[begin:end]))
        columns = self.points.columns[np.ix_(support, np.concatenate(kept))]
        points = self.points._replace(columns=columns, n_pos=len(kept[0]))
        merged = np.concatenate(weights).astype(np.int64)
        return ConflictOracle(points, merged, self.budgets, stop=self.stop)

    def start(self, chosen: Ints, active: Bools) -> bool:
        """Begin on other features; False if a class has no active sample."""
        return bool(start(self.points, chosen, len(chosen), active, self.tableau))

    def conflict(self, chosen: Ints, active: Bools) -> Ints | None:
        """Return the members of a conflict; none if separated; None if neither is certain."""
        for attempt in range(2):
            found = self.proceed(chosen, len(chosen), active)
            if found is not None or attempt == 1:
                return found
            if not self.start(chosen, active):
                return None
        return None

    def proceed(self, chosen: Ints, d: int, active: Bools) -> Ints | None:
        """As :meth:`conflict` on ``chosen[:d]``, from the tableau as it is, in one attempt."""
        status, left = GO_ON, MAX_PIVOTS
        pivots = max(1, int(SLICE / (len(active) * (d + 2))))
        while status == GO_ON and left > 0 and not self.stop():
            at_once = min(pivots, left)
            status = separate(self.points, chosen, d, active, self.tableau, at_once)
            left -= at_once
        if status == SEPARATED:
            return NONE
        if status != CONFLICT:
            return None
        count = conflict_of(self.points, chosen, d, active, self.tableau, self._members)
        return self._members[:count].copy() if count > 0 else None

    def direction(self, chosen: Ints) -> Floats:
        """Return the direction after the samples were separated."""
        direction = np.zeros(self.n_features)
        direction[chosen] = -self.tableau.price[: len(chosen)]
        return direction

    def judge(self, chosen: Ints, max_nodes: int) -> Verdict:
        """Judge a support exactly, or give up after so many nodes."""
        n = len(self.weight)
        budgets = Budgets(np.array(self.budgets), np.zeros(n, np.bool_), np.zeros(n, np.bool_))
        if not self.start(chosen, ~budgets.dropped):
            return OPEN
        for _ in range(max_nodes):
            if self.stop():
                return OPEN
            branch = self._pack(chosen, budgets)
            if branch is None:
                return OPEN
            if branch is SEPARATED_BRANCH:
                return Verdict(FEASIBLE, self.direction(chosen))
            if len(branch.members):
                budgets.path.append(branch)
                self._give_up(budgets, branch.members[0])
            elif not self._advance(budgets):
                return RULED_OUT
        return OPEN

    def _pack(self, chosen: Ints, budgets: Budgets) -> Branch | None:
        """Pack disjoint conflicts; return the smallest, empty if the budgets cannot suffice."""
        active = ~budgets.dropped
        if self.tableau.pivots[0] > MANY_PIVOTS and not self.start(chosen, active):
            return None
        allowed = ~budgets.kept & active & (self.weight <= budgets.left[self.side])
        fewest = np.zeros(budgets.left[1] + 1, np.int64)
        best: Ints | None = None
        while True:
            members = self.conflict(chosen, active)
            if members is None or len(members) == 0:
                if best is not None:
                    return Branch(best)
                return None if members is None else SEPARATED_BRANCH
            members = members[allowed[members]]
            fewest = self._charge(fewest, members)
            if len(members) == 0 or fewest[-1] > budgets.left[0]:
                return Branch(NONE)
            if best is None or len(members) < len(best):
                best = members[np.argsort(self.weight[members], kind="stable")]
            active[members] = False

    def _charge(self, fewest: Ints, members: Ints) -> Ints:
        """Return the fewest positives lost, by negatives lost, with one more conflict.

        ``fewest[j]`` holds for at most j negatives lost; a conflict loses at least its lightest
        positive or its lightest negative.
        """
        negative = self.side[members] == 1
        pos, neg = self.weight[members[~negative]], self.weight[members[negative]]
        lost = np.full(len(fewest), NEVER)
        if len(pos):
            lost = np.minimum(fewest + pos.min(), NEVER)
        if len(neg) and neg.min() < len(fewest):
            least = int(neg.min())
            lost[least:] = np.minimum(lost[least:], fewest[: len(fewest) - least])
        return lost

    def _give_up(self, budgets: Budgets, sample: int) -> None:
        budgets.dropped[sample] = True
        budgets.left[self.side[sample]] -= self.weight[sample]

    def _advance(self, budgets: Budgets) -> bool:
        """Go to the next branch; False if there is none left."""
        while budgets.path:
            branch = budgets.path[-1]
            done = branch.members[branch.cursor]
            budgets.dropped[done] = False
            budgets.left[self.side[done]] += self.weight[done]
            branch.cursor += 1
            if branch.cursor < len(branch.members):
                budgets.kept[done] = True
                self._give_up(budgets, branch.members[branch.cursor])
                return True
            budgets.kept[branch.members] = False
            budgets.path.pop()
        return False


SEPARATED_BRANCH = Branch(NONE)
