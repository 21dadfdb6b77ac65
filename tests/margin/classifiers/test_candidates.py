"""What compiled code leaves behind."""

from __future__ import annotations

import numpy as np

from frugalsvm.margin.classifiers.candidates import Candidate, Trainer
from frugalsvm.margin.classifiers.drafts import make_draft
from frugalsvm.margin.rows.reduction import reduce
from frugalsvm.margin.slots import INTERCEPT, OBJECTIVE
from frugalsvm.margin.watch import Watch
from frugalsvm.runtime.stopping import Stopper
from margin_instances import overlapping_problem


def test_a_candidate_is_a_copy_of_a_draft() -> None:
    draft = make_draft(4)
    assert Candidate.of(draft) is None
    draft.numbers[OBJECTIVE], draft.numbers[INTERCEPT] = 3.0, -1.0
    draft.a[1] = 2.0
    found = Candidate.of(draft)
    draft.a[1] = 0.0
    assert found is not None
    assert (found.objective, found.b, found.a[1]) == (3.0, -1.0, 2.0)


def test_a_trainers_solver_has_the_problems_rows() -> None:
    rows = reduce(overlapping_problem(0), Stopper())
    trainer = Trainer(rows, 2.0, Watch())
    assert trainer.effort == 0
    np.testing.assert_array_equal(trainer.limits.box, 2.0 * rows.weight)
    np.testing.assert_array_equal(trainer.work.y, rows.y)
