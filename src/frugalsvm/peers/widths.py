"""KP-SVM: gradient steps on the widths of an anisotropic Gaussian kernel, between SVM trainings.

K_v(x, x') = exp(-sum_k v_k^2 (x_k - x'_k)^2 / 2): feature k is in use as long as v_k > 0. With J(v)
the optimal value of the SVM with kernel K_v, what is minimised over v >= 0 is

    F(v) = J(v) + penalty * sum_k (1 - exp(-sharpness * v_k)),

whose second part is close to the number of features in use. J is the maximum of
sum alpha_i - a'K_v a / 2 over the multipliers (a_i = alpha_i y_i), so that its derivative is that
of -a'K_v a / 2 at the optimal ones (the envelope theorem).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from sklearn.svm import SVC

from frugalsvm.peers.training import trained
from frugalsvm.runtime.stopping import Stopper

Array = NDArray[np.float64]

TRAINING_TOLERANCE = 1e-5
LEAST_GAIN = 1e-6  # relative decrease of F below which a step is not worth taking
SHORTEST_STEP = 1e-7  # of the largest width
DOUBLINGS = 40


@dataclass(frozen=True)
class Penalized:
    """The training set and what F is made of.

    Attributes
    ----------
    Z, signs
        Features, and labels +1 and -1.
    C : float
        Weight of the errors.
    penalty, sharpness : float
        Weight of the penalty, and how fast it rises.
    smallest : float
        Widths below are set to zero, as a share of the greatest.
    max_iter : int
        The most steps.
    """

    Z: Array
    signs: Array
    C: float
    penalty: float
    sharpness: float
    smallest: float
    max_iter: int


@dataclass(frozen=True)
class Point:
    """Widths with the SVM trained at them and the value of F."""

    widths: Array
    svm: SVC
    gram: Array
    value: float
    objective: float

    @property
    def n_features(self) -> int:
        """Number of features in use."""
        return int(np.count_nonzero(self.widths))


@dataclass(frozen=True)
class Descent:
    """Where the steps ended, the objectives on the way, and whether they came to rest."""

    point: Point
    objectives: tuple[float, ...]
    completed: bool


def gram(Z: Array, widths: Array) -> Array:
    """Return K_v of all pairs of samples."""
    used = np.flatnonzero(widths)
    scaled = Z[:, used] * widths[used]
    return np.asarray(np.exp(-0.5 * cdist(scaled, scaled, "sqeuclidean")))


def penalty_of(problem: Penalized, widths: Array) -> float:
    """Return the second part of F."""
    return problem.penalty * float(np.sum(-np.expm1(-problem.sharpness * widths)))


def evaluate(problem: Penalized, widths: Array, stop: Stopper) -> Point | None:
    """Train the SVM at these widths; None if `stop` says so before."""
    K = gram(problem.Z, widths)
    fresh = SVC(C=problem.C, kernel="precomputed", tol=TRAINING_TOLERANCE)
    svm = trained(fresh, K, problem.signs, stop)
    if svm is None:
        return None
    dual = svm.dual_coef_[0]
    value = float(np.abs(dual).sum() - 0.5 * dual @ K[np.ix_(svm.support_, svm.support_)] @ dual)
    return Point(widths, svm, K, value, value + penalty_of(problem, widths))


def repriced(problem: Penalized, point: Point) -> Point:
    """Return the point with F at the problem's penalty."""
    return replace(point, objective=point.value + penalty_of(problem, point.widths))


def gradient(problem: Penalized, point: Point) -> Array:
    """Return the derivative of F for every width; zero for features that are out of use."""
    rows, dual = point.svm.support_, point.svm.dual_coef_[0]
    weights = np.outer(dual, dual) * point.gram[np.ix_(rows, rows)]
    X = problem.Z[rows]
    # sum_ij m_ij (x_i - x_j)^2 for a symmetric m
    spread = 2.0 * (weights.sum(axis=1) @ X**2 - np.sum(X * (weights @ X), axis=0))
    slope = 0.5 * point.widths * spread
    slope += problem.penalty * problem.sharpness * np.exp(-problem.sharpness * point.widths)
    return np.where(point.widths > 0, slope, 0.0)


def descend(problem: Penalized, start: Point, stop: Stopper) -> Descent:
    """Step against the gradient as long as F falls; one feature is always left."""
    point, objectives = start, [start.objective]
    length = _first_length(gradient(problem, point), point.widths)
    for _ in range(problem.max_iter):
        slope = gradient(problem, point)
        following: Point | None = None
        while length * float(np.abs(slope).max()) > SHORTEST_STEP * float(point.widths.max()):
            if stop():
                return Descent(point, tuple(objectives), completed=False)
            widths = _moved(point.widths, slope, length, problem.smallest)
            following = None if widths is None else evaluate(problem, widths, stop)
            if following is not None and following.objective < point.objective - LEAST_GAIN * abs(
                point.objective
            ):
                break
            following, length = None, 0.5 * length
        if following is None:
            break
        point, length = following, 2.0 * length
        objectives.append(point.objective)
    return Descent(point, tuple(objectives), completed=not stop())


def _first_length(slope: Array, widths: Array) -> float:
    """Return the step at which the steepest width changes by half of the greatest one."""
    return 0.5 * float(widths.max()) / max(float(np.abs(slope).max()), np.finfo(np.float64).tiny)


def _moved(widths: Array, slope: Array, length: float, smallest: float) -> Array | None:
    """Return the widths after a step, small ones zero; None if none would be left."""
    moved = np.where(widths > 0, np.maximum(widths - length * slope, 0.0), 0.0)
    peak = float(moved.max())
    if peak <= 0.0:
        return None
    moved[moved < smallest * peak] = 0.0
    return moved
