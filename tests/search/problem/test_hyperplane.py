"""The gap of a direction, and the classifier that is made of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from frugalsvm.data.rates import ErrorBudget
from frugalsvm.search.problem.guess import guessed
from frugalsvm.search.problem.hyperplane import HEADROOM, gap, hyperplane_from_direction, thresholds
from frugalsvm.search.problem.reduction import reduce_problem
from reference_oracles import core_of, gap_by_counting
from reference_selection import large_budgets, largest_gap, random_problem


def directions(n_features: int, seed: int) -> list[np.ndarray]:
    """Return some directions, one of them along a single feature."""
    rng = np.random.default_rng(seed)
    return [
        rng.standard_normal(n_features),
        rng.integers(-1, 2, n_features) + 0.5,
        np.eye(n_features)[0],
    ]


@pytest.mark.parametrize("seed", range(40))
def test_the_gap_is_that_of_the_samples_one_by_one(seed: int) -> None:
    core = core_of(seed)
    for direction in directions(core.n_features, core.n_samples):
        expected = gap_by_counting(core, direction)
        assert gap(core, direction) == pytest.approx(expected)
        assert gap(core, 1e-3 * direction) == pytest.approx(expected)  # a length means nothing
        p, q = thresholds(core, direction @ core.columns)
        assert (p - q) / np.abs(direction).max() == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(40))
def test_exactly_the_directions_that_are_wide_enough_are_answers(seed: int) -> None:
    core = core_of(seed)
    for direction in directions(core.n_features, 7 * core.n_samples):
        wide = gap(core, direction)
        for floor in (0.9 * wide, 1.1 * wide) if wide > 0 else (core.floor,):
            asked = replace(core, floor=floor, max_weight=2.0 / floor)
            answer = hyperplane_from_direction(asked, direction)
            assert (answer is not None) == (wide >= floor)


@pytest.mark.parametrize("seed", range(60))
def test_an_answer_is_what_it_says_on_the_original_samples(seed: int) -> None:
    core = core_of(seed)
    problem = core.source
    for direction in directions(core.n_features, 3 * core.n_samples):
        answer = hyperplane_from_direction(core, direction)
        if answer is None:
            continue
        used = set(core.original_support(tuple(np.flatnonzero(direction).tolist())))
        assert set(answer.support) == used | set(np.flatnonzero(problem.include).tolist())
        margins = problem.X @ answer.weights + answer.intercept
        wrong = np.where(problem.positive, margins, -margins) < 1.0 - 1e-6
        assert answer.pos_errors == np.count_nonzero(wrong & problem.positive)
        assert answer.neg_errors == np.count_nonzero(wrong & ~problem.positive)
        left = problem.budget.pos - answer.pos_errors, problem.budget.neg - answer.neg_errors
        assert min(left) >= 0
        assert answer.slack == (sum(left), min(left))
        assert core.money(answer.cost) == problem.costs.exact.cost(answer.support) * (
            problem.costs.exact.unit
        )
        assert largest_gap(problem, answer.support) >= gap(core, direction) - 1e-9
        # The weights are as small as the margins let them be, and never above the limit.
        largest = np.abs(answer.weights).max()
        expected = min(problem.max_weight, 2.0 / gap(core, direction) * (1.0 + HEADROOM))
        assert largest == pytest.approx(expected, rel=1e-12)
        assert largest <= problem.max_weight


def test_what_is_no_direction_is_no_answer() -> None:
    core = reduce_problem(large_budgets(0))
    for nothing in (np.zeros(8), np.full(8, np.nan), np.full(8, np.inf), -np.ones(8)):
        assert hyperplane_from_direction(core, nothing) is None
    assert gap(core, np.zeros(8)) == -np.inf


@pytest.mark.parametrize(("budget", "sign"), [((99, 0), -1.0), ((0, 99), 1.0), ((99, 99), 1.0)])
def test_a_class_that_may_be_wrong_altogether_needs_no_features(
    budget: tuple[int, int], sign: float
) -> None:
    problem = replace(random_problem(3), budget=ErrorBudget(*budget))
    core = reduce_problem(problem)
    assert gap(core, np.ones(core.n_features)) == np.inf
    answer = hyperplane_from_direction(core, np.zeros(core.n_features))
    assert answer is not None
    assert (answer.intercept, set(answer.support)) == (
        sign,
        set(np.flatnonzero(problem.include).tolist()),
    )
    assert answer.cost == 0
    wrong = (answer.pos_errors, answer.neg_errors)
    assert wrong == ((0, problem.n_negative) if sign > 0 else (problem.n_positive, 0))


def test_a_false_gap_is_seen_through_on_the_original_samples() -> None:
    """The reduced problem's columns are believed by nobody: the answer is verified on the data."""
    core = reduce_problem(large_budgets(0))
    positive = np.arange(core.n_samples) < core.n_pos
    false = replace(core, columns=np.where(positive, 1.0, -1.0) * np.ones((8, 1)))
    assert gap(false, np.eye(8)[4]) > core.floor
    assert hyperplane_from_direction(false, np.eye(8)[4]) is None


def test_errors_to_spare_in_one_class_pay_for_none_in_the_other() -> None:
    core = reduce_problem(large_budgets(0))
    direction = guessed(core, np.arange(8))
    assert direction is not None
    for pos, neg, answers in ((0, 2, True), (2, 0, True), (-1, 2, False), (2, -1, False)):
        needs = {"need_pos": core.need_pos + pos, "need_neg": core.need_neg + neg}
        asked = replace(core, **needs, floor=1e-6)
        assert gap(asked, direction) > asked.floor
        assert (hyperplane_from_direction(asked, direction) is not None) == answers
