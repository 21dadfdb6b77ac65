"""From one infeasible support to a large infeasible set of features: the makers of cuts.

Whatever is feasible holds a feature outside of every infeasible set. The larger the set, the
stronger the cut; features join in a given order as long as infeasibility can still be proven,
first by coinciding samples (cheap), then by conflicts.
"""

from __future__ import annotations

import numpy as np

from frugalsvm.search.oracles.coinciding_sets import MANY_LEVELS, grow_by_cells, value_codes
from frugalsvm.search.oracles.errors.branch_and_cut import ErrorCuts
from frugalsvm.search.oracles.errors.search import ConflictOracle
from frugalsvm.search.oracles.errors.separation import MANY_PIVOTS, append
from frugalsvm.search.oracles.ladder import decide, guessed
from frugalsvm.search.problem.reduction import Ints
from frugalsvm.search.state import SearchState
from frugalsvm.search.verdict import UNDECIDED, Feasibility, Verdict

ERROR_NODES = 300  # of the search over errors, when a support is judged
CUT_NODES = (100, 5_000)  # of the branch and cut after it, by effort
MORE_CUT_NODES = 50_000  # if nothing else is left
SMALL_BUDGETS = 10  # up to which the search over errors is fast, feasible or not
GROWTH_NODES = 3  # and when a feature asks to join


class Grower:
    """Proves supports infeasible and enlarges them."""

    def __init__(self, state: SearchState) -> None:
        self.state = state
        self.core = state.core
        self.oracle = ConflictOracle.of(state.core, state.stop)
        self.hard = state.core.budget_pos == state.core.budget_neg == 0
        self._codes, self._levels = value_codes(state.core)
        self.by_cells = (
            state.options.cells
            and state.options.cover_cells
            and bool(np.any(self._levels <= MANY_LEVELS))
        )
        self._verdicts: dict[tuple[int, ...], Verdict] = {}
        self._everyone = np.ones(state.core.n_samples, np.bool_)

    def grow(
        self, fixed: Ints, others: Ints, effort: int = 1
    ) -> tuple[Ints | None, Verdict | None]:
        """Return an infeasible set that holds the `fixed` features (and the free ones).

        The `others` join in their order where they can. If the fixed ones are not proven
        infeasible, there is no set, and the verdict on them comes instead; an effort of 2
        leaves less undecided.
        """
        free = self.core.free.astype(np.int64)
        order = np.concatenate((free, fixed, others)).astype(np.int64)
        n_fixed = len(free) + len(fixed)
        grown = self._grow_by_cells(order, n_fixed) if self.by_cells else None
        if grown is not None:
            self.state.door.rule_out(grown, "cover cells")
        # With cells at hand, a longer proof for each feature that asks to join does not pay.
        by_conflicts = self.state.options.conflicts and (self.hard or not self.by_cells)
        if grown is None:
            verdict = self._judge(order[:n_fixed], effort)
            if not verdict.infeasible:
                return None, verdict
            grown = order[:n_fixed]
        if by_conflicts:
            outside = order[~np.isin(order, grown)]
            grow = self._grow_hard if self.hard else self._grow_soft
            grown = grow(grown, outside)
            self.state.door.rule_out(grown, "cover conflicts")
        return grown, None

    def _grow_by_cells(self, order: Ints, fixed: int) -> Ints | None:
        core = self.core
        grown = np.zeros(len(order), np.int64)
        size = grow_by_cells(
            self._codes, self._levels, core.n_pos, core.weight, core.budget_pos,
            core.budget_neg, order, fixed, grown,
        )  # fmt: skip
        return grown[:size] if size >= 0 else None

    def _judge(self, support: Ints, effort: int) -> Verdict:
        """Judge a support: by the search over errors, then by the other oracles."""
        key = (effort, *(int(k) for k in support))
        if key not in self._verdicts:
            many = self.core.budget_pos + self.core.budget_neg > SMALL_BUDGETS
            direction = guessed(self.core, support) if many else None
            verdict = UNDECIDED
            if direction is not None:
                verdict = Verdict(Feasibility.FEASIBLE, direction)
            elif self.state.options.conflicts and self.state.options.errors:
                verdict = self._judge_errors(support, ERROR_NODES)
            cuts = None
            if not verdict.decided and self.state.options.cuts:
                cuts = ErrorCuts(self.core, support, self.state.stop)
                verdict = self._judge_by_cuts(cuts, CUT_NODES[effort - 1])
            if not verdict.decided and effort > 1:
                verdict = decide(self.state, key[1:], 1)
            if not verdict.decided and effort > 1 and cuts is not None:
                verdict = self._judge_by_cuts(cuts, MORE_CUT_NODES)
            self._verdicts[key] = verdict
        return self._verdicts[key]

    def _judge_by_cuts(self, cuts: ErrorCuts, nodes: int) -> Verdict:
        """Go on with a branch and cut over the samples given up."""
        return self.state.door.ask("error cuts", cuts.support, lambda: cuts.judge(nodes))

    def _judge_errors(self, support: Ints, nodes: int) -> Verdict:
        """Judge by the search over errors, on merged samples if many coincide on the support."""
        oracle, chosen = self.oracle, support
        merged = not np.any(self._levels[support] > MANY_LEVELS)
        if merged:
            oracle, chosen = self.oracle.on(support), np.arange(len(support))
        verdict = self.state.door.ask("errors", support, lambda: oracle.judge(chosen, nodes))
        return _widened(verdict, support, self.core.n_features) if merged else verdict

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
            if tableau.work[1] > MANY_PIVOTS:
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


def _widened(verdict: Verdict, support: Ints, n_features: int) -> Verdict:
    """Return a verdict on the support alone as one on all features."""
    if verdict.direction is None:
        return verdict
    direction = np.zeros(n_features)
    direction[support] = verdict.direction
    return Verdict(verdict.feasibility, direction)
