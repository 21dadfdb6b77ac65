"""Smooth losses: slope, curvature, and the conjugate that dual bounds rest on."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr, expit

from frugalsvm.data.losses import dwd, logistic

Vector = NDArray[np.float64]


class SmoothLoss(ABC):
    """A convex, falling loss L of the margin u, with slopes between -1 and 0."""

    @abstractmethod
    def value(self, u: Vector) -> Vector:
        """Return L(u)."""

    @abstractmethod
    def pull(self, u: Vector) -> Vector:
        """Return -L'(u), in [0, 1]."""

    @abstractmethod
    def curvature(self, u: Vector) -> Vector:
        """Return L''(u)."""

    @abstractmethod
    def least(self, p: Vector) -> Vector:
        """Return the least value of p u + L(u) over all u, for p in [0, 1]."""

    def least_from(self, p: Vector, target: Vector) -> Vector:
        """Return the least value of p u + L(u) over u >= target, for p >= 0.

        Where the target is minus infinity, p has to be at most 1.
        """
        bounded = np.isfinite(target)
        at = np.where(bounded, target, 0.0)
        # L(u) + p u still falls at u if p is below -L'(u): then its least value lies beyond.
        beyond = ~bounded | (p < self.pull(at))
        free = self.least(np.clip(p, 0.0, 1.0))
        return np.where(beyond, free, p * at + self.value(at))

    def below_hinge(self, share: float) -> float:
        """Return by how much `share` max(0, 1 - u) may exceed L(u).

        Nowhere for shares up to 0.648 of the logistic loss, and for any share up to 1 of the
        distance-weighted one, since 4u (1 - u) <= 1.
        """
        return max(0.0, share - float(self.least(np.array([share]))[0]))


class Logistic(SmoothLoss):
    """L(u) = ln(1 + e^-u); its conjugate is the entropy."""

    def value(self, u: Vector) -> Vector:
        """Return L(u)."""
        return logistic(u)

    def pull(self, u: Vector) -> Vector:
        """Return -L'(u)."""
        return np.asarray(expit(-u))

    def curvature(self, u: Vector) -> Vector:
        """Return L''(u)."""
        return np.asarray(expit(u) * expit(-u))

    def least(self, p: Vector) -> Vector:
        """Return -p ln p - (1 - p) ln (1 - p)."""
        return np.asarray(entr(p) + entr(1.0 - p))


class DistanceWeighted(SmoothLoss):
    """L(u) = 1 - u up to u = 1/2, then 1 / (4u)."""

    def value(self, u: Vector) -> Vector:
        """Return L(u)."""
        return dwd(u)

    def pull(self, u: Vector) -> Vector:
        """Return -L'(u)."""
        return 0.25 / np.maximum(u, 0.5) ** 2

    def curvature(self, u: Vector) -> Vector:
        """Return L''(u)."""
        return np.where(u > 0.5, 0.5 / np.maximum(u, 0.5) ** 3, 0.0)

    def least(self, p: Vector) -> Vector:
        """Return sqrt(p), reached at u = 1 / (2 sqrt(p))."""
        return np.sqrt(p)


SMOOTH_LOSSES: dict[str, SmoothLoss] = {"logistic": Logistic(), "dwd": DistanceWeighted()}
"""The losses by name."""
