"""Kernels read and write within their arrays: compiled with checks, they raise no error."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

# Unions of similar features and prices make the supports of one batch differ in size.
SEARCH = """
import numpy as np
from sklearn.datasets import load_breast_cancer
from frugalsvm.data.costs import CostModel
from frugalsvm.data.problem import SelectionProblem
from frugalsvm.data.rates import ErrorBudget
from frugalsvm.search import SearchOptions, search
from frugalsvm.runtime.stopping import Stopper

X, y = load_breast_cancer(return_X_y=True)
X = (X - X.mean(axis=0)) / X.std(axis=0)
nothing = np.zeros(30, dtype=bool)
prices = np.random.default_rng(0).integers(1, 21, 30).astype(float)
runs = (np.ones(30), (0, 4), 150), (prices, (0, 4), 8), (prices, (3, 1), 8)
for price, budget, seconds in runs:
    costs = CostModel.per_feature(price)
    problem = SelectionProblem(X, y == 1, ErrorBudget(*budget), costs, nothing, nothing)
    options = SearchOptions(improvement=False)
    result = search(problem, stop=Stopper(seconds), threads=2, options=options)
    print(result.status.value, result.details["oracles"]["conflicts"]["ruled_out"] > 1000)
"""


def test_nothing_is_out_of_bounds(tmp_path: Path) -> None:
    environment = dict(os.environ, NUMBA_BOUNDSCHECK="1", NUMBA_CACHE_DIR=str(tmp_path))
    done = subprocess.run(
        [sys.executable, "-c", SEARCH],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("True") == 3, done.stdout
