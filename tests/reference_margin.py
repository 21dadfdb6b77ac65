"""The rate-constrained SVM by brute force: every set of samples that may be wrong, one QP each.

Readable and slow on purpose, and independent of the library: the quadratic programs go to
Clarabel. Meant for up to a dozen samples.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import clarabel
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from frugalsvm.data.problem import MarginProblem

Vector = NDArray[np.float64]


class UndecidedError(RuntimeError):
    """The reference itself cannot tell, as on kernels with eigenvalues at rounding level."""


def brute_force(problem: MarginProblem) -> float:
    """Return the optimal objective of the problem, inf if it is infeasible."""
    features = explicit_features(problem)
    return min(
        (svm_objective(problem, features, wrong) for wrong in largest_allowed_sets(problem)),
        default=math.inf,
    )


def explicit_features(problem: MarginProblem) -> Vector:
    """Return a feature matrix whose inner products are the problem's kernel."""
    if problem.features is not None:
        return problem.features
    assert problem.gram is not None
    values, vectors = np.linalg.eigh(problem.gram)
    keep = values > 1e-12 * max(1.0, values.max())
    return vectors[:, keep] * np.sqrt(values[keep])


def is_allowed(problem: MarginProblem, wrong: NDArray[np.bool_]) -> bool:
    """Return True if every limit holds when exactly these samples are wrong."""
    return all((limit.members & wrong).sum() <= limit.max_errors for limit in problem.limits)


def largest_allowed_sets(problem: MarginProblem) -> Iterator[NDArray[np.bool_]]:
    """Yield every allowed set of wrong samples that no further sample can join.

    Letting more samples be wrong never raises the objective, so the others need no look.
    """
    n = len(problem.positive)
    for size in range(n, -1, -1):
        for chosen in itertools.combinations(range(n), size):
            wrong = np.zeros(n, dtype=bool)
            wrong[list(chosen)] = True
            if is_allowed(problem, wrong) and not any(
                is_allowed(problem, wrong | (np.arange(n) == i)) for i in np.flatnonzero(~wrong)
            ):
                yield wrong


def svm_objective(problem: MarginProblem, features: Vector, wrong: NDArray[np.bool_]) -> float:
    """Return the SVM's objective when only the samples in `wrong` may have a slack."""
    n, d = features.shape
    y = problem.y
    # Variables: w (d), b (1), xi (n). Clarabel minimises x'Px/2 + q'x with b - Ax >= 0.
    P = sparse.diags(np.concatenate([np.full(d, 2.0), np.zeros(1 + n)])).tocsc()
    q = np.concatenate([np.zeros(d + 1), np.full(n, problem.C)])
    margins = np.hstack([features * y[:, None], y[:, None], np.eye(n)])
    lower = np.hstack([np.zeros((n, d + 1)), np.eye(n)])
    largest = np.full(n, np.inf if problem.max_slack is None else problem.max_slack)
    largest[~wrong] = 0.0
    bounded = np.flatnonzero(np.isfinite(largest))
    A = sparse.csc_matrix(np.vstack([-margins, -lower, lower[bounded]]))
    rhs = np.concatenate([-np.ones(n), np.zeros(n), largest[bounded]])
    for tolerance in (1e-10, 1e-8, 1e-6):  # what double precision grants differs
        solution = solve_quadratic_program(P, q, A, rhs, tolerance)
        status = str(solution.status)
        if "PrimalInfeasible" in status:
            return math.inf
        # Its "Solved", relative to an objective of 1e8, has been seen with a violation of 0.94.
        if "Solved" in status and np.max(A @ np.array(solution.x) - rhs) <= 1e-4:
            return float(solution.obj_val)
    raise UndecidedError(f"Clarabel could not decide a tiny quadratic program: {status}")


def solve_quadratic_program(
    P: sparse.csc_matrix, q: Vector, A: sparse.csc_matrix, rhs: Vector, tolerance: float
) -> clarabel.DefaultSolution:
    """Minimise x'Px/2 + q'x with Ax <= rhs."""
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = tolerance
    cones = [clarabel.NonnegativeConeT(len(rhs))]
    return clarabel.DefaultSolver(P, q, A, rhs, cones, settings).solve()
