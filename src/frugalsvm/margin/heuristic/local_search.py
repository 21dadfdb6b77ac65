"""From a set of wrong rows to a better one, by exchanges of one row: in compiled code."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from frugalsvm.margin.arrays import Flags, Floats
from frugalsvm.margin.classifiers.drafts import (
    Bench,
    Draft,
    Limits,
    copy_draft,
    read_draft,
    take_in_order,
)
from frugalsvm.margin.conflicts import Pool, add_conflict, misses, read_conflict
from frugalsvm.margin.heuristic.exchanges import make_offers, next_pair, refill
from frugalsvm.margin.slots import EFFORT, FACTOR, INTERCEPT, OBJECTIVE, STEPS_LEFT, TO_BEAT
from frugalsvm.margin.solver.codes import (
    BALANCE,
    CUTOFF,
    EVALUATE,
    OPTIMAL,
    PAUSED,
    SETTLE,
    UNBOUNDED,
)
from frugalsvm.margin.solver.dual import Work, restore, save, set_boxes
from frugalsvm.margin.solver.sorting import falling
from frugalsvm.margin.tuning import RAISE, WORTH_A_ROUND
from frugalsvm.runtime.compiled import helper, inlined, kernel

NOTHING, NOTHING_BETTER = -1, -2
"""No classifier came of the start; no exchange of a classifier pays."""


class Plan(NamedTuple):
    """How to search.

    ``state`` is as in `slots.py`; ``weights`` multiplies the factor on the boxes of rows that are
    to be right.
    ``tries`` and ``refills`` limit the exchanges of a round.
    """

    state: Floats
    weights: Floats
    tries: int
    refills: int
    max_pivots: int


@kernel
def local_search(
    solver: Any, bench: Bench, best: Draft, pool: Pool, plan: Plan, most_work: int
) -> int:
    """Train with the rows that `best` marks as wrong, and exchange rows while that pays.

    With steps to go, the rows are chosen first: the worst may be wrong, the others become dearer
    and dearer. An exchange that fails leaves a conflict: those that miss it would fail as well.
    Returns OPTIMAL, NOTHING, or PAUSED, to be called again to go on.
    """
    code = choose_rows(solver, bench, best, plan, most_work)
    while code == OPTIMAL and plan.tries > 0:
        code = improve(solver, bench, best, pool, plan, most_work)
    return OPTIMAL if code == NOTHING_BETTER else code


@inlined
def choose_rows(solver: Any, bench: Bench, best: Draft, plan: Plan, most_work: int) -> int:
    """Take the steps that are left, up to a first classifier; return how that ended."""
    work, limits, state = bench.work, bench.limits, plan.state
    while state[STEPS_LEFT] >= 0.0:
        last = state[STEPS_LEFT] == 0.0
        cutoff = state[TO_BEAT] if last else math.inf
        if last:
            set_hard(work, limits, best.wrong)
        else:
            set_dearer(work, limits, best.wrong, plan)
        code = solver(work, BALANCE, cutoff, plan.max_pivots, -math.inf)
        # The value is a bound: no rounding errors of many steps.
        solver(work, EVALUATE, cutoff, 0, -math.inf)
        if code == PAUSED:
            return PAUSED
        if code != OPTIMAL:
            return NOTHING
        if not last:
            allow_worst(work, limits, best.wrong)
        elif not read_draft(work, limits, best) or best.numbers[OBJECTIVE] >= cutoff:
            return NOTHING
        state[STEPS_LEFT] -= 1.0
        state[FACTOR] *= RAISE
        if work.counts[EFFORT] >= most_work:
            return PAUSED
    return OPTIMAL


@inlined
def improve(solver: Any, bench: Bench, best: Draft, pool: Pool, plan: Plan, most_work: int) -> int:
    """Make the first exchange that pays; return OPTIMAL, NOTHING_BETTER or PAUSED."""
    work, kept, limits, trial = bench.work, bench.kept, bench.limits, bench.trial
    wrong = np.empty(len(work.a), dtype=np.bool_)
    save(work, kept)
    offers = make_offers(work, limits, best)
    cutoff = best.numbers[OBJECTIVE] * (1.0 - WORTH_A_ROUND)
    ended = NOTHING_BETTER
    for number in range(-plan.refills, plan.tries):
        if number < 0:
            allowed = refill(limits, offers, number + plan.refills, wrong)
        else:
            allowed = next_pair(limits, best, offers, wrong)
        if not allowed or misses(pool, wrong):
            continue
        restore(kept, work)
        if work.counts[EFFORT] >= most_work:
            ended = PAUSED
            break
        set_hard(work, limits, wrong)
        code = solver(work, SETTLE, cutoff, plan.max_pivots, -math.inf)
        if code == PAUSED:
            ended = PAUSED
            break
        if (
            code == OPTIMAL
            and read_draft(work, limits, trial)
            and trial.numbers[OBJECTIVE] < cutoff
        ):
            copy_draft(trial, best)
            ended = OPTIMAL
            break
        if code in (CUTOFF, UNBOUNDED):
            add_conflict(pool, read_conflict(work, limits.box, limits.choosable, code), cutoff)
    if ended != OPTIMAL:
        restore(kept, work)
    return ended


@helper
def set_dearer(work: Work, limits: Limits, wrong: Flags, plan: Plan) -> None:
    """Set the boxes for a step: rows that are to be right are dearer than the wrong ones."""
    m = len(wrong)
    box = np.empty(m)
    for i in range(m):
        box[i] = limits.box[i]
        if not wrong[i]:
            box[i] *= plan.state[FACTOR] * plan.weights[i]
    set_boxes(work, box, np.zeros(m, dtype=np.bool_))


@helper
def set_hard(work: Work, limits: Limits, wrong: Flags) -> None:
    """Set the boxes for a choice: the rows that a limit counts are hard, but for the wrong ones."""
    hard = np.zeros(len(wrong), dtype=np.bool_)
    for i in range(len(wrong)):
        hard[i] = limits.choosable[i] and not wrong[i]
    set_boxes(work, limits.box, hard)


@helper
def allow_worst(work: Work, limits: Limits, wrong: Flags) -> None:
    """Mark the rows with the largest slacks as wrong, as many as the limits allow."""
    m, n = len(wrong), 0
    slack, rows = np.empty(m), np.empty(m, dtype=np.int64)
    for i in range(m):
        slack[i] = work.y[i] * (work.e[i] - work.numbers[INTERCEPT])
        if slack[i] > 0.0:
            rows[n] = i
            n += 1
    take_in_order(limits, falling(slack, rows[:n]), wrong)
