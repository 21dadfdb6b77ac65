"""One rate-constrained classifier with a smooth loss: reduce, find, prove, recompute."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from frugalsvm import margin
from frugalsvm.losses import HINGE
from frugalsvm.margin.answer import settled
from frugalsvm.margin.kernel_check import check_kernel
from frugalsvm.margin.options import Effort
from frugalsvm.margin.reduction import Reduced, reduce
from frugalsvm.margin.shifted import cheap_answer
from frugalsvm.problem import MarginProblem
from frugalsvm.result import MarginResult, Status, StopReason
from frugalsvm.smooth.branch import Search
from frugalsvm.smooth.choice import Choice, Flags, short
from frugalsvm.smooth.heuristic import Heuristic
from frugalsvm.smooth.loss import SMOOTH_LOSSES
from frugalsvm.smooth.solver import Solution, Solver
from frugalsvm.smooth.space import make_space
from frugalsvm.smooth.state import State
from frugalsvm.stopping import Stopper

HINGE_SHARE, HEURISTIC_SHARE = 0.2, 0.3
"""Most of the time left that the hinge's training and the heuristic take."""


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
        start = self._start_of_hinge(solver.space.rows)
        if start is None and state.answer is None:
            return self._nothing()
        heuristic = Heuristic(solver, choice, state)
        share = stop.within(HEURISTIC_SHARE * stop.remaining)
        if start is not None:
            heuristic.improve(start | choice.free, share)
        heuristic.trim(soft, share)
        heuristic.kick(np.random.default_rng(self.seed), share)
        if self.effort is Effort.QUICK:
            return StopReason.COMPLETED if state.closed else StopReason.EFFORT_LIMIT
        done = Search(solver, choice, state, heuristic, soft).run(stop)
        if done:
            return StopReason.COMPLETED
        return stop.reason if stop() else StopReason.UNRESOLVED

    def _start_of_hinge(self, rows: Reduced) -> Flags | None:
        """Return the rows that the hinge's classifier gives up, None if there is none.

        Whether the limits can be kept does not depend on the loss. Its classifier is kept, too;
        so is the proof that there is none.
        """
        result = self._hinge(Effort.QUICK, HINGE_SHARE * self.stop.remaining)
        if not result.has_answer and self.state.answer is None and not self.stop():
            result = self._hinge(Effort.EXACT, self.stop.remaining)
        self._reason = result.stop_reason
        if result.status is Status.INFEASIBLE:
            self.state.bound = math.inf
        if not result.has_answer:
            return None
        found = settled(
            self.problem, result.dual_coef, result.weights, result.intercept, ~result.counted
        )
        self.state.take(found, "hinge")
        wrong = np.ones(rows.n_rows, dtype=np.bool_)
        wrong[rows.group_of[result.counted]] = False
        return wrong

    def _hinge(self, effort: Effort, seconds: float) -> MarginResult:
        return margin.train(
            replace(self.problem, loss=HINGE),
            stop=self.stop.within(seconds),
            seed=self.seed,
            effort=effort,
        )

    def _nothing(self) -> StopReason:
        """Return why there is no answer."""
        if math.isinf(self.state.bound):
            return StopReason.COMPLETED
        return self.stop.reason if self.stop() else self._reason
