"""The trainer against brute force over all sets of wrong samples."""

import math
from dataclasses import replace

import numpy as np
import pytest

from frugalsvm.data.problem import CountLimit, MarginProblem
from frugalsvm.data.result import Status
from frugalsvm.margin import Effort, MarginOptions, attainable, train, train_path
from frugalsvm.runtime.stopping import Stopper
from margin_instances import check_answer, tiny_problem
from reference_margin import UndecidedError, brute_force

TOLERANCE = 1e-6

ALONE = {
    "as delivered": MarginOptions(),
    "no merging": MarginOptions(merge=False),
    "no heuristic": MarginOptions(heuristic=False),
    "no polish": MarginOptions(polish=False),
    "no kicks": MarginOptions(kicks=0),
    "no pool": MarginOptions(pool=False),
    "no packing": MarginOptions(packing=False),
    "no shrinking": MarginOptions(shrink=False),
    "no ladder": MarginOptions(ladder=False),
    "tree alone": MarginOptions(
        merge=False, heuristic=False, pool=False, packing=False, shrink=False, ladder=False
    ),
}


def agree(problem: MarginProblem, options: MarginOptions = ALONE["as delivered"]) -> None:
    result = train(problem, stop=Stopper(), tolerance=TOLERANCE, options=options)
    optimum = brute_force(problem)
    if math.isinf(optimum):
        assert result.status is Status.INFEASIBLE
        assert not result.has_answer
        return
    assert result.status is Status.OPTIMAL
    check_answer(problem, result)
    slack = 1e-5 * max(1.0, optimum)
    assert abs(result.objective - optimum) <= slack
    assert result.bound <= optimum + slack


@pytest.mark.parametrize("block", range(10))
def test_agrees_with_brute_force(block: int) -> None:
    for seed in range(30 * block, 30 * (block + 1)):
        agree(tiny_problem(seed))


@pytest.mark.slow
@pytest.mark.parametrize("block", range(20))
def test_agrees_with_brute_force_on_many_more(block: int) -> None:
    undecided = 0
    for seed in range(10_000 + 100 * block, 10_000 + 100 * (block + 1)):
        try:
            agree(tiny_problem(seed))
        except UndecidedError:
            undecided += 1
    assert undecided <= 2


@pytest.mark.parametrize("name", ALONE)
def test_no_accelerator_changes_the_optimum(name: str) -> None:
    for seed in range(1000, 1012):
        agree(tiny_problem(seed), ALONE[name])


def test_the_random_instances_hold_all_kinds() -> None:
    problems = [tiny_problem(seed) for seed in range(300)]
    assert sum(p.gram is not None for p in problems) > 50
    assert sum(p.max_slack is not None for p in problems) > 30
    assert sum(len(p.limits) > 2 for p in problems) > 100
    assert sum(p.features is not None and p.features.shape[1] == 0 for p in problems) > 20
    infeasible = [p for p in problems[:100] if math.isinf(brute_force(p))]
    assert 10 < len(infeasible) < 90


def test_hundred_copies_weigh_like_a_hundred_samples() -> None:
    small = tiny_problem(4)
    assert small.features is not None
    assert math.isfinite(brute_force(small))
    copies = 100
    many = MarginProblem(
        np.repeat(small.features, copies, axis=0),
        None,
        np.repeat(small.positive, copies),
        tuple(
            CountLimit(limit.name, np.repeat(limit.members, copies), limit.max_errors * copies)
            for limit in small.limits
        ),
        small.C / copies,
        small.max_slack,
    )
    result = train(many, stop=Stopper(), tolerance=TOLERANCE)
    check_answer(many, result)
    assert result.objective == pytest.approx(brute_force(small), rel=1e-5)


def test_ill_conditioned_kernel_is_settled() -> None:
    """All rows hard on nine points a wide kernel hardly tells apart: the norm is 1e7."""
    X = np.array([[0.0], [2.4], [1.1], [-2.1], [1.9], [-1.1], [-1.7], [1.3], [1.6]])
    positive = np.array([True, True, True, True, False, False, True, False, False])
    gram = np.exp(-0.05 * (X - X.T) ** 2)
    nobody = tuple(
        CountLimit(name, members, 0) for name, members in (("p", positive), ("n", ~positive))
    )
    problem = MarginProblem(None, gram, positive, nobody, 10.0)
    result = train(problem, stop=Stopper(20.0))
    if result.has_answer:
        check_answer(problem, result)
    assert result.status in (Status.OPTIMAL, Status.INFEASIBLE)


@pytest.mark.parametrize("seed", range(20))
def test_every_value_of_a_path_is_right(seed: int) -> None:
    problem = tiny_problem(2000 + seed)
    Cs = [4.0, 0.03, 0.5]
    results = train_path(problem, Cs, stop=Stopper(), tolerance=TOLERANCE, effort=Effort.EXACT)
    for C, result in zip(Cs, results, strict=True):
        optimum = brute_force(replace(problem, C=C))
        assert result.objective == pytest.approx(optimum, rel=1e-5, abs=1e-5)


def test_what_is_attainable_can_be_trained() -> None:
    found = 0
    for seed in range(3000, 3100):
        problem = tiny_problem(seed)
        if len(problem.limits) > 2 or problem.max_slack is not None:
            continue
        if not math.isinf(brute_force(problem)):
            continue
        found += 1
        best = attainable(problem, stop=Stopper())
        for which, errors in enumerate((best.pos_errors, best.neg_errors)):
            assert train(with_errors(problem, which, errors), stop=Stopper()).has_answer
            fewer = with_errors(problem, which, errors - 1)
            assert errors == 0 or math.isinf(brute_force(fewer))
    assert found >= 10


def with_errors(problem: MarginProblem, which: int, errors: int) -> MarginProblem:
    limits = list(problem.limits)
    limits[which] = replace(limits[which], max_errors=errors)
    return replace(problem, limits=tuple(limits))
