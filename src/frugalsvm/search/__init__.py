"""The exact search for the selection problem (the paper's P1)."""

from __future__ import annotations

from collections.abc import Callable

from frugalsvm.data.problem import SelectionProblem
from frugalsvm.data.result import Attainable, Progress, SelectionResult
from frugalsvm.runtime.elsewhere import Workers
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.runtime.watch import watched
from frugalsvm.search.knowledge import Knowledge
from frugalsvm.search.options import SearchOptions

__all__ = ["Knowledge", "SearchOptions", "attainable", "search"]


def search(
    problem: SelectionProblem,
    *,
    stop: Stopper,
    threads: int = 1,
    workers: Workers | None = None,
    seed: int = 0,
    n_alternatives: int = 0,
    on_progress: Callable[[Progress], None] | None = None,
    options: SearchOptions | None = None,
    knowledge: Knowledge | None = None,
) -> SelectionResult:
    """Find the cheapest support, and prove that there is no cheaper one.

    Parameters
    ----------
    problem : SelectionProblem
        The problem, on standardised features.
    stop : Stopper
        Time limit and interrupt; the best answer so far comes back with its bound.
    threads : int
        Threads of the proof. A search that completes gives the same answer with any number.
    workers : Workers or None
        Other processes that judge supports, and open the boxes of the hardest. Likewise.
    seed : int
        Seed of the heuristics.
    n_alternatives : int
        How many further supports of the same cost to list, as far as they are found.
    on_progress : callable
        Called with a :class:`~frugalsvm.data.result.Progress` whenever cost or bound changes.
    options : SearchOptions
        Switches of the tactics; all on by default. They change the time, not the optimum.
    knowledge : Knowledge
        What earlier searches found; it is used and extended.

    Returns
    -------
    SelectionResult
        OPTIMAL with a proof, FEASIBLE with a bound, INFEASIBLE with a proof, or UNKNOWN. Among
        supports of equal cost that were met, the one whose hyperplane leaves the most of both
        budgets is preferred, then the lowest indices.

    Examples
    --------
    >>> import numpy as np
    >>> from frugalsvm.data.costs import CostModel
    >>> from frugalsvm.data.rates import ErrorBudget
    >>> X = np.array([[1.0, 0.3], [1.0, -1.2], [-1.0, 1.1], [-1.0, -0.2]])
    >>> nothing = np.zeros(2, dtype=bool)
    >>> problem = SelectionProblem(
    ...     X, X[:, 0] > 0, ErrorBudget(0, 0), CostModel.per_feature(np.ones(2)), nothing, nothing
    ... )
    >>> result = search(problem, stop=Stopper(60.0))
    >>> result.status.value, result.support, result.cost
    ('optimal', (0,), 1.0)
    """
    # numba is imported here, not with the package.
    from frugalsvm.search.driver import finish, solve, unfinished
    from frugalsvm.search.problem.reduction import reduce_problem
    from frugalsvm.search.state import SearchState

    begun: list[SearchState] = []

    def work() -> SelectionResult:
        state = SearchState(
            core=reduce_problem(problem),
            stop=stop,
            options=options or SearchOptions(),
            threads=threads,
            workers=workers,
            seed=seed,
            on_progress=on_progress,
        )
        begun.append(state)
        try:
            solve(state, knowledge)
            return finish(state, problem, n_alternatives, knowledge)
        finally:
            state.dismiss_hands()

    def look() -> None:
        if stop():
            for state in begun:
                state.halt_kernels()

    return watched(work, stop, look) or unfinished(problem, stop, begun)


def attainable(problem: SelectionProblem, *, stop: Stopper, seed: int = 0) -> Attainable:
    """Return the fewest errors found for each class with the other's budget kept.

    All allowed features may be used. Asking :func:`search` for what is reported succeeds.
    """
    from frugalsvm.search.heuristics.attainable import best_attainable
    from frugalsvm.search.problem.reduction import reduce_problem

    return best_attainable(reduce_problem(problem), stop)
