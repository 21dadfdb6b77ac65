"""The orchestrator for several targets: which tactic runs when, and what the caller gets.

First every target is asked whether all the features together meet it: where they do not, that is
the answer. Then each target's own search gives a panel, a bound, and infeasible sets; the union of
the panels is a first answer, the greatest of the bounds a first bound. Exchanges make the answer
cheaper, covers prove it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from frugalsvm.data.result import SelectionResult, Status, StopReason
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.search import Knowledge, search
from frugalsvm.search.door import FalseProofError
from frugalsvm.search.knowledge import Proof
from frugalsvm.search.problem.hyperplane import Hyperplane
from frugalsvm.search.tuning import LARGEST_WHOLE
from frugalsvm.several.cover import PanelCover
from frugalsvm.several.exchange import Exchange
from frugalsvm.several.judge import Judge
from frugalsvm.several.problem import SeveralProblem
from frugalsvm.several.result import PanelResult
from frugalsvm.several.state import PanelState
from frugalsvm.several.whole import Word, judge_everything
from frugalsvm.version import VERSION

SINGLE_SHARE = 0.4  # of the time that is left, for the targets' own searches
SINGLE_SECONDS = 60.0  # for each of them where there is no limit
HARDEST_SHARE, HARDEST_SECONDS = 0.5, 600.0  # to go on with the dearest of them
WHOLE_EFFORT, MOST_EFFORT = 1, 3  # to find out whether all features together meet a target
WHOLE_SHARE = 0.5  # of the time that is left, for that
ROUNDS_EACH = 8  # of exchanges in vain, for each target
MORE_ROUNDS = 400  # where there are too many features for covers


class PanelSearch:
    """One search for a panel."""

    def __init__(self, problem: SeveralProblem, state: PanelState) -> None:
        self.problem = problem
        self.state = state
        self.judges = tuple(Judge(target) for target in state.targets)
        self.singles: list[SelectionResult | None] = [None] * len(self.judges)
        self.knowledge = [Knowledge() for _ in self.judges]
        self.infeasible: list[int] = []

    def run(self) -> None:
        """Work until the panel is proven best, or the time is over."""
        state = self.state
        if state.core.n_features <= LARGEST_WHOLE:
            self._look_at_everything(range(len(self.judges)), WHOLE_EFFORT)
            self._offer_union()
        if not self.infeasible:
            self._search_each()
            self._offer_union()
        if self.unmet() and not self.infeasible and not state.stop():
            state.phase = "all features"
            self._look_at_everything(self.unmet(), MOST_EFFORT)
        if self.infeasible:
            state.prove_infeasible()
        if state.finished() or self.unmet():
            return  # where all features together are not known to do, fewer are not either
        exchange = Exchange(state, self.judges)
        covered = state.regime.fits_covers and state.options.cover
        state.phase = "exchange"
        exchange.run(ROUNDS_EACH * len(self.judges))
        if not all(judge.by_covers for judge in self.judges):
            self._search_hardest()
        if not covered:
            state.phase = "exchange"
            exchange.run(MORE_ROUNDS)
        if covered and not state.finished():
            state.phase = "cover"
            PanelCover(state, self.judges, exchange).run()

    def unmet(self) -> tuple[int, ...]:
        """Return the targets that no hyperplane is known for."""
        known = [judge.recall(self._everything).plane for judge in self.judges]
        return tuple(t for t, plane in enumerate(known) if plane is None)

    @property
    def _everything(self) -> tuple[int, ...]:
        return tuple(int(k) for k in self.state.core.priced)

    def _look_at_everything(self, targets: Sequence[int], effort: int) -> None:
        """Find targets that all the features together cannot meet."""
        state, everything = self.state, self._everything
        for t in targets:
            judge = self.judges[t]
            if state.stop():
                return
            opinion = judge.recall(everything)
            if opinion.decided:
                continue
            seconds = WHOLE_SHARE * state.stop.remaining / len(targets)
            found = judge_everything(judge.core.source, state.stop.within(seconds), effort)
            if found.plane is not None:
                judge.learn(found.plane.weights[judge.core.feature_ids])
            elif found.word is Word.NO:
                self.infeasible.append(t)
                judge.learn_infeasible(everything)

    def _search_each(self) -> None:
        """Search for each target alone; raise the bound, keep the proofs."""
        state = self.state
        n = len(self.judges)
        begun = state.stop.elapsed
        share = SINGLE_SHARE * state.stop.remaining
        for t, judge in enumerate(self.judges):
            if state.stop():
                break
            state.phase = f"target {t + 1} of {n}"
            left = share - (state.stop.elapsed - begun)
            seconds = SINGLE_SECONDS if math.isinf(share) else max(left / (n - t), 0.0)
            self._search_one(t, judge, state.stop.within(seconds))

    def _offer_union(self) -> None:
        """Offer what the targets' own panels are together, as far as they are known."""
        own = map(self._own_plane, range(len(self.judges)))
        planes = tuple(plane for plane in own if plane is not None)
        if len(planes) == len(self.judges):
            self.state.offer_panel(planes)

    def _search_hardest(self) -> None:
        """Go on with the target whose own panel is the dearest, if that may raise the bound.

        Where covers are not at their best, one target's search proves more than all of them.
        """
        state = self.state
        open_targets = [
            (single.cost, t)
            for t, single in enumerate(self.singles)
            if single is not None and single.status is Status.FEASIBLE
        ]
        if not open_targets or state.finished():
            return
        cost, t = max(open_targets)
        if cost > state.amounts()[1]:
            state.phase = f"target {t + 1} again"
            seconds = min(HARDEST_SECONDS, HARDEST_SHARE * state.stop.remaining)
            self._search_one(t, self.judges[t], state.stop.within(seconds))

    def _own_plane(self, t: int) -> Hyperplane | None:
        """Return a hyperplane on the target's own panel, or on whatever one is known for."""
        single = self.singles[t]
        own = self._everything
        if single is not None and single.has_answer:
            own = self.state.priced(single.support)
        return self.judges[t].recall(own).plane

    def _search_one(self, t: int, judge: Judge, stop: Stopper) -> None:
        """Search for one target; an earlier search for it is gone on with."""
        state, core = self.state, judge.core
        knowledge = self.knowledge[t]
        knowledge.seeds.extend(s.support for s in self.singles if s is not None)
        known = len(knowledge.proofs)
        single = search(
            core.source,
            stop=stop,
            threads=state.threads,
            seed=state.seed,
            options=state.options,
            knowledge=knowledge,
        )
        before = self.singles[t]
        if before is None or single.cost <= before.cost:
            self.singles[t] = single
        if single.has_answer:
            judge.learn(single.weights[core.feature_ids])
        if single.status is Status.INFEASIBLE:
            if judge.recall(self._everything).plane is not None:
                raise FalseProofError(
                    f"The search for target {t} calls it infeasible, but an answer is known. This "
                    "is a bug in frugalsvm: please report it."
                )
            self.infeasible.append(t)
        self._keep_proofs(judge, single, knowledge.proofs[known:])

    def _keep_proofs(self, judge: Judge, single: SelectionResult, proofs: list[Proof]) -> None:
        """Keep what one target proves: it holds for all of them together."""
        state, core = self.state, judge.core
        if not proofs:  # it was left running: what it reports is rounded, perhaps up
            below = math.nextafter(single.bound, -math.inf)
            state.raise_bound(core.units_from(Fraction(below)))
        for proof in proofs:
            state.raise_bound(core.units_from(proof.bound))
            for support in proof.infeasible:
                inside = state.priced(support)
                judge.learn_infeasible(inside)
                state.remember_infeasible(inside)


def result_of(problem: SeveralProblem, state: PanelState, work: PanelSearch) -> PanelResult:
    """Return what is known as plain data."""
    n = len(problem.targets)
    with state.lock:  # a search that was left running goes on
        best, planes, (cost, bound) = state.best, state.planes, state.amounts()
        closed, history = state.closed, tuple(state.history)
    if best is not None:
        status = Status.OPTIMAL if closed else Status.FEASIBLE
    else:
        status = Status.INFEASIBLE if closed else Status.UNKNOWN
    settled = status in (Status.OPTIMAL, Status.INFEASIBLE)
    reason = StopReason.COMPLETED if settled else state.stop.reason
    if not settled and reason is StopReason.COMPLETED:
        reason = StopReason.UNRESOLVED
    singles = work.singles
    return PanelResult(
        status=status,
        support=best.support if best is not None else (),
        weights=np.array([p.weights for p in planes] or np.zeros((n, problem.n_features))),
        intercepts=np.array([p.intercept for p in planes] or np.zeros(n)),
        cost=cost,
        bound=bound,
        infeasible=tuple(work.infeasible),
        unmet=work.unmet(),
        single_costs=tuple(math.inf if s is None else s.cost for s in singles),
        single_bounds=tuple(0.0 if s is None else s.bound for s in singles),
        seconds=state.stop.elapsed,
        solver="frugalsvm",
        solver_version=VERSION,
        stop_reason=reason,
        history=history,
        details=dict(state.figures)
        | {"oracles": [target.door.summary() for target in state.targets]},
    )
