"""The solver's joint moves: what they may change, and that an optimum does not depend on them."""

import numpy as np
import pytest
from sklearn.svm import SVC

from frugalsvm.margin.arrays import Floats
from frugalsvm.margin.slots import VALUE
from frugalsvm.margin.solver.active_set import solve
from frugalsvm.margin.solver.codes import OPTIMAL
from frugalsvm.margin.solver.dual import Work, make_work, set_boxes
from frugalsvm.margin.solver.feasible_start import balance
from frugalsvm.margin.solver.free_rows import seed_free
from frugalsvm.margin.solver.moves import flip
from frugalsvm.margin.solver.value import recompute
from frugalsvm.runtime.compiled import kernel


@kernel
def joint_move(work: Work, box: Floats, least: float) -> tuple[bool, float, float]:
    """Make one joint move from a = 0; return if it was made, its value and the true one."""
    set_boxes(work, box, np.zeros(len(box), dtype=np.bool_))
    balance(work)
    seed_free(work)
    made = flip(work, least, np.inf)
    kept = work.numbers[VALUE]
    return made, kept, recompute(work)


@kernel
def solved(work: Work, box: Floats) -> tuple[int, float]:
    """Solve from a = 0; return how it ended and the value."""
    set_boxes(work, box, np.zeros(len(box), dtype=np.bool_))
    balance(work)
    code = solve(work, np.inf, 10_000, -np.inf)
    return code, recompute(work)


def clouds(seed: int, kernel_matrix: bool, m: int = 60) -> tuple[Work, Floats, Floats]:
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(m) % 2 == 0, 1.0, -1.0)
    X = rng.normal(size=(m, 3)) + 0.5 * y[:, None]
    X -= X.mean(axis=0)
    if kernel_matrix:
        K = np.ascontiguousarray(X @ X.T)
        return make_work(np.empty((m, 0)), K, y, np.ones(m)), X, y
    return make_work(X, np.empty((0, 0)), y, np.ones(m)), X, y


@pytest.mark.parametrize("kernel_matrix", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_a_joint_move_is_feasible_and_gains_what_it_says(seed: int, kernel_matrix: bool) -> None:
    work, _, y = clouds(seed, kernel_matrix)
    box = np.full(len(y), 1e-3)
    box[0] = 1.0  # room for the row that follows all others
    made, kept, true = joint_move(work, box, 0.5)
    assert made
    assert (work.a != 0.0).sum() > 10  # many multipliers at once
    assert (work.lo <= work.a).all()
    assert (work.a <= work.hi).all()
    assert work.a.sum() == pytest.approx(0.0, abs=1e-12)
    assert kept == pytest.approx(true, rel=1e-9)
    assert true > 0.0


def test_no_joint_move_where_the_dual_would_fall() -> None:
    work, _, y = clouds(0, kernel_matrix=False)
    box = np.full(len(y), 1e3)
    made, _, _ = joint_move(work, box, 0.5)
    assert not made
    assert (work.a == 0.0).all()


@pytest.mark.parametrize("kernel_matrix", [False, True])
@pytest.mark.parametrize("C", [1e-3, 0.1, 10.0])
def test_the_optimum_is_libsvms(C: float, kernel_matrix: bool) -> None:
    work, X, y = clouds(3, kernel_matrix)
    code, value = solved(work, np.full(len(y), C))
    assert code == OPTIMAL
    svc = SVC(kernel="linear", C=C / 2, tol=1e-9).fit(X, y)
    slack = np.maximum(0.0, 1.0 - y * svc.decision_function(X))
    assert value == pytest.approx(float((svc.coef_**2).sum() + C * slack.sum()), rel=1e-6)


@kernel
def drifted(work: Work, box: Floats, drift: float) -> float:
    """Return the value of an optimum whose multipliers do not sum to zero any more."""
    set_boxes(work, box, np.zeros(len(box), dtype=np.bool_))
    balance(work)
    solve(work, np.inf, 10_000, -np.inf)
    for i in range(len(box)):
        if 0.0 < abs(work.a[i]) < box[i]:
            work.a[i] += drift
            break
    return recompute(work)


@pytest.mark.parametrize("drift", [1e-4, -1e-4])
@pytest.mark.parametrize("seed", range(5))
def test_multipliers_off_balance_still_give_a_bound(seed: int, drift: float) -> None:
    work, _, y = clouds(seed, kernel_matrix=False)
    box = np.full(len(y), 1.0)
    optimum = solved(work, box)[1]
    assert drifted(work, box, drift) <= optimum * (1.0 + 1e-9)
