"""Kernels end when they are told to, and read and write within their arrays."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from frugalsvm.runtime.stopping import Stopper
from frugalsvm.search.oracles.arrays import Arrays
from frugalsvm.search.oracles.batch import undecided
from frugalsvm.search.oracles.batch_kernels import by_cells, by_conflicts, by_directions
from frugalsvm.search.oracles.directions import MAX_DEPTH
from frugalsvm.search.state import SearchState
from frugalsvm.search.tuning import MOST_DIRECTIONS
from frugalsvm.search.verdict import FEASIBLE, INFEASIBLE, UNDECIDED
from reference_oracles import core_of

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


def arrays_of(seed: int) -> Arrays:
    return SearchState(core_of(seed), Stopper(60.0)).oracles.arrays


def rows_of(arrays: Arrays) -> tuple[np.ndarray, np.ndarray]:
    """Return every single feature, and all of them, as rows."""
    d = len(arrays.columns)
    rows = np.zeros((d + 1, d), np.int64)
    rows[:d, 0], rows[d] = np.arange(d), np.arange(d)
    return rows, np.r_[np.ones(d, np.int64), d]


@pytest.mark.parametrize("seed", range(6))
def test_a_halted_kernel_leaves_the_rest_undecided(seed: int) -> None:
    arrays = arrays_of(seed)
    arrays.halt[0] = 1
    coded = True if arrays.codes.shape[1] else None
    judged = undecided(*rows_of(arrays))
    if coded:
        by_cells(arrays, 1_000, *judged[:3])
    assert by_conflicts(arrays, coded, 1_000, *judged) <= len(judged.rows)
    assert by_directions(arrays, coded, 10**6, *judged) <= MAX_DEPTH * len(judged.rows)
    assert np.all(judged.verdicts == UNDECIDED)


@pytest.mark.parametrize("known", [FEASIBLE, INFEASIBLE])
def test_what_is_decided_is_not_judged_again(known: int) -> None:
    for seed in range(6):
        arrays = arrays_of(seed)
        coded = True if arrays.codes.shape[1] else None
        judged = undecided(*rows_of(arrays))
        judged.verdicts[:] = known
        if coded:
            by_cells(arrays, 1_000, *judged[:3])
        assert by_conflicts(arrays, coded, 1_000, *judged) == 0
        assert by_directions(arrays, coded, 1_000, *judged) == 0
        assert np.all(judged.verdicts == known)


def test_directions_are_for_few_features() -> None:
    arrays = arrays_of(0)
    d = MOST_DIRECTIONS + 1
    wide = arrays._replace(columns=np.tile(arrays.columns[:1], (d, 1)), counts=np.zeros(d, int))
    judged = undecided(np.arange(d).reshape(1, -1), np.array([d]))
    assert by_directions(wide, None, 1_000, *judged) == 0
    assert judged.verdicts[0] == UNDECIDED
