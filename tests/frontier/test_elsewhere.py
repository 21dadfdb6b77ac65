"""Searches of a frontier in other processes: the same answer, whoever searches."""

from __future__ import annotations

import math
import os
import signal
import threading
import time

import numpy as np
import pytest
from joblib import parallel_config

from frugalsvm import frontier
from frugalsvm.data.exceptions import VerificationError
from frugalsvm.data.result import SelectionResult, Status, StopReason
from frugalsvm.engine.dispatch import Engine
from frugalsvm.runtime.elsewhere import MOST_FAILURES, Workers
from frugalsvm.tradeoff.settle import Settlement

RATES = (0.75, 0.85, 0.95)
DONE = StopReason.COMPLETED


def data(n=90, n_features=7):
    rng = np.random.default_rng(3)
    X = rng.standard_normal((n, n_features)).round(1)
    score = X[:, :4] @ [1.0, 0.8, -0.6, 0.5] + rng.normal(0, 0.6, n)
    return X, score > np.median(score)


def answers(found):
    return [(p.status, p.cost, p.bound) for p in found.points]


def elsewhere_only(monkeypatch):
    """Let a search in this process fail; other processes import the library anew."""

    def refuse(*args, **options):
        raise AssertionError("a search in the process that asked")

    monkeypatch.setattr(Engine, "select", refuse)


def test_threads_unless_joblib_is_told_otherwise() -> None:
    assert Workers.asked_for(2) is None
    with parallel_config(backend="threading"):
        assert Workers.asked_for(2) is None
    with parallel_config(backend="loky", n_jobs=2):
        workers = Workers.asked_for(None)
    assert workers is not None
    assert workers.count == 2


def test_processes_give_the_same_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = data()
    expected = frontier(X, y, min_tprs=RATES, min_tnrs=RATES, cv=None)
    elsewhere_only(monkeypatch)
    monkeypatch.setattr("frugalsvm.tradeoff.work.Work._train", lambda self, points, *others: points)
    with parallel_config(backend="loky", n_jobs=2):
        found = frontier(X, y, min_tprs=RATES, min_tnrs=RATES, cv=None)
    assert answers(found) == answers(expected)
    assert any(p.searched for p in found.points)


def test_ctrl_c_is_answered_while_others_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search elsewhere does not hear it; nobody waits for it."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 40))
    y = X[:, :15].sum(axis=1) + 4.0 * rng.standard_normal(400) > 0
    pressed: list[float] = []

    def press() -> None:
        pressed.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    work = Settlement._work_elsewhere

    timer = threading.Timer(2.0, press)

    def begin(self, *arguments):
        if not timer.is_alive() and not pressed:
            timer.start()
        work(self, *arguments)

    monkeypatch.setattr(Settlement, "_work_elsewhere", begin)
    with parallel_config(backend="loky", n_jobs=2):
        found = frontier(X, y, min_tprs=(0.75,), min_tnrs=(0.75,), cv=None, time_limit=20.0)
    assert time.perf_counter() - pressed[0] < 2.0
    assert found.interrupted


def test_errors_elsewhere_are_errors_here(monkeypatch: pytest.MonkeyPatch) -> None:
    rounds = []

    def fail(*arguments):
        rounds.append(1)
        raise RuntimeError("no worker answers")

    monkeypatch.setattr("frugalsvm.tradeoff.settle.search_elsewhere", fail)
    X, y = data()
    with (
        parallel_config(backend="loky", n_jobs=2),
        pytest.raises(RuntimeError, match="no worker answers"),
    ):
        frontier(X, y, min_tprs=(0.9,), min_tnrs=(0.9,), cv=None)
    assert len(rounds) == MOST_FAILURES + 1


def test_a_contradiction_is_no_lost_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """It was taken for one; that the answers were wrong was seen when they were recomputed."""

    def contradict(workers, search, tasks, record, stop):
        nothing = SelectionResult(
            Status.INFEASIBLE, (), np.zeros(7), 0.0, math.inf, math.inf, 0.1, "", "", DONE
        )
        for task in tasks:
            record(task, nothing)

    monkeypatch.setattr("frugalsvm.tradeoff.settle.search_elsewhere", contradict)
    X, y = data()
    X[:, 0] = np.where(y, 3.0, -3.0) + np.where(np.arange(len(y)) < 2, -2.0 * np.where(y, 3, -3), 0)
    prices = [5.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]  # one feature will do, but perhaps not cheapest
    with (
        parallel_config(backend="loky", n_jobs=2),
        pytest.raises(VerificationError, match="contradict each other"),
    ):
        frontier(X, y, min_tprs=(0.9,), min_tnrs=(0.9,), cv=None, feature_costs=prices)


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # a killed worker makes Dask warn, rightly
def test_dask_with_a_killed_worker_gives_the_same_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    distributed = pytest.importorskip("distributed")
    X, y = data(n=160, n_features=12)
    expected = frontier(X, y, min_tprs=RATES, min_tnrs=RATES, cv=None)
    elsewhere_only(monkeypatch)
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster),
        parallel_config(backend="dask"),
    ):
        victim = next(iter(cluster.workers.values())).pid
        threading.Timer(1.0, os.kill, (victim, signal.SIGKILL)).start()
        found = frontier(X, y, min_tprs=RATES, min_tnrs=RATES, cv=None)
    assert answers(found) == answers(expected)
