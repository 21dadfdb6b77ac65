"""A part of the samples is a problem like the whole."""

from __future__ import annotations

import math

import numpy as np
import pytest

from frugalsvm.runtime.stopping import Stopper
from frugalsvm.search.heuristics.sampled_core import sampled
from frugalsvm.search.problem.reduction import reduce_problem
from frugalsvm.search.state import SearchState
from reference_selection import large_budgets


def whole_of(seed: int) -> SearchState:
    return SearchState(reduce_problem(large_budgets(seed)), Stopper(60.0), seed=seed)


@pytest.mark.parametrize("seed", range(6))
def test_samples_and_rates_are_those_of_the_whole(seed: int) -> None:
    state = whole_of(seed)
    core, part = state.core, sampled(state, 100).core
    assert part.n_samples == 100
    known = {point.tobytes(): i for i, point in enumerate(np.ascontiguousarray(core.columns.T))}
    places = [known[point.tobytes()] for point in np.ascontiguousarray(part.columns.T)]
    assert places == sorted(set(places))
    assert part.n_pos == sum(i < core.n_pos for i in places)
    np.testing.assert_array_equal(part.weight, core.weight[places])
    rate = core.need_pos / (core.need_pos + core.budget_pos)
    assert part.need_pos == math.ceil(rate * part.weight[: part.n_pos].sum())
    again = sampled(state, 100).core
    np.testing.assert_array_equal(part.columns, again.columns)


@pytest.mark.parametrize("errors", [0.0, 1.0, 3.0, 100.0])
def test_rates_are_raised_by_standard_errors_and_never_above_all(errors: float) -> None:
    state = whole_of(0)
    core, part = state.core, sampled(state, 150, errors).core
    for need, budget, members, asked in (
        (core.need_pos, core.budget_pos, part.weight[: part.n_pos], part.need_pos),
        (core.need_neg, core.budget_neg, part.weight[part.n_pos :], part.need_neg),
    ):
        rate, size = need / (need + budget), int(members.sum())
        raised = rate + errors * math.sqrt(rate * (1 - rate) / size)
        assert asked == min(size, math.ceil(raised * size))


def test_it_hears_what_the_whole_hears() -> None:
    state = whole_of(0)
    part = sampled(state, 50)
    state.halt_kernels()
    assert part.halt[0] == 1
    assert part.stop is state.stop
