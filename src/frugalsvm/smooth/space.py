"""The training problem in explicit features, and lower bounds from any multipliers.

For rows that must reach a target (minus infinity: none) the problem is

    min ||v||^2 + sum_i c_i L(u_i)   with  u_i = y_i (F v + b)_i >= t_i.

With multipliers a_i >= 0, sum y_i a_i = 0, no classifier has less than

    sum_i c_i min {p_i u + L(u) : u >= t_i} - ||g||^2 / 4,   p_i = a_i / c_i,  g = sum a_i y_i x_i,

because ||f||^2 - g'f >= -||g||^2 / 4. The multipliers only have to be feasible, not optimal.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from frugalsvm.margin.rows.reduction import Reduced
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.smooth.factor import Factor, factorised
from frugalsvm.smooth.loss import SmoothLoss

Vector = NDArray[np.float64]
Flags = NDArray[np.bool_]

ROUNDING = 2.3e-16
"""Relative rounding error of one operation, and a little more."""

STEEPEST = 50.0
"""Slope of a term for changes of rounding size: p ln p falls by 50 p at the most, p > 1e-20."""

PER_TERM = 16
"""Operations behind a term of the bound, and a few more."""


@dataclass(frozen=True)
class Space:
    """Rows with a smooth loss.

    Attributes
    ----------
    rows : Reduced
        The merged samples, without rows for bounded slacks.
    loss : SmoothLoss
        L.
    cost : ndarray of shape (n_rows,)
        C times the number of samples of each row.
    features : ndarray of shape (n_rows, rank)
        F: the features themselves, or those of the kernel matrix.
    factor : Factor or None
        Where F comes from, if it is not the features themselves.
    floor : float
        The margin that every row must reach: 1 minus the largest slack, or minus infinity.
    """

    rows: Reduced
    loss: SmoothLoss
    cost: Vector
    features: Vector
    factor: Factor | None
    floor: float

    @property
    def y(self) -> Vector:
        """Labels as +1 and -1."""
        return self.rows.y

    def targets(self, hard: Flags) -> Vector:
        """Return each row's target if the hard ones must be counted correct."""
        return np.where(hard, 1.0, min(1.0, self.floor))

    def bound(self, a: Vector, target: Vector) -> float:
        """Return a lower bound on every classifier's objective, rounding allowed for."""
        a = self._feasible(a, target)
        terms = self.cost * self.loss.least_from(a / self.cost, target)
        signed = self.y * a
        squared, doubt = self._squared_norm(signed)
        # What is left of sum y a is taken from the heaviest row of the class that has more.
        left = math.fsum(signed.tolist())
        k = int(np.argmax(np.where(self.y * left >= 0.0, a, -1.0)))
        slope = STEEPEST + float(terms[k]) / max(float(a[k]), float(np.finfo(float).tiny))
        doubt += (abs(left) + ROUNDING * float(a[k])) * (slope + self._reach(a, k))
        doubt += PER_TERM * ROUNDING * (float(np.abs(terms).sum()) + squared)
        value = math.fsum(terms.tolist()) - 0.25 * squared - doubt
        return value if math.isfinite(value) else -math.inf

    def _feasible(self, a: Vector, target: Vector) -> Vector:
        """Return the multipliers within their boxes, the heavier class scaled to the other."""
        a = np.maximum(a, 0.0)
        a = np.where(np.isfinite(target), a, np.minimum(a, self.cost))
        up, down = float(a[self.y > 0].sum()), float(a[self.y < 0].sum())
        if up == down:
            return a
        heavier = self.y > 0 if up > down else self.y < 0
        return np.where(heavier, a * (min(up, down) / max(up, down)), a)

    def _squared_norm(self, signed: Vector) -> tuple[float, float]:
        """Return ||g||^2 from the data themselves, and a quarter of what rounding may have done."""
        n, rows = len(signed), self.rows
        if rows.linear:
            g = rows.Z.T @ signed
            off = n * ROUNDING * (np.abs(rows.Z).T @ np.abs(signed))
            return float(g @ g), 0.25 * float(2.0 * np.abs(g) @ off + off @ off)
        reach = float(np.abs(signed) @ np.sqrt(np.maximum(np.diag(rows.K), 0.0)))
        squared = float(signed @ (rows.K @ signed))
        return max(0.0, squared), 0.5 * n * ROUNDING * reach * reach

    def _reach(self, a: Vector, k: int) -> float:
        """Return a bound on |g'x| / 2 of row k."""
        rows = self.rows
        if rows.linear:
            return 0.5 * float(np.abs(rows.Z[k]) @ (np.abs(rows.Z).T @ a))
        lengths = np.sqrt(np.maximum(np.diag(rows.K), 0.0))
        return 0.5 * float(lengths[k] * (a @ lengths))


def make_space(
    rows: Reduced, loss: SmoothLoss, C: float, max_slack: float | None, stop: Stopper
) -> Space:
    """Return the space of a problem's rows."""
    factor = None
    features = rows.Z
    if not rows.linear or rows.Z.shape[1] > rows.n_rows:
        factor = factorised(rows.Z @ rows.Z.T if rows.linear else rows.K, stop)
        features = factor.features
    return Space(
        rows=rows,
        loss=loss,
        cost=C * rows.weight,
        features=np.ascontiguousarray(features),
        factor=factor,
        floor=-math.inf if max_slack is None else 1.0 - max_slack,
    )
