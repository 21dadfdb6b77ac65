"""Whether all the allowed features together meet a target: the question before any selection."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from frugalsvm.data.problem import SelectionProblem
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.runtime.watch import watched

if TYPE_CHECKING:
    from frugalsvm.search.problem.hyperplane import Hyperplane


class Word(Enum):
    """Whether the rates can be met at all."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


class Everything(NamedTuple):
    """What is known about all the features together.

    Attributes
    ----------
    word : Word
        YES with a verified hyperplane, NO with a proof, UNKNOWN otherwise.
    plane : Hyperplane or None
        The hyperplane.
    """

    word: Word
    plane: Hyperplane | None = None


def judge_everything(problem: SelectionProblem, stop: Stopper, effort: int) -> Everything:
    """Judge all the allowed features together; with more effort less stays unknown.

    Examples
    --------
    >>> import numpy as np
    >>> from frugalsvm.data.costs import CostModel
    >>> from frugalsvm.data.rates import ErrorBudget
    >>> X, nothing = np.array([[1.0], [-1.0], [1.0], [-1.0]]), np.zeros(1, dtype=bool)
    >>> costs = CostModel.per_feature(np.ones(1))
    >>> for positive in ([True, False, True, False], [True, True, False, False]):
    ...     problem = SelectionProblem(
    ...         X, np.array(positive), ErrorBudget(0, 0), costs, nothing, nothing
    ...     )
    ...     judge_everything(problem, Stopper(60.0), 1).word
    <Word.YES: 'yes'>
    <Word.NO: 'no'>
    """
    from frugalsvm.search.problem.guess import guessed
    from frugalsvm.search.problem.reduction import reduce_problem
    from frugalsvm.search.state import SearchState
    from frugalsvm.search.tactics.last_resort import LastResort
    from frugalsvm.search.tuning import LARGEST_WHOLE, THOROUGH

    state = SearchState(core=reduce_problem(problem), stop=stop)
    if state.core.need_pos == 0 or state.core.need_neg == 0:
        state.offer(np.zeros(state.core.n_features))  # a constant answers it
    elif state.core.n_features == 0:
        return Everything(Word.NO)

    def work() -> bool:
        if state.best is None and state.core.n_features <= LARGEST_WHOLE:
            direction = guessed(state.core, np.arange(state.core.n_features))
            if direction is not None:
                state.offer(direction)
        LastResort(THOROUGH[:effort]).run(state)  # if nothing was found
        return True

    def look() -> None:
        if stop():
            state.halt_kernels()

    watched(work, stop, look)
    with state.lock:
        if state.best is not None:
            return Everything(Word.YES, state.best)
        return Everything(Word.NO if state.closed else Word.UNKNOWN)
