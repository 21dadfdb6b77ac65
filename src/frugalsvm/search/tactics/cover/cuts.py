"""From one infeasible support to a large infeasible set of features: the makers of cuts.

Whatever is feasible holds a feature outside of every infeasible set. The larger the set, the
stronger the cut; features join in a given order as long as infeasibility can still be proven,
first by coinciding samples (cheap), then by conflicts.
"""

from __future__ import annotations

import numpy as np

from frugalsvm.search.oracles.coinciding_sets import MANY_LEVELS, grow_by_cells, value_codes
from frugalsvm.search.oracles.errors.search import ConflictOracle
from frugalsvm.search.oracles.errors.separation import MANY_PIVOTS, append
from frugalsvm.search.oracles.ladder import climb
from frugalsvm.search.problem.reduction import Ints
from frugalsvm.search.state import SearchState
from frugalsvm.search.tuning import COVER_LOOK, COVER_SURE, GROWTH_NODES
from frugalsvm.search.verdict import Verdict


class Grower:
    """Proves supports infeasible and enlarges them."""

    def __init__(self, state: SearchState) -> None:
        self.state = state
        self.core = state.core
        self.oracle = ConflictOracle.of(state.core, state.stop)
        self.hard = state.core.budget_pos == state.core.budget_neg == 0
        self._codes, self._levels = value_codes(state.core)
        self.by_cells = state.options.cells and bool(np.any(self._levels <= MANY_LEVELS))
        self._verdicts: dict[tuple[int, ...], Verdict] = {}
        self._everyone = np.ones(state.core.n_samples, np.bool_)

    def grow(
        self, fixed: Ints, others: Ints, sure: bool = False
    ) -> tuple[Ints | None, Verdict | None]:
        """Return an infeasible set that holds the `fixed` features (and the free ones).

        The `others` join in their order where they can. If the fixed ones are not proven
        infeasible, there is no set, and the verdict on them comes instead; to be sure
        takes longer and leaves less undecided.
        """
        free = self.core.free.astype(np.int64)
        order = np.concatenate((free, fixed, others)).astype(np.int64)
        n_fixed = len(free) + len(fixed)
        grown = self._grow_by_cells(order, n_fixed) if self.by_cells else None
        if grown is not None:
            self.state.door.rule_out(grown, "cover cells")
        else:
            verdict = self._judge(order[:n_fixed], sure)
            if not verdict.infeasible:
                return None, verdict
            grown = order[:n_fixed]
        # With cells at hand, a longer proof for each feature that asks to join does not pay.
        if self.state.options.conflicts and (self.hard or not self.by_cells):
            outside = order[~np.isin(order, grown)]
            grow = self._grow_hard if self.hard else self._grow_soft
            grown = grow(grown, outside)
            self.state.door.rule_out(grown, "cover conflicts")
        return grown, None

    def _grow_by_cells(self, order: Ints, fixed: int) -> Ints | None:
        core = self.core
        grown = np.zeros(len(order), np.int64)
        size = grow_by_cells(
            self._codes, self._levels, core.n_pos, core.weight, core.budgets, order, fixed, grown
        )
        return grown[:size] if size >= 0 else None

    def _judge(self, support: Ints, sure: bool) -> Verdict:
        """Judge a support, or remember what was found before."""
        key = (sure, *(int(k) for k in support))
        if key not in self._verdicts:
            rungs = COVER_SURE if sure else COVER_LOOK
            self._verdicts[key] = climb(self.state, key[1:], rungs)
        return self._verdicts[key]

    def _grow_hard(self, start: Ints, others: Ints) -> Ints:
        """Grow where no sample may be given up: one linear program, feature by feature."""
        oracle, everyone = self.oracle, self._everyone
        chosen = np.zeros(len(start) + len(others), np.int64)
        chosen[: len(start)] = start
        d = len(start)
        if not oracle.start(chosen[:d], everyone) or not self._conflict(chosen, d):
            return start
        tableau = oracle.tableau
        for k in others:
            if self.state.stop():
                break
            if tableau.pivots[0] > MANY_PIVOTS:
                oracle.start(chosen[:d], everyone)
                if not self._conflict(chosen, d):
                    break
            m = d + 2
            saved = (
                tableau.basis[:m].copy(),
                tableau.value[:m].copy(),
                tableau.inverse[:m, :m].copy(),
            )
            append(oracle.points, chosen, d, k, tableau)
            if self._conflict(chosen, d + 1):
                d += 1
            else:
                tableau.basis[:m], tableau.value[:m], tableau.inverse[:m, :m] = saved
        return chosen[:d].copy()

    def _grow_soft(self, grown: Ints, others: Ints) -> Ints:
        """Grow where samples may be given up: a short search over errors for each feature."""
        for k in others:
            if self.state.stop():
                break
            larger = np.append(grown, k)
            if self.oracle.judge(larger, GROWTH_NODES).infeasible:
                grown = larger
        return grown

    def _conflict(self, chosen: Ints, d: int) -> bool:
        """Return True if all samples together are proven in conflict."""
        members = self.oracle.proceed(chosen, d, self._everyone)
        return members is not None and len(members) > 0
