"""What the first selection of a new installation compiles."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import json
from collections import Counter
from numba.core import event
from sklearn.datasets import load_breast_cancer
from frugalsvm import FrugalSelector

with event.install_recorder("numba:compile") as recorder:
    FrugalSelector(min_tpr=0.967, min_tnr=0.918).fit(*load_breast_cancer(return_X_y=True))
functions = [e.data["dispatcher"].py_func for _, e in recorder.buffer if e.is_start]
ours = [f.__module__ + "." + f.__name__ for f in functions if f.__module__.startswith("frugalsvm")]
print(json.dumps(Counter(ours)))
"""


@pytest.mark.slow
def test_every_function_is_compiled_once_for_each_type_of_array(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},
        check=True,
        capture_output=True,
        text=True,
    )
    times = json.loads(run.stdout)
    assert "frugalsvm.search.oracles.batch_kernels.by_conflicts" in times
    assert "frugalsvm.search.oracles.coincidence.assign_cells" not in times
    twice = {name for name, count in times.items() if count > 1}
    assert twice <= {"frugalsvm.search.problem.copying.copy_into"}  # of integers and of numbers
