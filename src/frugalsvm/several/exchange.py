"""Good panels early: parts of the best one are dropped, and every target buys what it then lacks.

Each target completes the panel by the search for one target with the panel so far included, so that
it pays for nothing twice; then features that nobody needs any more are dropped. The work is counted
in rounds, so that the same seed gives the same panels.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from frugalsvm.search import search
from frugalsvm.search.problem.hyperplane import Hyperplane
from frugalsvm.several.judge import Judge
from frugalsvm.several.state import PanelState

MOST_DROPPED = 3
SECONDS_EACH = 5.0  # of one target's purchases, at the most

Support = tuple[int, ...]


class Exchange:
    """Drops parts of the best panel and completes it again."""

    def __init__(self, state: PanelState, judges: tuple[Judge, ...]) -> None:
        self.state = state
        self.judges = judges
        self._random = np.random.default_rng(state.seed)
        self._options = replace(
            state.options, enumeration=False, cover=False, ties=False, witnesses=None
        )

    def run(self, rounds: int) -> None:
        """Exchange until so many rounds bring nothing, it is time to stop, or all is proven."""
        if not self.state.options.heuristic:
            return
        if self.state.best is None:
            self._offer(self.completed((), list(range(len(self.judges)))))
        elif rounds > 0:
            self._offer(self.state.panel())
        vain = 0
        while vain < rounds and not self.state.finished():
            before = self.state.cost
            self._round()
            vain = 0 if self.state.cost < before else vain + 1

    def _round(self) -> None:
        panel = list(self.state.panel())
        if not panel:
            return
        many = int(self._random.integers(1, min(MOST_DROPPED, len(panel)) + 1))
        gone = set(self._random.choice(len(panel), many, replace=False).tolist())
        kept = tuple(k for i, k in enumerate(panel) if i not in gone)
        self._offer(self.completed(kept, self._random.permutation(len(self.judges)).tolist()))

    def _offer(self, panel: Support | None) -> None:
        if panel is None:
            return
        planes = self._planes(self.pruned(panel))
        if planes is not None:
            self.state.offer_panel(planes)

    def completed(self, panel: Support, order: list[int]) -> Support | None:
        """Return the panel with what the targets, in this order, buy; None if that is too dear."""
        for number in order:
            if self.state.stop() or self.state.core.cost(panel) > self.state.cutoff:
                return None
            judge = self.judges[number]
            if judge.guess(panel) is not None:
                continue
            plane = self._bought(judge, panel)
            if plane is None:
                return None
            panel = tuple(sorted({*panel, *self.state.priced(plane.support)}))
        return panel

    def _bought(self, judge: Judge, panel: Support) -> Hyperplane | None:
        """Return a target's hyperplane on a panel and whatever it buys, cheaply, beyond it."""
        core = judge.core
        include = core.source.include.copy()
        include[core.feature_ids[list(panel)]] = True
        problem = replace(core.source, include=include)
        stop = self.state.stop.within(SECONDS_EACH)
        found = search(problem, stop=stop, seed=self.state.seed, options=self._options)
        return judge.learn(found.weights[core.feature_ids]) if found.has_answer else None

    def pruned(self, panel: Support) -> Support:
        """Return the panel without features that no target needs, the dearest tried first."""
        costs = self.state.core.costs
        kept = list(panel)
        for k in sorted(panel, key=lambda k: (-costs.added(k, [j for j in panel if j != k]), k)):
            if self.state.stop():
                break
            without = tuple(j for j in kept if j != k)
            if self._planes(without) is not None:
                kept.remove(k)
        return tuple(kept)

    def _planes(self, panel: Support) -> tuple[Hyperplane, ...] | None:
        """Return every target's hyperplane on the panel; None if one of them has none."""
        planes = []
        for judge in self.judges:
            plane = judge.guess(panel)
            if plane is None:
                return None
            planes.append(plane)
        return tuple(planes)
