"""The rate-constrained SVM by brute force: every set of samples given up, one program for each.

For a given set the problem is an SVM whose other samples are hard. Its value is enclosed by a
classifier (from above) and by multipliers (from below), both from floating point. Where they do
not meet, the program is solved once more in whole numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzz.instances import TrainingInstance, repeated
from fuzz.reference import complementarity, pivoting
from fuzz.reference.kernels import gram, settled_gamma
from fuzz.reference.scaling import allowed_errors, standardised

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

TIGHT = 1e-7
"""Relative difference of the enclosure's ends at which a value is known."""
KERNEL_BITS = 60
"""Kernel values are rounded to so many bits below the largest."""
RIDGE = 2**8
"""What is added to the diagonal for each sample, in those bits: what rounding may have taken away.

A kernel's value is rounded by any library; what 64 times as much changes is not determined."""

SLACK = 2e-6
"""Share by which a slack may be beyond the largest: what RateSVC allows it, and the margins."""


@dataclass(frozen=True)
class Value:
    """The optimum lies within [low, high]; infinity: infeasible. `norm` is ||f||^2 at `high`."""

    low: float
    high: float
    norm: float = 0.0

    @property
    def tight(self) -> bool:
        """True if low and high agree."""
        if math.isinf(self.high):
            return math.isinf(self.low)
        return self.high - self.low <= TIGHT * self.high


class TrainingReference:
    """Answers questions about one instance."""

    def __init__(self, instance: TrainingInstance) -> None:
        self.instance = instance
        self.X, self.positive = repeated(instance)
        self.y = np.where(self.positive, 1.0, -1.0)
        plain = instance.kernel == "precomputed" or not instance.standardize
        self.Z = self.X if plain else standardised(self.X)[0]
        self.gamma = settled_gamma(instance.gamma, self.Z)
        self.K = gram(self.Z, instance.kernel, self.gamma, instance.degree, instance.coef0)
        self.F = self.Z if instance.kernel == "linear" else _explicit(self.K)
        self.limits = list(self._limits())

    def _limits(self) -> Iterator[tuple[Bools, int]]:
        everyone = np.ones(len(self.y), dtype=bool)
        groups = [
            (self.positive, self.instance.min_tpr),
            (~self.positive, self.instance.min_tnr),
        ]
        for measure in self.instance.measures:
            members = everyone if measure.where is None else np.array(measure.where, dtype=bool)
            if measure.label is not None:
                members = members & (self.positive == measure.label)
            groups.append((members, measure.min_rate))
        for members, rate in groups:
            yield members, allowed_errors(rate, int(members.sum()))

    def allowed(self, wrong: Bools) -> bool:
        """Return True if exactly these samples may be wrong."""
        return all(int((members & wrong).sum()) <= most for members, most in self.limits)

    def largest_sets(self) -> Iterator[Bools]:
        """Yield the sets that may be given up and that no further sample can join."""
        n = len(self.y)
        for size in range(n, -1, -1):
            for chosen in combinations(range(n), size):
                wrong = np.zeros(n, dtype=bool)
                wrong[list(chosen)] = True
                if self.allowed(wrong) and not any(
                    self.allowed(wrong | (np.arange(n) == i)) for i in np.flatnonzero(~wrong)
                ):
                    yield wrong

    def optimum(self, whole: bool = False) -> Value:
        """Return the least objective; a high end of infinity means infeasible.

        `whole`: solve every program in whole numbers.
        """
        sets = list(self.largest_sets())
        values = [self.exact(wrong) if whole else self.enclosed(wrong) for wrong in sets]
        for number in sorted(range(len(sets)), key=lambda i: values[i].high):
            best = min((v.high for v in values), default=math.inf)
            value = values[number]
            if not value.tight and value.low < best * (1 - TIGHT):
                values[number] = self.exact(sets[number])
        if not values:
            return Value(math.inf, math.inf)
        best_value = min(values, key=lambda v: v.high)
        return Value(min(v.low for v in values), best_value.high, best_value.norm)

    def enclosed(self, wrong: Bools) -> Value:
        """Return bounds on the value when these samples are given up, by floating point."""
        z = pivoting.solve(*self._program(wrong))
        if z is None:
            return Value(0.0, math.inf)
        n = len(self.y)
        peak = float(np.max(np.abs(self.K))) or 1.0
        a = z[:n] / peak
        return Value(self._dual(a, wrong), *self._primal(a, wrong))

    def _program(self, wrong: Bools) -> tuple[Floats, Floats]:
        """Return M and q of the optimality conditions, with the kernel scaled to at most 1."""
        n, soft = len(self.y), np.flatnonzero(wrong)
        peak = float(np.max(np.abs(self.K))) or 1.0
        Q = self.K / peak * np.outer(self.y, self.y) / 2
        M, q = _conditions(Q, self.y, soft, n, self.instance.max_slack is not None)
        s = len(soft)
        q[:n] = -1.0
        q[n : n + s] = self.instance.C * peak
        if self.instance.max_slack is not None:
            q[n + s : n + 2 * s] = self.instance.max_slack
        return M, q

    def _dual(self, a: Floats, wrong: Bools) -> float:
        """Return the value of multipliers, made feasible first: a lower bound."""
        C, most = self.instance.C, self.instance.max_slack
        a = np.maximum(a, 0.0)
        if most is None:
            a[wrong] = np.minimum(a[wrong], C)
        pos, neg = a[self.positive].sum(), a[~self.positive].sum()
        if min(pos, neg) <= 0:
            return 0.0
        a[self.positive] *= min(1.0, neg / pos)
        a[~self.positive] *= min(1.0, pos / neg)
        w = self.F.T @ (a * self.y)
        value = a.sum() - w @ w / 4
        if most is not None:
            value -= most * np.maximum(a[wrong] - C, 0.0).sum()
        return max(0.0, float(value))

    def _primal(self, a: Floats, wrong: Bools) -> tuple[float, float]:
        """Return objective and norm of the multipliers' classifier, made feasible first."""
        w = self.F.T @ (a * self.y) / 2
        g = self.F @ w
        norm = float(w @ w)
        hard_pos, hard_neg = self.positive & ~wrong, ~self.positive & ~wrong
        if hard_pos.any() and hard_neg.any():
            room = float(g[hard_pos].min() - g[hard_neg].max())
            if room <= 0:
                return math.inf, math.inf
            if room < 2.0:
                g, norm = g * (2.0 / room), norm * (2.0 / room) ** 2
        least = np.where(wrong, -math.inf, 1.0)  # margins that are asked for
        if self.instance.max_slack is not None:
            least[wrong] = 1.0 - self.instance.max_slack
        low = float(np.max((least - g)[self.positive]))
        high = float(np.min((-least - g)[~self.positive]))
        if low > high + 1e-12 * max(1.0, abs(low)):
            return math.inf, math.inf
        tried = np.concatenate((np.where(self.positive, 1.0, -1.0) - g, [low, high]))
        tried = tried[np.isfinite(tried)]
        tried = np.clip(tried, low, max(low, high))
        slack = np.maximum(0.0, 1.0 - self.y * (g + tried[:, np.newaxis]))
        slack[:, ~wrong] = 0.0
        return norm + self.instance.C * float(slack.sum(axis=1).min()), norm

    def blurred(self) -> Iterator[Value]:
        """Yield the optimum with a kernel, and with a largest slack, that are a little off."""
        if self.instance.kernel != "linear":
            yield self._least(ridge=64 * RIDGE)
        if self.instance.max_slack is not None:
            yield self._least(extra=SLACK * self.instance.max_slack)

    def _least(self, ridge: int = RIDGE, extra: float = 0.0) -> Value:
        values = [self.exact(wrong, ridge, extra) for wrong in self.largest_sets()]
        return min(values, key=lambda v: v.high, default=Value(math.inf, math.inf))

    def exact(self, wrong: Bools, ridge: int = RIDGE, extra: float = 0.0) -> Value:
        """Return the value when these samples are given up, by whole numbers.

        `extra`: what the largest slack is raised by.
        """
        n, soft = len(self.y), np.flatnonzero(wrong)
        Q, unit = self._whole_gram(ridge)
        signs = np.array([int(v) for v in self.y], dtype=object)
        C, most = Fraction(self.instance.C), Fraction((self.instance.max_slack or 0) + extra)
        # Q = unit * K / 2. All right-hand sides times `factor` are whole.
        factor = unit.numerator * C.denominator * most.denominator
        M, q = _conditions(
            Q * np.outer(signs, signs), signs, soft, n, self.instance.max_slack is not None
        )
        s = len(soft)
        q[:n] = -factor
        q[n : n + s] = int(C * factor / unit)
        if self.instance.max_slack is not None:
            q[n + s : n + 2 * s] = int(most * factor)
        z = complementarity.solve(M, q)
        if z is None:
            return Value(math.inf, math.inf)
        alpha = [v / factor * int(sign) for v, sign in zip(z[:n], self.y, strict=True)]
        slack = sum(z[n : n + s], Fraction(0)) / factor
        # w'w = a'Ka / 4 with a = unit * alpha and K = 2 Q / unit.
        inner = [sum((Q[i, j] * alpha[j] for j in range(n)), Fraction(0)) for i in range(n)]
        norm = unit * sum((alpha[i] * inner[i] for i in range(n)), Fraction(0)) / 2
        value = float(norm + C * slack)
        return Value(value, value, float(norm))

    def _whole_gram(self, ridge: int) -> tuple[NDArray[np.object_], Fraction]:
        """Return the kernel matrix in whole numbers, and by what it was multiplied (halves too)."""
        if self.instance.kernel == "linear":
            Z, unit = _whole(self.Z)
            return Z @ Z.T, Fraction(2 * unit * unit)
        peak = float(np.max(np.abs(self.K))) or 1.0
        shift = KERNEL_BITS - math.frexp(peak)[1]
        Q = np.array(
            [[round(Fraction(v) * Fraction(2) ** shift) for v in row] for row in self.K.tolist()],
            dtype=object,
        )
        for i in range(len(self.y)):
            Q[i, i] += ridge * len(self.y)
        return Q, 2 * Fraction(2) ** shift


def _explicit(K: Floats) -> Floats:
    """Return features whose inner products are the kernel matrix."""
    values, vectors = np.linalg.eigh(K)
    kept = values > 0
    return np.asarray(vectors[:, kept] * np.sqrt(values[kept]))


def _whole(Z: Floats) -> tuple[NDArray[np.object_], int]:
    """Return floats times a power of two that makes them whole, and that power."""
    unit = max((Fraction(v).denominator for v in Z.ravel().tolist()), default=1)
    whole = [[int(Fraction(v) * unit) for v in row] for row in Z.tolist()]
    return np.array(whole, dtype=object).reshape(Z.shape), unit


def _conditions(
    Q: NDArray[Any], y: NDArray[Any], soft: NDArray[np.intp], n: int, capped: bool
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return M, and room for q, of the optimality conditions of an SVM as a complementarity.

    Unknowns: the multipliers a of the margins, the slacks xi of the soft samples, the multipliers
    t of their upper bounds if they have any, and the intercept as the difference of two.
    """
    s = len(soft)
    size = n + s + (s if capped else 0) + 2
    M = np.zeros((size, size), dtype=Q.dtype)
    M[:n, :n] = Q
    for place, i in enumerate(soft):
        M[i, n + place], M[n + place, i] = 1, -1
        if capped:
            M[n + place, n + s + place], M[n + s + place, n + place] = 1, -1
    M[:n, size - 2], M[:n, size - 1] = y, -y
    M[size - 2, :n], M[size - 1, :n] = -y, y
    return M, np.zeros(size, dtype=Q.dtype)
