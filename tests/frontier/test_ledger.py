"""The ledger carries answers and bounds between targets, and the schedule uses that."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frugalsvm.data.costs import CostModel, rounded_down
from frugalsvm.data.exceptions import VerificationError
from frugalsvm.data.problem import SelectionProblem
from frugalsvm.data.rates import ErrorBudget
from frugalsvm.data.result import SelectionResult, Status, StopReason
from frugalsvm.data.verify import counted_correct
from frugalsvm.tradeoff.ledger import Ledger, Panel, fitted_hyperplane
from frugalsvm.tradeoff.schedule import between_failures, next_cell
from reference_selection import is_feasible


def problem(seed: int = 0, n: int = 40, n_features: int = 3) -> SelectionProblem:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, n_features))
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    positive = X[:, 0] + rng.normal(0, 0.7, n) > 0
    none = np.zeros(n_features, dtype=bool)
    return SelectionProblem(
        X, positive, ErrorBudget(0, 0), CostModel.per_feature(np.ones(n_features)), none, none
    )


@given(seed=st.integers(0, 10_000), pos=st.integers(0, 25), neg=st.integers(0, 25))
def test_a_panel_is_taken_exactly_where_its_hyperplane_keeps_the_budgets(
    seed: int, pos: int, neg: int
) -> None:
    instance = problem(seed)
    rng = np.random.default_rng(seed)
    direction = rng.standard_normal(3) * (rng.random(3) < 0.7)
    ledger = Ledger(instance, [pos], [neg])
    support = tuple(np.flatnonzero(direction).tolist())
    taken = bool(ledger.offer(Panel(support, direction, Fraction(len(support))))[0, 0])
    asked = ledger.problem_of((0, 0))
    if not direction.any():
        assert taken == (pos >= instance.n_positive or neg >= instance.n_negative)
        return
    weights, intercept = fitted_hyperplane(asked, direction)
    wrong = ~counted_correct(instance.X @ weights + intercept, instance.positive)
    kept = wrong[instance.positive].sum() <= pos and wrong[~instance.positive].sum() <= neg
    assert taken == kept
    assert np.abs(weights).max() <= instance.max_weight * (1 + 1e-12) or pos >= 40 or neg >= 40


@pytest.mark.parametrize("seed", range(2))
def test_the_scan_finds_every_single_feature_that_is_enough(seed: int) -> None:
    ledger = Ledger(problem(seed, n=14), [4, 2, 0], [3, 0])
    ledger.scan()
    for cell in ledger.cells:
        enough = any(is_feasible(ledger.problem_of(cell), (k,)) for k in range(3))
        assert ledger.cost[cell] == (1.0 if enough else math.inf)
        assert ledger.bound[cell] == 1.0
        assert ledger.closed()[cell] == enough


def test_the_scan_knows_when_nothing_has_to_be_measured() -> None:
    instance = problem()
    ledger = Ledger(instance, [instance.n_positive, 0], [0])
    ledger.scan()
    assert ledger.cost[0, 0] == ledger.bound[0, 0] == 0.0
    assert ledger.bound[1, 0] == 1.0


def test_bounds_go_to_tighter_pairs_only() -> None:
    ledger = Ledger(problem(), [9, 5, 1], [9, 5, 1])
    ledger.raise_bound(ledger.budget((1, 1)), 2.0)
    assert ledger.bound.tolist() == [[0, 0, 0], [0, 2, 2], [0, 2, 2]]
    ledger.raise_bound(ledger.budget((2, 0)), math.inf)
    assert ledger.closed().tolist() == [[False] * 3, [False] * 3, [True] * 3]


def test_a_bound_above_a_counted_panel_is_a_bug_not_an_answer() -> None:
    weights = np.array([1.0, 0.0, 0.0])
    ledger = Ledger(problem(), [15], [15])
    assert ledger.offer(Panel((0,), weights, Fraction(1))).all()
    ledger.raise_bound(ledger.budget((0, 0)), 1.0)
    assert ledger.bound[0, 0] == 1.0
    with pytest.raises(VerificationError, match="cost 1 was found and counted, and a bound of 2"):
        ledger.raise_bound(ledger.budget((0, 0)), 2.0)
    late = Ledger(problem(), [15], [15])
    late.raise_bound(late.budget((0, 0)), math.inf)
    with pytest.raises(VerificationError, match="contradict"):
        late.offer(Panel((0,), weights, Fraction(1)))


def test_bounds_of_a_model_with_finite_m2_may_give_way() -> None:
    ledger = Ledger(problem(), [15], [15], exact=False)
    ledger.raise_bound(ledger.budget((0, 0)), 2.0)
    ledger.offer(Panel((0,), np.array([1.0, 0.0, 0.0]), Fraction(1)))
    assert ledger.bound[0, 0] == 1.0


def test_equal_budgets_share_what_is_known() -> None:
    ledger = Ledger(problem(), [5, 5], [5])
    ledger.raise_bound(ledger.budget((1, 0)), 2.0)
    assert ledger.bound.tolist() == [[2.0], [2.0]]


def priced(*prices: float, group: float = 0.0) -> SelectionProblem:
    """Return a problem whose features all tell the classes apart, in one group that costs."""
    X = np.column_stack([np.repeat([-1.0, 1.0], 4)] * len(prices))
    none = np.zeros(len(prices), dtype=bool)
    costs = CostModel(np.array(prices), ((0,),) * len(prices), np.array([group]))
    return SelectionProblem(X, np.repeat([False, True], 4), ErrorBudget(0, 0), costs, none, none)


def test_costs_that_are_the_same_float_are_told_apart() -> None:
    instance = priced(1.1e-7, 1.0e-7, group=1e8)
    dear, cheap = ((k,) for k in range(2))
    assert instance.costs.cost(dear) == instance.costs.cost(cheap)
    ledger = Ledger(instance, [0], [0])
    ledger.offer(Panel(dear, np.array([1.0, 0.0]), instance.costs.amount(dear)))
    ledger.raise_bound(ledger.budget((0, 0)), instance.costs.amount(cheap))
    assert not ledger.closed()[0, 0]
    found = ledger.result_of((0, 0))
    assert found is not None
    assert found.status is Status.FEASIBLE
    assert found.bound <= found.cost
    ledger.offer(Panel(cheap, np.array([0.0, 1.0]), instance.costs.amount(cheap)))
    assert ledger.closed()[0, 0]
    found = ledger.result_of((0, 0))
    assert found is not None
    assert (found.support, found.bound) == (cheap, found.cost)


def test_a_bound_that_was_rounded_down_is_the_next_cost_there_can_be() -> None:
    instance = priced(0.1, 0.2)
    panel, bound = (0, 1), rounded_down(Fraction(3, 10))
    assert bound < Fraction(3, 10)
    result = SelectionResult(
        status=Status.FEASIBLE,
        support=panel,
        weights=np.ones(2),
        intercept=0.0,
        cost=0.3,
        bound=bound,
        seconds=0.0,
        solver="",
        solver_version="",
        stop_reason=StopReason.TIME_LIMIT,
    )
    ledger = Ledger(instance, [0], [0])
    ledger.record((0, 0), result)
    assert ledger.closed()[0, 0]
    assert ledger.bound_of((0, 0)) == 0.3


@pytest.mark.parametrize("exact", [True, False])
def test_a_solver_that_knows_no_bound_changes_none(exact: bool) -> None:
    ledger = Ledger(problem(), [5], [5], exact=exact)
    unknown = SelectionResult(
        status=Status.UNKNOWN,
        support=(),
        weights=np.zeros(3),
        intercept=0.0,
        cost=math.inf,
        bound=-math.inf,
        seconds=0.0,
        solver="",
        solver_version="",
        stop_reason=StopReason.TIME_LIMIT,
    )
    ledger.record((0, 0), unknown)
    assert ledger.bound_of((0, 0)) == 0.0


def test_the_tightest_pair_comes_first_then_the_middle_then_what_is_open() -> None:
    ledger = Ledger(problem(), [9, 7, 5, 3, 1], [9, 7, 5, 3, 1])
    assert next_cell(ledger, ()) == (4, 4)
    assert next_cell(ledger, {(4, 4)}) == (2, 2)
    ledger.bound[:] = ledger.cost[:] = 1.0
    ledger.bound[3, 4] = 0.0
    assert next_cell(ledger, ()) == (3, 4)
    assert next_cell(ledger, {(3, 4)}) is None


@given(seed=st.integers(0, 10_000), size=st.integers(1, 7), levels=st.integers(1, 4))
def test_any_staircase_is_settled_with_fewer_searches_than_pairs(
    seed: int, size: int, levels: int
) -> None:
    """Play the searches with a made-up cost surface: nothing wrong is ever concluded."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, levels, (size, size)).astype(float)
    truth = np.maximum.accumulate(np.maximum.accumulate(truth, axis=0), axis=1)
    budgets = list(range(size, 0, -1))
    ledger = Ledger(problem(), budgets, budgets)
    searches = 0
    while (cell := next_cell(ledger, ())) is not None:
        searches += 1
        looser = np.s_[: cell[0] + 1, : cell[1] + 1]
        ledger.cost[looser] = np.minimum(ledger.cost[looser], truth[cell])
        ledger.raise_bound(ledger.budget(cell), truth[cell])
        assert (ledger.bound <= truth).all()
        assert (ledger.cost >= truth).all()
    np.testing.assert_array_equal(ledger.cost, truth)
    assert searches <= 2 * size * levels + 1


def test_a_pair_between_two_failures_is_left_alone() -> None:
    ledger = Ledger(problem(), [9, 7, 5, 3, 1], [9, 7, 5, 3, 1])
    assert not between_failures(ledger, (2, 2), {(2, 2)})
    assert not between_failures(ledger, (2, 2), {(1, 1)})
    assert not between_failures(ledger, (2, 2), {(1, 1), (3, 1)})
    assert between_failures(ledger, (2, 2), {(1, 2), (3, 4)})
    ledger.bound[3, 4] = 1.0  # no proof of infeasibility all the same
    assert between_failures(ledger, (2, 2), {(1, 2), (3, 4)})
    ledger.bound[3, 4] = 0.0
    ledger.cost[:3, :3] = 5.0  # the looser pair got an answer that this one has too
    assert between_failures(ledger, (2, 2), {(1, 2), (3, 4)})
    ledger.cost[:2, :3] = 4.0  # and now a cheaper one: searching here may find one as well
    assert not between_failures(ledger, (2, 2), {(1, 2), (3, 4)})
    ledger.cost[:3, :3] = 5.0
    ledger.bound[3, 4] = 1.0  # more was proven for the tighter one
    assert not between_failures(ledger, (2, 2), {(1, 2), (3, 4)})


def test_a_pair_proven_infeasible_is_between_no_failures() -> None:
    ledger = Ledger(problem(), [9, 5, 1], [9])
    ledger.raise_bound(ledger.budget((1, 0)), math.inf)
    assert not between_failures(ledger, (1, 0), {(0, 0), (2, 0)})


def test_where_nothing_is_found_the_proof_is_tried_at_the_tightest_pair_last() -> None:
    ledger = Ledger(problem(), [9, 7, 5, 3, 1], [9, 7, 5, 3, 1])
    lost = {(1, 1), (4, 4)}
    assert next_cell(ledger, lost, lost) in {(0, k) for k in range(5)} | {(k, 0) for k in range(5)}
    ledger.raise_bound(ledger.budget((4, 4)), math.inf)
    ledger.bound[0, :] = ledger.bound[:, 0] = math.inf  # nothing open but what is doubtful
    assert next_cell(ledger, {(1, 1)}, {(1, 1)}) in {(3, 4), (4, 3)}
