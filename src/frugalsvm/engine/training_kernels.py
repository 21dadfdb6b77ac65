"""The kernels of the training, compiled in two processes at once.

    python -m frugalsvm.engine.training_kernels

They take two thirds of what a first fit compiles. While this process selects, the other one
compiles the solver and the heuristic; the proof is left to this one, which then has as much to do.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from frugalsvm.data.problem import CountLimit, MarginProblem
from frugalsvm.margin.classifiers.candidates import Trainer
from frugalsvm.margin.conflicts import make_pool
from frugalsvm.margin.heuristic.local_search import Plan, local_search
from frugalsvm.margin.options import MarginOptions
from frugalsvm.margin.proof.branch_and_bound import Goal, Search
from frugalsvm.margin.proof.door import Door
from frugalsvm.margin.proof.explore import explore
from frugalsvm.margin.proof.tree import Proof
from frugalsvm.margin.rows.reduction import reduce
from frugalsvm.margin.solver.compiled import signature, solver
from frugalsvm.margin.watch import Watch
from frugalsvm.runtime.ahead import is_running, missing, wait_for_other
from frugalsvm.runtime.numba_parts import typeof, types
from frugalsvm.runtime.stopping import Stopper


def all_missing() -> bool:
    """Return whether nothing was compiled yet: neither the heuristic nor the proof."""
    return missing(local_search) and missing(explore)


def wait_for_rest(stop: Stopper, tell: Callable[[bool], None]) -> None:
    """If the other process is still busy, compile the proof, then wait for the rest."""
    if is_running():
        compile_proof()
        wait_for_other(stop, tell)


def compile_solver_and_heuristic() -> None:
    """Compile what a training begins with."""
    solver()
    trainer = _trainer()
    plan = Plan(np.zeros(3), np.zeros(1), tries=0, refills=0, max_pivots=0)
    heuristic = (trainer.bench, trainer.bench.trial, make_pool(1, 1), plan)
    local_search.compile((_pointer(), *map(typeof, heuristic), types.int64))


def compile_proof() -> None:
    """Compile what a training ends with."""
    trainer = _trainer()
    search = Search(trainer, MarginOptions(), Goal(1.0, 0.0, None), Door())
    proof = Proof(search.rules, search.tree, search.pool, search.draft)
    explore.compile((_pointer(), typeof(trainer.bench), typeof(proof), types.int64, types.int64))


def _pointer() -> Any:
    return types.FunctionType(signature())


@cache
def _trainer() -> Trainer:
    """Return the trainer of a small problem: all have arrays of the same types."""
    positive = np.arange(4) % 2 == 0
    limits = (CountLimit("tpr", positive, 1), CountLimit("tnr", ~positive, 1))
    problem = MarginProblem(np.eye(4), None, positive, limits, C=1.0)
    return Trainer(reduce(problem, Stopper()), problem.C, Watch())


if __name__ == "__main__":
    gc.disable()  # a tenth of the time, in a process that ends soon
    compile_solver_and_heuristic()
