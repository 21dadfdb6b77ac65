"""The weights' share of an interior-point step: free, or split into two nonnegative parts.

Both kinds answer the same questions: what their penalty contributes to Newton's equations, how
far a direction may be followed, and what the weights are after it. Newton's equations for the
weights read

    (diag(curvature) + rank_one c c') dw - A'dalpha = rhs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Equations:
    """Left and right side of Newton's equations for the weights."""

    curvature: Vector
    rhs: Vector
    rank_one: float
    direction: Vector  # the c of the rank-one term


class Weights(Protocol):
    """What the interior-point method asks of the weights."""

    @property
    def value(self) -> Vector:
        """The weights w."""

    @property
    def products(self) -> tuple[float, int]:
        """Sum and number of the complementarity products."""

    def residual(self, pull: Vector) -> float:
        """Return the largest violation of stationarity; `pull` is A'alpha."""

    def equations(self, pull: Vector, center: float, correction: Change | None) -> Equations:
        """Return Newton's equations towards complementarity `center`."""

    def change(
        self, pull: Vector, center: float, correction: Change | None, dw: Vector, dpull: Vector
    ) -> Change:
        """Return how the own variables change with the weights' step `dw`."""

    def longest_step(self, change: Change) -> float:
        """Return how far `change` may be followed (at most 1 is needed)."""

    def moved(self, change: Change, length: float) -> Weights:
        """Return the weights after a step."""

    def products_after(self, change: Change, length: float) -> float:
        """Return the sum of the complementarity products after a step."""

    def support(self) -> NDArray[np.bool_]:
        """Return which weights are not zero."""


@dataclass(frozen=True)
class Change:
    """A step of the weights' variables; the parts of free weights are empty but `w`."""

    w: Vector
    u: Vector
    v: Vector
    p: Vector
    q: Vector


_NONE = np.zeros(0)


@dataclass(frozen=True)
class FreeWeights:
    """Weights under a ridge alone."""

    w: Vector
    ridge: float

    @property
    def value(self) -> Vector:
        """The weights."""
        return self.w

    @property
    def products(self) -> tuple[float, int]:
        """There are none."""
        return 0.0, 0

    def residual(self, pull: Vector) -> float:
        """Return the largest violation of ridge * w = A'alpha."""
        return float(np.abs(self.ridge * self.w - pull).max(initial=0.0))

    def equations(self, pull: Vector, center: float, correction: Change | None) -> Equations:
        """Return the equations of the ridge."""
        d = len(self.w)
        return Equations(np.full(d, self.ridge), pull - self.ridge * self.w, 0.0, np.zeros(d))

    def change(
        self, pull: Vector, center: float, correction: Change | None, dw: Vector, dpull: Vector
    ) -> Change:
        """Return the step of w itself."""
        return Change(dw, _NONE, _NONE, _NONE, _NONE)

    def longest_step(self, change: Change) -> float:
        """Free weights never stop a step."""
        return np.inf

    def moved(self, change: Change, length: float) -> FreeWeights:
        """Return the weights after a step."""
        return replace(self, w=self.w + length * change.w)

    def products_after(self, change: Change, length: float) -> float:
        """There are none."""
        return 0.0

    def support(self) -> NDArray[np.bool_]:
        """Return True for all: a ridge makes no zeros."""
        return np.ones(len(self.w), dtype=np.bool_)


@dataclass(frozen=True)
class SplitWeights:
    """Weights under a lasso: w = u - v with multipliers p of u >= 0 and q of v >= 0."""

    u: Vector
    v: Vector
    p: Vector
    q: Vector
    ridge: float
    l1: float
    l1_squared: float

    @property
    def value(self) -> Vector:
        """The weights."""
        return self.u - self.v

    @property
    def products(self) -> tuple[float, int]:
        """Sum and number of u p and v q."""
        return float(self.u @ self.p + self.v @ self.q), 2 * len(self.u)

    def _stationarity(self, pull: Vector) -> tuple[Vector, Vector]:
        norm = self.u.sum() + self.v.sum()
        slope = self.l1 + self.l1_squared * norm
        inner = self.ridge * self.value - pull
        return slope + inner - self.p, slope - inner - self.q

    def residual(self, pull: Vector) -> float:
        """Return the largest violation of stationarity."""
        return float(max(np.abs(r).max(initial=0.0) for r in self._stationarity(pull)))

    def _targets(self, center: float, correction: Change | None) -> tuple[Vector, Vector]:
        """Return what du p + dp u and dv q + dq v have to be."""
        at_u, at_v = center - self.u * self.p, center - self.v * self.q
        if correction is not None:
            at_u = at_u - correction.u * correction.p
            at_v = at_v - correction.v * correction.q
        return at_u, at_v

    def _reduced(
        self, pull: Vector, center: float, correction: Change | None
    ) -> tuple[Vector, Vector, Vector, Vector]:
        r_u, r_v = self._stationarity(pull)
        at_u, at_v = self._targets(center, correction)
        return self.p / self.u, self.q / self.v, at_u / self.u - r_u, at_v / self.v - r_v

    def equations(self, pull: Vector, center: float, correction: Change | None) -> Equations:
        """Return the equations after u, v, p, q are eliminated."""
        du, dv, g_u, g_v = self._reduced(pull, center, correction)
        total = du + dv
        skew = (dv - du) / total
        known = float(np.sum(2 * (g_u + g_v) / total))
        stiffness = 1.0 + self.l1_squared * float(np.sum(4 / total))
        share = self.l1_squared / stiffness
        return Equations(
            curvature=self.ridge + du * dv / total,
            rhs=(g_u * dv - g_v * du) / total - share * known * skew,
            rank_one=share,
            direction=skew,
        )

    def change(
        self, pull: Vector, center: float, correction: Change | None, dw: Vector, dpull: Vector
    ) -> Change:
        """Return the steps of u, v, p, q for a step `dw` of their difference."""
        du, dv, g_u, g_v = self._reduced(pull, center, correction)
        total = du + dv
        grown = float(np.sum(2 * (g_u + g_v) / total) + ((dv - du) / total) @ dw)
        grown /= 1.0 + self.l1_squared * float(np.sum(4 / total))
        inner = self.ridge * dw - dpull
        # Each of the two is computed from the equation in which nothing cancels: the one with
        # the greater multiplier by division, the other from their difference.
        slope = self.l1_squared * grown
        step_u, step_v = (g_u - slope - inner) / du, (g_v - slope + inner) / dv
        u_first = du > dv
        step_u, step_v = (
            np.where(u_first, step_u, dw + step_v),
            np.where(u_first, step_u - dw, step_v),
        )
        at_u, at_v = self._targets(center, correction)
        r_u, r_v = self._stationarity(pull)
        return Change(
            w=dw,
            u=step_u,
            v=step_v,
            p=np.where(du < 1, (at_u - self.p * step_u) / self.u, r_u + slope + inner),
            q=np.where(dv < 1, (at_v - self.q * step_v) / self.v, r_v + slope - inner),
        )

    def longest_step(self, change: Change) -> float:
        """Return the step at which the first variable becomes zero."""
        return min(
            longest(self.u, change.u),
            longest(self.v, change.v),
            longest(self.p, change.p),
            longest(self.q, change.q),
        )

    def moved(self, change: Change, length: float) -> SplitWeights:
        """Return the variables after a step."""
        return replace(
            self,
            u=self.u + length * change.u,
            v=self.v + length * change.v,
            p=self.p + length * change.p,
            q=self.q + length * change.q,
        )

    def products_after(self, change: Change, length: float) -> float:
        """Return the sum of the complementarity products after a step."""
        return self.moved(change, length).products[0]

    def support(self) -> NDArray[np.bool_]:
        """Return which weights are not zero: those that exceed their multiplier."""
        return np.asarray((self.u > self.p) | (self.v > self.q))


def longest(values: Vector, step: Vector) -> float:
    """Return the longest step that keeps positive values nonnegative."""
    shrinking = step < 0
    if not shrinking.any():
        return np.inf
    return float(np.min(-values[shrinking] / step[shrinking]))
