"""What is compiled ahead in a process of its own: it is waited for, ended, and never in the way."""

from __future__ import annotations

import json
import multiprocessing
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from numba import typeof
from sklearn.datasets import load_breast_cancer

from frugalsvm import FrugalSVC, RateSVC
from frugalsvm.engine import training_kernels
from frugalsvm.margin.heuristic.local_search import local_search
from frugalsvm.margin.proof.explore import explore
from frugalsvm.margin.solver.compiled import solver
from frugalsvm.runtime import ahead
from frugalsvm.runtime.stopping import Stopper


def nothing(_begins: bool) -> None:
    """Take no note."""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a file for a module that another process can run, in a process without one yet."""
    monkeypatch.setattr(ahead, "_begun", threading.Lock())
    monkeypatch.setattr(ahead, "_can_help", lambda: True)
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path / "compiles_something.py"


def test_the_other_process_is_waited_for(module: Path) -> None:
    done = module.with_suffix(".txt")
    module.write_text(f"import time; time.sleep(0.3); open({str(done)!r}, 'w').close()")
    told: list[bool] = []
    with ahead.compiled_ahead(module.stem, lambda: True):
        assert ahead.is_running()
        ahead.wait_for_other(Stopper(), told.append)
        assert done.exists()
        assert not ahead.is_running()
    assert told == [True, False]


def test_it_ends_with_the_work_before_and_on_an_interrupt(module: Path) -> None:
    module.write_text("import time; time.sleep(60)")
    stop = Stopper()
    stop.interrupt()
    began = time.perf_counter()
    with ahead.compiled_ahead(module.stem, lambda: True):
        ahead.wait_for_other(stop, nothing)
        process = ahead._running
        assert process is not None
        assert process.poll() is None
    assert process.poll() is not None
    assert not ahead.is_running()
    assert time.perf_counter() - began < 30


def test_waiting_takes_no_time(module: Path) -> None:
    module.write_text("import time; time.sleep(0.5)")
    stop = Stopper(60)
    with ahead.compiled_ahead(module.stem, lambda: True):
        ahead.wait_for_other(stop, nothing)
    assert stop.elapsed < 0.4


def test_there_is_one_at_most(module: Path) -> None:
    module.write_text("import time; time.sleep(60)")
    with ahead.compiled_ahead(module.stem, lambda: False):
        assert not ahead.is_running()  # nothing is missing
    with ahead.compiled_ahead(module.stem, lambda: True):
        pass
    with ahead.compiled_ahead(module.stem, lambda: True):
        assert not ahead.is_running()


def test_workers_start_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(multiprocessing.current_process(), "_name", "LokyProcess-1")
    assert not ahead._can_help()


def test_a_program_that_is_no_interpreter_starts_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/usr/bin/uwsgi")
    assert not ahead._can_help()


def test_a_process_that_cannot_be_started_is_done_without(
    module: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", str(module))
    with ahead.compiled_ahead(module.stem, lambda: True):
        assert not ahead.is_running()


def test_training_uses_what_was_compiled_ahead() -> None:
    training_kernels.compile_solver_and_heuristic()
    training_kernels.compile_proof()
    assert typeof(solver()) == training_kernels._pointer()
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2 == 0
    X = rng.standard_normal((60, 2)) + 0.9 * np.where(y, 1, -1)[:, np.newaxis]
    for kernel in ("linear", "rbf"):
        RateSVC(0.85, 0.85, kernel=kernel).fit(X, y)
    assert len(local_search.signatures) == 1
    assert len(explore.signatures) == 1
    assert not training_kernels.all_missing()


SCRIPT = """
import json
from numba.core import event
from sklearn.datasets import load_breast_cancer
from frugalsvm import FrugalSVC

with event.install_recorder("numba:compile") as recorder:
    svc = FrugalSVC(0.967, 0.918, time_limit=600).fit(*load_breast_cancer(return_X_y=True))
found = [e.data["dispatcher"] for _, e in recorder.buffer if e.is_start]
names = [getattr(kernel, "py_func", kernel).__name__ for kernel in found]
print(json.dumps([names, svc.get_support(indices=True).tolist(), svc.svc_.objective_]))
"""


@pytest.mark.slow
@pytest.mark.skipif(not ahead._can_help(), reason="there is one core only")
def test_a_first_fit_compiles_on_two_cores(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},
        check=True,
        capture_output=True,
        text=True,
    )
    names, support, objective = json.loads(run.stdout)
    assert "trimmed_fit" in names
    assert "local_search" not in names  # by the other process
    assert "settle" not in names
    later = FrugalSVC(0.967, 0.918, time_limit=600).fit(*load_breast_cancer(return_X_y=True))
    assert (support, objective) == (later.get_support(indices=True).tolist(), later.svc_.objective_)
