"""RateSVC on problems too large for brute force: related questions must not contradict each other.

Every classifier that comes back has an objective, and where a relation carries it over no bound may
be above it.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from frugalsvm import InfeasibleRatesError, NoSolutionError, RateSVC
from fuzz.clock import Clock
from fuzz.instances import Failure, Verdict

TIME_LIMIT = 1.5
VARIANTS = 4
ROUNDING = 1e-5
"""Relative error of objectives whose margins count from 1 - 1e-6."""


@dataclass(frozen=True, eq=False)
class Question:
    """A training problem; `direction` and `name` as of a `fuzz.relations.Variant`."""

    X: NDArray[np.float64]
    positive: NDArray[np.bool_]
    tpr: float
    tnr: float
    C: float
    kernel: str
    name: str = "as it is"
    direction: str = "both"


@dataclass(frozen=True)
class Answer:
    """Objective (infinity without a classifier), bound, and status."""

    objective: float
    bound: float
    status: str


def random_question(rng: np.random.Generator) -> Question:
    """Return overlapping classes with budgets that the plain SVM may break."""
    n, d = int(rng.integers(40, 160)), int(rng.integers(1, 6))
    X = rng.standard_normal((n, d)) if rng.random() < 0.6 else np.round(rng.standard_normal((n, d)))
    signal = X @ rng.standard_normal(d) + rng.uniform(0.1, 1.0) * rng.standard_normal(n)
    positive = signal > np.quantile(signal, rng.uniform(0.3, 0.7))
    if positive.all() or not positive.any():
        positive = np.arange(n) < n // 2
    tpr, tnr = (float(v) for v in rng.choice([0.6, 0.75, 0.85, 0.9, 0.95], 2))
    kernel = str(rng.choice(["linear", "linear", "rbf", "laplacian"]))
    return Question(X, positive, tpr, tnr, float(10 ** rng.uniform(-3, 3)), kernel)


Change = Callable[[np.random.Generator, Question], Question]


def _permuted(rng: np.random.Generator, q: Question) -> Question:
    order, columns = rng.permutation(len(q.X)), rng.permutation(q.X.shape[1])
    X = q.X[order][:, columns] * 3.0 - 1.0  # which the standardisation undoes
    return replace(q, X=X, positive=q.positive[order], name="permuted")


def _swapped(rng: np.random.Generator, q: Question) -> Question:
    return replace(q, positive=~q.positive, tpr=q.tnr, tnr=q.tpr, name="labels swapped")


def _doubled(rng: np.random.Generator, q: Question) -> Question:
    X, positive = np.vstack((q.X, q.X)), np.concatenate((q.positive, q.positive))
    return replace(q, X=X, positive=positive, C=q.C / 2, name="samples doubled")


def _tighter(rng: np.random.Generator, q: Question) -> Question:
    return replace(q, tpr=min(1.0, q.tpr + 0.05), name="tighter", direction="tighter")


def _larger_penalty(rng: np.random.Generator, q: Question) -> Question:
    return replace(q, C=q.C * 3, name="larger C", direction="tighter")


CHANGES: tuple[Change, ...] = (_permuted, _swapped, _doubled, _tighter, _larger_penalty)


def check_large_training(seed: int) -> Verdict:
    """Ask about a problem and some changes of it."""
    rng = np.random.default_rng([seed, 6])
    base = random_question(rng)
    chosen = rng.choice(len(CHANGES), VARIANTS, replace=False)
    questions = [base, *(CHANGES[i](rng, base) for i in chosen)]
    answers, failures = [], []
    for question in questions:
        clock = Clock()
        answer = _ask(question)
        late = clock.overran(TIME_LIMIT)
        failures += [Failure("overrun", f"[{question.name}] {late}")] if late else []
        if answer.status.startswith("crash"):
            failures.append(Failure(answer.status.split(":")[0], f"[{question.name}] {answer}"))
        answers.append(answer)
    failures += _contradictions(questions, answers)
    return Verdict(f"{base.kernel}: {answers[0].status}", tuple(failures))


def _ask(q: Question) -> Answer:
    clf = RateSVC(q.tpr, q.tnr, C=q.C, kernel=q.kernel, time_limit=TIME_LIMIT)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", ConvergenceWarning)
            clf.fit(q.X, q.positive)
    except InfeasibleRatesError as error:
        return Answer(math.inf, math.inf if error.proven else 0.0, "infeasible")
    except NoSolutionError as error:
        return Answer(math.inf, error.bound, "undecided")
    except Exception as error:  # noqa: BLE001 - whatever comes is a finding
        return Answer(math.inf, 0.0, f"crash {type(error).__name__}: {error}")
    return Answer(clf.objective_, clf.bound_, clf.status_)


def _contradictions(questions: list[Question], answers: list[Answer]) -> Iterator[Failure]:
    """Compare the bound of every question that is not tighter with every objective."""
    known = min(answer.objective for answer in answers)
    for question, answer in zip(questions, answers, strict=True):
        if question.direction == "tighter" or math.isinf(known):
            continue
        said = f"[{question.name}] {answer}, but an objective of {known!r} is known"
        if math.isinf(answer.bound):
            yield Failure("false infeasibility", said)
        elif answer.bound > known * (1 + ROUNDING):
            yield Failure("bound", said)
        if answer.status == "optimal" and answer.objective > known * (1 + 1e-4 + ROUNDING):
            yield Failure("wrong optimum", said)
