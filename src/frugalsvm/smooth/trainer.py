"""One rate-constrained classifier with a smooth loss: reduce, find, prove, recompute."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from frugalsvm import margin
from frugalsvm.data.losses import HINGE
from frugalsvm.data.result import MarginResult, Status, StopReason
from frugalsvm.data.verify import squared_norm
from frugalsvm.margin.classifiers.answer import settled
from frugalsvm.margin.classifiers.shifted import cheap_answer
from frugalsvm.margin.options import Effort
from frugalsvm.margin.rows.kernel_check import check_kernel
from frugalsvm.margin.rows.reduction import reduce
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.smooth.branch import Search
from frugalsvm.smooth.choice import Choice, Flags, short
from frugalsvm.smooth.heuristic import Heuristic
from frugalsvm.smooth.loss import SMOOTH_LOSSES
from frugalsvm.smooth.solver import Solution, Solver
from frugalsvm.smooth.space import Space, make_space
from frugalsvm.smooth.state import State

HINGE_SHARE, HEURISTIC_SHARE = 0.35, 0.3
"""Most of the time left that the hinge's training and the heuristic take."""

SHARES = (0.648, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.98, 1.0)
"""Shares of the hinge that are tried below a loss."""


class Trainer:
    """What :func:`frugalsvm.smooth.train` does, step by step; the outcome is in the state."""

    def __init__(self, state: State, seed: int, effort: Effort, stop: Stopper) -> None:
        self.state, self.seed, self.effort, self.stop = state, seed, effort, stop
        self.problem = state.problem

    def run(self) -> StopReason:
        """Train; return why the work ended."""
        problem, state, stop = self.problem, self.state, self.stop
        if problem.gram is not None:
            check_kernel(problem.gram, stop, semidefinite=problem.semidefinite)
        state.take(cheap_answer(problem, stop), "first look")
        rows = reduce(replace(problem, max_slack=None), stop)
        loss = SMOOTH_LOSSES[problem.loss]
        space = make_space(rows, loss, problem.C, problem.max_slack, stop)
        state.rank = space.features.shape[1]
        solver, choice = Solver(space), Choice(rows)
        soft = solver.solve(~(choice.choosable | choice.free), stop)
        state.raise_bound(soft.bound, "no limits")
        wrong = short(soft.margins) | choice.free
        if soft.holds and choice.fits(wrong):
            state.offer(space, soft, wrong, "no limits")
        reason = StopReason.COMPLETED if state.closed else self._under_limits(solver, choice, soft)
        state.solved = solver.solved
        return reason

    def _under_limits(self, solver: Solver, choice: Choice, soft: Solution) -> StopReason:
        state, stop = self.state, self.stop
        given_up = self._by_hinge(solver.space, choice)
        if given_up is None and state.answer is None:
            return self._nothing()
        if state.closed:
            return StopReason.COMPLETED
        heuristic = Heuristic(solver, choice, state)
        share = stop.within(HEURISTIC_SHARE * stop.remaining)
        if given_up is not None:
            heuristic.improve(given_up | choice.free, share)
        heuristic.trim(soft, share)
        heuristic.kick(np.random.default_rng(self.seed), share)
        if self.effort is Effort.QUICK or state.closed:
            return StopReason.COMPLETED if state.closed else StopReason.EFFORT_LIMIT
        done = Search(solver, choice, state, heuristic, soft).run(stop)
        if done:
            return StopReason.COMPLETED
        return stop.reason if stop() else StopReason.UNRESOLVED

    def _by_hinge(self, space: Space, choice: Choice) -> Flags | None:
        """Train with a hinge below the loss; return the rows given up, None if there is no answer.

        Whether the limits can be kept does not depend on the loss, so its classifier is kept, as
        is the proof that there is none. So is its bound: L(u) is at least a share of the hinge,
        less a constant for each sample that can be wrong.
        """
        first = self._hinge(self.problem.C, Effort.QUICK)
        share = self._best_share(first, space, choice)
        result = first if self.effort is Effort.QUICK else self._hinge(share * self.problem.C)
        if not result.has_answer and result.status is not Status.INFEASIBLE:
            result = first
        if not result.has_answer and result.status is not Status.INFEASIBLE and not self.stop():
            result = self._hinge(self.problem.C, within=1.0)
        self._reason = result.stop_reason
        if result.status is Status.INFEASIBLE and self.state.answer is None:
            self.state.bound = math.inf
        if not result.has_answer:
            return None
        if result is not first:
            less = self.problem.C * choice.most_wrong * space.loss.below_hinge(share)
            self.state.raise_bound(result.bound - less, "hinge")
        answer = settled(
            self.problem, result.dual_coef, result.weights, result.intercept, ~result.counted
        )
        self.state.take(answer, "hinge")
        wrong = np.ones(space.rows.n_rows, dtype=np.bool_)
        wrong[space.rows.group_of[result.counted]] = False
        return wrong

    def _hinge(
        self, C: float, effort: Effort = Effort.EXACT, within: float = HINGE_SHARE
    ) -> MarginResult:
        return margin.train(
            replace(self.problem, loss=HINGE, C=C),
            stop=self.stop.within(within * self.stop.remaining),
            seed=self.seed,
            effort=effort,
        )

    def _best_share(self, result: MarginResult, space: Space, choice: Choice) -> float:
        """Return the share of the hinge that promises the best bound, by a classifier of it."""
        if not result.has_answer:
            return SHARES[0]
        slacks = result.objective - squared_norm(self.problem, result)

        def promise(share: float) -> float:
            less = self.problem.C * choice.most_wrong * space.loss.below_hinge(share)
            return share * slacks - less

        return max(SHARES, key=promise)

    def _nothing(self) -> StopReason:
        """Return why there is no answer."""
        if math.isinf(self.state.bound):
            return StopReason.COMPLETED
        return self.stop.reason if self.stop() else self._reason
