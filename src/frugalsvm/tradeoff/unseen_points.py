"""The frontier for new data: cost against rates that cross-validation lets one expect.

Every panel is cross-validated once; its decision values then serve all pairs of targets. The rates
to expect are found by doing the same again in every fold: panels are proposed, and one of them is
chosen for each pair, without the samples that it is then asked about.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from frugalsvm.data.rates import ErrorBudget, RateCounts, RateTargets
from frugalsvm.data.result import Status
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.tradeoff.points import FrontierPoint
from frugalsvm.unseen.choice import Candidate, best_setting, plainest, preferred
from frugalsvm.unseen.folds import Folds
from frugalsvm.unseen.procedure import PROPOSING, Procedure, Samples
from frugalsvm.unseen.proposals import propose
from frugalsvm.unseen.scoring import Floats, Mask, Setting, panel_columns, scores_in_time
from frugalsvm.unseen.subsets import Support
from frugalsvm.unseen.threshold import Reserve

WHOLE = 0.4
"""Of the time, for the panels on all samples; the rest is for the rates to expect."""
SCORING = 0.6
"""Of a split's share of the time, for its panels; the rest is for the samples asked about."""

Index = NDArray[np.intp]
Pair = tuple[float, float]
Tell = Callable[[str], None]
"""Takes what is being done, in words."""


@dataclass(frozen=True)
class ScoredPanels:
    """Panels with their out-of-fold decision values, for any pair of targets.

    Attributes
    ----------
    procedure : Procedure
        Machine, margin, cross-validation.
    samples : Samples
        What they were found on.
    truth : ndarray of bool
        Which of the decision values belong to positives.
    scores : dict from panel to ndarray of shape (n_settings, n_values)
        Decision values.
    complete : bool
        False if the time was over before the dearer ones of the panels proposed were looked at.
    """

    procedure: Procedure
    samples: Samples
    truth: Mask
    scores: dict[Support, Floats]
    complete: bool

    def best(self, pair: Pair) -> Candidate:
        """Return the cheapest panel with the margin for these targets, or else the nearest."""
        reserve = Reserve.of(RateTargets(*pair), self.samples.problem.positive)
        found = (
            plainest(self._with_each(support, reserve), self.procedure.enough)
            for support in self.scores
        )
        return preferred([c for c in found if c is not None], self.procedure.margin)

    def _with_each(self, support: Support, reserve: Reserve) -> Iterator[Candidate]:
        """Yield the panel with each part of the machine."""
        cost, first = self.samples.problem.costs.cost(support), 0
        for part in self.procedure.machine.parts:
            rows = self.scores[support][first : first + len(part.settings)]
            first += len(part.settings)
            yield best_setting(support, cost, part.settings, rows, self.truth, reserve)


def score_panels(
    procedure: Procedure, samples: Samples, folds: Folds, stop: Stopper, tell: Tell
) -> ScoredPanels | None:
    """Propose panels and cross-validate them, from the cheapest on, for as long as there is time.

    None if there was not even the time for one.
    """
    samples, folds = procedure.enough_of(samples, folds)
    positive = samples.problem.positive
    scores: dict[Support, Floats] = {}
    tell("choosing panels to look at")
    proposing = stop.within(PROPOSING * stop.remaining)
    proposals = propose(samples.problem, max_cost=None, stop=proposing)
    for number, support in enumerate(proposals, 1):
        tell(f"cross-validating panel {number} of {len(proposals)}")
        panel = panel_columns(samples.X, support)
        values = scores_in_time(procedure.machine, panel, positive, folds.splits, stop)
        if values is None:
            break
        scores[support] = values
    if not scores:
        return None
    complete = len(scores) == len(proposals)
    return ScoredPanels(procedure, samples, positive[folds.asked], scores, complete)


def unseen_points(
    procedure: Procedure,
    samples: Samples,
    names: tuple[str, ...],
    grid: list[Pair],
    stop: Stopper,
    tell: Tell,
) -> tuple[list[FrontierPoint], bool] | None:
    """Return one point for each pair of the grid, and whether all panels were looked at.

    None if there was not the time for any.

    Parameters
    ----------
    procedure : Procedure
        How panels are chosen.
    samples : Samples
        The data.
    names : tuple of str
        The features.
    grid : list of (min_tpr, min_tnr)
        The pairs.
    stop : Stopper
        Ends the work. Rates to expect that were not computed by then are None.
    tell : callable
        Takes what is being done.
    """
    folds = procedure.folds(samples, procedure.n_repeats)
    whole = score_panels(procedure, samples, folds, stop.within(WHOLE * stop.remaining), tell)
    if whole is None:
        return None
    chosen = {pair: whole.best(pair) for pair in grid}
    points = [_point(samples, names, pair, chosen[pair], procedure.margin) for pair in grid]
    found = _expected(procedure, samples, folds.first, grid, stop, tell)
    if found is None:
        return points, False
    counts, complete = found
    judged = [
        replace(point, cross_validated=counts[pair]) if point.has_answer else point
        for point, pair in zip(points, grid, strict=True)
    ]
    return judged, whole.complete and complete


def _point(
    samples: Samples, names: tuple[str, ...], pair: Pair, chosen: Candidate, margin: float
) -> FrontierPoint:
    problem = samples.problem
    enough = chosen.margin >= margin
    support = chosen.support if enough else ()
    return FrontierPoint(
        min_tpr=pair[0],
        min_tnr=pair[1],
        budget=_budget(pair, problem.n_positive, problem.n_negative),
        status=Status.FEASIBLE if enough else Status.UNKNOWN,
        support=support,
        features=tuple(names[k] for k in support),
        cost=chosen.cost if enough else math.inf,
        bound=0.0,
        searched=True,
        seconds=0.0,
    )


def _budget(pair: Pair, n_positive: int, n_negative: int) -> ErrorBudget:
    return RateTargets(*pair).budget(n_positive, n_negative)


def _expected(
    procedure: Procedure,
    samples: Samples,
    folds: Folds,
    grid: list[Pair],
    stop: Stopper,
    tell: Tell,
) -> tuple[dict[Pair, RateCounts], bool] | None:
    """Return what is right of the samples asked about, all folds together; None if cut short.

    And whether all panels were looked at in every split.
    """
    totals = {pair: np.zeros(4, dtype=np.intp) for pair in grid}
    complete = True
    for number, (learn, ask) in enumerate(folds.splits, 1):
        part = samples.part(learn)
        share = SCORING * stop.remaining / (len(folds.splits) + 1 - number)
        split = f"rates on new data, split {number} of {len(folds.splits)}"

        def told(doing: str, split: str = split) -> None:
            tell(f"{split}: {doing}")

        scored = score_panels(procedure, part, procedure.folds(part, 1), stop.within(share), told)
        if scored is None:
            return None
        complete = complete and scored.complete
        known: dict[tuple[Support, Setting], Floats] = {}
        truth = samples.problem.positive[ask]
        for pair in grid:
            best = scored.best(pair)
            key = best.support, best.setting
            if key not in known:
                values = _asked(procedure, samples, best, learn, ask, stop)
                if values is None:
                    return None
                known[key] = values
            said = known[key] > best.threshold
            totals[pair] += [
                int((said & truth).sum()),
                int(truth.sum()),
                int((~said & ~truth).sum()),
                int((~truth).sum()),
            ]
    counts = {pair: RateCounts(*(int(n) for n in total)) for pair, total in totals.items()}
    return counts, complete


def _asked(
    procedure: Procedure,
    samples: Samples,
    best: Candidate,
    learn: Index,
    ask: Index,
    stop: Stopper,
) -> Floats | None:
    """Return the decision values of the samples asked about, from the others."""
    panel = panel_columns(samples.X, best.support)
    machine = procedure.machine.only(best.setting)
    scores = scores_in_time(machine, panel, samples.problem.positive, [(learn, ask)], stop)
    return None if scores is None else np.asarray(scores[0])
