"""What the first use of a new installation compiles."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import json, sys
from collections import Counter
from numba.core import event
from sklearn.datasets import load_breast_cancer
from frugalsvm import FrugalSelector
from frugalsvm.engine.training_kernels import compile_solver_and_heuristic

with event.install_recorder("numba:compile") as recorder:
    if len(sys.argv) == 1:
        compile_solver_and_heuristic()
    else:
        FrugalSelector(*map(float, sys.argv[1:])).fit(*load_breast_cancer(return_X_y=True))
made = [e.data["dispatcher"] for _, e in recorder.buffer if e.is_start]
functions = [getattr(dispatcher, "py_func", dispatcher) for dispatcher in made]
ours = [f.__module__ + "." + f.__name__ for f in functions if f.__module__.startswith("frugalsvm")]
print(json.dumps(Counter(ours)))
"""


def compiled(cache: Path, *targets: float) -> dict[str, int]:
    """Return how many times each function is compiled in a process with an empty cache.

    By a selection with these targets, or, without targets, what a training begins with.
    """
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT, *map(str, targets)],
        env={**os.environ, "NUMBA_CACHE_DIR": str(cache)},
        check=True,
        capture_output=True,
        text=True,
    )
    times: dict[str, int] = json.loads(run.stdout)
    return times


@pytest.mark.slow
def test_every_function_is_compiled_once_for_each_type_of_array(tmp_path: Path) -> None:
    times = compiled(tmp_path, 0.99, 0.96)
    assert "frugalsvm.search.oracles.batch_kernels.by_conflicts" in times
    assert "frugalsvm.search.oracles.coincidence.assign_cells" not in times
    twice = {name for name, count in times.items() if count > 1}
    assert twice <= {"frugalsvm.search.problem.copying.copy_into"}  # of integers and of numbers


@pytest.mark.slow
def test_what_fits_alone_answer_compiles_fits_alone(tmp_path: Path) -> None:
    times = compiled(tmp_path, 0.967, 0.918)
    assert "frugalsvm.search.problem.fit.trimmed_fit" in times
    assert not [name for name in times if ".oracles." in name]


@pytest.mark.slow
def test_what_a_training_begins_with_is_compiled_once(tmp_path: Path) -> None:
    times = compiled(tmp_path)
    assert "frugalsvm.margin.heuristic.local_search.local_search" in times
    assert set(times.values()) == {1}
