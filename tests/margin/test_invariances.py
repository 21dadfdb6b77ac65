"""What does not matter, what can only cost more, and planted answers that no proof may rule out."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from frugalsvm.data.problem import CountLimit, MarginProblem
from frugalsvm.data.result import MarginResult, Status
from frugalsvm.margin import Effort, MarginOptions, train
from frugalsvm.runtime.stopping import Stopper
from margin_instances import check_answer, tiny_problem, two_limits

seeds = st.integers(0, 10_000)


def trained(problem: MarginProblem, **options: object) -> MarginResult:
    return train(problem, stop=Stopper(60.0), tolerance=1e-6, options=MarginOptions(**options))


def objective(problem: MarginProblem) -> float:
    """Return the proven optimum, infinite if there is none."""
    result = trained(problem)
    assert result.status in (Status.OPTIMAL, Status.INFEASIBLE)
    return result.objective if result.has_answer else math.inf


def linear(seed: int) -> MarginProblem:
    """Return a tiny problem with features and a finite optimum that is not next to zero."""
    problem = tiny_problem(seed)
    assume(problem.features is not None)
    assume(1e-3 < objective(problem) < 1e5)
    return problem


def same(one: float, other: float) -> bool:
    return one == other or abs(one - other) <= 2e-5 * max(1.0, abs(one), abs(other))


def limits_of(problem: MarginProblem, rows: np.ndarray) -> tuple[CountLimit, ...]:
    return tuple(replace(limit, members=limit.members[rows]) for limit in problem.limits)


@given(seeds, st.randoms(use_true_random=False))
@settings(max_examples=15)
def test_neither_order_nor_place_nor_axes_matter(seed: int, random) -> None:
    problem = linear(seed)
    X = np.asarray(problem.features)
    rows = np.array(random.sample(range(len(X)), len(X)))
    turn, _ = np.linalg.qr(np.random.default_rng(seed).standard_normal((X.shape[1],) * 2))
    moved = replace(
        problem,
        features=(X @ turn + 3.0)[rows],
        positive=problem.positive[rows],
        limits=limits_of(problem, rows),
    )
    assert same(objective(moved), objective(problem))


@given(seeds)
@settings(max_examples=15)
def test_classes_may_be_exchanged(seed: int) -> None:
    problem = linear(seed)
    mirrored = replace(problem, positive=~problem.positive)  # limits name their members
    assert same(objective(mirrored), objective(problem))


@given(seeds, st.sampled_from([0.25, 4.0]))
@settings(max_examples=15)
def test_a_unit_of_the_features_goes_with_one_of_C(seed: int, unit: float) -> None:
    """Weights are smaller by the unit, their square by its square, and so C has to be."""
    problem = linear(seed)
    X = np.asarray(problem.features)
    other = replace(problem, features=unit * X, C=problem.C / unit**2)
    assert same(objective(other) * unit**2, objective(problem))


@given(seeds)
@settings(max_examples=12)
def test_a_constant_feature_and_the_kernel_of_the_features_change_nothing(seed: int) -> None:
    problem = linear(seed)
    X = np.asarray(problem.features)
    expected = objective(problem)
    wider = replace(problem, features=np.column_stack((X, np.full(len(X), 2.0))))
    assert same(objective(wider), expected)
    gram = replace(problem, features=None, gram=X @ X.T)
    assert same(objective(gram), expected)


@given(seeds)
@settings(max_examples=12)
def test_a_sample_twice_at_half_the_price_is_that_sample(seed: int) -> None:
    problem = linear(seed)
    rows = np.repeat(np.arange(len(problem.positive)), 2)
    twice = replace(
        problem,
        features=np.asarray(problem.features)[rows],
        positive=problem.positive[rows],
        limits=tuple(
            replace(limit, max_errors=2 * limit.max_errors) for limit in limits_of(problem, rows)
        ),
        C=problem.C / 2,
    )
    # Two samples of a place are wrong together or not at all: one row, twice as heavy.
    assert same(objective(twice), objective(problem))


@given(seeds)
@settings(max_examples=12)
def test_tighter_limits_fewer_features_and_a_larger_C_never_cost_less(seed: int) -> None:
    problem = linear(seed)
    expected = objective(problem)
    for k, limit in enumerate(problem.limits):
        if limit.max_errors > 0:
            tighter = list(problem.limits)
            tighter[k] = replace(limit, max_errors=limit.max_errors - 1)
            asked = replace(problem, limits=tuple(tighter))
            assert objective(asked) >= expected * (1 - 2e-5)
    X = np.asarray(problem.features)
    if X.shape[1] > 1:
        assert objective(replace(problem, features=X[:, 1:])) >= expected * (1 - 2e-5)
    assert objective(replace(problem, C=2 * problem.C)) >= expected * (1 - 2e-5)
    slackless = replace(problem, max_slack=1.0)
    assert objective(slackless) >= expected * (1 - 2e-5)


def planted(seed: int, n: int) -> tuple[MarginProblem, float]:
    """Return a problem with an answer that is known, and its objective.

    The samples lie apart along a direction, but for as many of each class as its limit allows.
    """
    rng = np.random.default_rng(seed)
    d = int(rng.integers(2, 5))
    w = rng.standard_normal(d)
    X = rng.standard_normal((n, d))
    positive = X @ w > 0
    y = np.where(positive, 1.0, -1.0)
    X += np.outer(y * np.maximum(0.0, 1.0 - y * (X @ w)), w) / (w @ w)  # margins of at least 1
    budgets = int(rng.integers(1, 4)), int(rng.integers(1, 4))
    changed = positive.copy()
    for wrong, members in ((budgets[1], positive), (budgets[0], ~positive)):
        flipped = rng.choice(np.flatnonzero(members), wrong, replace=False)
        changed[flipped] = ~changed[flipped]
    C = float(rng.choice([0.1, 1.0, 10.0]))
    slack = np.maximum(0.0, 1.0 - np.where(changed, 1.0, -1.0) * (X @ w))
    limits = two_limits(changed, *budgets)
    return MarginProblem(X, None, changed, limits, C), float(w @ w + C * slack.sum())


@pytest.mark.parametrize("seed", range(6))
def test_a_planted_answer_is_reached_or_beaten(seed: int) -> None:
    problem, known = planted(seed, n=20 + 16 * seed)
    result = trained(problem)
    check_answer(problem, result)
    assert result.status is Status.OPTIMAL
    assert result.bound <= result.objective <= known * (1 + 1e-6)
    quick = train(problem, stop=Stopper(60.0), effort=Effort.QUICK)
    check_answer(problem, quick)
    assert quick.bound <= result.objective * (1 + 1e-6)
    assert quick.objective >= result.bound * (1 - 1e-6)


@pytest.mark.parametrize(
    "options", [{"pool": False}, {"packing": False}, {"shrink": False}, {"heuristic": False}]
)
@pytest.mark.parametrize("seed", range(3))
def test_no_rule_closes_a_node_that_holds_a_known_answer(seed: int, options: dict) -> None:
    """A proof that rules the witness out raises an error that names the rule."""
    problem, _ = planted(seed, n=30 + 10 * seed)
    answer = trained(problem)
    again = trained(problem, witness=answer, **options)
    assert same(again.objective, answer.objective)
    assert again.status is Status.OPTIMAL


def test_one_sample_in_a_class_and_limits_that_allow_all() -> None:
    X = np.array([[0.0], [1.0], [2.0], [5.0]])
    positive = np.array([False, False, False, True])
    hard = MarginProblem(X, None, positive, two_limits(positive, 0, 0), 1.0)
    assert objective(hard) == pytest.approx((2 / 3) ** 2, rel=1e-5)  # a margin on each side
    one_wrong = replace(hard, limits=two_limits(positive, 1, 0))
    assert objective(one_wrong) <= objective(hard)
    everything = replace(hard, limits=two_limits(positive, 1, 3), C=1e-6)
    assert objective(everything) == pytest.approx(2e-6, rel=1e-2)  # one class is right for nothing
