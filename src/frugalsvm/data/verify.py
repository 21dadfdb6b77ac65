"""Answers check themselves: everything is recomputed from the raw data before it is returned."""

from __future__ import annotations

import dataclasses
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frugalsvm.data.exceptions import VerificationError
from frugalsvm.data.losses import total_loss
from frugalsvm.data.problem import MarginProblem, SelectionProblem
from frugalsvm.data.result import MarginResult, SelectionResult, Status

MARGIN_TOLERANCE = 1e-6
"""How far below 1 a margin may be by rounding and still count, relative to the scores' size."""
WEIGHT_TOLERANCE = 1e-9
"""Relative excess of a weight over `max_weight` that rounding may show."""
OBJECTIVE_TOLERANCE = 1e-6
"""Relative difference that two ways of computing the same SVM objective may show."""


def counted_correct(scores: NDArray[np.float64], positive: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which samples have a margin of at least 1, up to rounding."""
    margins = np.where(positive, scores, -scores)
    return np.asarray(margins >= 1.0 - MARGIN_TOLERANCE)


def verify_selection(
    problem: SelectionProblem, result: SelectionResult, scores: NDArray[np.float64]
) -> None:
    """Raise :class:`VerificationError` unless `result` answers `problem`.

    Parameters
    ----------
    problem : SelectionProblem
        What was asked.
    result : SelectionResult
        What was answered.
    scores : ndarray of shape (n_samples,)
        The answer's decision values, computed from the user's raw data and units (positive on the
        side of the positive class), not from the problem's standardised copy.
    """
    used = np.flatnonzero(result.weights)
    support = set(result.support)
    include = set(np.flatnonzero(problem.include).tolist())
    wrong = ~counted_correct(scores, problem.positive)
    missed, alarms = int(wrong[problem.positive].sum()), int(wrong[~problem.positive].sum())
    cost = problem.costs.cost(support)
    peak = float(np.max(np.abs(result.weights), initial=0.0))
    checks = {
        f"weights outside the support {sorted(set(used.tolist()) - support)}": set(used.tolist())
        <= support,
        f"support {sorted(support)} lacks included features": include <= support,
        f"support {sorted(support)} holds excluded features": not problem.exclude[
            sorted(support)
        ].any(),
        f"support holds features with no weight {sorted(support - include - set(used.tolist()))}": (
            support - include <= set(used.tolist())
        ),
        f"a weight of {peak} exceeds max_weight {problem.max_weight}": peak
        <= problem.max_weight * (1 + WEIGHT_TOLERANCE),
        f"{missed} positives wrong, budget {problem.budget.pos}": missed <= problem.budget.pos,
        f"{alarms} negatives wrong, budget {problem.budget.neg}": alarms <= problem.budget.neg,
        f"cost {result.cost!r} reported, {cost!r} recomputed": result.cost == cost,
        f"bound {result.bound!r} above cost {result.cost!r}": result.bound <= result.cost,
        f"called optimal, but the bound {result.bound!r} is not the cost {result.cost!r}": (
            result.status is not Status.OPTIMAL or result.bound == result.cost
        ),
    }
    _report(checks, problem, result)


def verify_margin(
    problem: MarginProblem,
    result: MarginResult,
    scores: NDArray[np.float64],
    norm: float | None = None,
) -> None:
    """Raise :class:`VerificationError` unless `result` answers `problem`; see above.

    `norm` is ||f||^2 where the problem has neither features nor a matrix to compute it from.
    """
    counted = counted_correct(scores, problem.positive)
    margins = np.where(problem.positive, scores, -scores)
    slack = np.maximum(0.0, 1.0 - margins)
    norm = squared_norm(problem, result) if norm is None else norm
    objective = norm + problem.C * total_loss(problem.loss, margins)
    checks = {
        f"{int((result.counted & ~counted).sum())} samples counted correct have margin below 1": (
            not (result.counted & ~counted).any()
        ),
        f"objective {result.objective} reported, {objective} recomputed": _close(
            result.objective, objective, OBJECTIVE_TOLERANCE
        ),
        f"bound {result.bound} above objective {result.objective}": result.bound
        <= result.objective + OBJECTIVE_TOLERANCE * max(1.0, abs(result.objective)),
    }
    for limit in problem.limits:
        wrong = int((limit.members & ~counted).sum())
        checks[f"{limit.name}: {wrong} wrong, limit {limit.max_errors}"] = wrong <= limit.max_errors
    if problem.max_slack is not None:
        peak = float(slack.max())
        checks[f"a slack of {peak} exceeds {problem.max_slack}"] = peak <= problem.max_slack * (
            1 + OBJECTIVE_TOLERANCE
        )
    _report(checks, problem, result)


def squared_norm(problem: MarginProblem, result: MarginResult) -> float:
    """Return ||f||^2 of an answer to a problem with features or a kernel matrix."""
    if result.weights is not None:
        return float(result.weights @ result.weights)
    if problem.gram is None:
        raise TypeError("a result without weights needs a problem with a kernel matrix")
    return float(result.dual_coef @ problem.gram @ result.dual_coef)


def _close(a: float, b: float, tolerance: float) -> bool:
    return abs(a - b) <= tolerance * max(1.0, abs(a), abs(b))


def _report(
    checks: Mapping[str, bool],
    problem: SelectionProblem | MarginProblem,
    result: SelectionResult | MarginResult,
) -> None:
    failed = [text for text, holds in checks.items() if not holds]
    if not failed:
        return
    report = write_bug_report(problem, result)
    raise VerificationError(
        f"The answer of {result.solver} {result.solver_version} did not survive recomputation "
        f"from the raw data: {'; '.join(failed)}. Nothing was returned. This is a bug in frugalsvm "
        f"or in the solver: please report it with the file {report}, which "
        "holds your standardised data.",
        report=report,
    )


def write_bug_report(
    problem: SelectionProblem | MarginProblem, result: SelectionResult | MarginResult
) -> Path:
    """Write problem and answer to a new ``.npz`` file in the temporary folder; return its path.

    It holds arrays and texts only and is read back with ``numpy.load(path)``.
    """
    handle, name = tempfile.mkstemp(prefix="frugalsvm-", suffix=".npz")
    with os.fdopen(handle, "wb") as file:
        np.savez_compressed(
            file, allow_pickle=False, **_arrays("problem", problem), **_arrays("result", result)
        )
    return Path(name)


def _arrays(prefix: str, data: Any) -> dict[str, NDArray[Any]]:
    arrays: dict[str, NDArray[Any]] = {}
    for field in dataclasses.fields(data):
        value = getattr(data, field.name)
        name = f"{prefix}.{field.name}"
        if isinstance(value, (np.ndarray, int, float, bool)):
            arrays[name] = np.asarray(value)
        elif dataclasses.is_dataclass(value):
            arrays.update(_arrays(name, value))
        elif isinstance(value, tuple) and value and all(dataclasses.is_dataclass(v) for v in value):
            for number, item in enumerate(value):
                arrays.update(_arrays(f"{name}.{number}", item))
        else:
            arrays[name] = np.asarray(repr(value))
    return arrays
