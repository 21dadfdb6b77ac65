"""RateSVC against brute force: objective, bound, proof of infeasibility, and the classifier."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from frugalsvm import InfeasibleRatesError, NoSolutionError, RateSVC, accuracy, recall
from fuzz.checks.selection import data, weights
from fuzz.clock import Clock
from fuzz.instances import Failure, TrainingInstance, Verdict, repeated
from fuzz.reference.complementarity import UndecidedError
from fuzz.reference.scaling import centring_error
from fuzz.reference.training import TrainingReference, Value

TIME_LIMIT = 20.0
OPTIMAL = 1.0e-4
"""The documented relative difference of objective and bound of what is called optimal."""
ROUNDING = 1e-5
"""Relative error of an objective whose margins count from 1 - 1e-6."""
THIN = 1e8
"""Extent of the data over the margin beyond which separable and inseparable cannot be told."""


def parameters(instance: TrainingInstance) -> dict[str, Any]:
    """Return the estimator's parameters."""
    return {
        "min_tpr": instance.min_tpr,
        "min_tnr": instance.min_tnr,
        "pos_label": instance.labels[1],
        "kernel": instance.kernel,
        "gamma": instance.gamma,
        "degree": instance.degree,
        "coef0": instance.coef0,
        "C": instance.C,
        "standardize": instance.standardize,
        "constraints": [_constraint(instance, m) for m in instance.measures],
        "max_slack": instance.max_slack,
        "time_limit": TIME_LIMIT,
    }


def _constraint(instance: TrainingInstance, measure: Any) -> Any:
    where = None if measure.where is None else np.array(measure.where, dtype=bool)
    if measure.label is None and where is None:
        return accuracy(measure.min_rate)
    label = None if measure.label is None else instance.labels[int(measure.label)]
    return recall(measure.min_rate, label, where)


def check_training(instance: TrainingInstance) -> Verdict:
    """Put the question, and compare the answer; complaints are looked at twice."""
    reference = TrainingReference(instance)
    clock = Clock()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", ConvergenceWarning)  # the status says it, too
            answer: Any = RateSVC(**parameters(instance)).fit(*data(instance), **weights(instance))
    except Exception as error:  # noqa: BLE001 - whatever comes is a finding
        answer = error
    late = clock.overran(TIME_LIMIT)
    try:
        failures = list(_complaints(reference, reference.optimum(), answer))
        if failures:  # the fast reference may have erred, or the problem has no stable answer
            optimum = reference.optimum(whole=True)
            unstable = any(not _close(optimum.high, v.high) for v in reference.blurred())
            failures = list(_complaints(reference, optimum, answer))
            if unstable and _outcome(answer) != "crash":
                return Verdict(f"{_outcome(answer)} (unstable)")
    except UndecidedError:
        return Verdict("no reference")
    if late:
        failures.append(Failure("overrun", late))
    return Verdict(
        _outcome(answer), tuple(Failure(f.kind, f.detail, instance, f.extra) for f in failures)
    )


def _close(a: float, b: float) -> bool:
    if math.isinf(a) or math.isinf(b):
        return a == b
    return abs(a - b) <= ROUNDING / 10 * max(abs(a), abs(b))


def _outcome(answer: Any) -> str:
    if isinstance(answer, InfeasibleRatesError):
        return "infeasible" if answer.proven else "not found"
    if isinstance(answer, NoSolutionError):
        return "undecided"
    return "crash" if isinstance(answer, Exception) else str(answer.status_)


def _complaints(reference: TrainingReference, optimum: Value, answer: Any) -> Iterator[Failure]:
    if isinstance(answer, InfeasibleRatesError):
        if optimum.high < math.inf and not thin(reference, optimum):
            kind = "false infeasibility" if answer.proven else "missed answer"
            yield Failure(kind, f"optimum {optimum}; said: {answer}")
    elif isinstance(answer, NoSolutionError):
        if answer.bound > optimum.high * (1 + ROUNDING):
            yield Failure("bound", f"{answer.bound!r}, optimum {optimum}")
    elif isinstance(answer, Exception):
        yield Failure(f"crash {type(answer).__name__}", f"{answer}; optimum {optimum}")
    else:
        yield from _wrong_classifier(reference, answer)
        yield from _wrong_objective(reference, optimum, answer)


def thin(reference: TrainingReference, optimum: Value) -> bool:
    """Return True if the margin vanishes beside the extent of the data."""
    extent = math.sqrt(max(0.0, float(np.max(np.diag(reference.K)))))
    return math.isfinite(optimum.norm) and math.sqrt(optimum.norm) * extent > THIN


def _wrong_objective(
    reference: TrainingReference, optimum: Value, clf: RateSVC
) -> Iterator[Failure]:
    said = f"objective {clf.objective_!r}, bound {clf.bound_!r}, {clf.status_}; optimum {optimum}"
    unsure = thin(reference, optimum)
    if clf.bound_ > optimum.high * (1 + ROUNDING) and not unsure:
        yield Failure("bound", said)
    if clf.objective_ < optimum.low * (1 - ROUNDING) and not unsure:
        yield Failure("objective below the optimum", said)
    if clf.status_ == "optimal":
        if clf.bound_ < clf.objective_ * (1 - OPTIMAL * 1.01):
            yield Failure("optimal with a gap", said)
        if clf.objective_ > optimum.high * (1 + OPTIMAL + ROUNDING):
            yield Failure("wrong optimum", said)


def _wrong_classifier(reference: TrainingReference, clf: RateSVC) -> Iterator[Failure]:
    """Recompute rates and objective from the decision values on the training data."""
    instance = reference.instance
    X, y = repeated(instance)
    second = sorted({instance.labels[0], instance.labels[1]})[1] == instance.labels[1]
    scores = clf.decision_function(X) * (1 if second else -1)
    margin = reference.y * scores
    wrong = margin < 1 - 2e-6
    for members, most in reference.limits:
        if int((wrong & members).sum()) > most:
            yield Failure("limits broken", f"{int((wrong & members).sum())} wrong, limit {most}")
    slack = np.maximum(0.0, 1.0 - margin)
    if instance.max_slack is not None and slack.max() > instance.max_slack * (1 + 1e-5) + 1e-6:
        yield Failure("max_slack broken", f"{slack.max()!r}, {instance.max_slack!r}")
    w = np.asarray(reference.F.T @ np.asarray(clf.result_.dual_coef))
    if instance.kernel == "linear":
        w = np.asarray(clf.result_.weights)
        own = reference.Z @ w + clf.result_.intercept
        size = np.abs(reference.Z * w).sum(axis=1) + abs(clf.result_.intercept) + 1.0
        if np.any(np.abs(own - scores) > 1e-8 * size + centring_error(X, w)):
            yield Failure("scores differ", f"{own.tolist()}, {scores.tolist()}")
    objective = float(w @ w) + instance.C * float(slack.sum())
    off = abs(objective - clf.objective_)
    if off > 1e-5 * objective + 2e-6 * instance.C * len(y) and off > 1e-9:
        yield Failure("objective differs", f"said {clf.objective_!r}, is {objective!r}")
    said = clf.predict(X) == instance.labels[1]
    if (clf.train_tpr_, clf.train_tnr_) != (
        said[reference.positive].mean(),
        (~said)[~reference.positive].mean(),
    ):
        yield Failure("rates are not those of the predictions", f"scores {scores.tolist()}")
