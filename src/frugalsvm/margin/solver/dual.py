"""The dual of the SVM for known wrong samples: its data, its state and its value.

The dual of  min ||f||^2 + sum c_i xi_i,  y_i f(x_i) >= r_i - xi_i,  in the signed multipliers
a_i = y_i alpha_i is

    max  sum t_i a_i - a'Ka / 4    with  sum a_i = 0,  lo_i <= a_i <= hi_i,   t_i = y_i r_i,

where the box of a row is [0, c_i] or [-c_i, 0], and unbounded on its far side for a row that must
hold without a slack. Every iterate is feasible, so its value is a lower bound on the objective
however early the work stops, and nothing has to stand in for an infinite box.

With e = t - Ka / 2, what the classifier without its intercept lacks, the optimum is an
intercept b with e_i <= b wherever a_i can grow and e_i >= b wherever it can shrink.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from frugalsvm.margin.arrays import Flags, Floats, Ints
from frugalsvm.margin.slots import CHANGES, N_FREE
from frugalsvm.margin.tuning import PRECISION, SMALLEST_SQUARE
from frugalsvm.runtime.compiled import helper


class Work(NamedTuple):
    """Data and state of one solver; the arrays are changed in place.

    ``numbers`` holds the dual value, the intercept, the largest K_ii, and the largest violation
    that still is optimal; ``counts`` the number of free rows, the changes since the last refresh,
    the pivots of this solver's life, and its work in thousands of operations. ``batch`` and
    ``moves`` list rows that move together; ``length`` holds the roots of the K_ii. ``Zt`` holds the
    features by columns for a linear kernel, ``K`` any other kernel's matrix. A number other than 0
    in ``halt`` ends the work: another thread may write it.
    """

    Zt: Floats
    K: Floats
    t: Floats
    y: Floats
    lo: Floats
    hi: Floats
    a: Floats
    e: Floats
    R: Floats
    free: Ints
    beta: Floats
    ray: Floats
    batch: Ints
    moves: Floats
    length: Floats
    numbers: Floats
    counts: Ints
    halt: Ints


class State(NamedTuple):
    """What follows from the multipliers of a solver, kept to come back to."""

    a: Floats
    e: Floats
    R: Floats
    free: Ints
    numbers: Floats
    counts: Ints


def make_state(work: Work) -> State:
    """Return room for the state of a solver."""
    # Zeros that were never written take no memory, unlike those of zeros_like.
    arrays = (getattr(work, name) for name in State._fields)
    return State(*(np.zeros(array.shape, dtype=array.dtype) for array in arrays))


def make_work(Z: Floats, K: Floats, y: Floats, target: Floats, halt: Ints | None = None) -> Work:
    """Return a solver at a = 0 with empty boxes, which a number in `halt` ends."""
    m = len(y)
    squares = (Z * Z).sum(axis=1) if K.shape[0] == 0 else np.maximum(np.diag(K), 0.0)
    capacity = min(m, Z.shape[1] + 1 if K.shape[0] == 0 else m) + 3
    return Work(
        Zt=np.ascontiguousarray(Z.T),
        K=K,
        t=y * target,
        y=y,
        lo=np.zeros(m),
        hi=np.zeros(m),
        a=np.zeros(m),
        e=y * target,
        R=np.zeros((capacity, capacity)),
        free=np.zeros(capacity, dtype=np.int64),
        beta=np.zeros((2, capacity)),
        ray=np.zeros(m),
        batch=np.zeros(m + capacity, dtype=np.int64),
        moves=np.zeros(m + capacity),
        length=np.sqrt(squares),
        numbers=np.array([0.0, 0.0, float(squares.max(initial=SMALLEST_SQUARE)), PRECISION]),
        counts=np.zeros(4, dtype=np.int64),
        halt=np.zeros(1, dtype=np.int64) if halt is None else halt,
    )


@helper
def save(work: Work, state: State) -> None:
    """Keep the multipliers and all that follows from them; the boxes are not kept."""
    copy_state(
        State(work.a, work.e, work.R, work.free, work.numbers, work.counts),
        state,
    )


@helper
def restore(state: State, work: Work) -> None:
    """Go back to what was kept."""
    copy_state(
        state,
        State(work.a, work.e, work.R, work.free, work.numbers, work.counts),
    )


@helper
def copy_state(source: State, goal: State) -> None:
    """Copy a state; not the counts of all work done."""
    k = source.counts[N_FREE]
    # Loops, as assignments to slices take long to compile.
    a, e, free, R = goal.a, goal.e, goal.free, goal.R
    from_a, from_e, from_free, from_R = source.a, source.e, source.free, source.R
    for i in range(len(a)):
        a[i] = from_a[i]
        e[i] = from_e[i]
    for p in range(k):
        free[p] = from_free[p]
    for p in range(k + 1):
        for q in range(k + 1):
            R[p, q] = from_R[p, q]
    for p in range(len(goal.numbers)):
        goal.numbers[p] = source.numbers[p]
    goal.counts[N_FREE] = k
    goal.counts[CHANGES] = source.counts[CHANGES]


@helper
def set_boxes(work: Work, box: Floats, hard: Flags) -> None:
    """Give each row the box of its label: up to `box`, or without end if it is hard."""
    lo, hi, y = work.lo, work.hi, work.y
    for i in range(len(box)):
        size = math.inf if hard[i] else box[i]
        lo[i] = 0.0 if y[i] > 0.0 else -size
        hi[i] = size if y[i] > 0.0 else 0.0


@helper
def harden(work: Work, i: int) -> None:
    """Take the far side of a row's box away."""
    if work.y[i] > 0.0:
        work.hi[i] = math.inf
    else:
        work.lo[i] = -math.inf
