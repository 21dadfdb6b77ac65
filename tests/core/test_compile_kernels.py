"""After `compile_kernels` nothing is compiled any more, whatever is fitted to whatever data."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from frugalsvm import compile_kernels
from frugalsvm.data.exceptions import NoSolutionError
from frugalsvm.estimators import compile as compile_module
from frugalsvm.estimators.compile import Example
from frugalsvm.runtime.stopping import COMPILATION

COMPILE = "from frugalsvm import compile_kernels; compile_kernels()"

FITS = Path(__file__).with_name("various_fits.py")


@pytest.mark.slow
def test_nothing_is_compiled_afterwards(tmp_path: Path) -> None:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    subprocess.run([sys.executable, "-c", COMPILE], env=environment, check=True)
    fits = subprocess.run(
        [sys.executable, str(FITS)], env=environment, check=True, capture_output=True, text=True
    )
    compiled = json.loads(fits.stdout)
    assert len(compiled) > 20
    assert {fit: kernels for fit, kernels in compiled.items() if kernels} == {}


def test_no_limit_cuts_compiling_short(monkeypatch: pytest.MonkeyPatch) -> None:
    allowed: list[float] = []

    class Fitted:
        def fit(self, X: object, y: object) -> None:
            allowed.append(COMPILATION.left)
            raise NoSolutionError("none", bound=0.0)

    none = np.zeros((0, 0)), np.zeros(0, dtype=bool)
    monkeypatch.setattr(compile_module, "examples", lambda: [Example("one", Fitted(), *none)])
    before = COMPILATION.left
    told: list[str] = []
    compile_kernels(told.append)
    assert (told, allowed, COMPILATION.left) == (["one"], [math.inf], before)
