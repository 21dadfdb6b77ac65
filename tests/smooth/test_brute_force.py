"""Smooth losses against brute force over all sets of samples that may be given up."""

import math
from dataclasses import replace

import numpy as np
import pytest

from frugalsvm import margin
from frugalsvm.data.losses import total_loss
from frugalsvm.data.problem import MarginProblem
from frugalsvm.data.result import Status
from frugalsvm.margin.classifiers.shifted import cheap_answer
from frugalsvm.margin.rows.reduction import reduce
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.smooth import train
from frugalsvm.smooth.branch import Search
from frugalsvm.smooth.choice import Choice
from frugalsvm.smooth.heuristic import Heuristic
from frugalsvm.smooth.loss import SMOOTH_LOSSES
from frugalsvm.smooth.solver import Solver
from frugalsvm.smooth.space import make_space
from frugalsvm.smooth.state import State
from margin_instances import overlapping_problem, tiny_problem
from reference_losses import brute_force
from reference_margin import UndecidedError

LOSSES = ("logistic", "dwd")


def agree(problem: MarginProblem) -> bool:
    """Compare with brute force; return whether there is an answer."""
    optimum = brute_force(problem)
    result = train(problem, stop=Stopper(), tolerance=1e-6)
    if result.status is Status.UNKNOWN:  # where rounding hides whether the limits can be kept
        hinge = margin.train(replace(problem, loss="hinge"), stop=Stopper())
        assert hinge.status is Status.UNKNOWN
        raise UndecidedError("The hinge's trainer cannot tell, either")
    if math.isinf(optimum):
        assert result.status is Status.INFEASIBLE
        return False
    assert result.status is Status.OPTIMAL
    slack = 1e-5 * max(1.0, optimum)
    assert abs(result.objective - optimum) <= slack
    assert result.bound <= optimum + slack
    recompute(problem, result)
    return True


def recompute(problem: MarginProblem, result) -> None:
    if problem.features is not None:
        scores = problem.features @ result.weights + result.intercept
        norm = result.weights @ result.weights
    else:
        scores = problem.gram @ result.dual_coef + result.intercept
        norm = result.dual_coef @ problem.gram @ result.dual_coef
    margins = problem.y * scores
    assert (margins[result.counted] >= 1 - 1e-6).all()
    for limit in problem.limits:
        assert (limit.members & (margins < 1 - 1e-6)).sum() <= limit.max_errors
    if problem.max_slack is not None:
        assert margins.min() >= 1 - problem.max_slack - 1e-5
    expected = norm + problem.C * total_loss(problem.loss, margins)
    assert result.objective == pytest.approx(expected, rel=1e-8)


def compare(seeds: range, loss: str) -> int:
    """Return how many problems had an answer; few may be beyond the reference."""
    answers = undecided = 0
    for seed in seeds:
        try:
            answers += agree(replace(tiny_problem(seed), loss=loss))
        except UndecidedError:
            undecided += 1
    assert undecided <= 1 + len(seeds) // 50
    return answers


@pytest.mark.parametrize("loss", LOSSES)
def test_agrees_with_brute_force(loss: str) -> None:
    assert compare(range(5000, 5025), loss) >= 5


@pytest.mark.slow
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("block", range(6))
def test_agrees_with_brute_force_on_many_more(block: int, loss: str) -> None:
    compare(range(6000 + 50 * block, 6000 + 50 * (block + 1)), loss)


@pytest.mark.parametrize("loss", LOSSES)
def test_agrees_where_many_sets_compete(loss: str) -> None:
    assert agree(replace(overlapping_problem(0, n=12, budgets=(2, 1)), loss=loss))


@pytest.mark.slow
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("block", range(4))
def test_agrees_where_many_sets_compete_on_more(block: int, loss: str) -> None:
    for seed in range(1 + 6 * block, 7 + 6 * block):
        C = float(10 ** np.random.default_rng(seed).uniform(-1, 2))
        problem = overlapping_problem(seed, n=12, d=1 + seed % 3, budgets=(2, 2), C=C)
        try:
            agree(replace(problem, loss=loss))
        except UndecidedError:
            assert problem.features is not None
            assert problem.features.shape[1] == 1


class Idle(Heuristic):
    """Finds nothing, so that a wrong proof is not hidden by a right guess."""

    def attempt(self, *_: object) -> None:
        pass


def tree_alone(problem: MarginProblem) -> float | None:
    """Return what branch and bound makes of a poor classifier, None if there is none to begin."""
    state = State(problem, Stopper(), 1e-6, None)
    state.take(cheap_answer(problem, Stopper()), "")
    if state.answer is None:
        return None
    rows = reduce(replace(problem, max_slack=None), Stopper())
    loss = SMOOTH_LOSSES[problem.loss]
    solver = Solver(make_space(rows, loss, problem.C, problem.max_slack, Stopper()))
    choice = Choice(rows)
    soft = solver.solve(rows.fixed, Stopper())
    search = Search(solver, choice, state, Idle(solver, choice, state), soft)
    assert search.run(Stopper())
    # Margins count up to 1e-6 below 1: an objective may lie as little below the bound.
    assert state.bound <= state.objective * (1 + 1e-6)
    return state.objective


def compare_tree_alone(problems: list[MarginProblem], loss: str) -> int:
    """Return how many problems had a classifier to begin with."""
    compared = 0
    for problem in (replace(p, loss=loss) for p in problems):
        found = tree_alone(problem)
        if found is not None:
            compared += 1
            assert found == pytest.approx(brute_force(problem), rel=1e-5)
    return compared


@pytest.mark.parametrize("loss", LOSSES)
def test_branch_and_bound_needs_no_heuristic(loss: str) -> None:
    tiny = [tiny_problem(seed) for seed in range(7015, 7035)]
    larger = [overlapping_problem(seed, n=10, budgets=(1, 2)) for seed in range(2)]
    assert compare_tree_alone([*tiny, *larger], loss) >= 6


@pytest.mark.slow
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("block", range(4))
def test_branch_and_bound_needs_no_heuristic_on_more(block: int, loss: str) -> None:
    seeds = range(8000 + 50 * block, 8000 + 50 * (block + 1))
    assert compare_tree_alone([tiny_problem(seed) for seed in seeds], loss) >= 10
