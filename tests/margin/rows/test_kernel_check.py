"""Which matrices are those of a kernel."""

from __future__ import annotations

import numpy as np
import pytest

from frugalsvm.data.problem import CountLimit, MarginProblem
from frugalsvm.data.result import Status
from frugalsvm.margin import train, train_path
from frugalsvm.margin.rows.kernel_check import check_kernel
from frugalsvm.runtime.stopping import Stopper


@pytest.mark.parametrize("n", [3, 300])
def test_semidefinite_matrices_pass_and_others_do_not(n: int) -> None:
    X = np.random.default_rng(0).normal(size=(n, 2))
    gram = X @ X.T
    assert check_kernel(gram, Stopper())
    with pytest.raises(ValueError, match="not positive semidefinite"):
        check_kernel(gram - 1e-3 * np.eye(n), Stopper())
    gram[0, 1] += 1.0
    with pytest.raises(ValueError, match="not symmetric"):
        check_kernel(gram, Stopper())
    assert not check_kernel(gram, Stopper(0.0))  # no time: nothing is said


def test_a_matrix_that_was_not_checked_to_the_end_proves_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    X = np.random.default_rng(0).normal(size=(40, 2))
    y = X[:, 0] > 0
    limits = (CountLimit("TPR", y, 1), CountLimit("TNR", ~y, 1))
    problem = MarginProblem(None, X @ X.T, y, limits, 1.0)
    known = train(problem, stop=Stopper(60.0))
    assert known.status is Status.OPTIMAL
    assert known.bound > 0
    for part in ("trainer", "path"):
        monkeypatch.setattr(f"frugalsvm.margin.{part}.check_kernel", lambda *_, **__: False)
    for found in (
        train(problem, stop=Stopper(60.0)),
        *train_path(problem, [1.0], stop=Stopper(60.0)),
    ):
        assert found.status is Status.FEASIBLE
        assert found.objective == pytest.approx(known.objective)
        assert found.bound == 0
        assert all(step.bound == 0 for step in found.history)
