"""A linear SVM with a ridge, a lasso and a squared-lasso penalty, by an interior-point method.

    minimise  1/2 ridge ||w||_2^2 + l1 ||w||_1 + 1/2 l1_squared ||w||_1^2 + sum_i c_i xi_i
    subject to  y_i (x_i'w + b) >= 1 - xi_i,  xi_i >= 0.

All sparse SVMs of this package are of this form. Each step solves a system of the size of the
samples or of the features, whichever is less, so that 72 samples with 7129 features and 12960
samples with 19 features both take a few milliseconds a step.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from frugalsvm.data.exceptions import SolverError
from frugalsvm.sparse.weights import Change, FreeWeights, SplitWeights, Weights, longest

Vector = NDArray[np.float64]

TOLERANCE = 1e-9
ACCEPTABLE = 1e-5
MAX_STEPS = 200
STALLED = 12  # steps without halving the gap after which rounding has taken over
STEP_BACK = 0.995  # fraction of the way to the boundary
CAUTIOUS = 0.3  # share of the complementarity that a step aims at where the correction misled


@dataclass(frozen=True)
class PenalizedSVM:
    """The data of the problem above.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
        Features.
    y : ndarray of shape (n_samples,)
        Labels +1 and -1.
    costs : ndarray of shape (n_samples,)
        The c of each sample, > 0.
    ridge, l1, l1_squared : float
        Weights of the penalties, >= 0.
    """

    X: Vector
    y: Vector
    costs: Vector
    ridge: float = 1.0
    l1: float = 0.0
    l1_squared: float = 0.0

    def objective(self, weights: Vector, intercept: float) -> float:
        """Return the objective of a hyperplane."""
        slack = np.maximum(0.0, 1.0 - self.y * (self.X @ weights + intercept))
        norm = np.abs(weights).sum()
        penalty = 0.5 * self.ridge * (weights @ weights) + self.l1 * norm
        return float(penalty + 0.5 * self.l1_squared * norm**2 + self.costs @ slack)


@dataclass(frozen=True)
class PenalizedSolution:
    """A solution and its dual.

    Attributes
    ----------
    weights, intercept
        The hyperplane. Weights that complementarity calls zero are exactly zero.
    alpha : ndarray of shape (n_samples,)
        Multipliers of the margins, in [0, c_i].
    gap : float
        Relative duality gap reached.
    steps : int
        Interior-point steps.
    """

    weights: Vector
    intercept: float
    alpha: Vector
    gap: float
    steps: int


@dataclass(frozen=True)
class _Samples:
    """Margins' variables: y f + xi - s = 1, multipliers alpha of s and beta of xi."""

    b: float
    xi: Vector
    s: Vector
    alpha: Vector
    beta: Vector  # c - alpha, kept apart because the difference loses its digits near zero


@dataclass(frozen=True)
class _SampleStep:
    b: float
    xi: Vector
    s: Vector
    alpha: Vector


@dataclass(frozen=True)
class _Point:
    weights: Weights
    samples: _Samples


def solve(problem: PenalizedSVM, *, tolerance: float = TOLERANCE) -> PenalizedSolution:
    """Solve to a relative duality gap of `tolerance`, or as near as rounding allows.

    Raises
    ------
    SolverError
        If not even a gap of 1e-5 was reached.
    """
    A = problem.y[:, np.newaxis] * problem.X
    at = best = _start(problem, A)
    best_gap, steps, best_step = np.inf, 0, 0
    with np.errstate(all="ignore"):  # what overflows is caught as a gap that is not finite
        while steps < MAX_STEPS:
            gap = _relative_gap(problem, A, at)
            if gap < 0.5 * best_gap:
                best_step = steps
            if gap < best_gap:
                best, best_gap = at, gap
            stalled = steps - best_step >= (STALLED if best_gap <= ACCEPTABLE else 4 * STALLED)
            if gap <= tolerance or stalled:
                break
            try:
                at = _advance(problem, A, at)
            except (LinAlgError, ValueError):
                break  # rounding has taken over: the best point so far is judged below
            steps += 1
    if not best_gap <= ACCEPTABLE:
        raise SolverError(f"The interior-point method stopped at a relative gap of {best_gap:.1e}.")
    weights = np.where(best.weights.support(), best.weights.value, 0.0)
    return PenalizedSolution(weights, best.samples.b, best.samples.alpha, float(best_gap), steps)


def _start(problem: PenalizedSVM, A: Vector) -> _Point:
    n, d = problem.X.shape
    positive = problem.y > 0
    mass = problem.costs[positive].sum(), problem.costs[~positive].sum()
    share = 0.5 * min(mass) / np.where(positive, *mass)
    alpha = problem.costs * share
    weights: Weights
    if problem.l1 == 0.0 and problem.l1_squared == 0.0:
        weights = FreeWeights(np.zeros(d), problem.ridge)
    else:
        slope = problem.l1 + problem.l1_squared + float(np.abs(A.T @ alpha).max(initial=0.0))
        small, steep = np.full(d, 1.0 / max(d, 1)), np.full(d, max(slope, 1e-3))
        weights = SplitWeights(
            small, small, steep, steep, problem.ridge, problem.l1, problem.l1_squared
        )
    ones = np.ones(n)
    return _Point(weights, _Samples(0.0, ones, ones, alpha, problem.costs - alpha))


def _margin_residual(problem: PenalizedSVM, A: Vector, at: _Point) -> Vector:
    s = at.samples
    return 1.0 - (A @ at.weights.value + problem.y * s.b + s.xi - s.s)


def _products(at: _Point) -> tuple[float, int]:
    s = at.samples
    total, count = at.weights.products
    total += float(s.s @ s.alpha + s.xi @ s.beta)
    return total, count + 2 * len(s.s)


def _relative_gap(problem: PenalizedSVM, A: Vector, at: _Point) -> float:
    """Return the largest of the relative complementarity and the scaled residuals."""
    s = at.samples
    objective = problem.objective(at.weights.value, s.b)
    pull = A.T @ s.alpha
    complementarity = _products(at)[0] / (1.0 + abs(objective))
    stationarity = at.weights.residual(pull) / (1.0 + float(np.abs(pull).max(initial=0.0)))
    margins = float(np.abs(_margin_residual(problem, A, at)).max())
    balance = abs(problem.y @ s.alpha) / (1.0 + s.alpha.sum())
    worst = max(complementarity, stationarity, margins, float(balance))
    return worst if np.isfinite(worst) else np.inf


def _advance(problem: PenalizedSVM, A: Vector, at: _Point) -> _Point:
    """Take one predictor-corrector step (Mehrotra)."""
    total, count = _products(at)
    factor = _Factor(problem, A, at)
    guess = factor.step(0.0, None)
    length = min(1.0, _longest(at, guess))
    ahead = _products_after(at, guess, length) / count
    now = total / count
    step = factor.step(now * (ahead / now) ** 3, guess)
    length = min(1.0, STEP_BACK * _longest(at, step))
    if _products_after(at, step, length) >= total:  # such steps may go round in circles
        step = factor.step(CAUTIOUS * now, None)
        length = min(1.0, STEP_BACK * _longest(at, step))
    own, move = at.samples, step[1]
    return _Point(
        at.weights.moved(step[0], length),
        _Samples(
            own.b + length * move.b,
            own.xi + length * move.xi,
            own.s + length * move.s,
            own.alpha + length * move.alpha,
            own.beta - length * move.alpha,
        ),
    )


_Move = tuple[Change, _SampleStep]


def _longest(at: _Point, move: _Move) -> float:
    s, step = at.samples, move[1]
    return min(
        at.weights.longest_step(move[0]),
        longest(s.xi, step.xi),
        longest(s.s, step.s),
        longest(s.alpha, step.alpha),
        longest(s.beta, -step.alpha),
    )


def _products_after(at: _Point, move: _Move, length: float) -> float:
    s, step = at.samples, move[1]
    alpha = s.alpha + length * step.alpha
    own = (s.s + length * step.s) @ alpha + (s.xi + length * step.xi) @ (
        s.beta - length * step.alpha
    )
    return float(own) + at.weights.products_after(move[0], length)


class _Factor:
    """Newton's matrix at a point, factored once for the predictor and the corrector."""

    def __init__(self, problem: PenalizedSVM, A: Vector, at: _Point) -> None:
        self._problem, self._A, self._at = problem, A, at
        s = at.samples
        self._theta = s.xi / s.beta + s.s / s.alpha
        self._pull = A.T @ s.alpha
        self._margins = _margin_residual(problem, A, at)
        equations = at.weights.equations(self._pull, 0.0, None)
        self._curvature = equations.curvature
        self._by_samples = A.shape[0] <= A.shape[1]
        if self._by_samples:
            matrix = (A / self._curvature) @ A.T
            diagonal = self._theta
        else:
            matrix = A.T @ (A / self._theta[:, np.newaxis])
            diagonal = self._curvature
        matrix[np.diag_indices_from(matrix)] += diagonal
        self._factor = cho_factor(matrix, lower=True, overwrite_a=True, check_finite=True)
        self._bias = self._solve(np.zeros(A.shape[1]), -problem.y)
        self._tilt = self._solve(equations.direction, np.zeros(A.shape[0]))

    def _solve(self, first: Vector, second: Vector) -> tuple[Vector, Vector]:
        """Solve curvature dw - A'dalpha = first, A dw + theta dalpha = second."""
        A = self._A
        if self._by_samples:
            scaled = first / self._curvature
            dalpha = cho_solve(self._factor, second - A @ scaled, check_finite=False)
            return scaled + (A.T @ dalpha) / self._curvature, dalpha
        rhs = first + A.T @ (second / self._theta)
        dw = cho_solve(self._factor, rhs, check_finite=False)
        return dw, (second - A @ dw) / self._theta

    def step(self, center: float, correction: _Move | None) -> _Move:
        """Return the direction towards complementarity `center`."""
        s, y = self._at.samples, self._problem.y
        at_s, at_xi = center - s.s * s.alpha, center - s.xi * s.beta
        if correction is not None:
            at_s = at_s - correction[1].s * correction[1].alpha
            at_xi = at_xi + correction[1].xi * correction[1].alpha
        equations = self._at.weights.equations(
            self._pull, center, correction[0] if correction else None
        )
        q = self._margins - at_xi / s.beta + at_s / s.alpha
        base_w, base_alpha = self._solve(equations.rhs, q)
        # dw = base + db bias - k (c'dw) tilt, and likewise dalpha; y'dalpha = -y'alpha.
        k, c = equations.rank_one, equations.direction
        system = np.array(
            [
                [y @ self._bias[1], -k * (y @ self._tilt[1])],
                [-(c @ self._bias[0]), 1.0 + k * (c @ self._tilt[0])],
            ]
        )
        db, along = np.linalg.solve(system, [-(y @ s.alpha) - y @ base_alpha, c @ base_w])
        dw = base_w + db * self._bias[0] - k * along * self._tilt[0]
        dalpha = base_alpha + db * self._bias[1] - k * along * self._tilt[1]
        change = self._at.weights.change(
            self._pull, center, correction[0] if correction else None, dw, self._A.T @ dalpha
        )
        return change, _SampleStep(
            b=float(db),
            xi=(at_xi + s.xi * dalpha) / s.beta,
            s=(at_s - s.s * dalpha) / s.alpha,
            alpha=dalpha,
        )
