"""Training for known hard rows: the method of multipliers, with Newton's method within.

A hard row's constraint u >= t becomes a penalty on t - u with a multiplier that is corrected
from round to round. The multipliers of every round are dual ones, so that each gives a bound; the
work ends where that passes a cutoff, as it does if the hard rows cannot all hold.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from frugalsvm.runtime.stopping import Stopper
from frugalsvm.smooth.space import Space

Vector = NDArray[np.float64]
Flags = NDArray[np.bool_]

ROUNDS = 40
"""Most corrections of the multipliers."""

STEPS = 60
"""Most Newton steps between two corrections."""

STATIONARY = 1e-9
"""Gradient at which Newton's method ends, relative to the multipliers' pull."""

MISSED = 1e-8
"""How far a hard row may miss its target at a solution."""

STIFFER, ENOUGH = 8.0, 0.2
"""Factor on the penalty where a correction has left more than a share of what was missed."""

STIFFEST = 1e10
"""Penalty, in units of the first one, beyond which nothing is gained."""

FIRST_COSTS, LARGE = (1e-12, 1e-10, 1e-8, 1e-6, 1e-4, 1e-2), 10.0
"""Shares of a large C that are solved first, and the C from which on it is large."""

RIDGE = 1e-11
"""Share of a Newton matrix's largest diagonal entry that is added to the intercept's."""

ACCEPTED, SEARCHES = 0.5, 50
"""Share of a step's first slope that may be left where it ends, and most looks along a step."""


@dataclass(frozen=True)
class Start:
    """Where to begin: weights, intercept, and the multipliers of the constraints."""

    v: Vector
    b: float
    extra: Vector


@dataclass(frozen=True)
class Solution:
    """A classifier of the space.

    Attributes
    ----------
    v, b : ndarray of shape (rank,), float
        Weights of the features, and the intercept.
    margins : ndarray of shape (n_rows,)
        y f(x).
    a, extra : ndarray of shape (n_rows,)
        All multipliers, and the part of the constraints in them.
    bound : float
        No classifier whose hard rows hold has less.
    missed : float
        How far a hard row is below its target.
    """

    v: Vector
    b: float
    margins: Vector
    a: Vector
    extra: Vector
    bound: float
    missed: float

    @property
    def holds(self) -> bool:
        """True if the hard rows hold, up to what a factor can repair."""
        return self.missed <= 100.0 * MISSED

    @property
    def start(self) -> Start:
        """The same as a place to begin."""
        return Start(self.v, self.b, self.extra)


class Solver:
    """Trains on one space.

    Attributes
    ----------
    space : Space
        The rows.
    solved : int
        Problems solved so far.
    """

    def __init__(self, space: Space) -> None:
        self.space = space
        self.solved = 0
        F = space.features
        self._signed = F * space.y[:, None]
        size = float(np.mean((F * F).sum(axis=1))) if len(F) else 0.0
        self._stiffness = 10.0 * max(float(np.mean(space.cost)), 2.0 / (1.0 + size))

    def solve(
        self, hard: Flags, stop: Stopper, cutoff: float = math.inf, start: Start | None = None
    ) -> Solution:
        """Train with the hard rows counted correct.

        Parameters
        ----------
        hard : ndarray of bool of shape (n_rows,)
            Rows that must reach margin 1.
        stop : Stopper
            Time limit and interrupt; what there is by then comes back, its bound is valid.
        cutoff : float
            The work ends when the bound reaches it.
        start : Start or None
            Where to begin.
        """
        self.solved += 1
        space = self.space
        target = space.targets(hard)
        tied = np.isfinite(target)
        at = np.where(tied, target, 0.0)
        v, b = self._beginning(stop) if start is None else (start.v, start.b)
        extra = np.zeros(len(at)) if start is None else np.where(tied, start.extra, 0.0)
        stiffness, before, best = self._stiffness, math.inf, -math.inf
        for _ in range(ROUNDS):
            point = _Point(self, space.cost, np.where(tied, extra, -math.inf), at, stiffness)
            v, b = point.minimise(v, b, stop)
            margins = self._signed @ v + space.y * b
            extra = np.where(tied, np.maximum(0.0, extra + stiffness * (at - margins)), 0.0)
            a = space.cost * space.loss.pull(margins) + extra
            best = max(best, space.bound(a, target))
            missed = float((at - margins)[tied].max(initial=0.0))
            if missed <= MISSED or best >= cutoff or stop():
                break
            if missed > ENOUGH * before:
                if stiffness >= STIFFEST * self._stiffness:
                    break
                stiffness *= STIFFER
            before = missed
        return Solution(v, b, margins, a, extra, best, missed)

    def _beginning(self, stop: Stopper) -> tuple[Vector, float]:
        """Return where to begin: zero, or with a large C the solutions for smaller ones."""
        space = self.space
        n, rank = space.features.shape
        v, b = np.zeros(rank), 0.0
        largest = float(space.cost.max(initial=0.0))
        for factor in (f for f in FIRST_COSTS if f * largest >= LARGE):
            point = _Point(self, factor * space.cost, np.full(n, -math.inf), np.zeros(n), 1.0)
            v, b = point.minimise(v, b, stop)
        return v, b


class _Point:
    """One penalised problem, without constraints."""

    def __init__(
        self, solver: Solver, cost: Vector, extra: Vector, at: Vector, stiffness: float
    ) -> None:
        self.space, self.signed, self.cost = solver.space, solver._signed, cost
        self.extra, self.at, self.stiffness = extra, at, stiffness

    def pull(self, margins: Vector) -> Vector:
        """Return minus the derivative of every row's loss and penalty."""
        penalty = np.maximum(0.0, self.extra + self.stiffness * (self.at - margins))
        return np.asarray(self.cost * self.space.loss.pull(margins) + penalty)

    def curvature(self, margins: Vector) -> Vector:
        """Return the second derivatives."""
        active = self.extra + self.stiffness * (self.at - margins) > 0.0
        smooth = self.cost * self.space.loss.curvature(margins)
        return np.asarray(smooth + self.stiffness * active)

    def minimise(self, v: Vector, b: float, stop: Stopper) -> tuple[Vector, float]:
        """Return the minimum by Newton's method."""
        y = self.space.y
        for _ in range(STEPS):
            margins = self.signed @ v + y * b
            pull = self.pull(margins)
            drawn = self.signed.T @ pull
            slope_v, slope_b = 2.0 * v - drawn, -float(y @ pull)
            size = 1e-12 + float(np.linalg.norm(drawn)) + 2.0 * float(np.linalg.norm(v))
            still = float(np.linalg.norm(slope_v)) <= STATIONARY * size
            if (still and abs(slope_b) <= STATIONARY * float(pull.sum())) or stop():
                break
            dv, db = self._direction(margins, slope_v, slope_b)
            step = self._step(v, margins, dv, self.signed @ dv + y * db)
            if step == 0.0:
                break
            v, b = v + step * dv, b + step * db
        return v, b

    def _direction(self, margins: Vector, slope_v: Vector, slope_b: float) -> tuple[Vector, float]:
        """Return Newton's step; where rounding leaves none, one down the slope."""
        d = len(slope_v)
        h = self.curvature(margins)
        weighted = self.signed * h[:, None]
        H = np.empty((d + 1, d + 1))
        H[:d, :d] = self.signed.T @ weighted
        H[:d, :d].flat[:: d + 1] += 2.0
        H[:d, d] = H[d, :d] = weighted.T @ self.space.y
        H[d, d] = float(h.sum())
        H[d, d] += RIDGE * (float(np.diag(H).max()) + float(self.cost.sum()))
        slope = np.append(slope_v, slope_b)
        try:
            step = -cho_solve(cho_factor(H, check_finite=False), slope, check_finite=False)
        except LinAlgError:
            step = -slope / np.diag(H)
        return step[:d], float(step[d])

    def _step(self, v: Vector, margins: Vector, dv: Vector, du: Vector) -> float:
        """Return how far to go: to where little of the slope along the step is left."""
        linear, square = 2.0 * float(v @ dv), 2.0 * float(dv @ dv)

        def slope(s: float) -> float:
            return linear + s * square - float(self.pull(margins + s * du) @ du)

        first = slope(0.0)
        if not first < 0.0:
            return 0.0
        low, high, s = 0.0, math.inf, 1.0
        for _ in range(SEARCHES):
            here = slope(s)
            if abs(here) <= -ACCEPTED * first:
                return s
            low, high = (s, high) if here < 0.0 else (low, s)
            s = 2.0 * s if math.isinf(high) else 0.5 * (low + high)
        return low
