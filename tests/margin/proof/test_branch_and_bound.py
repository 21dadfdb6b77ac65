"""Proofs: a cutoff below the optimum is proven, one above it finds it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from frugalsvm.margin.classifiers.candidates import Trainer
from frugalsvm.margin.options import MarginOptions
from frugalsvm.margin.proof.branch_and_bound import Goal, Search, Witness
from frugalsvm.margin.proof.door import Door
from frugalsvm.margin.proof.explore import explore
from frugalsvm.margin.rows.reduction import reduce
from frugalsvm.margin.watch import Watch
from frugalsvm.runtime.stopping import Stopper
from margin_instances import tiny_problem
from reference_margin import brute_force


def search(seed: int, cutoff: float) -> Search:
    problem = tiny_problem(seed)
    trainer = Trainer(reduce(problem, Stopper()), problem.C, Watch())
    return Search(trainer, MarginOptions(), Goal(cutoff, 1e-6, None), Door())


@pytest.mark.parametrize("seed", range(1, 13))
def test_a_proof_agrees_with_brute_force(seed: int) -> None:
    assert callable(explore)
    optimum = brute_force(tiny_problem(seed))
    if math.isinf(optimum) or optimum < 1e-6:
        return
    below = search(seed, 0.999 * optimum)
    assert below.run(Stopper())
    assert below.best is None
    assert below.bound == pytest.approx(0.999 * optimum)
    above = search(seed, 1.1 * optimum + 1.0)
    assert above.run(Stopper())
    assert above.best is not None
    assert above.best.objective == pytest.approx(optimum, rel=1e-5)


def test_no_nodes_no_proof() -> None:
    one = search(1, 1.0)
    assert not one.run(Stopper(), nodes=0)
    assert (one.open, one.nodes, one.conflicts) == (1, 0, 0)
    assert one.bound == 0.0


def test_a_witness_speaks_of_rows() -> None:
    rows = reduce(tiny_problem(1), Stopper())
    counted = np.zeros(len(rows.group_of), dtype=np.bool_)
    counted[rows.group_of == 0] = True
    wrong = Witness.of(rows, counted, 1.0).wrong
    assert not wrong[0]
    assert wrong[1 : rows.n_groups].all()
    assert not wrong[rows.n_groups :].any()
