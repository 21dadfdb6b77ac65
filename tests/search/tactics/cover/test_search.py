"""The search over covers alone finds what brute force finds, and proves it."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest

from frugalsvm.data.costs import CostModel
from frugalsvm.data.problem import SelectionProblem
from frugalsvm.data.rates import ErrorBudget
from frugalsvm.runtime.stopping import Clock, Stopper
from frugalsvm.search.options import SearchOptions
from frugalsvm.search.problem.reduction import reduce_problem
from frugalsvm.search.state import SearchState
from frugalsvm.search.tactics.cover import search as cover
from frugalsvm.search.tactics.cover.search import Cover
from reference_selection import brute_force, random_problem

reference = functools.cache(lambda seed: brute_force(random_problem(seed)))


def run_cover(
    problem: SelectionProblem,
    options: SearchOptions | None = None,
    seed: int = 0,
    stop: Stopper | None = None,
) -> SearchState | None:
    core = reduce_problem(problem)
    if core.need_pos == 0 or core.need_neg == 0 or core.n_features == 0:
        return None
    state = SearchState(core, stop or Stopper(60.0), options or SearchOptions(), seed=seed)
    Cover().run(state)
    return state


def check(state: SearchState | None, seed: int) -> None:
    if state is None:
        return
    cost, optimal = reference(seed)
    assert state.closed, seed
    if math.isinf(cost):
        assert state.best is None, seed
        return
    assert state.best is not None, seed
    assert state.amounts() == (cost, cost), seed
    assert state.best.support in optimal, seed


@pytest.mark.parametrize("first", range(0, 80, 20))
def test_optimum_of_random_instances(first: int) -> None:
    for seed in range(first, first + 20):
        problem = random_problem(seed)
        check(run_cover(problem), seed)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(10_000, 12_000, 200))
def test_optimum_of_many_random_instances(first: int) -> None:
    for seed in range(first, first + 200):
        problem = random_problem(seed)
        check(run_cover(problem), seed)


@pytest.mark.parametrize("without", ["cells", "conflicts"])
def test_no_source_of_cuts_is_needed(without: str) -> None:
    for seed in range(12):
        problem = random_problem(seed)
        options = SearchOptions(**{without: False})
        check(run_cover(problem, options), seed)


class Ticks(Clock):
    """A clock on which every look takes a second."""

    ticks = 0

    def now(self) -> float:
        self.ticks += 1
        return float(self.ticks)


@pytest.mark.parametrize("looks", [3, 10, 30])
def test_bounds_on_the_way_are_valid(looks: int) -> None:
    left_open = 0
    for seed in range(20, 50):
        state = run_cover(random_problem(seed), stop=Stopper(float(looks), clock=Ticks()))
        if state is None:
            continue
        left_open += not state.closed
        cost, _ = reference(seed)
        assert state.amounts()[1] <= cost, seed
        assert all(step.bound <= cost for step in state.history), seed
    assert left_open >= 3


def test_infeasible_sets_left_behind_are_infeasible() -> None:
    for seed in range(50, 70):
        problem = random_problem(seed)
        state = run_cover(problem)
        if state is None or state.best is None:
            continue
        core = state.core
        found = set(core.core_support(state.best.support)) - set(core.free.tolist())
        for support in state.infeasible_sets:
            assert not found <= set(support), seed


def test_same_seed_same_work() -> None:
    problem = random_problem(7)
    first, second = run_cover(problem, seed=3), run_cover(problem, seed=3)
    assert first is not None
    assert second is not None
    assert first.figures == second.figures
    assert first.best is not None
    assert second.best is not None
    assert np.array_equal(first.best.weights, second.best.weights)


def test_a_cut_that_nothing_can_hit_proves_infeasibility() -> None:
    # Two samples of opposite class coincide and neither may be wrong.
    X = np.array([[1.0, 1.0], [1.0, 1.0], [-1.0, 1.0], [-1.0, -3.0]])
    problem = SelectionProblem(
        X=(X - X.mean(axis=0)) / X.std(axis=0),
        positive=np.array([True, False, True, False]),
        budget=ErrorBudget(0, 0),
        costs=CostModel.per_feature(np.ones(2)),
        include=np.zeros(2, np.bool_),
        exclude=np.zeros(2, np.bool_),
    )
    state = run_cover(problem)
    assert state is not None
    assert state.best is None
    assert math.isinf(state.bound)


def many_needed(n_features: int = 14) -> SelectionProblem:
    """Few-valued features of which many are needed, so that there are nodes to open."""
    rng = np.random.default_rng(3)
    X = rng.integers(0, 2, (120, n_features)).astype(float)
    positive = X[:, :8].sum(axis=1) + 0.5 * X[:, 8:11].sum(axis=1) > 4.6
    nothing = np.zeros(n_features, np.bool_)
    costs = CostModel.per_feature(rng.integers(1, 9, n_features).astype(float))
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    return SelectionProblem(X, positive, ErrorBudget(4, 4), costs, nothing, nothing)


def test_the_heuristic_goes_on_between_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = many_needed()
    undisturbed = run_cover(problem)
    assert undisturbed is not None
    assert undisturbed.best is not None
    assert undisturbed.closed
    answer = undisturbed.core.core_support(undisturbed.best.support)
    direction = np.zeros(undisturbed.core.n_features)
    direction[list(answer)] = undisturbed.best.weights[list(undisturbed.best.support)]
    shares: list[tuple[float, int]] = []

    class Lucky:
        """Finds the answer at its third try."""

        name = "heuristic"

        def __init__(self, work: float, seed: int) -> None:
            shares.append((work, seed))

        def run(self, state: SearchState) -> None:
            if len(shares) == 3:
                assert state.offer(direction)

    monkeypatch.setattr(cover, "Heuristic", Lucky)
    monkeypatch.setattr(cover, "FIRST_PAUSE", 1)
    state = run_cover(problem)
    assert state is not None
    assert state.closed
    assert state.cost == undisturbed.cost
    assert [seed for _, seed in shares[:3]] == [1, 2, 3]
    assert shares[0][0] < shares[1][0] < shares[2][0]
    assert state.figures["cover nodes"] <= undisturbed.figures["cover nodes"]
