"""Time limits are honoured, Ctrl-C keeps the best answer, imports are light."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_classification

from frugalsvm import FrugalSelector, NoSolutionError, RateSVC

HARD = {"n_samples": 600, "n_features": 60, "n_informative": 40, "n_redundant": 0, "class_sep": 0.7}


@pytest.fixture(scope="module")
def hard() -> tuple[np.ndarray, np.ndarray]:
    """Return data on which no solver can prove an optimum in seconds."""
    return make_classification(**HARD, flip_y=0.02, random_state=0)


@pytest.mark.parametrize("solver", ["auto", "highs", "scip"])
def test_selection_honours_its_time_limit(solver: str, hard: Any) -> None:
    # Anything compiled on first use is compiled before the clock runs.
    FrugalSelector(0.7, 0.7, solver=solver, time_limit=5).fit(hard[0][:60, :3], hard[1][:60])
    limit = 3.0
    start = time.perf_counter()
    try:
        selector = FrugalSelector(0.78, 0.78, solver=solver, time_limit=limit).fit(*hard)
    except NoSolutionError:
        assert solver != "auto"
    else:
        assert selector.status_ == "feasible"
        assert 0 <= selector.bound_ < selector.cost_
        assert "time limit" in selector.result_.stop_reason.value
    assert time.perf_counter() - start <= 1.1 * limit + 1


@pytest.mark.parametrize("solver", ["auto", "scip"])
def test_training_honours_its_time_limit(solver: str, hard: Any) -> None:
    X, y = hard
    RateSVC(0.6, 0.6, solver=solver, time_limit=5).fit(X[:60, :3], y[:60])
    limit = 3.0
    start = time.perf_counter()
    try:
        clf = RateSVC(0.66, 0.66, C=1 / 32, solver=solver, time_limit=limit).fit(X[:, :12], y)
    except NoSolutionError:
        assert solver != "auto"
    else:
        assert clf.status_ == "feasible"
        assert clf.bound_ < clf.objective_
    assert time.perf_counter() - start <= 1.1 * limit + 1


CHILD = """
import logging, sys, time
from sklearn.datasets import make_classification
from frugalsvm import FrugalSelector
X, y = make_classification(**{hard!r}, flip_y=0.02, random_state=0)
def tell(progress):
    print("progress", progress.cost, progress.bound, flush=True)
FrugalSelector(0.7, 0.7, solver={solver!r}, time_limit=20).fit(X[:60, :3], y[:60])
print("ready", flush=True)
s = FrugalSelector(0.78, 0.78, solver={solver!r}, time_limit=120, callback=tell).fit(X, y)
print("kept", s.cost_, s.bound_, s.status_, s.result_.stop_reason.value, flush=True)
"""


def child(solver: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", CHILD.format(hard=HARD, solver=solver)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    )


def test_interrupt_keeps_the_best_answer_so_far() -> None:
    process = child("auto")
    assert process.stdout is not None
    for line in process.stdout:
        if re.match(r"progress \d", line):  # an incumbent is there
            break
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert re.search(r"^kept \d+\.\d+ \d+\.\d+ feasible interrupted$", out, re.MULTILINE), out
    assert "Traceback" not in err


def test_interrupt_of_a_solver_leaves_no_traceback_of_the_solver() -> None:
    process = child("highs")
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith("ready"):
            break
    time.sleep(4)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    # HiGHS may have found nothing by then: that is said as an error of ours.
    assert "interrupted" in out or "NoSolutionError" in err
    assert "highspy" not in err
    assert "HighsCallback" not in err


def test_import_is_light() -> None:
    code = (
        "import time, sklearn.svm, sklearn.feature_selection, sklearn.metrics;"
        "t = time.perf_counter(); import frugalsvm; t = time.perf_counter() - t;"
        "import sys; heavy = {'numba', 'highspy', 'pyscipopt', 'gurobipy', 'pandas', 'matplotlib',"
        " 'typer', 'dask'} & set(sys.modules); print(t, *heavy)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    seconds, *heavy = run.stdout.split()
    assert float(seconds) < 1.0
    assert not set(heavy) - {"pandas"}  # scikit-learn itself may import pandas
