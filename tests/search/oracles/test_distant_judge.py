"""A problem's oracles in another process: the same word, and all that the door has to know."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from frugalsvm.runtime.stopping import Stopper
from frugalsvm.search import SearchOptions
from frugalsvm.search.door import FalseProofError
from frugalsvm.search.oracles.distant_judge import DistantJudge
from frugalsvm.search.problem.reduction import reduce_problem
from frugalsvm.search.state import SearchState
from frugalsvm.search.tuning import Effort
from frugalsvm.search.verdict import INFEASIBLE, UNDECIDED
from reference_selection import large_budgets

EFFORT = Effort(500, 500, 5_000)


def pairs(n_features: int) -> tuple[np.ndarray, np.ndarray]:
    rows = np.array([[a, b] for a in range(n_features) for b in range(a + 1, n_features)])
    return rows, np.full(len(rows), 2)


def test_it_says_what_the_oracles_here_say() -> None:
    state = SearchState(reduce_problem(large_budgets(0)), Stopper(60.0))
    rows, sizes = pairs(state.core.n_features)
    here = state.oracles.judge(rows, sizes, EFFORT, state.options)
    judge = pickle.loads(pickle.dumps(DistantJudge.of(state.core, state.options)))
    assert len(judge.core.source.X) == 0
    report = judge((EFFORT, [(rows[:2], sizes[:2]), (rows[2:], sizes[2:])]), np.zeros(1, np.int64))
    verdicts = np.concatenate([outcome.verdicts for outcome, _ in report.outcomes])
    assert verdicts.tolist() == here.verdicts.tolist()
    assert np.any(verdicts == INFEASIBLE)
    door = SearchState(state.core, Stopper(60.0)).door
    door.take_over(report.outcomes[0][1], rows[:2], sizes[:2])
    door.take_over(report.outcomes[1][1], rows[2:], sizes[2:])
    for name, tally in state.door.tallies.items():
        other = door.tallies[name]
        assert (other.asked, other.ruled_out, other.found) == (
            tally.asked,
            tally.ruled_out,
            tally.found,
        )


def test_the_door_here_finds_an_oracle_elsewhere_guilty() -> None:
    core = reduce_problem(large_budgets(0))
    rows, sizes = pairs(core.n_features)
    report = DistantJudge.of(core, SearchOptions())(
        (EFFORT, [(rows, sizes)]), np.zeros(1, np.int64)
    )
    outcome, minutes = report.outcomes[0]
    gone = rows[np.flatnonzero(outcome.verdicts == INFEASIBLE)[0]]
    witness = core.original_support(tuple(gone.tolist()))
    state = SearchState(core, Stopper(60.0), SearchOptions(witnesses=(witness,)))
    with pytest.raises(FalseProofError, match="has ruled out"):
        state.door.take_over(minutes, rows, sizes)


def test_halted_it_leaves_all_undecided() -> None:
    core = reduce_problem(large_budgets(0))
    rows, sizes = pairs(core.n_features)
    effort = Effort(0, 0, 5_000)
    report = DistantJudge.of(core, SearchOptions())((effort, [(rows, sizes)]), np.ones(1, np.int64))
    assert set(report.outcomes[0][0].verdicts.tolist()) == {UNDECIDED}
