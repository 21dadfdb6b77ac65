"""``n_jobs`` has one meaning: threads here, or the workers that joblib names."""

from __future__ import annotations

import pytest
from joblib import cpu_count, parallel_config

from frugalsvm.engine.dispatch import thread_count
from frugalsvm.runtime.elsewhere import Workers


def test_none_is_one_thread_unless_joblib_says_otherwise() -> None:
    assert thread_count(None) == 1
    assert thread_count(3) == 3
    assert thread_count(-1) == cpu_count()
    with parallel_config(backend="threading", n_jobs=3):
        assert thread_count(None) == 3
        assert thread_count(1) == 1
        assert Workers.asked_for(None) is None


def test_workers_of_another_process_are_no_threads() -> None:
    with parallel_config(backend="loky", n_jobs=3):
        assert thread_count(None) == 1
        workers = Workers.asked_for(None)
        assert workers is not None
        assert workers.count == 3
        assert Workers.asked_for(1) is None


@pytest.mark.slow
def test_a_worker_of_dask_keeps_its_work() -> None:
    """A fit within a task has one thread, and does not send its batches round the cluster."""
    distributed = pytest.importorskip("distributed")
    with (
        distributed.Client(
            n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None
        ) as client,
        parallel_config(backend="dask"),
    ):
        assert Workers.asked_for(None) is not None
        assert thread_count(None) == 1
        assert client.submit(_seen_by_a_worker).result() == (None, 1)


def _seen_by_a_worker() -> tuple[Workers | None, int]:
    with parallel_config(backend="dask"):
        return Workers.asked_for(None), thread_count(None)
