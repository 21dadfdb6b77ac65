"""Large problems: what several related questions answer must not contradict each other.

Every answer is a support that is known to be feasible, and so is the planted one. No bound may be
above the cost of any of them, wherever the relation carries it over, and no proof of
infeasibility may stand beside one. Two optima then cannot differ.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linprog

from fuzz.checks.selection import data, parameters
from fuzz.clock import Clock
from fuzz.generators.planted import planted_selection
from fuzz.instances import Failure, SelectionInstance, Verdict
from fuzz.reference.costs import as_float, cost, is_at_most
from fuzz.reference.scaling import allowed_errors, standardised
from fuzz.reference.selection import ABOVE
from fuzz.relations import RELATIONS, Variant
from fuzz.subject import Answer, ask

VARIANTS = 4
TIME_LIMIT = 2.0


@dataclass(frozen=True)
class Known:
    """A support that is feasible, and who says so."""

    support: frozenset[int]
    source: str


def check_metamorphic(seed: int) -> Verdict:
    """Ask about a planted problem and some variants of it."""
    planted = planted_selection(seed)
    rng = np.random.default_rng([seed, 4])
    base = planted.instance
    same = tuple(range(len(base.feature_costs)))
    chosen = rng.choice(len(RELATIONS), VARIANTS, replace=False)
    variants = [Variant("as it is", base, same), *(RELATIONS[i](rng, base) for i in chosen)]
    answers, failures = [], []
    for variant in variants:
        answer, late = _timed(variant, planted.support)
        answers.append(answer)
        if late:
            failures.append(_failure("overrun", late, variant))
        if answer.status == "crash":
            kind = f"crash {answer.message.split(':')[0]}"
            failures.append(_failure(kind, answer.message, variant))
        failures += _self_contradictions(variant, answer)
    failures += _contradictions(planted.support, variants, answers)
    return Verdict(f"{planted.regime}: {answers[0].status}", tuple(failures))


def _timed(variant: Variant, planted: frozenset[int]) -> tuple[Answer, str | None]:
    given = {**parameters(variant.instance), "time_limit": TIME_LIMIT, **variant.extra}
    X, y = data(variant.instance)
    known = () if variant.direction == "tighter" else (tuple(sorted(variant.from_base(planted))),)
    clock = Clock()
    answer = ask(X, y, given, variant.instance.setting, known)
    return answer, clock.overran(TIME_LIMIT)


def _failure(kind: str, detail: str, variant: Variant) -> Failure:
    return Failure(kind, f"[{variant.name}] {detail}", variant.instance)


def _self_contradictions(variant: Variant, answer: Answer) -> Iterator[Failure]:
    """Check an answer by itself: its margins, its cost, and that optimal means bound = cost."""
    if answer.support is None:
        return
    instance = variant.instance
    paid = as_float(cost(instance, answer.support))
    said = f"cost {answer.cost!r}, bound {answer.bound!r}, {answer.status}"
    if answer.cost != paid:
        yield _failure("cost is not the support's", f"{said}; is {paid!r}", variant)
    if answer.status == "optimal" and answer.bound != answer.cost:
        yield _failure("optimal with a gap", said, variant)
    if _gap_ratio(instance, answer) < 1 - 2e-6:
        yield _failure("infeasible answer", said, variant)


def _contradictions(
    planted: frozenset[int], variants: list[Variant], answers: list[Answer]
) -> Iterator[Failure]:
    """Compare every bound with every support that is known to be feasible there."""
    base = variants[0]
    in_base = [Known(planted, "planted")]
    for variant, answer in zip(variants, answers, strict=True):
        if answer.support is None or variant.direction == "looser":
            continue
        support = variant.to_base(answer.support)
        if support is not None and _robust(base.instance, support, variant, answer):
            in_base.append(Known(support, variant.name))
    for variant, answer in zip(variants, answers, strict=True):
        if variant.direction == "tighter":
            continue
        for known in in_base:
            yield from _contradiction(variant, answer, known)


def _contradiction(variant: Variant, answer: Answer, known: Known) -> Iterator[Failure]:
    support = variant.from_base(known.support)
    paid = cost(variant.instance, support)
    told = f"support {sorted(support)} (known by: {known.source}) costs {as_float(paid)!r}"
    if answer.status == "infeasible":
        yield _failure("false infeasibility", told, variant)
    elif not is_at_most(answer.bound, paid):
        kind = "wrong optimum" if answer.status == "optimal" else "bound"
        said = f"cost {answer.cost!r}, bound {answer.bound!r}, {answer.status}"
        yield _failure(kind, f"{said}; {told}", variant)


def _gap_ratio(instance: SelectionInstance, answer: Answer) -> float:
    """Return the gap of an answer's direction over the floor, by own arithmetic."""
    Z, _ = standardised(np.array(instance.X))
    positive = np.array(instance.y)
    need_pos, need_neg = _needs(positive, instance)
    if need_pos == 0 or need_neg == 0:
        return math.inf
    weights = answer.weights
    if weights is None or not np.any(weights):
        return -math.inf
    score = Z @ weights / np.max(np.abs(weights))
    gap = np.sort(score[positive])[-need_pos] - np.sort(score[~positive])[need_neg - 1]
    return float(gap) / (2.0 / instance.max_weight)


def _needs(positive: np.ndarray, instance: SelectionInstance) -> tuple[int, int]:
    n_pos, n_neg = int(positive.sum()), int((~positive).sum())
    return (
        n_pos - allowed_errors(instance.min_tpr, n_pos),
        n_neg - allowed_errors(instance.min_tnr, n_neg),
    )


def _robust(
    base: SelectionInstance, support: frozenset[int], variant: Variant, answer: Answer
) -> bool:
    """Return True if the support is feasible in the base with room against rounding.

    The samples that the variant's hyperplane counts right are taken, and the gap between them is
    widened by a linear program: a search stops at the first direction that is just enough.
    """
    positive = np.array(base.y)
    need_pos, need_neg = _needs(positive, base)
    if need_pos == 0 or need_neg == 0:
        return True
    if answer.weights is None or not np.any(answer.weights):
        return False
    Z, _ = standardised(np.array(base.X))
    score = _scores_in_base(base, variant, answer, Z)
    pos = np.flatnonzero(positive)[np.argsort(score[positive], kind="stable")[-need_pos:]]
    neg = np.flatnonzero(~positive)[np.argsort(score[~positive], kind="stable")[:need_neg]]
    return _widest(Z[:, sorted(support)], pos, neg) >= 2.0 / base.max_weight * (1 + ABOVE)


def _scores_in_base(
    base: SelectionInstance, variant: Variant, answer: Answer, Z: np.ndarray
) -> np.ndarray:
    """Return scores that order the base's samples as the variant's hyperplane orders its own."""
    weights = np.zeros(Z.shape[1])
    for k in answer.support or ():
        weights[variant.place[k]] = answer.weights[k]  # type: ignore[index]  # it has weights
    if variant.name == "labels swapped":
        weights = -weights
    if variant.name == "other units":
        there = np.array(variant.instance.X)
        here = np.array(base.X)
        for k in range(Z.shape[1]):
            i, j = int(np.argmin(here[:, k])), int(np.argmax(here[:, k]))
            weights[k] *= np.sign(there[j, k] - there[i, k])
    return np.asarray(Z @ weights)


def _widest(points: np.ndarray, pos: np.ndarray, neg: np.ndarray) -> float:
    d = points.shape[1]
    above = np.hstack((-points[pos], np.ones((len(pos), 1)), np.zeros((len(pos), 1))))
    below = np.hstack((points[neg], np.zeros((len(neg), 1)), -np.ones((len(neg), 1))))
    answer = linprog(
        np.concatenate((np.zeros(d), [-1.0, 1.0])),
        A_ub=np.vstack((above, below)),
        b_ub=np.zeros(len(pos) + len(neg)),
        bounds=[(-1, 1)] * d + [(None, None)] * 2,
    )
    return -float(answer.fun) if answer.status == 0 else -math.inf
