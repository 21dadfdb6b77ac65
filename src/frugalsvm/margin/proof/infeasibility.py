"""The proof that no classifier keeps the limits: every conflict it rests on has a ray.

Branch and bound with an infinite cutoff rules a node out by conflicts, sets of rows that cannot all
hold. What the solver calls a ray (see `rays.py`) is a guess in rounded numbers. Here each is
computed anew, from the problem's own data, and made good to the last digits. It is taken as a proof
if

- every multiplier has its row's sign, and they sum to zero: exactly, because the largest of them is
  *defined* as minus the sum of the others;
- the gain is at least `LEAST_GAIN` of what its parts add up to, ten times the tolerance with which
  margins are counted: a gain of rounding size is no ray;
- for a linear kernel: in every feature k, ``|sum r_i x_ik| <= UNITS sum |r_i x_ik|``. Then numbers
  that differ from the x_ik by no more than that share of themselves, four units in the last place,
  make the sum zero (Oettli and Prager), and for those numbers there is no classifier, by the
  argument in `rays.py`. The sums are formed in twice the precision;
- for a kernel matrix: K r = 0 in every row in exact arithmetic, for small fractions next to r, so
  that no sum of the rows has a part in it. Radial kernels tell all places apart, in theory, by
  amounts that no matrix in double precision shows: a small K r would prove nothing about them.

Where a conflict fails, nothing is claimed.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial

import numpy as np

from frugalsvm.data.problem import MarginProblem
from frugalsvm.margin.arrays import Flags, Floats, Ints
from frugalsvm.margin.classifiers.candidates import Trainer
from frugalsvm.margin.proof.branch_and_bound import Search
from frugalsvm.margin.proof.door import RAY
from frugalsvm.margin.rows.reduction import Reduced
from frugalsvm.margin.solver.codes import BALANCE
from frugalsvm.margin.solver.dual import Work, set_boxes
from frugalsvm.margin.solver.value import add_product
from frugalsvm.margin.tuning import CORRECTIONS, DENOMINATOR, LEAST_GAIN, MOST_FRACTIONS, UNITS
from frugalsvm.runtime.compiled import kernel
from frugalsvm.runtime.stopping import Stopper


def all_proven(problem: MarginProblem, search: Search, stop: Stopper) -> bool:
    """Return True if a ray proves every conflict that a finished search has found."""
    pool, trainer = search.pool, search.trainer
    for number in range(search.conflicts):
        if stop():
            return False
        trainer.watch.obey(stop)
        members = pool.members[pool.starts[number] : pool.starts[number + 1]]
        if not search.door.ask(RAY, partial(cannot_hold, problem, trainer, members)):
            return False
    return True


def cannot_hold(problem: MarginProblem, trainer: Trainer, members: Ints) -> bool:
    """Return True if a ray proves that these rows and the fixed ones cannot all hold."""
    rows = trainer.rows
    hard = rows.fixed.copy()
    hard[members] = True
    trainer.work.a[:] = 0.0
    trainer.work.ray[:] = 0.0
    find_ray(trainer.solver, trainer.work, hard, trainer.max_pivots)
    # However the solver ended: what it left is a guess, and only the check below counts.
    return is_ray(problem, rows, np.where(hard, trainer.work.ray, 0.0))


@kernel
def find_ray(solver, work: Work, hard: Flags, max_pivots: int) -> int:  # type: ignore[no-untyped-def]  # a compiled pointer
    """Solve with the hard rows alone, for a ray that uses no others."""
    set_boxes(work, np.zeros(len(hard)), hard)
    return int(solver(work, BALANCE, np.inf, max_pivots, -np.inf))


def is_ray(problem: MarginProblem, rows: Reduced, guess: Floats) -> bool:
    """Return True if multipliers next to the guess prove that its rows cannot all hold."""
    used = np.flatnonzero(np.abs(guess) > UNITS * np.max(np.abs(guess), initial=0.0))
    if len(used) == 0:
        return False
    y, target = rows.y[used], rows.target[used]
    if problem.features is None:
        return _is_kernel_ray(rows.K[:, used], y, target, guess[used])
    return _is_linear_ray(problem.features[rows.first[used]], y, target, guess[used])


def _is_linear_ray(X: Floats, y: Floats, target: Floats, guess: Floats) -> bool:
    ray = guess / np.abs(guess).max()
    heaviest = int(np.argmax(np.abs(ray)))
    for _ in range(CORRECTIONS):
        ray = _corrected(X, ray, heaviest)
    sums, sizes = moments(X, ray, heaviest)
    ray[heaviest] -= ray.sum()
    return (
        bool((y * ray > 0.0).all())
        and _gains(ray, y, target)
        and bool((np.abs(sums) <= UNITS * sizes).all())
    )


def _corrected(X: Floats, ray: Floats, heaviest: int) -> Floats:
    """Return the ray after the smallest relative change that makes its sums zero."""
    sums, sizes = moments(X, ray, heaviest)
    size = np.where(sizes > 0.0, sizes, 1.0)
    # The heaviest one follows the others, so that what they sum to does not matter.
    moved = ((X - X[heaviest]) / size).T * ray
    change, *_ = np.linalg.lstsq(moved, -sums / size, rcond=None)
    change[heaviest] = 0.0
    corrected = ray * (1.0 + change)
    corrected[heaviest] -= corrected.sum()
    return np.asarray(corrected)


@kernel
def moments(X: Floats, ray: Floats, heaviest: int) -> tuple[Floats, Floats]:
    """Return sum r_i x_ik and sum |r_i x_ik| of every feature, in twice the precision.

    The multiplier of row `heaviest` is minus the sum of the others, whatever is given.
    """
    n, d = X.shape
    sums, sizes = np.zeros(d), np.zeros(d)
    for k in range(d):
        total, rest = 0.0, 0.0
        for i in range(n):
            if i != heaviest:
                total, rest = add_product(total, rest, ray[i], X[i, k])
                total, rest = add_product(total, rest, -ray[i], X[heaviest, k])
            sizes[k] += abs(ray[i] * X[i, k])
        sums[k] = total + rest
    return sums, sizes


def _is_kernel_ray(K: Floats, y: Floats, target: Floats, guess: Floats) -> bool:
    if len(guess) > MOST_FRACTIONS:
        return False
    share = [Fraction(float(r)).limit_denominator(DENOMINATOR) for r in guess / np.abs(guess).max()]
    if sum(share) != 0 or any(float(r) * label <= 0.0 for r, label in zip(share, y, strict=True)):
        return False
    step = (sum(Fraction(v) * r for v, r in zip(row, share, strict=True)) for row in K.tolist())
    return _gains(np.array(share, dtype=np.float64), y, target) and not any(step)


def _gains(ray: Floats, y: Floats, target: Floats) -> bool:
    gain = float(ray @ (y * target))
    return gain >= LEAST_GAIN * float(np.abs(ray) @ np.maximum(1.0, np.abs(target)))
