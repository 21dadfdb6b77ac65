"""The parts of the training with smooth losses: bounds from any multipliers, factors, packings."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from sklearn.metrics.pairwise import rbf_kernel

from frugalsvm.data.problem import CountLimit, MarginProblem
from frugalsvm.margin.rows.reduction import reduce
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.smooth.choice import Choice
from frugalsvm.smooth.factor import factorised
from frugalsvm.smooth.loss import SMOOTH_LOSSES, SmoothLoss
from frugalsvm.smooth.packing import Group, Node, Packing
from frugalsvm.smooth.solver import Solver
from frugalsvm.smooth.space import Space, make_space
from margin_instances import overlapping_problem, two_limits

LOSSES = [pytest.param(loss, id=name) for name, loss in SMOOTH_LOSSES.items()]


@pytest.mark.parametrize("loss", LOSSES)
def test_slopes_are_those_of_the_values(loss: SmoothLoss) -> None:
    u = np.concatenate([np.linspace(-8, 8, 161) + 1e-3, [40.0, -40.0]])
    step = 1e-5
    numeric = (loss.value(u - step) - loss.value(u + step)) / (2 * step)
    np.testing.assert_allclose(loss.pull(u), numeric, atol=1e-8)
    numeric = (loss.pull(u - step) - loss.pull(u + step)) / (2 * step)
    np.testing.assert_allclose(loss.curvature(u), numeric, atol=1e-6)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("target", [-math.inf, -2.0, 0.3, 1.0])
def test_conjugates_are_least_values(loss: SmoothLoss, target: float) -> None:
    shares = [0.001, 0.2, 0.5, 0.99] + ([1.5, 20.0] if math.isfinite(target) else [])
    for p in shares:
        low = max(target, -60.0)

        def value(u: float, p: float = p) -> float:
            return p * u + float(loss.value(np.array([u]))[0])

        numeric = minimize_scalar(value, bounds=(low, 60.0), options={"xatol": 1e-10}).fun
        numeric = min(numeric, value(low))
        found = float(loss.least_from(np.array([p]), np.array([target]))[0])
        assert found == pytest.approx(numeric, abs=1e-7)


@pytest.mark.parametrize("loss", LOSSES)
def test_shares_of_the_hinge_lie_below(loss: SmoothLoss) -> None:
    u = np.linspace(-100.0, 3.0, 100_001)
    for share in (0.5, 0.648, 0.8, 1.0):
        excess = float((share * np.maximum(0.0, 1.0 - u) - loss.value(u)).max())
        assert excess <= loss.below_hinge(share) + 1e-12


def spaces(loss: SmoothLoss) -> list[Space]:
    problem = overlapping_problem(3, n=30, d=3)
    assert problem.features is not None
    kernel = replace(problem, features=None, gram=rbf_kernel(problem.features))
    wide = replace(problem, features=np.random.default_rng(0).normal(size=(30, 50)))
    made = [(p, slack) for p in (problem, kernel, wide) for slack in (None, 1.5)]
    return [make_space(reduce(p, Stopper()), loss, 2.0, slack, Stopper()) for p, slack in made]


@pytest.mark.parametrize("loss", LOSSES)
def test_no_multipliers_give_a_bound_above_a_classifier(loss: SmoothLoss) -> None:
    rng = np.random.default_rng(1)
    for space in spaces(loss):
        n = space.rows.n_rows
        solver = Solver(space)
        for _ in range(20):
            hard = rng.random(n) < 0.2
            solution = solver.solve(hard, Stopper(), cutoff=1e6)
            least = solution.v @ solution.v + space.cost @ loss.value(solution.margins)
            target = space.targets(hard)
            if not solution.holds:
                continue
            assert least * (1 - 1e-6) <= solution.bound <= least * (1 + 1e-6)
            for spread in (1e-6, 0.1, 1.0, 10.0):
                a = solution.a * np.exp(spread * rng.standard_normal(n))
                assert space.bound(a, target) <= solution.bound * (1 + 1e-6)


def test_a_bound_leaves_room_for_rounding() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2)) * [1e6, 1e-6]
    positive = rng.random(60) < 0.5
    problem = MarginProblem(X, None, positive, two_limits(positive, 3, 3), 1e3)
    for loss in SMOOTH_LOSSES.values():
        space = make_space(reduce(problem, Stopper()), loss, 1e3, None, Stopper())
        solution = Solver(space).solve(np.zeros(60, dtype=bool), Stopper())
        least = solution.v @ solution.v + space.cost @ loss.value(solution.margins)
        assert solution.bound <= least


def test_explicit_features_have_the_kernel_as_inner_products() -> None:
    X = np.random.default_rng(0).normal(size=(40, 3))
    for K in (rbf_kernel(X, gamma=2.0), X @ X.T, np.zeros((40, 40))):
        factor = factorised(K, Stopper())
        np.testing.assert_allclose(factor.features @ factor.features.T, K, atol=1e-9)
        weights = np.ones(factor.features.shape[1])
        again = K @ factor.coefficients(weights)
        np.testing.assert_allclose(again, factor.features @ weights, atol=1e-6)
    assert factorised(X @ X.T, Stopper()).features.shape[1] == 3


def test_hard_rows_hold_and_impossible_ones_pass_any_cutoff() -> None:
    X = np.array([[0.0], [1.0], [1.0], [2.0]])
    positive = np.array([False, False, True, True])
    problem = MarginProblem(X, None, positive, two_limits(positive, 1, 1), 1.0)
    for loss in SMOOTH_LOSSES.values():
        solver = Solver(make_space(reduce(problem, Stopper()), loss, 1.0, None, Stopper()))
        possible = solver.solve(np.array([True, False, True, True]), Stopper())
        assert possible.holds
        assert (possible.margins[[0, 2, 3]] >= 1 - 1e-6).all()
        impossible = solver.solve(np.ones(4, dtype=bool), Stopper(), cutoff=1e5)
        assert impossible.bound >= 1e5


def test_packings_need_one_group_more_than_may_be_wrong() -> None:
    nothing = np.zeros(6, dtype=bool)
    groups = tuple(Group((i,), float(i)) for i in range(4))
    packing = Packing(np.array([1.0, 1.0, 1.0, 1.0, 2.0, 1.0]), 2.0)
    node = Node(nothing, nothing, groups, 0.0)
    assert [g.bound for g in packing.needed(node)] == [3.0, 2.0, 1.0]
    heavy = replace(node, groups=(*groups, Group((4,), 9.0)))
    assert [g.bound for g in packing.needed(heavy)] == [9.0, 3.0]
    mixed = replace(node, groups=(*groups, Group((4, 5), 9.0)))
    assert [g.bound for g in packing.needed(mixed)] == [9.0, 3.0, 2.0]
    given = replace(node, given=np.arange(6) == 4, groups=groups)
    assert [g.bound for g in packing.needed(given)] == [3.0]
    few = replace(node, groups=groups[:2], bound=0.5)
    assert [g.bound for g in packing.needed(few)] == [1.0, 0.0, 0.5]


def test_what_can_be_given_up_fits_the_limits() -> None:
    X = np.array([[0.0], [0.0], [1.0], [2.0], [3.0], [4.0]])
    positive = np.array([True, True, True, False, False, False])
    extra = CountLimit("first", np.arange(6) < 3, 2)
    problem = MarginProblem(X, None, positive, (*two_limits(positive, 2, 1), extra), 1.0)
    choice = Choice(reduce(problem, Stopper()))  # the first two samples are one row of weight 2
    wrong = choice.worst(np.array([-3.0, -2.0, 0.5, 0.0, 2.0]))
    np.testing.assert_array_equal(wrong, [True, False, False, True, False])
    assert choice.fits(wrong)
    assert not choice.fits(np.array([True, True, False, False, False]))
    assert choice.most_wrong == 3
