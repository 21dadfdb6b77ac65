"""The cheapest cover for several targets: a set that fails one of them asks for a feature outside.

The branch and bound over the features is the one of a single target, with its packing bounds on
whole-number prices; only the cuts come from all targets. A cover is an answer when every target
has a verified hyperplane on it. A target that cannot be decided gives neither: the bound stays.
"""

from __future__ import annotations

import numpy as np

from frugalsvm.search.problem.hyperplane import Hyperplane
from frugalsvm.search.problem.reduction import Bools, Floats, Ints
from frugalsvm.search.tactics.cover.node import Node, Relaxation
from frugalsvm.search.tactics.cover.search import VIOLATION, CoverSearch
from frugalsvm.several.exchange import Exchange
from frugalsvm.several.judge import Judge
from frugalsvm.several.state import PanelState

TARGETS_A_ROUND = 2  # that are asked for a violated cut
ROUNDS_A_PAUSE = 8  # of exchanges
CUTS_A_ROUND = 4  # new cuts, between two exchanges


class PanelCover(CoverSearch):
    """The cover search with the judges of all targets."""

    def __init__(self, state: PanelState, judges: tuple[Judge, ...], exchange: Exchange) -> None:
        super().__init__(state, judges[0].grower)
        self.panels = state
        self.judges = judges
        self.exchange = exchange

    def _look_for_answers(self, pauses: int) -> None:
        self.exchange.run(ROUNDS_A_PAUSE * pauses)

    def _add_cut(self, infeasible: Ints) -> bool:
        """Ask for a feature outside of the set; now and then look for a better panel instead."""
        added = super()._add_cut(infeasible)
        if self.nodes > 0 and self.n_cuts % CUTS_A_ROUND == 0:
            self.exchange.run(1)
        return added

    def _settle(self, node: Node, support: Bools) -> bool:
        """Judge the support of a whole cover for all targets; True if it gave a cut."""
        priced = self.core.priced
        chosen = tuple(int(k) for k in priced[support])
        rest = np.flatnonzero(~support)
        rest = priced[rest[np.lexsort((self._random.random(len(rest)), node.outside[rest]))]]
        efforts = (1,) if np.any(node.undecided) else (1, 2)
        for effort in efforts:
            planes: list[Hyperplane] = []
            cut = False
            for judge in self.judges:
                if self.state.stop():
                    return cut
                opinion = judge.judge(chosen, effort)
                if opinion.plane is not None:
                    planes.append(opinion.plane)
                cut = (opinion.infeasible and self._cut_by(judge, chosen, rest)) or cut
            if cut:
                return True
            if len(planes) == len(self.judges):
                self.panels.offer_panel(tuple(planes))
                return False
        return False

    def _separate(self, cover: Floats) -> bool:
        """Look for an infeasible set that the cover hardly leaves; True if it gave a cut."""
        order = self.core.priced[np.argsort(-cover - VIOLATION * self._random.random(len(cover)))]
        for number in self._random.permutation(len(self.judges))[:TARGETS_A_ROUND]:
            grown = self.judges[number].grow((), order)
            if grown is None:
                continue
            outside = ~np.isin(self.core.priced, grown)
            if cover[outside].sum() < 1.0 - VIOLATION:
                return self._add_cut(grown)
        return False

    def _branch(self, node: Node, found: Relaxation) -> list[Node]:
        """Split a node; one of a single support that was found to be an answer is done with."""
        chosen = tuple(int(k) for k in self.core.priced[node.inside])
        answered = all(judge.recall(chosen).plane is not None for judge in self.judges)
        if answered and not np.any(node.undecided):
            return []
        return super()._branch(node, found)

    def _cut_by(self, judge: Judge, chosen: tuple[int, ...], rest: Ints) -> bool:
        """Ask for a feature outside of a set that fails a target, as large as it can be made."""
        grown = judge.grow(chosen, rest)
        return self._add_cut(np.asarray(chosen, np.int64) if grown is None else grown)
