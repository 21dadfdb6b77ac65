"""Logistic regression and distance-weighted discrimination by brute force, one conic program a set.

Readable and slow on purpose, and independent of the library: exponential and second-order cones go
to Clarabel. Meant for up to a dozen samples.
"""

from __future__ import annotations

import math

import clarabel
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from frugalsvm.data.problem import MarginProblem
from reference_margin import UndecidedError, explicit_features, largest_allowed_sets

Vector = NDArray[np.float64]


def brute_force(problem: MarginProblem) -> float:
    """Return the optimal objective of the problem, inf if it is infeasible."""
    features = explicit_features(problem)
    return min(
        (objective(problem, features, wrong) for wrong in largest_allowed_sets(problem)),
        default=math.inf,
    )


class _Program:
    """Variables w, b, then four for each sample; constraints rhs - A x in cones."""

    def __init__(self, problem: MarginProblem, features: Vector) -> None:
        self.problem, self.features = problem, features
        self.n, self.d = features.shape
        self.size = self.d + 1 + 4 * self.n
        self.rows: list[Vector] = []
        self.rhs: list[float] = []
        self.cones: list[object] = []

    def variable(self, kind: int, i: int) -> Vector:
        """Return the expression that is one variable of sample i."""
        row = np.zeros(self.size)
        row[self.d + 1 + kind * self.n + i] = 1.0
        return row

    def margin(self, i: int) -> Vector:
        """Return the expression y f(x)."""
        row = np.zeros(self.size)
        row[: self.d] = self.features[i]
        row[self.d] = 1.0
        return self.problem.y[i] * row

    def demand(self, cone: object, *parts: tuple[Vector, float]) -> None:
        """Demand that the expressions plus constants lie in the cone."""
        for row, constant in parts:
            self.rows.append(-row)
            self.rhs.append(constant)
        self.cones.append(cone)


def objective(problem: MarginProblem, features: Vector, wrong: NDArray[np.bool_]) -> float:
    """Return the least objective when only the samples in `wrong` may have margins below 1."""
    program = _Program(problem, features)
    nothing = np.zeros(program.size)
    for i in range(program.n):
        least = 1.0 if not wrong[i] else -math.inf
        if problem.max_slack is not None:
            least = max(least, 1.0 - problem.max_slack)
        if math.isfinite(least):
            program.demand(clarabel.NonnegativeConeT(1), (program.margin(i), -least))
        s, xi, p, q = (program.variable(kind, i) for kind in range(4))
        if problem.loss == "logistic":  # e^(-u - s) + e^-s <= 1
            program.demand(
                clarabel.ExponentialConeT(), (-program.margin(i) - s, 0.0), (nothing, 1.0), (p, 0.0)
            )
            program.demand(clarabel.ExponentialConeT(), (-s, 0.0), (nothing, 1.0), (q, 0.0))
            program.demand(clarabel.NonnegativeConeT(1), (-p - q, 1.0))
            program.demand(clarabel.ZeroConeT(1), (xi, 0.0))
        else:  # s = p + xi, r = u + xi, 4 p r >= 1
            r = program.margin(i) + xi
            cone = clarabel.SecondOrderConeT(3)
            program.demand(cone, (p + r, 0.0), (p - r, 0.0), (nothing, 1.0))
            program.demand(clarabel.NonnegativeConeT(1), (xi, 0.0))
            program.demand(clarabel.ZeroConeT(1), (s - p - xi, 0.0))
            program.demand(clarabel.ZeroConeT(1), (q, 0.0))
    return _least(program)


def _least(program: _Program) -> float:
    d, n = program.d, program.n
    P = sparse.diags(np.concatenate([np.full(d, 2.0), np.zeros(program.size - d)])).tocsc()
    q = np.zeros(program.size)
    q[d + 1 : d + 1 + n] = program.problem.C
    A = sparse.csc_matrix(np.array(program.rows))
    status = ""
    for tolerance in (1e-10, 1e-8, 1e-7):
        settings = clarabel.DefaultSettings()
        settings.verbose = False
        settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = tolerance
        rhs = np.array(program.rhs)
        solution = clarabel.DefaultSolver(P, q, A, rhs, program.cones, settings).solve()
        status = str(solution.status)
        if "PrimalInfeasible" in status:
            return math.inf
        if status == "Solved":
            return float(solution.obj_val)
    raise UndecidedError(f"Clarabel could not decide a tiny conic program: {status}")
