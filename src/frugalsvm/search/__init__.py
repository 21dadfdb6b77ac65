"""The exact search for the selection problem (the paper's P1)."""

from __future__ import annotations

from collections.abc import Callable

from frugalsvm.problem import SelectionProblem
from frugalsvm.result import Attainable, Progress, SelectionResult
from frugalsvm.search.knowledge import Knowledge
from frugalsvm.search.options import SearchOptions
from frugalsvm.stopping import Stopper

__all__ = ["Knowledge", "SearchOptions", "attainable", "search"]


def search(
    problem: SelectionProblem,
    *,
    stop: Stopper,
    threads: int = 1,
    seed: int = 0,
    n_alternatives: int = 0,
    on_progress: Callable[[Progress], None] | None = None,
    options: SearchOptions | None = None,
    knowledge: Knowledge | None = None,
) -> SelectionResult:
    """Find the cheapest support, and prove that there is no cheaper one."""
    # numba is imported here, not with the package.
    from frugalsvm.search.driver import finish, solve
    from frugalsvm.search.reduction import reduce_problem
    from frugalsvm.search.state import SearchState

    state = SearchState(
        core=reduce_problem(problem),
        stop=stop,
        options=options or SearchOptions(),
        threads=threads,
        seed=seed,
        on_progress=on_progress,
    )
    solve(state, knowledge)
    return finish(state, problem, n_alternatives, knowledge)


def attainable(problem: SelectionProblem, *, stop: Stopper, seed: int = 0) -> Attainable:
    """Return the fewest errors found for each class with the other's budget kept.

    All allowed features may be used. Asking :func:`search` for what is reported succeeds.
    """
    from frugalsvm.search.attain import best_attainable
    from frugalsvm.search.reduction import reduce_problem

    return best_attainable(reduce_problem(problem), stop)
