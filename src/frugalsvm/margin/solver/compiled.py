"""The solver behind a pointer, so that it is compiled once and not into each of its callers.

Compiled code that calls compiled code holds a copy of it, optimised anew. The solver is larger
than all that calls it: behind a pointer it costs its time to compile once.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from frugalsvm.margin.solver.active_set import solve
from frugalsvm.margin.solver.codes import BALANCE, EVALUATE, OPTIMAL, SETTLE, STALLED, UNBOUNDED
from frugalsvm.margin.solver.dual import Work, make_work
from frugalsvm.margin.solver.feasible_start import balance, settle
from frugalsvm.margin.solver.rays import reaches
from frugalsvm.margin.solver.value import recompute
from frugalsvm.runtime.compiled import behind_a_pointer
from frugalsvm.runtime.numba_parts import typeof, types


def prepare_and_solve(work: Work, first: int, cutoff: float, max_pivots: int, least: float) -> int:
    """Make the multipliers feasible, then solve as :func:`active_set.solve` does.

    UNBOUNDED means that a ray reaches the cutoff; one that does not is no solution.
    """
    if first == EVALUATE:
        recompute(work)
        return OPTIMAL
    if first == BALANCE or (first == SETTLE and not settle(work)):
        balance(work)
    code = solve(work, cutoff, max_pivots, least)
    return STALLED if code == UNBOUNDED and not reaches(work, cutoff) else int(code)


def signature() -> Any:
    """Return the solver's types: a pointer's are known before what it points to is compiled."""
    work = typeof(make_work(np.zeros((1, 1)), np.zeros((0, 0)), np.ones(1), np.ones(1)))
    return types.int64(work, types.int64, types.float64, types.int64, types.float64)


@lru_cache(maxsize=1)
def solver() -> Any:
    """Return the compiled solver, to be handed to compiled code."""
    return behind_a_pointer(prepare_and_solve, signature())
