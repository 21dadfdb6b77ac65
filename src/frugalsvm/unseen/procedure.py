"""From data to a chosen panel: the steps that are done once, and again in every split."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frugalsvm.data.problem import SelectionProblem
from frugalsvm.data.rates import RateTargets
from frugalsvm.inputs.standardize import Standardizer
from frugalsvm.runtime.single_thread import single_threaded_algebra
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.unseen.choice import Candidate, Choice, Trial, choose
from frugalsvm.unseen.folds import (
    Folds,
    GivenSplits,
    make_folds,
    smallest_class,
    stratified_part,
    within_a_split,
)
from frugalsvm.unseen.nested import Expected, Prediction, expected_rates
from frugalsvm.unseen.proposals import propose
from frugalsvm.unseen.scoring import Floats, Machine, panel_columns, scores_in_time
from frugalsvm.unseen.threshold import Reserve

PROPOSING = 0.3  # of the time that is left, for finding panels
CHOOSING = 0.5  # of the time that is then left, for choosing one; the rest is for the expectation

HURRY = 0.4  # seconds for a choice after that
FEW_SAMPLES = 2_000  # by which it is made

Index = NDArray[np.intp]


@dataclass(frozen=True)
class Samples:
    """What is learned from.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
        Raw data.
    problem : SelectionProblem
        The same standardised, with labels, prices, and which features may be used.
    groups : ndarray of shape (n_samples,) or None
        Samples of one group are kept together.
    """

    X: Floats
    problem: SelectionProblem
    groups: NDArray[Any] | None

    def part(self, rows: Index) -> Samples:
        """Return some of the samples, standardised anew; features that do not vary are left out."""
        scaler = Standardizer.fit(self.X[rows])
        problem = replace(
            self.problem,
            X=scaler.transform(self.X[rows]),
            positive=self.problem.positive[rows],
            include=self.problem.include & ~scaler.constant,
            exclude=self.problem.exclude | scaler.constant,
        )
        return Samples(self.X[rows], problem, None if self.groups is None else self.groups[rows])


@dataclass(frozen=True)
class Procedure:
    """How a panel is chosen.

    Attributes
    ----------
    targets : RateTargets
        The rates asked for.
    margin : float
        Standard errors to spare.
    max_cost : float or None
        The most that a panel may cost; the best rates for it are then wanted.
    machine : Machine
        What is trained on panels.
    cv, n_repeats
        The cross-validation.
    seed : int
        Of everything random.
    owner : str
        Name of the estimator, for messages.
    """

    targets: RateTargets
    margin: float
    max_cost: float | None
    machine: Machine
    cv: Any
    n_repeats: int
    seed: int
    owner: str

    def folds(self, samples: Samples, n_repeats: int) -> Folds:
        """Return the cross-validation of these samples."""
        positive = samples.problem.positive
        return make_folds(self.cv, n_repeats, positive, samples.groups, self.seed, self.owner)

    def trial(self, samples: Samples, folds: Folds) -> Trial:
        """Return what panels are tried with."""
        positive = samples.problem.positive
        return Trial(
            X=samples.X,
            positive=positive,
            costs=samples.problem.costs,
            machine=self.machine,
            folds=folds,
            reserve=Reserve.of(self.targets, positive),
            margin=self.margin,
            enough=self.enough,
        )

    @property
    def enough(self) -> float:
        """Standard errors with which the plainest machine will do for a panel."""
        return self.margin if self.max_cost is None else math.inf

    def choose(
        self,
        samples: Samples,
        folds: Folds,
        stop: Stopper,
        *,
        dearer: bool = False,
        hurry: bool = False,
    ) -> Choice | None:
        """Return the panel for these samples; None if there was not the time.

        Dearer panels are looked at too if a certificate is wanted. In a hurry a panel is chosen
        even if the user stopped the work, or its time was over, before one was looked at.
        """
        samples, folds = self.enough_of(samples, folds)
        trial = self.trial(samples, folds)
        with single_threaded_algebra():
            proposals = propose(
                samples.problem,
                max_cost=self.max_cost,
                stop=stop.within(PROPOSING * stop.remaining),
            )
        best_rates = self.max_cost is not None
        part = stop.within(CHOOSING * stop.remaining)
        found = choose(trial, proposals, part, best_rates=best_rates, dearer=dearer)
        if found is None and hurry:
            # The most promising first, by the plainest machine; what has the margin is then sought
            # among cheaper ones.
            trial = self.trial(*self._part_of(samples, folds, FEW_SAMPLES))
            plain = replace(trial, machine=trial.machine.parts[0])
            return choose(plain, proposals[::-1], Stopper(HURRY), best_rates=best_rates)
        return found

    def enough_of(self, samples: Samples, folds: Folds) -> tuple[Samples, Folds]:
        """Return as many samples as the machine needs, and their folds; given folds are kept."""
        return self._part_of(samples, folds, self.machine.enough_samples)

    def enough_rows(self, samples: Samples) -> Index | None:
        """Return as many samples as the machine needs; None if that is all of them."""
        return self._some_rows(samples, self.machine.enough_samples)

    def _some_rows(self, samples: Samples, size: float) -> Index | None:
        if len(samples.X) <= size:
            return None
        return stratified_part(samples.problem.positive, int(size), self.seed)

    def _part_of(self, samples: Samples, folds: Folds, size: float) -> tuple[Samples, Folds]:
        rows = None if isinstance(self.cv, GivenSplits) else self._some_rows(samples, size)
        if rows is None:
            return samples, folds
        part = samples.part(rows)
        return part, self.folds(part, folds.n_repeats)

    def expected(self, samples: Samples, folds: Folds, stop: Stopper, n_jobs: int) -> Expected:
        """Return the rates of this procedure on samples that had no part in it."""
        within = replace(self, cv=within_a_split(self.cv))

        def predict(learn: Index, ask: Index, stop: Stopper) -> Prediction | None:
            if stop():
                return None
            part = samples.part(learn)
            choice = self.choose(part, within.folds(part, 1), stop)
            if choice is None or not choice.complete:
                return None
            return self._prediction(samples, choice.best, learn, ask, stop)

        splits = [split for split in folds.splits if self._can_be_repeated(samples, split[0])]
        return expected_rates(splits, samples.problem.positive, predict, stop, n_jobs)

    def _can_be_repeated(self, samples: Samples, learn: Index) -> bool:
        """Return True if all can be done with these samples alone: two of a class at the least."""
        groups = None if samples.groups is None else samples.groups[learn]
        return smallest_class(samples.problem.positive[learn], groups) >= 2

    def _prediction(
        self, samples: Samples, chosen: Candidate, learn: Index, ask: Index, stop: Stopper
    ) -> Prediction | None:
        machine = self.machine.only(chosen.setting)
        panel = panel_columns(samples.X, chosen.support)
        scores = scores_in_time(machine, panel, samples.problem.positive, [(learn, ask)], stop)
        if scores is None:
            return None
        return Prediction(chosen.support, scores[0] > chosen.threshold)
