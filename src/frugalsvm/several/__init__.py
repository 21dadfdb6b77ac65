"""One panel for several targets: the exact search for the features that answer all of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from frugalsvm.data.result import Progress
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.runtime.watch import watched
from frugalsvm.several.problem import SeveralProblem, Target
from frugalsvm.several.result import PanelResult

if TYPE_CHECKING:
    from frugalsvm.search import SearchOptions

__all__ = ["PanelResult", "SeveralProblem", "Target", "search_panel"]


def search_panel(
    problem: SeveralProblem,
    *,
    stop: Stopper,
    threads: int = 1,
    seed: int = 0,
    on_progress: Callable[[Progress], None] | None = None,
    options: SearchOptions | None = None,
) -> PanelResult:
    """Find the cheapest panel for all targets, and prove that there is no cheaper one.

    Parameters
    ----------
    problem : SeveralProblem
        The problem, on standardised features.
    stop : Stopper
        Time limit and interrupt; the best panel so far comes back with its bound.
    threads : int
        Threads of the targets' own searches.
    seed : int
        Seed of the heuristics.
    on_progress : callable
        Called with a :class:`~frugalsvm.data.result.Progress` whenever cost or bound changes.
    options : SearchOptions
        Switches of the tactics; they change the time, not the optimum.

    Returns
    -------
    PanelResult
        OPTIMAL with a proof, FEASIBLE with a bound, INFEASIBLE with a proof, or UNKNOWN.

    Examples
    --------
    Two questions about four samples, each answered by a feature of its own:

    >>> import numpy as np
    >>> from frugalsvm.data.costs import CostModel
    >>> from frugalsvm.data.rates import ErrorBudget
    >>> X = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    >>> targets = tuple(Target(k, X[:, k] > 0, ErrorBudget(0, 0)) for k in range(2))
    >>> nothing = np.zeros(2, dtype=bool)
    >>> problem = SeveralProblem(
    ...     X, targets, CostModel.per_feature(np.ones(2)), nothing, nothing
    ... )
    >>> result = search_panel(problem, stop=Stopper(60.0))
    >>> result.status.value, result.support, result.cost
    ('optimal', (0, 1), 2.0)
    """
    # numba is imported here, not with the package.
    from frugalsvm.search.options import SearchOptions
    from frugalsvm.search.problem.reduction import reduce_problem
    from frugalsvm.search.state import SearchState
    from frugalsvm.several.driver import PanelSearch, result_of
    from frugalsvm.several.state import PanelState

    chosen = options or SearchOptions()

    def state_of(number: int) -> SearchState:
        core = reduce_problem(problem.single(number))
        return SearchState(core=core, stop=stop, options=chosen, threads=threads, seed=seed)

    targets = tuple(state_of(number) for number in range(len(problem.targets)))
    state = PanelState(
        core=targets[0].core,
        stop=stop,
        options=chosen,
        threads=threads,
        seed=seed,
        on_progress=on_progress,
        targets=targets,
    )
    search = PanelSearch(problem, state)

    def work() -> PanelResult:
        search.run()
        return result_of(problem, state, search)

    def look() -> None:
        if stop():
            state.halt_kernels()

    return watched(work, stop, look) or result_of(problem, state, search)
