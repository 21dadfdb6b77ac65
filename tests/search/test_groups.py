"""Neighbours of a walk judged together, against judging them one by one."""

from __future__ import annotations

import numpy as np
import pytest

from frugalsvm.search.directions import FEASIBLE, INFEASIBLE
from frugalsvm.search.groups import GROUP, judge_in_groups
from frugalsvm.search.maximal import MaximalSupports, catalogue
from frugalsvm.search.oracles import Effort
from frugalsvm.search.reduction import reduce_problem
from frugalsvm.search.state import SearchState
from frugalsvm.stopping import Stopper
from reference_selection import large_budgets

QUICK = Effort(60, 0, 0, offsets=False)
THOROUGH = Effort(3_000, 0, 3_000)


@pytest.mark.parametrize("seed", range(4))
def test_together_no_support_is_ruled_out_that_is_feasible(seed: int) -> None:
    core = reduce_problem(large_budgets(seed))
    oracles = SearchState(core, Stopper(60.0)).oracles
    features = catalogue(core)
    ruled_out, feasible, judged_alone = 0, 0, 0
    for share in (0.4, 0.6, 0.8):
        walk = MaximalSupports(features, share * float(features.full.sum()))
        positions, sizes = walk.next_batch(1_000)
        rows = features.features[positions]
        together, directions, _ = judge_in_groups(oracles, rows, sizes, QUICK)
        alone, _, _ = oracles.judge(rows, sizes, THOROUGH)
        assert directions.shape == rows.shape
        assert not np.any((together == INFEASIBLE) & (alone == FEASIBLE))
        assert not np.any((together == FEASIBLE) & (alone == INFEASIBLE))
        ruled_out += np.count_nonzero(together == INFEASIBLE)
        feasible += np.count_nonzero(alone == FEASIBLE)
        judged_alone += np.count_nonzero(oracles.judge(rows, sizes, QUICK)[0] == INFEASIBLE)
    assert ruled_out >= judged_alone > 0
    assert feasible > 0


def test_a_union_that_fails_is_one_look_at_all_of_its_supports() -> None:
    core = reduce_problem(large_budgets(0))
    oracles = SearchState(core, Stopper(60.0)).oracles
    looks: list[int] = []

    class Counting:
        def judge(self, rows: np.ndarray, sizes: np.ndarray, effort: Effort) -> object:
            looks.append(len(rows))
            return oracles.judge(rows, sizes, effort)

    rows = np.arange(3, 8, dtype=np.int64).repeat(4).reshape(-1, 1)[: 2 * GROUP]
    verdicts, _, work = judge_in_groups(Counting(), rows, np.ones(2 * GROUP, np.int64), QUICK)  # type: ignore[arg-type]
    assert np.all(verdicts == INFEASIBLE)
    assert looks == [1, 1]
    assert work[0] == 2 * GROUP
