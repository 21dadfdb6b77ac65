"""Ctrl-C ends the frontier and keeps what is known."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import sys
from sklearn.datasets import load_breast_cancer
from frugalsvm import frontier

X, y = load_breast_cancer(return_X_y=True)
rates = [0.9, 0.95, 0.98, 0.995, 1.0]


def tell(progress):
    sys.stdout.write("progress\\n")
    sys.stdout.flush()


found = frontier(X, y, min_tprs=rates, min_tnrs=rates, n_jobs=2, time_limit=120, callback=tell)
sys.stdout.write(f"complete {found.complete}, answers {sum(p.has_answer for p in found.points)}\\n")
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals are sent as on POSIX systems")
def test_ctrl_c_returns_what_is_known(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    with subprocess.Popen(
        [sys.executable, str(program)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        assert first == "progress\n", process.stderr.read()
        process.send_signal(signal.SIGINT)
        rest, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    last = rest.splitlines()[-1]
    assert last.startswith("complete False, answers ")
    assert int(last.split()[-1]) > 0
