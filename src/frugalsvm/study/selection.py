"""P1 in the study: on outer training sets with proof, on inner ones for tuning only.

Algorithm 1 runs P1 within the inner loop. What it finds there only decides which C is best, so on
an inner training set the search stops at its heuristics: no proof, but the same answer every time.
Where one sample is left out, inner and outer training set differ by one sample; there the outer
support is kept if its hyperplane still fits the budgets and no single feature would do.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frugalsvm.data.costs import CostModel
from frugalsvm.data.problem import SelectionProblem
from frugalsvm.data.rates import ErrorBudget, RateTargets
from frugalsvm.data.result import SelectionResult, Status, StopReason
from frugalsvm.data.verify import counted_correct, verify_selection
from frugalsvm.inputs.standardize import Standardizer
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.search import SearchOptions, attainable, search
from frugalsvm.search.problem.reduction import reduce_problem
from frugalsvm.search.tactics.scan import single_gaps
from frugalsvm.study.baseline import Hyperplane, linear_svm_path

HEURISTICS_ONLY = SearchOptions(
    cells=False,
    conflicts=False,
    directions=False,
    enumeration=False,
    cover=False,
    effort=3,  # no proof finds what they miss
)
LAST_RESORT_C = 32.0
SECOND_CHANCE = 4  # times the limit, for targets that are known to be attainable


@dataclass(frozen=True)
class Selected:
    """Features found for a training set.

    Attributes
    ----------
    support : tuple of int
        The features.
    coef, intercept
        The hyperplane of P1 in raw units (coef of the support's features only).
    cost, bound : float
        Cost, and proven lower bound.
    status, stop_reason : str
        What is known, and why the search ended.
    budget, asked_budget : tuple of int
        Errors allowed in each class: those solved for, and those of the thresholds. They differ
        where the thresholds cannot be met.
    seconds : float
        Wall time.
    """

    support: tuple[int, ...]
    coef: tuple[float, ...]
    intercept: float
    cost: float
    bound: float
    status: str
    stop_reason: str
    budget: tuple[int, int]
    asked_budget: tuple[int, int]
    seconds: float

    @property
    def attainable(self) -> bool:
        """True if the thresholds could be met as they were."""
        return self.budget == self.asked_budget

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Selected:
        """Return what :meth:`as_dict` was made from."""
        plain: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in values.items()
        }
        return cls(**plain)

    def as_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return asdict(self)

    def plane(self, n_features: int) -> Hyperplane:
        """Return P1's hyperplane over all features."""
        coef = np.zeros(n_features)
        coef[list(self.support)] = self.coef
        return Hyperplane(coef, self.intercept)


def selection_problem(
    X: NDArray[np.float64], y: NDArray[np.bool_], targets: RateTargets
) -> tuple[SelectionProblem, Standardizer]:
    """Return P1 with unit costs for a training set, as in the paper."""
    scaler = Standardizer.fit(X)
    n_positive = int(y.sum())
    return SelectionProblem(
        X=scaler.transform(X),
        positive=y,
        budget=targets.budget(n_positive, len(y) - n_positive),
        costs=CostModel.per_feature(np.ones(X.shape[1])),
        include=np.zeros(X.shape[1], dtype=np.bool_),
        exclude=scaler.constant,
    ), scaler


def select(
    X: NDArray[np.float64],
    y: NDArray[np.bool_],
    targets: RateTargets,
    *,
    time_limit: float,
    seed: int,
    options: SearchOptions | None = None,
) -> Selected:
    """Solve P1 at the targets, or at the nearest attainable ones.

    If nothing is found in time even for those, all features stand in, at the errors that the
    standard SVM makes: no fold is ever dropped.
    """
    stop = Stopper(time_limit)
    found = _solve(X, y, targets, stop, seed, options) or _everything(X, y, targets)
    return replace(found, seconds=stop.elapsed)


def _everything(X: NDArray[np.float64], y: NDArray[np.bool_], targets: RateTargets) -> Selected:
    """Return all features with the standard SVM's hyperplane and the errors it makes."""
    problem, scaler = selection_problem(X, y, targets)
    asked = problem.budget
    plane = Hyperplane(*scaler.to_user_units(*_standard_plane(problem)))
    support = np.flatnonzero(plane.coef)
    found = Selected(
        support=tuple(int(k) for k in support),
        coef=tuple(float(c) for c in plane.coef[support]),
        intercept=plane.intercept,
        cost=float(len(support)),
        bound=0.0,
        status=str(Status.FEASIBLE),
        stop_reason=str(StopReason.TIME_LIMIT),
        budget=(asked.pos, asked.neg),
        asked_budget=(asked.pos, asked.neg),
        seconds=0.0,
    )
    wrong_pos, wrong_neg = _errors(X, y, found)
    return replace(found, budget=(max(asked.pos, wrong_pos), max(asked.neg, wrong_neg)))


def _standard_plane(problem: SelectionProblem) -> tuple[NDArray[np.float64], float]:
    """Return the standard SVM's hyperplane, as long as the greatest weight allows."""
    (plane,) = linear_svm_path(problem.X, problem.positive, [LAST_RESORT_C])
    scale = problem.max_weight / max(float(np.abs(plane.coef).max(initial=0.0)), 1e-12)
    return scale * plane.coef, scale * plane.intercept


def _solve(
    X: NDArray[np.float64],
    y: NDArray[np.bool_],
    targets: RateTargets,
    stop: Stopper,
    seed: int,
    options: SearchOptions | None,
    *,
    nearest: bool = True,
) -> Selected | None:
    problem, scaler = selection_problem(X, y, targets)
    limit = stop.remaining
    asked = problem.budget
    result = _search(problem, stop, seed, options)
    if not result.has_answer and nearest:
        problem = replace(problem, budget=_nearest(problem, seed, limit))
        result = _search(problem, Stopper(SECOND_CHANCE * limit), seed, options)
    if not result.has_answer:
        return None
    plane = Hyperplane(*scaler.to_user_units(result.weights, result.intercept))
    verify_selection(problem, result, plane.scores(X))
    return _selected(result, plane, problem.budget, asked)


def select_inner(
    X: NDArray[np.float64],
    y: NDArray[np.bool_],
    targets: RateTargets,
    *,
    time_limit: float,
    seed: int,
    outer: Selected,
    reuse: bool,
) -> Selected:
    """Solve P1 on an inner training set by heuristics.

    With `reuse` the outer support is kept where it still fits. It also stands in, at the errors
    that its hyperplane makes, where nothing is found in time; with `reuse` at once, without a look
    for nearer targets: the samples differ by one, and so do its errors from the budgets.
    """
    stop = Stopper(time_limit)
    problem, _ = selection_problem(X, y, targets)
    asked = problem.budget
    errors = ErrorBudget(*_errors(X, y, outer))
    fits = errors.pos <= asked.pos and errors.neg <= asked.neg
    if reuse and fits and (outer.cost <= 1.0 or not _one_feature_suffices(problem)):
        return _borrowed(outer, asked, asked)
    found = _solve(X, y, targets, stop, seed, HEURISTICS_ONLY, nearest=not reuse)
    if found is not None:
        return replace(found, seconds=stop.elapsed)
    return _borrowed(outer, errors, asked)


def _one_feature_suffices(problem: SelectionProblem) -> bool:
    core = reduce_problem(problem)
    return bool(np.max(single_gaps(core, core.columns), initial=-np.inf) >= core.floor)


def _search(
    problem: SelectionProblem, stop: Stopper, seed: int, options: SearchOptions | None
) -> SelectionResult:
    return search(problem, stop=stop, threads=1, seed=seed, options=options or SearchOptions())


def _nearest(problem: SelectionProblem, seed: int, time_limit: float) -> ErrorBudget:
    """Return the budgets nearest to the problem's, in rates, that are known to be attainable.

    One class gives way with the other's budget kept, or both do as far as the standard SVM on all
    features needs it.
    """
    asked = problem.budget
    found = attainable(problem, stop=Stopper(time_limit), seed=seed)
    weights, intercept = _standard_plane(problem)
    wrong = ~counted_correct(problem.X @ weights + intercept, problem.positive)
    candidates = (
        (found.pos_errors, asked.neg),
        (asked.pos, found.neg_errors),
        (int(wrong[problem.positive].sum()), int(wrong[~problem.positive].sum())),
    )
    budgets = [ErrorBudget(max(p, asked.pos), max(n, asked.neg)) for p, n in candidates]

    def loss(budget: ErrorBudget) -> float:
        missed = (budget.pos - asked.pos) / problem.n_positive
        return missed + (budget.neg - asked.neg) / problem.n_negative

    return min(budgets, key=loss)


def _errors(X: NDArray[np.float64], y: NDArray[np.bool_], selected: Selected) -> tuple[int, int]:
    """Return how many of each class the hyperplane of a selection gets wrong."""
    wrong = ~counted_correct(selected.plane(X.shape[1]).scores(X), y)
    return int(wrong[y].sum()), int(wrong[~y].sum())


def _borrowed(outer: Selected, budget: ErrorBudget, asked: ErrorBudget) -> Selected:
    return replace(
        outer,
        status=str(Status.FEASIBLE),
        bound=0.0,
        budget=(budget.pos, budget.neg),
        asked_budget=(asked.pos, asked.neg),
        seconds=0.0,
    )


def _selected(
    result: SelectionResult,
    plane: Hyperplane,
    budget: ErrorBudget,
    asked: ErrorBudget,
) -> Selected:
    return Selected(
        support=tuple(int(k) for k in result.support),
        coef=tuple(float(plane.coef[k]) for k in result.support),
        intercept=plane.intercept,
        cost=float(result.cost),
        bound=float(result.bound),
        status=str(result.status),
        stop_reason=str(result.stop_reason),
        budget=(budget.pos, budget.neg),
        asked_budget=(asked.pos, asked.neg),
        seconds=result.seconds,
    )
