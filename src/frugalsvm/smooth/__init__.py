"""Logistic regression and distance-weighted discrimination under rate constraints."""

from __future__ import annotations

from collections.abc import Callable

from frugalsvm.data.problem import MarginProblem
from frugalsvm.data.result import MarginResult, Progress
from frugalsvm.margin.classifiers.answer import make_result
from frugalsvm.margin.options import Effort
from frugalsvm.runtime.single_thread import single_threaded_algebra
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.runtime.watch import watched
from frugalsvm.smooth.state import State
from frugalsvm.smooth.trainer import Trainer

__all__ = ["train"]


def train(
    problem: MarginProblem,
    *,
    stop: Stopper,
    seed: int = 0,
    tolerance: float = 1e-4,
    effort: Effort = Effort.EXACT,
    on_progress: Callable[[Progress], None] | None = None,
) -> MarginResult:
    """Train a classifier with a smooth loss under rate constraints and prove how good it is.

    Parameters
    ----------
    problem : MarginProblem
        What to train; its loss is not the hinge.
    stop : Stopper
        Time limit and interrupt; the best classifier so far comes back.
    seed : int
        Seed of the heuristic; the same seed gives the same answer unless time runs out.
    tolerance : float
        Relative gap at which the answer is optimal.
    effort : Effort
        EXACT closes the gap; QUICK ends after the heuristic.
    on_progress : callable or None
        Called with each new line of the history.

    Returns
    -------
    MarginResult
        The classifier, recomputed from the problem's data, its bound and status.

    Raises
    ------
    ValueError
        If the kernel matrix is not symmetric positive semidefinite.
    """
    state = State(problem, stop, tolerance, on_progress)
    trainer = Trainer(state, seed, effort, stop)
    # The matrices are small: several threads would mostly wait for each other.
    with single_threaded_algebra():
        reason = watched(trainer.run, stop, look=lambda: None)
    state.close()
    return make_result(
        problem,
        state.answer,
        bound=state.bound,
        tolerance=tolerance,
        seconds=state.seconds,
        stop_reason=stop.reason if reason is None else reason,
        history=tuple(state.history),
        details={"nodes": state.nodes, "solved": state.solved, "features": state.rank},
    )
