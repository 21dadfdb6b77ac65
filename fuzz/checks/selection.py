"""FrugalSelector against brute force: cost, bound, proof of infeasibility, and the hyperplane."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from frugalsvm import FrugalSelector, InfeasibleRatesError, NoSolutionError
from fuzz.clock import Clock
from fuzz.instances import Failure, SelectionInstance, Verdict, repeated
from fuzz.reference.costs import as_float, cost, is_at_most
from fuzz.reference.programs import reaches
from fuzz.reference.scaling import allowed_errors, centring_error
from fuzz.reference.selection import Optimum, SelectionReference, Word
from fuzz.subject import SPARSE, in_parts, under

TIME_LIMIT = 20.0
NEAR = 1e-3
"""Relative distance of a gap from the floor below which a missing proof is no complaint."""
SECOND_OPINION = 50
"""One instance in so many has its supports judged by linear programs too."""


def parameters(instance: SelectionInstance) -> dict[str, Any]:
    """Return the estimator's parameters."""
    given: dict[str, Any] = {
        "min_tpr": instance.min_tpr,
        "min_tnr": instance.min_tnr,
        "pos_label": instance.labels[1],
        "feature_costs": list(instance.feature_costs),
        "include": list(instance.include) or None,
        "exclude": list(instance.exclude) or None,
        "max_weight": instance.max_weight,
        "n_alternatives": instance.n_alternatives,
        "time_limit": TIME_LIMIT,
    }
    if instance.group_costs:
        given["feature_groups"] = [
            tuple(f"g{g}" for g in touched) for touched in instance.groups_of
        ]
        given["group_costs"] = {f"g{g}": price for g, price in enumerate(instance.group_costs)}
    return given


def data(instance: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return X and y as arrays."""
    return np.array(instance.X, dtype=float), np.array(
        [instance.labels[int(v)] for v in instance.y]
    )


def given(instance: SelectionInstance) -> tuple[Any, np.ndarray]:
    """Return X and y as they are passed: X as a sparse table, perhaps."""
    X, y = data(instance)
    return in_parts(X) if SPARSE in instance.setting else X, y


def weights(instance: Any) -> dict[str, Any]:
    """Return the sample weights, if there are any, as `fit` takes them."""
    return {"sample_weight": list(instance.weights)} if instance.weights else {}


def check_selection(instance: SelectionInstance) -> Verdict:
    """Put the question, and compare the answer."""
    reference = SelectionReference(instance)
    optimum = reference.optimum()
    witnesses = [tuple(sorted(support)) for support in reference.surely_feasible()]
    failures = list(_second_opinion(reference)) if instance.seed % SECOND_OPINION == 0 else []
    clock = Clock()
    try:
        with warnings.catch_warnings(), under(instance.setting, witnesses):
            warnings.simplefilter("error")
            selector = FrugalSelector(**parameters(instance)).fit(
                *given(instance), **weights(instance)
            )
    except InfeasibleRatesError as error:
        outcome = "infeasible" if error.proven else "infeasible, unproven"
        failures += _refused(reference, optimum, error)
    except NoSolutionError as error:
        outcome = "undecided"
        if not bound_holds(error.bound, optimum):
            failures.append(Failure("bound", f"bound {error.bound!r}, optimum {told(optimum)}"))
    except Exception as error:  # noqa: BLE001 - whatever comes is a finding
        outcome = "crash"
        failures.append(Failure(f"crash {type(error).__name__}", str(error)))
    else:
        outcome = selector.status_
        failures += _answered(reference, optimum, selector)
    late = clock.overran(TIME_LIMIT)
    if late:
        failures.append(Failure("overrun", late))
    return Verdict(outcome, tuple(Failure(f.kind, f.detail, instance, f.extra) for f in failures))


def told(optimum: Optimum) -> str:
    """Return the optimum in words."""
    low, high = (
        "none" if number is None else repr(as_float(number))
        for number in (optimum.low, optimum.high)
    )
    return low if low == high else f"{low} to {high}"


def bound_holds(bound: float, optimum: Optimum) -> bool:
    """Return True if nothing that is surely feasible is cheaper than the bound."""
    return optimum.high is None or is_at_most(bound, optimum.high)


def _refused(
    reference: SelectionReference, optimum: Optimum, error: InfeasibleRatesError
) -> Iterator[Failure]:
    if optimum.high is not None and error.proven:
        yield Failure("false infeasibility", f"optimum {told(optimum)}; said: {error}")
    if optimum.high is not None and not error.proven and not reference.instance.setting:
        yield Failure("missed answer", f"optimum {told(optimum)}; said: {error}")
    hopeless = reference.gap(reference.allowed()) < reference.floor * (1 - NEAR)
    if hopeless and not error.proven and not reference.instance.setting:
        yield Failure("infeasibility without proof", str(error))
    instance = reference.instance
    for which, pos, neg in (
        ("best_tpr", allowed_errors(error.best_tpr, reference.n_pos), reference.spare_neg),
        ("best_tnr", reference.spare_pos, allowed_errors(error.best_tnr, reference.n_neg)),
    ):
        if not reference.attainable(pos, neg):
            rates = (error.best_tpr, error.best_tnr, instance.min_tpr, instance.min_tnr)
            yield Failure(f"{which} is not attainable", f"{rates}")


def _answered(
    reference: SelectionReference, optimum: Optimum, selector: FrugalSelector
) -> Iterator[Failure]:
    support = frozenset(int(k) for k in np.flatnonzero(selector.get_support()))
    yield from _wrong_hyperplane(reference, selector, support)
    word = reference.word(support)
    if word is Word.NO:
        yield Failure(
            "infeasible answer",
            f"{sorted(support)}: gap {reference.gap(support)!r}, floor {reference.floor!r}",
        )
    yield from _wrong_cost(reference, optimum, selector, support)
    others = [frozenset(int(k) for k in other) for other in selector.alternatives_]
    for other in others:
        yield from _wrong_alternative(reference, support, other)
    if selector.alternatives_complete_:
        yield from _forgotten_alternatives(reference, {support, *others})


def _wrong_cost(
    reference: SelectionReference,
    optimum: Optimum,
    selector: FrugalSelector,
    support: frozenset[int],
) -> Iterator[Failure]:
    instance = reference.instance
    paid = cost(instance, support)
    said = f"cost {selector.cost_!r}, bound {selector.bound_!r}, {selector.status_}"
    if selector.cost_ != as_float(paid):
        yield Failure("cost is not the support's", f"{said}; is {as_float(paid)!r}")
    if not bound_holds(selector.bound_, optimum):
        yield Failure("bound", f"{said}; optimum {told(optimum)}")
    if selector.status_ != "optimal":
        return
    if selector.bound_ != selector.cost_:
        yield Failure("optimal with a gap", said)
    if not is_least(paid, optimum):
        yield Failure("wrong optimum", f"{said}; optimum {told(optimum)}")


def is_least(paid: Any, optimum: Optimum) -> bool:
    """Return True if a cost is the least one, within what rounding leaves open."""
    return (optimum.low is not None and optimum.low <= paid) and (
        optimum.high is None or paid <= optimum.high
    )


def _wrong_hyperplane(
    reference: SelectionReference, selector: FrugalSelector, support: frozenset[int]
) -> Iterator[Failure]:
    """Recompute what the hyperplane does on the raw data, and whether it is allowed."""
    instance = reference.instance
    X, _ = repeated(instance)
    coef, intercept = selector.coef_[0], float(selector.intercept_[0])
    used = frozenset(int(k) for k in np.flatnonzero(coef))
    if not used <= support:
        yield Failure("weights outside the support", f"{sorted(used)}, {sorted(support)}")
    if not support - frozenset(instance.include) <= used:
        yield Failure("features without weight", f"{sorted(used)}, {sorted(support)}")
    if not frozenset(instance.include) <= support or support & frozenset(instance.exclude):
        yield Failure("include or exclude broken", f"{sorted(support)}")
    second = sorted({instance.labels[0], instance.labels[1]})[1] == instance.labels[1]
    w = selector.result_.weights
    score = reference.Z @ w + selector.result_.intercept
    margin = np.where(reference.positive, score, -score)
    blur = centring_error(X, w)
    wrong = margin < 1 - 2e-6 - blur
    missed = int((wrong & reference.positive).sum())
    alarms = int((wrong & ~reference.positive).sum())
    if missed > reference.spare_pos or alarms > reference.spare_neg:
        yield Failure(
            "budgets broken",
            f"{missed} of {reference.spare_pos}, {alarms} of {reference.spare_neg}",
        )
    if np.max(np.abs(w), initial=0.0) > instance.max_weight * (1 + 1e-8):
        yield Failure("max_weight broken", f"{w.tolist()}")
    raw = (X @ coef + intercept) * (1 if second else -1)
    size = np.abs(X * coef).sum(axis=1) + abs(intercept) + 1
    if np.any(np.abs(raw - score) > 1e-9 * size + 1e-7 + blur):
        yield Failure("user units differ", f"{raw.tolist()} and {score.tolist()}")
    tpr, tnr = (score > 0)[reference.positive].mean(), (score <= 0)[~reference.positive].mean()
    if not np.any(np.abs(score) < 1e-6 + blur) and (selector.train_tpr_, selector.train_tnr_) != (
        tpr,
        tnr,
    ):
        yield Failure("rates differ", f"{(selector.train_tpr_, selector.train_tnr_)}, {(tpr, tnr)}")


def _wrong_alternative(
    reference: SelectionReference, support: frozenset[int], other: frozenset[int]
) -> Iterator[Failure]:
    same = cost(reference.instance, other) == cost(reference.instance, support)
    if other == support or not same:
        yield Failure("alternative of another cost", f"{sorted(other)} beside {sorted(support)}")
    if reference.word(other) is Word.NO:
        yield Failure("infeasible alternative", f"{sorted(other)}")


def _forgotten_alternatives(
    reference: SelectionReference, listed: set[frozenset[int]]
) -> Iterator[Failure]:
    """Look for another support of the least cost, by what is paid for, that is not listed."""
    instance = reference.instance
    least = cost(instance, next(iter(listed)))
    paid = {_paid(instance, support) for support in listed}
    for support in reference.supports():
        other = cost(instance, support) == least and _paid(instance, support) not in paid
        if other and reference.word(support) is Word.YES:
            yield Failure("alternative forgotten", f"{sorted(support)}")
            return


def _paid(
    instance: SelectionInstance, support: frozenset[int]
) -> tuple[frozenset[int], frozenset[int]]:
    groups = {g for k in support for g in instance.groups_of[k]}
    return (
        frozenset(k for k in support if instance.feature_costs[k] > 0),
        frozenset(g for g in groups if instance.group_costs[g] > 0),
    )


def _second_opinion(reference: SelectionReference) -> Iterator[Failure]:
    """Let linear programs judge the supports whose gap is known; they must agree."""
    for support, gap in list(reference.known.items())[:6]:
        if not support or not 0 < gap < math.inf:
            continue
        less, more = gap * (1 - 1e-6) - 1e-9, gap * (1 + 1e-6) + 1e-9
        if _reached(reference, support, less) is False or _reached(reference, support, more):
            yield Failure("the references disagree", f"support {sorted(support)}, gap {gap!r}")


def _reached(reference: SelectionReference, support: frozenset[int], goal: float) -> bool | None:
    points = reference.Z[:, sorted(support)]
    return reaches(points, reference.positive, reference.spare_pos, reference.spare_neg, goal)
