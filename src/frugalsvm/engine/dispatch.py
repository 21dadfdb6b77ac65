"""From the estimators' `solver` parameter to the code that does the work.

Searches and solvers are imported when they are needed, so that ``import frugalsvm`` stays light.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from joblib import cpu_count
from joblib.parallel import get_active_backend

from frugalsvm.data.losses import HINGE
from frugalsvm.data.problem import MarginProblem, SelectionProblem
from frugalsvm.data.result import Attainable, MarginResult, Progress, SelectionResult
from frugalsvm.runtime.ahead import compiled_ahead
from frugalsvm.runtime.elsewhere import Workers, shares_memory
from frugalsvm.runtime.progress import COMPILING
from frugalsvm.runtime.stopping import Stopper

if TYPE_CHECKING:
    from frugalsvm.search import Knowledge
    from frugalsvm.several import PanelResult, SeveralProblem

SOLVERS = ("auto", "highs", "scip", "gurobi")

OnProgress = Callable[[Progress], None]


@dataclass(frozen=True)
class Engine:
    """How to solve: which solver, with what.

    Attributes
    ----------
    solver : {"auto", "highs", "scip", "gurobi"}
        "auto": the library's own exact searches; the others: the paper's models as written.
    threads, seed : int
        Number of threads, and the seed of everything random.
    options : mapping
        Further options of the paper's models: m1, m2, node_limit.
    on_progress : callable or None
        Told about every change of cost or bound.
    workers : Workers or None
        Other processes that take a part in one search.
    """

    solver: str
    threads: int
    seed: int
    options: Mapping[str, Any]
    on_progress: OnProgress | None
    workers: Workers | None = None

    def select(
        self,
        problem: SelectionProblem,
        stop: Stopper,
        n_alternatives: int = 0,
        knowledge: Knowledge | None = None,
    ) -> SelectionResult:
        """Solve the selection problem; what "auto" learns is kept in `knowledge` for the next."""
        if self.solver == "auto":
            from frugalsvm.runtime.compilation import compilation_off_the_clock
            from frugalsvm.search import search

            teller = _Teller(self.on_progress)
            with compilation_off_the_clock(stop, teller.compiling):
                return search(
                    problem,
                    stop=stop,
                    threads=self.threads,
                    workers=self.workers,
                    seed=self.seed,
                    n_alternatives=n_alternatives,
                    on_progress=None if self.on_progress is None else teller,
                    knowledge=knowledge,
                )
        from frugalsvm.models import get_solver

        return get_solver(self.solver).solve_selection(
            problem, stop=stop, options=self._model_options(), on_progress=self.on_progress
        )

    def select_panel(self, problem: SeveralProblem, stop: Stopper) -> PanelResult:
        """Solve the selection problem of several targets, by the library's own search."""
        from frugalsvm.runtime.compilation import compilation_off_the_clock
        from frugalsvm.several import search_panel

        teller = _Teller(self.on_progress)
        with compilation_off_the_clock(stop, teller.compiling):
            return search_panel(
                problem,
                stop=stop,
                threads=self.threads,
                seed=self.seed,
                on_progress=None if self.on_progress is None else teller,
            )

    def train(self, problem: MarginProblem, stop: Stopper) -> MarginResult:
        """Train the rate-constrained classifier."""
        if self.solver == "auto":
            from frugalsvm.runtime.compilation import compilation_off_the_clock

            train = own_trainer(problem.loss)
            teller = _Teller(self.on_progress)
            with compilation_off_the_clock(stop, teller.compiling):
                if problem.loss == HINGE:
                    from frugalsvm.engine.training_kernels import wait_for_rest

                    wait_for_rest(stop, teller.compiling)
                on_progress = None if self.on_progress is None else teller
                return train(problem, stop=stop, seed=self.seed, on_progress=on_progress)
        from frugalsvm.models import ModelKind, get_solver

        return get_solver(self.solver).solve_margin(
            problem,
            ModelKind.P3 if problem.features is None else ModelKind.P2,
            stop=stop,
            options=self._model_options(),
            on_progress=self.on_progress,
        )

    def training_compiled_ahead(self, loss: str) -> AbstractContextManager[None]:
        """Return a context for what comes before a training: its kernels are compiled meanwhile."""
        if self.solver != "auto" or loss != HINGE:
            return nullcontext()
        from frugalsvm.engine import training_kernels

        return compiled_ahead(training_kernels.__name__, training_kernels.all_missing)

    def load(self) -> None:
        """Import what the searches need; before threads are started, which would wait for it."""
        if self.solver == "auto":
            import_module("frugalsvm.search.driver")

    def require(self, *kinds: str) -> None:
        """Raise an error, with the remedy, if the solver is missing or cannot solve these models.

        Parameters
        ----------
        *kinds : {"P1", "P2", "P3"}
            The paper's names of the models.
        """
        if self.solver == "auto":
            return
        from frugalsvm.models import ModelKind, get_solver, require

        for kind in kinds:
            require(get_solver(self.solver), ModelKind[kind])

    def require_loss(self, loss: str, owner: str) -> None:
        """Raise a ValueError if the solver cannot train with this loss."""
        if self.solver != "auto" and loss != HINGE:
            raise ValueError(
                f"The 'loss' parameter of {owner} must be {HINGE!r} with solver={self.solver!r}, "
                f"which solves the paper's models as written. Got {loss!r}; use solver='auto'."
            )

    def check_options(self, owner: str) -> None:
        """Raise a ValueError for options that the chosen solver does not have."""
        known = () if self.solver == "auto" else self._known_options()
        unknown = sorted(set(self.options) - set(known))
        if unknown:
            can = f"the options {', '.join(known)}" if known else "no options"
            raise ValueError(
                f"The 'solver_options' parameter of {owner} must fit the solver: "
                f"solver={self.solver!r} has {can}. Got {', '.join(map(repr, unknown))}."
            )

    @staticmethod
    def _known_options() -> tuple[str, ...]:
        from frugalsvm.models import ModelOptions

        names = {field.name for field in dataclasses.fields(ModelOptions)}
        return tuple(sorted(names - {"threads", "seed"}))

    def _model_options(self) -> Any:
        from frugalsvm.models import ModelOptions

        return ModelOptions(threads=self.threads, seed=self.seed, **self.options)


def own_trainer(loss: str) -> Callable[..., MarginResult]:
    """Return the library's own training for a loss: of `margin/` or of `smooth/`."""
    if loss == HINGE:
        from frugalsvm import margin

        return margin.train
    from frugalsvm import smooth

    return smooth.train


class _Teller:
    """Passes progress on, and says in between that kernels are being compiled."""

    def __init__(self, on_progress: OnProgress | None) -> None:
        self.on_progress = on_progress
        self.last = Progress(0.0, math.inf, 0.0)

    def __call__(self, progress: Progress) -> None:
        self.last = progress
        if self.on_progress is not None:
            self.on_progress(progress)

    def compiling(self, begins: bool) -> None:
        """Tell that compiling begins, and afterwards how far the search was."""
        if self.on_progress is not None:
            phase = COMPILING if begins else self.last.phase
            self.on_progress(dataclasses.replace(self.last, phase=phase))


def attainable_selection(problem: SelectionProblem, stop: Stopper, seed: int) -> Attainable:
    """Return the fewest errors found with all allowed features."""
    from frugalsvm.search import attainable

    return attainable(problem, stop=stop, seed=seed)


def attainable_margin(problem: MarginProblem, stop: Stopper, seed: int) -> Attainable:
    """Return the fewest errors found in this kernel's space."""
    from frugalsvm.margin import attainable

    return attainable(dataclasses.replace(problem, loss=HINGE), stop=stop, seed=seed)


def thread_count(n_jobs: int | None) -> int:
    """Return the number of threads of this process that `n_jobs` means, as in scikit-learn.

    None is 1, unless ``joblib.parallel_config`` names a number of threads; -1 is all processors
    that this process may use.
    """
    if n_jobs is None:
        backend, configured = get_active_backend(prefer="threads")
        n_jobs = configured if configured and shares_memory(backend) else 1
    return max(1, cpu_count() + 1 + n_jobs) if n_jobs < 0 else int(n_jobs)
