"""The frontier's course: settle the grid, verify, mark what is worth choosing, train, report."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from frugalsvm.data.exceptions import DataError
from frugalsvm.data.result import SelectionResult, Status
from frugalsvm.data.verify import verify_selection
from frugalsvm.engine.dispatch import Engine, thread_count
from frugalsvm.runtime.compilation import compilation_off_the_clock
from frugalsvm.runtime.elsewhere import Workers
from frugalsvm.runtime.stopping import Stopper, interruptible
from frugalsvm.search import Knowledge
from frugalsvm.tradeoff.earlier import EarlierAnswer
from frugalsvm.tradeoff.ledger import Cell, Ledger
from frugalsvm.tradeoff.points import Frontier, FrontierPoint
from frugalsvm.tradeoff.setting import Setting
from frugalsvm.tradeoff.settle import Settlement
from frugalsvm.tradeoff.store import Store, fingerprint
from frugalsvm.tradeoff.telling import Teller
from frugalsvm.tradeoff.training import Machine, panel_rates

SEARCH_SHARE = 0.8
"""Part of a time limit on everything that the searches may use up; the rest is for training."""


@dataclass(frozen=True)
class Work:
    """One call of :func:`frugalsvm.frontier`.

    Attributes
    ----------
    setting : Setting
        Data and grid.
    asked : Parameters
        The function's other parameters.
    engine : Engine
        How to search.
    store : Path or None
        Where results are kept.
    earlier : EarlierAnswer or None
        What is known beforehand.
    """

    setting: Setting
    asked: Any
    engine: Engine
    store: Path | None
    earlier: EarlierAnswer | None = None

    def run(self) -> Frontier:
        """Do the work; see :func:`frugalsvm.frontier`."""
        stop = Stopper(self.asked.total_time_limit)
        n_workers = thread_count(self.asked.n_jobs)
        labels = self.setting.labels
        pos, neg = self.setting.grid.budgets(labels.n_positive, labels.n_negative)
        ledger = Ledger(self.setting.problem, pos, neg, exact=self.engine.solver == "auto")
        teller = Teller(self.asked.callback, ledger, self.setting.grid, stop)
        with interruptible(stop), compilation_off_the_clock(stop, teller.compiling):
            self._settle(ledger, stop, n_workers, teller)
            points = mark_efficient(self._points(ledger))
            points = self._train(points, stop, n_workers, teller)
        return self.frontier(points, stop, complete=not stop())

    def _settle(self, ledger: Ledger, stop: Stopper, n_workers: int, teller: Teller) -> None:
        ledger.scan()
        knowledge = Knowledge()
        if self.earlier is not None:
            ledger.take_over(self.earlier.budget, self.earlier.result)
            knowledge.seeds.extend(self.earlier.supports)
        store, given_up = self._resume(ledger)

        def keep(cell: Cell, result: SelectionResult, limit: float) -> None:
            if store is not None:
                store.append(ledger.budget(cell), limit, result)
            teller.result(cell, result)

        Settlement(
            ledger=ledger,
            engine=self.engine,
            stop=stop.within(SEARCH_SHARE * stop.remaining),
            time_limit=self.asked.time_limit,
            on_result=keep,
            on_progress=teller.progress,
            given_up=given_up,
            knowledge=knowledge,
        ).run(n_workers, Workers.asked_for(self.asked.n_jobs))

    def _resume(self, ledger: Ledger) -> tuple[Store | None, dict[Cell, float]]:
        """Take over the searches of earlier runs; what they gave up is given up again."""
        if self.store is None:
            return None, {}
        problem = self.setting.problem
        store = Store(self.store, fingerprint(problem, self.engine.solver), problem.n_features)
        given_up: dict[Cell, float] = {}
        for search in store.open():
            result = search.result
            if result.has_answer and result.cost != problem.costs.cost(result.support):
                raise DataError(f"{self.store} is damaged: the costs of its panels are others.")
            for cell in ledger.cells:
                if ledger.budget(cell) == search.budget:
                    ledger.record(cell, result)
                    given_up[cell] = max(given_up.get(cell, 0.0), search.limit)
        return store, given_up

    def _points(self, ledger: Ledger) -> list[FrontierPoint]:
        grid, names = self.setting.grid, self.setting.names
        Z = self.setting.scaler.transform(self.setting.X)
        points = []
        for i, j in ledger.cells:
            result = ledger.result_of((i, j))
            if result is not None:
                scores = Z @ result.weights + result.intercept
                verify_selection(ledger.problem_of((i, j)), result, scores)
            points.append(
                FrontierPoint(
                    min_tpr=grid.min_tprs[i],
                    min_tnr=grid.min_tnrs[j],
                    budget=ledger.budget((i, j)),
                    status=_status(result, ledger.bound_of((i, j))),
                    support=() if result is None else result.support,
                    features=() if result is None else tuple(names[k] for k in result.support),
                    cost=math.inf if result is None else result.cost,
                    bound=ledger.bound_of((i, j)),
                    searched=(i, j) in ledger.searched,
                    seconds=ledger.searched.get((i, j), 0.0),
                )
            )
        return points

    def _train(
        self, points: list[FrontierPoint], stop: Stopper, n_workers: int, teller: Teller
    ) -> list[FrontierPoint]:
        chosen = [n for n, point in enumerate(points) if point.efficient]
        trained = Parallel(n_jobs=n_workers, require="sharedmem")(
            delayed(self._with_rates)(points[n], stop, teller) for n in chosen
        )
        done = dict(zip(chosen, trained, strict=True))
        return [done.get(n, point) for n, point in enumerate(points)]

    def _with_rates(self, point: FrontierPoint, stop: Stopper, teller: Teller) -> FrontierPoint:
        setting, asked = self.setting, self.asked
        panel = setting.X[:, list(point.support)]
        if not point.support:
            panel = np.zeros((len(setting.X), 1))
        machine = Machine(
            kernel=asked.kernel,
            gamma=asked.gamma,
            degree=asked.degree,
            coef0=float(asked.coef0),
            C=float(asked.C),
            standardize=asked.standardize,
            seed=self.engine.seed,
        )
        training, validated = panel_rates(
            np.ascontiguousarray(panel),
            setting.labels.positive,
            setting.grid.targets(
                setting.grid.min_tprs.index(point.min_tpr),
                setting.grid.min_tnrs.index(point.min_tnr),
            ),
            machine=machine,
            folds=setting.folds,
            stop=stop,
        )
        teller.trained(point)
        return replace(point, training=training, cross_validated=validated)

    def frontier(self, points: list[FrontierPoint], stop: Stopper, *, complete: bool) -> Frontier:
        """Return the points as a frontier."""
        setting, labels = self.setting, self.setting.labels
        negative = labels.classes[int(not labels.positive_is_second)]
        return Frontier(
            min_tprs=setting.grid.min_tprs,
            min_tnrs=setting.grid.min_tnrs,
            points=tuple(points),
            feature_names=setting.names,
            positive_label=str(labels.positive_label),
            negative_label=str(negative),
            n_positive=labels.n_positive,
            n_negative=labels.n_negative,
            full_cost=setting.problem.costs.cost(np.flatnonzero(~setting.problem.exclude)),
            n_folds=len(setting.folds),
            seconds=stop.elapsed,
            complete=complete,
            interrupted=stop.interrupted,
            rates=self.asked.rates,
        )


def mark_efficient(points: list[FrontierPoint]) -> list[FrontierPoint]:
    """Return the points with those marked that no other one matches for the same cost or less."""

    def beaten(p: FrontierPoint) -> bool:
        return any(
            q is not p
            and q.has_answer
            and q.cost <= p.cost
            and q.min_tpr >= p.min_tpr
            and q.min_tnr >= p.min_tnr
            for q in points
        )

    return [replace(p, efficient=p.has_answer and not beaten(p)) for p in points]


def _status(result: SelectionResult | None, bound: float) -> Status:
    if result is not None:
        return result.status
    return Status.INFEASIBLE if math.isinf(bound) else Status.UNKNOWN
