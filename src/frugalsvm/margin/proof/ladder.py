"""The proof of optimality, and weaker bounds in between if it takes long.

A tree for one cutoff says nothing until it is finished. So a long proof takes turns with proofs
of lower cutoffs, each of which raises the bound when it ends. Turns are counted in work, not in
seconds: what is found does not depend on the machine.

Where not even the weakest of these bounds can be proved, the proof is given up: its gap would
still be there an hour later. Only who sets no time limit wants it at any price.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from frugalsvm.margin.conflicts import above
from frugalsvm.margin.job import Job
from frugalsvm.margin.options import MarginOptions
from frugalsvm.margin.proof.branch_and_bound import Search
from frugalsvm.margin.tuning import FIRST_SHARE, FIRST_TURN, GAPS, RUNG_SHARE, TURN_GROWTH


def prove(target: Search, job: Job) -> tuple[bool, float]:
    """Run the proof; return whether it was finished, and the bound."""
    options, stop, nodes, work = job.options, job.stop, job.most_nodes, job.most_work
    first = FIRST_TURN if options.ladder else math.inf
    until = stop.within(FIRST_SHARE * stop.remaining) if options.ladder else stop
    if target.run(until, nodes, min(first, work)) or first >= work:
        return not target.open, target.bound
    proven, turn = 0.0, FIRST_TURN
    gaps = iter(GAPS)
    rung = None
    while not stop() and target.nodes < nodes and target.open:
        if rung is None:
            rung = _rung(target, gaps, max(proven, target.bound), options)
        if rung is not None:
            done = rung.run(stop, work=RUNG_SHARE * turn)
            if rung.best is not None:
                target.offer(rung.best)
            if done:
                proven, rung = max(proven, min(rung.bound, target.cutoff)), None
                continue
            known = max(proven, target.bound)
            if _out_of_reach(target, known) and math.isfinite(stop.deadline):
                break
        turn = int(TURN_GROWTH * turn)
        target.run(stop, nodes, turn)
    return not target.open, max(proven, target.bound)


def _out_of_reach(target: Search, known: float) -> bool:
    """Return True if less is known than the weakest of the bounds in between would say."""
    return target.best is not None and known < target.best.objective * (1.0 - GAPS[0])


def _rung(
    target: Search, gaps: Iterator[float], known: float, options: MarginOptions
) -> Search | None:
    """Return the proof of the next cutoff above the known bound, with the conflicts so far."""
    best = target.best
    if best is None:
        return None
    for gap in gaps:
        cutoff = best.objective * (1.0 - gap)
        if gap > target.goal.tolerance and cutoff > known:
            pool = above(target.pool, cutoff)
            goal = replace(target.goal, cutoff=cutoff, best=best)
            return Search(target.trainer, options, goal, target.door, pool)
    return None
