"""One local search: from a set of wrong rows to a classifier."""

from __future__ import annotations

import numpy as np

from frugalsvm.margin.classifiers.candidates import Candidate, Trainer
from frugalsvm.margin.classifiers.drafts import make_draft
from frugalsvm.margin.conflicts import make_pool
from frugalsvm.margin.heuristic.local_search import NOTHING, Plan, local_search
from frugalsvm.margin.rows.reduction import reduce
from frugalsvm.margin.solver.codes import OPTIMAL
from frugalsvm.margin.watch import Watch
from frugalsvm.runtime.stopping import Stopper
from margin_instances import overlapping_problem


def searched(steps: int, tries: int, to_beat: float = np.inf):
    problem = overlapping_problem(4)
    rows = reduce(problem, Stopper())
    trainer = Trainer(rows, problem.C, Watch())
    draft = make_draft(rows.n_rows)
    state = np.array([float(steps), 1.0, to_beat])
    plan = Plan(state, np.ones(rows.n_rows), tries, 0, trainer.max_pivots)
    pool = make_pool(64, 1024)
    code = local_search(trainer.solver, trainer.bench, draft, pool, plan, 2**62)
    return code, Candidate.of(draft), rows


def test_exchanges_never_make_it_worse() -> None:
    code, plain, rows = searched(6, 0)
    assert code == OPTIMAL
    _, better, _ = searched(6, 100)
    assert better.objective <= plain.objective
    assert (rows.use @ better.wrong <= rows.caps).all()


def test_a_classifier_that_beats_nothing_is_none() -> None:
    _, plain, _ = searched(6, 0)
    code, _, _ = searched(6, 0, to_beat=0.5 * plain.objective)
    assert code == NOTHING
