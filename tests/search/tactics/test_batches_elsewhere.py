"""One search in several processes: the same answer, whoever judges, and whoever is lost."""

from __future__ import annotations

import math
import os
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest
from joblib import parallel_config
from joblib.externals.loky import reusable_executor

from frugalsvm import FrugalSelector
from frugalsvm.data.costs import CostModel
from frugalsvm.data.problem import SelectionProblem
from frugalsvm.data.rates import ErrorBudget
from frugalsvm.data.result import SelectionResult, StopReason
from frugalsvm.runtime.elsewhere import Workers
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.search import SearchOptions, search
from frugalsvm.search.oracles.batch import Oracles
from frugalsvm.search.oracles.distant_judge import DistantJudge
from frugalsvm.search.problem.reduction import reduce_problem
from frugalsvm.search.state import SearchState
from frugalsvm.search.tactics import batches_elsewhere
from frugalsvm.search.tactics.batches import in_order
from frugalsvm.search.tuning import EFFORTS

Fleet = Callable[[], Workers]


def problem(n_features: int = 16, n: int = 240, budget: int = 24) -> SelectionProblem:
    """Five of the features count, with some noise: large budgets, and nothing but enumeration."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, n_features))
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    score = X[:, :5].sum(axis=1) + 1.5 * rng.standard_normal(n)
    nothing = np.zeros(n_features, dtype=bool)
    costs = CostModel.per_feature(np.ones(n_features))
    return SelectionProblem(
        X, score > np.median(score), ErrorBudget(budget, budget), costs, nothing, nothing
    )


def answer(result: SelectionResult) -> tuple:
    return result.status, result.support, result.cost, result.bound, result.weights.tolist()


@pytest.fixture
def loky() -> Fleet:
    def workers() -> Workers:
        with parallel_config(backend="loky", n_jobs=2):
            found = Workers.asked_for(None)
        assert found is not None
        return found

    return workers


class Unreliable:
    """Hands that leave every second piece undone."""

    count = 2

    def in_order(self, work: Callable, pieces: Iterable) -> Iterator:
        for number, piece in enumerate(pieces):
            yield None if number % 2 else work(piece, np.zeros(1, np.int64))

    def dismiss(self) -> None:
        """Do nothing."""


def test_what_nobody_has_judged_comes_back_undecided() -> None:
    state = SearchState(reduce_problem(problem(n=60, budget=8)), Stopper(60.0))
    drawn = [np.array([[k, k + 1, k + 2]]) for k in range(8)]
    waiting = iter(drawn)

    def source() -> tuple | None:
        rows = next(waiting, None)
        return None if rows is None else (rows, np.array([3]))

    judged = batches_elsewhere.in_order_elsewhere(state, Unreliable(), source, EFFORTS[0])
    found = list(judged)
    assert sorted(batch.rows.tolist() for batch in found) == [rows.tolist() for rows in drawn]
    assert {0, -1} <= {int(batch.verdicts[0]) for batch in found}


def judged_elsewhere(result: SelectionResult) -> None:
    """Check that the tallies of what was ruled out elsewhere came back."""
    tally = result.details["oracles"]["directions"]
    assert tally["ruled_out"] > 0
    assert tally["ruled_out"] <= tally["asked"]


def nothing_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let batches fail in this process; other processes import the library anew."""

    def refuse(*args: object) -> None:
        raise AssertionError("a batch in the process that asked")

    monkeypatch.setattr("frugalsvm.search.tactics.batches.judge_batch", refuse)
    monkeypatch.setattr(DistantJudge, "__call__", refuse)


def test_processes_give_the_same_answer(monkeypatch: pytest.MonkeyPatch, loky: Fleet) -> None:
    expected = search(problem(), stop=Stopper(60.0))
    nothing_here(monkeypatch)
    options = SearchOptions(witnesses=(expected.support,))
    found = search(problem(), stop=Stopper(120.0), workers=loky(), options=options)
    assert answer(found) == answer(expected)
    assert found.status.value == "optimal"
    judged_elsewhere(found)


def test_what_is_ruled_out_elsewhere_passes_the_door(
    monkeypatch: pytest.MonkeyPatch, loky: Fleet
) -> None:
    """A witness that is no answer at all: the door here has to find the oracle elsewhere guilty."""
    options = SearchOptions(witnesses=((0, 1, 2),), improvement=False)
    with pytest.raises(Exception, match="oracle 'directions' has ruled out"):
        search(problem(), stop=Stopper(120.0), workers=loky(), options=options)


def killed_at_work(monkeypatch: pytest.MonkeyPatch, victim: Callable[[], int]) -> list[int]:
    """Kill a process once, while its first batches are under way; return whom it was."""
    killed: list[int] = []
    learn = batches_elsewhere._Errands.learn

    def kill_then(self, seconds: float) -> None:
        if not killed:
            killed.append(victim())
            os.kill(killed[0], signal.SIGKILL)
        learn(self, seconds)

    monkeypatch.setattr(batches_elsewhere._Errands, "learn", kill_then)
    return killed


def test_a_killed_process_costs_its_batch_only(
    monkeypatch: pytest.MonkeyPatch, loky: Fleet
) -> None:
    expected = search(problem(), stop=Stopper(60.0))
    killed = killed_at_work(monkeypatch, lambda: next(iter(reusable_executor._executor._processes)))
    found = search(problem(), stop=Stopper(120.0), workers=loky())
    assert killed
    assert answer(found) == answer(expected)


def test_the_size_of_errands_does_not_matter(monkeypatch: pytest.MonkeyPatch, loky: Fleet) -> None:
    core = reduce_problem(problem(6, 80, 22))
    state = SearchState(core, Stopper(60.0), workers=loky())
    rows = np.array([[a, b] for a in range(6) for b in range(a + 1, 6)])
    here = state.oracles.judge(rows, np.full(15, 2), EFFORTS[0])
    queue = [(rows[k : k + 2], np.full(len(rows[k : k + 2]), 2)) for k in range(0, 15, 2)]

    def draw() -> tuple | None:
        return queue.pop(0) if queue else None

    batches = list(in_order(state, None, draw, EFFORTS[0]))  # type: ignore[arg-type]
    assert [batch.rows.tolist() for batch in batches] == [
        rows[k : k + 2].tolist() for k in range(0, 15, 2)
    ]
    verdicts = np.concatenate([batch.verdicts for batch in batches])
    assert verdicts.tolist() == here.verdicts.tolist()
    assert state.door.tallies["directions"].asked >= 15
    assert isinstance(state.oracles, Oracles)
    state.dismiss_hands()


def test_the_time_limit_holds_elsewhere(loky: Fleet) -> None:
    hard = problem(60, 600, 45)
    started = time.perf_counter()
    found = search(hard, stop=Stopper(4.0), workers=loky())
    assert time.perf_counter() - started <= 1.1 * 4.0 + 1.0
    assert found.stop_reason is StopReason.TIME_LIMIT
    assert found.bound < found.cost


def test_ctrl_c_is_heard_while_others_judge(loky: Fleet) -> None:
    stop = Stopper(600.0)  # a machine may sleep before the key is pressed
    pressed: list[float] = []

    def press() -> None:
        pressed.append(time.perf_counter())
        stop.interrupt()

    threading.Timer(4.0, press).start()
    found = search(problem(60, 600, 45), stop=stop, workers=loky())
    assert time.perf_counter() - pressed[0] < 1.0
    assert found.stop_reason is StopReason.INTERRUPTED
    assert not math.isinf(found.cost)


def test_estimators_use_the_workers_that_joblib_names(monkeypatch: pytest.MonkeyPatch) -> None:
    given = problem()
    expected = FrugalSelector(0.8, 0.8).fit(given.X, given.positive)
    nothing_here(monkeypatch)
    with parallel_config(backend="loky", n_jobs=2):
        found = FrugalSelector(0.8, 0.8).fit(given.X, given.positive)
    assert found.result_.support == expected.result_.support
    assert found.bound_ == expected.bound_
    judged_elsewhere(found.result_)


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # a killed worker makes Dask warn, rightly
@pytest.mark.parametrize("n_workers", [1, 2])
def test_dask_gives_the_same_answer(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, n_workers: int
) -> None:
    """With one worker, and with one of two that is killed in the middle."""
    distributed = pytest.importorskip("distributed")
    given = problem(16, 240, 22)
    expected = search(given, stop=Stopper(120.0), threads=2)
    nothing_here(monkeypatch)
    with ExitStack() as stack:
        cluster = distributed.LocalCluster(
            n_workers=n_workers, threads_per_worker=1, processes=True, dashboard_address=None,
            local_directory=str(tmp_path),
        )  # fmt: skip
        stack.enter_context(cluster)
        stack.enter_context(distributed.Client(cluster))
        stack.enter_context(parallel_config(backend="dask"))
        if n_workers > 1:
            pid = next(iter(cluster.workers.values())).pid
            killed = killed_at_work(monkeypatch, lambda: pid)
        found = search(given, stop=Stopper(300.0), workers=Workers.asked_for(-1))
    assert n_workers == 1 or killed
    assert answer(found) == answer(expected)
    judged_elsewhere(found)
