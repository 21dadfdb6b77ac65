"""Searches in other processes or on other machines, through whatever backend joblib is told to use.

Threads of this process share what is known while they search. Workers elsewhere are given a pair
of targets and the panels known so far, and give back their result; what follows from it for other
pairs is concluded here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace

from frugalsvm.data.problem import SelectionProblem
from frugalsvm.data.rates import ErrorBudget
from frugalsvm.data.result import SelectionResult
from frugalsvm.engine.dispatch import Engine
from frugalsvm.runtime.elsewhere import Elsewhere, Workers
from frugalsvm.runtime.hands import Halt
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.search import Knowledge
from frugalsvm.tradeoff.ledger import Cell

Support = tuple[int, ...]


@dataclass(frozen=True)
class Task:
    """A pair to search for.

    Attributes
    ----------
    cell : Cell
        Its place in the grid.
    budget : ErrorBudget
        Allowed errors.
    seconds : float
        Time limit.
    seeds : tuple of supports
        Panels worth a look.
    """

    cell: Cell
    budget: ErrorBudget
    seconds: float
    seeds: tuple[Support, ...]


@dataclass(frozen=True)
class PairSearch:
    """What every worker needs to search for a pair.

    Attributes
    ----------
    problem : SelectionProblem
        The data, with any budget.
    engine : Engine
        How to search.
    """

    problem: SelectionProblem
    engine: Engine

    def __call__(self, task: Task, _halt: Halt) -> tuple[Task, SelectionResult]:
        """Search for one pair."""
        problem = replace(self.problem, budget=task.budget)
        knowledge = Knowledge()
        knowledge.seeds.extend(task.seeds)
        return task, self.engine.select(problem, Stopper(task.seconds), knowledge=knowledge)


def search_elsewhere(
    workers: Workers,
    search: PairSearch,
    tasks: Iterator[Task],
    record: Callable[[Task, SelectionResult], None],
    stop: Stopper,
) -> None:
    """Search for pair after pair; return when there are none, or it is time to stop.

    Searches that are under way then are left to their own time limits.
    """
    search = replace(search, engine=replace(search.engine, on_progress=None))
    hands = Elsewhere(workers, stop)
    with closing(hands.as_they_come(search, enumerate(tasks))) as outcomes:
        for _, (task, result) in outcomes:
            if stop():
                return
            record(task, result)
