"""``frontier(rates="cv")``: what each pair of rates costs if it has to hold on new data."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from frugalsvm.data.exceptions import NoSolutionError
from frugalsvm.data.rates import RateTargets
from frugalsvm.data.result import Progress
from frugalsvm.engine.dispatch import Engine
from frugalsvm.runtime.compilation import compilation_off_the_clock
from frugalsvm.runtime.progress import COMPILING, describe
from frugalsvm.runtime.stopping import Stopper, interruptible
from frugalsvm.tradeoff.points import Frontier, FrontierProgress
from frugalsvm.tradeoff.setting import OWNER, Setting
from frugalsvm.tradeoff.work import Work, mark_efficient

AROUND = (0.1, 1.0, 10.0)
"""Multiples of C to choose from."""
N_REPEATS = 3
"""As many as FrugalSVCCV has, so that both see the same decision values of a panel."""


def cross_validated_frontier(
    setting: Setting, asked: Any, engine: Engine, cv: Any, store: str | Path | None, known: Any
) -> Frontier:
    """Return the frontier for new data; see :func:`frugalsvm.frontier`."""
    _check(asked, cv, store, known)
    # FrugalSVCCV's parts import the frontier's points.
    from frugalsvm.tradeoff.unseen_points import unseen_points
    from frugalsvm.unseen.linear_or_radial import machine_for
    from frugalsvm.unseen.procedure import Procedure, Samples
    from frugalsvm.unseen.scoring import Machines

    machines = Machines(
        tuple(asked.C * C for C in AROUND),
        asked.kernel,
        asked.gamma,
        asked.degree,
        asked.coef0,
        asked.standardize,
    )
    procedure = Procedure(
        targets=RateTargets(setting.grid.min_tprs[0], setting.grid.min_tnrs[0]),
        margin=float(asked.margin),
        max_cost=None,
        machine=machine_for(machines, len(setting.X)),
        cv=cv,
        n_repeats=N_REPEATS,
        seed=engine.seed,
        owner=OWNER,
    )
    stop = Stopper(asked.total_time_limit)
    tprs, tnrs = setting.grid.min_tprs, setting.grid.min_tnrs
    grid = [(tpr, tnr) for tpr in tprs for tnr in tnrs]
    samples = Samples(setting.X, setting.problem, None)

    def tell(doing: str) -> None:
        if asked.callback is not None:
            asked.callback(FrontierProgress(0, len(grid), stop.elapsed, "cross-validating", doing))

    def compiling(begins: bool) -> None:
        waiting = Progress(stop.elapsed, math.inf, 0.0, COMPILING)
        tell(describe(waiting) if begins else "compiled")

    with interruptible(stop), compilation_off_the_clock(stop, compiling):
        found = unseen_points(procedure, samples, setting.names, grid, stop, tell)
    if found is None:
        raise NoSolutionError(
            f"{OWNER} was stopped ({stop.reason.value} after {stop.elapsed:.1f} s) before its "
            "panels were cross-validated. Give it more time (total_time_limit).",
            bound=0.0,
            interrupted=stop.interrupted,
        )
    points, complete = found
    work = Work(setting, asked, engine, None)
    return work.frontier(mark_efficient(points), stop, complete=complete)


def _check(asked: Any, cv: Any, store: str | Path | None, known: Any) -> None:
    if asked.correction is not None:
        raise ValueError(
            "The 'correction' parameter of frontier raises rates in training and must be None "
            f"with rates='cv'. Got {asked.correction!r} instead; 'margin' takes its place."
        )
    if asked.solver != "auto":
        raise ValueError(
            "The 'solver' parameter of frontier is for the selection problem, which rates='cv' "
            f"does not pose: it must be 'auto'. Got {asked.solver!r} instead."
        )
    if store is not None:
        raise ValueError("The 'store' parameter of frontier must be None with rates='cv'.")
    if known is not None:
        raise ValueError(
            "The 'known' parameter of frontier is an answer for rates in training and must be None "
            f"with rates='cv'. Got {known!r} instead."
        )
    if cv is None:
        raise ValueError("The 'cv' parameter of frontier must not be None with rates='cv'.")
