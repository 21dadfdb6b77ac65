"""How the kernels' verdicts are put together."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from frugalsvm.costs import CostModel
from frugalsvm.problem import SelectionProblem
from frugalsvm.rates import ErrorBudget
from frugalsvm.search import oracles
from frugalsvm.search.directions import FEASIBLE, UNDECIDED
from frugalsvm.search.door import Door
from frugalsvm.search.hyperplane import gap
from frugalsvm.search.oracles import Effort, prepare_oracles
from frugalsvm.search.reduction import reduce_problem
from frugalsvm.stopping import Stopper


def four_clouds(max_weight: float) -> SelectionProblem:
    """Return a hundred samples around each of four points, and budgets too large for conflicts."""
    corners = np.array([[1.0, 1.0], [2.0, -1.0], [-1.0, 1.0], [-2.0, -1.0]])
    X = np.repeat(corners, 100, axis=0)
    X[:, 0] += np.linspace(-1e-3, 1e-3, len(X))
    nothing = np.zeros(2, dtype=bool)
    costs = CostModel.per_feature(np.ones(2))
    return SelectionProblem(
        X, X[:, 0] > 0, ErrorBudget(45, 45), costs, nothing, nothing, max_weight=max_weight
    )


@pytest.mark.parametrize(("max_weight", "verdict"), [(1.5, FEASIBLE), (0.9, UNDECIDED)])
def test_a_narrow_direction_of_the_cells_is_widened_where_that_is_enough(
    max_weight: float, verdict: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    core = reduce_problem(four_clouds(max_weight))
    narrow = np.array([1.0, -0.999])
    assert gap(core, narrow) < core.floor

    def leaves_it_narrow(*args: Any) -> None:
        args[-1][:] = narrow[: args[-1].shape[1]]

    monkeypatch.setattr(oracles, "by_cells", leaves_it_narrow)
    judge = prepare_oracles(core, Stopper(60.0), np.zeros(1, np.int64), Door(core)).judge
    verdicts, directions, _ = judge(np.array([[0, 1]]), np.array([2]), Effort(10, 0, 0))
    assert verdicts[0] == verdict
    assert (gap(core, directions[0]) >= core.floor) == (verdict == FEASIBLE)
