"""Whether anything keeps the limits."""

from __future__ import annotations

import math

import pytest

from frugalsvm.margin.feasibility import find_any
from frugalsvm.margin.proof.door import Door
from frugalsvm.margin.rows.reduction import reduce
from frugalsvm.runtime.stopping import Stopper
from margin_instances import job, tiny_problem
from reference_margin import brute_force


@pytest.mark.parametrize("seed", range(15))
def test_it_is_answered_as_by_brute_force(seed: int) -> None:
    problem = tiny_problem(seed)
    door = Door()
    finding = find_any(problem, reduce(problem, Stopper()), job(), door)
    assert finding.impossible == math.isinf(brute_force(problem))
    assert (finding.answer is None) == finding.impossible
    assert ("ray" in door.summary()) == finding.impossible


def test_without_time_nothing_is_claimed() -> None:
    problem = tiny_problem(0)
    rows = reduce(problem, Stopper())
    finding = find_any(problem, rows, job(Stopper(0.0)), Door())
    assert (finding.answer, finding.impossible, finding.finished) == (None, False, False)
