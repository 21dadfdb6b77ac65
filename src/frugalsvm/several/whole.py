"""Whether all the allowed features together meet a target: the question before any selection."""

from __future__ import annotations

from enum import Enum

from frugalsvm.problem import SelectionProblem
from frugalsvm.stopping import Stopper
from frugalsvm.watch import watched

EFFORT = 2


class Word(Enum):
    """Whether the rates can be met at all."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


def attainable_with_everything(problem: SelectionProblem, stop: Stopper) -> Word:
    """Return YES with a verified hyperplane at hand, NO with a proof, UNKNOWN otherwise.

    Examples
    --------
    >>> import numpy as np
    >>> from frugalsvm.costs import CostModel
    >>> from frugalsvm.rates import ErrorBudget
    >>> X, nothing = np.array([[1.0], [-1.0], [1.0], [-1.0]]), np.zeros(1, dtype=bool)
    >>> costs = CostModel.per_feature(np.ones(1))
    >>> for positive in ([True, False, True, False], [True, True, False, False]):
    ...     problem = SelectionProblem(
    ...         X, np.array(positive), ErrorBudget(0, 0), costs, nothing, nothing
    ...     )
    ...     attainable_with_everything(problem, Stopper(60.0))
    <Word.YES: 'yes'>
    <Word.NO: 'no'>
    """
    from frugalsvm.search.driver import LastResort
    from frugalsvm.search.reduction import reduce_problem
    from frugalsvm.search.state import SearchState

    if problem.budget.pos >= problem.n_positive or problem.budget.neg >= problem.n_negative:
        return Word.YES
    state = SearchState(core=reduce_problem(problem), stop=stop)
    if state.core.n_features == 0:
        return Word.NO

    def work() -> bool:
        LastResort(EFFORT).run(state)
        return True

    def look() -> None:
        if stop():
            state.halt_kernels()

    watched(work, stop, look)
    with state.lock:
        if state.best is not None:
            return Word.YES
        return Word.NO if state.closed else Word.UNKNOWN
