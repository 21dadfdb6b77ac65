"""The cheapest panel whose cross-validated rates reach the targets with something to spare."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from frugalsvm.data.costs import CostModel
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.unseen.folds import Folds
from frugalsvm.unseen.scoring import Floats, Machine, Mask, Setting, panel_columns, scores_in_time
from frugalsvm.unseen.subsets import Support
from frugalsvm.unseen.threshold import Reserve, best_cut

DOUBT = 1.0
"""Standard errors that a first look, at one repetition and few settings, may be off."""
DEARER_LOOKS = 6  # dearer panels looked at where a certificate is wanted
LAST_LOOKS = 4  # panels looked at closely where none has the margin asked for


@dataclass(frozen=True)
class Candidate:
    """A panel, and what cross-validation with this panel fixed says about it.

    Attributes
    ----------
    support : tuple of int
        The features.
    cost : float
        What they cost.
    setting : Setting
        The best of the settings: C (None for classifiers without one), loss and kernel.
    threshold : float
        Decision values above it mean the positive class.
    tpr, tnr : float
        Rates at this threshold in cross-validation; optimistic, because threshold, C and panel
        were chosen on the same data.
    margin : float
        By how many standard errors the worse of the two exceeds its target.
    """

    support: Support
    cost: float
    setting: Setting
    threshold: float
    tpr: float
    tnr: float
    margin: float

    @property
    def C(self) -> float | None:  # noqa: N802 - the name it has everywhere
        """The setting's C."""
        return self.setting.C

    @property
    def loss(self) -> str | None:
        """The setting's loss."""
        return self.setting.loss

    @property
    def kernel(self) -> Any:
        """The setting's kernel."""
        return self.setting.kernel


@dataclass(frozen=True)
class Trial:
    """The data, the folds and the machine that panels are tried with.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
        Raw data.
    positive : ndarray of bool
        The positives.
    costs : CostModel
        Prices.
    machine : Machine
        What is trained.
    folds : Folds
        The cross-validation.
    reserve : Reserve
        The targets.
    margin : float
        Standard errors that are to be spared.
    enough : float
        Standard errors with which the plainest machine will do for a panel; infinity: the best of
        all machines is taken.
    """

    X: Floats
    positive: Mask
    costs: CostModel
    machine: Machine
    folds: Folds
    reserve: Reserve
    margin: float
    enough: float

    def look(self, support: Support, stop: Stopper) -> Candidate | None:
        """Return the panel by one repetition and few settings; None if it has to stop."""
        return self._candidate(support, self.machine.middle(), self.folds.first, stop)

    def score(self, support: Support, stop: Stopper) -> Candidate | None:
        """Return the panel with its best setting and threshold; None if it has to stop."""
        return self._candidate(support, self.machine, self.folds, stop)

    def _candidate(
        self, support: Support, machine: Machine, folds: Folds, stop: Stopper
    ) -> Candidate | None:
        return plainest(self._with_each(support, machine, folds, stop), self.enough)

    def _with_each(
        self, support: Support, machine: Machine, folds: Folds, stop: Stopper
    ) -> Iterator[Candidate]:
        """Yield the panel with each part of the machine, as far as there is time."""
        panel, truth = panel_columns(self.X, support), self.positive[folds.asked]
        for part in machine.parts:
            scores = scores_in_time(part, panel, self.positive, folds.splits, stop)
            if scores is None:
                return
            cost = self.costs.cost(support)
            yield best_setting(support, cost, part.settings, scores, truth, self.reserve)


def best_setting(
    support: Support,
    cost: float,
    settings: Sequence[Setting],
    scores: Floats,
    truth: Mask,
    reserve: Reserve,
) -> Candidate:
    """Return the panel with the setting, a row of the scores, that has the greatest margin."""
    cuts = [best_cut(row, truth, reserve) for row in scores]
    k = int(np.argmax([cut.margin for cut in cuts]))
    return Candidate(support, cost, settings[k], **vars(cuts[k]))


def plainest(candidates: Iterable[Candidate], enough: float) -> Candidate | None:
    """Return the first candidate that has enough margin, or else the one that has the most."""
    best = None
    for candidate in candidates:
        if best is None or candidate.margin > best.margin:
            best = candidate
        if best.margin >= enough:
            break
    return best


@dataclass(frozen=True)
class Choice:
    """The panel chosen among the candidates.

    Attributes
    ----------
    best : Candidate
        The chosen one.
    candidates : tuple of Candidate
        All that were looked at closely, by cost.
    complete : bool
        False if the time was over before.
    """

    best: Candidate
    candidates: tuple[Candidate, ...]
    complete: bool


def choose(
    trial: Trial,
    proposals: Sequence[Support],
    stop: Stopper,
    *,
    best_rates: bool = False,
    dearer: bool = False,
) -> Choice | None:
    """Return the cheapest panel with the margin asked for, or else the one of greatest margin.

    From the cheapest on: a first look, and a close one if the first does not rule it out, until a
    panel has the margin.

    Parameters
    ----------
    trial : Trial
        What to try them with.
    proposals : sequence of tuples of int
        The panels, from cheap to dear.
    stop : Stopper
        Ends the work; the choice is then among those looked at.
    best_rates : bool
        Take the greatest margin even if a cheaper panel has enough.
    dearer : bool
        Look closely at some dearer panels too, for those who need more reliable ones.

    Returns
    -------
    Choice or None
        None if there was not the time to look at one panel.
    """
    looks: list[Candidate] = []
    seen: list[Candidate] = []
    enough = np.inf  # the cost of the first panel that has the margin
    for support in proposals:
        if not dearer and trial.costs.cost(support) > enough:
            break
        look = trial.look(support, stop)
        if look is None:
            break
        looks.append(look)
        if not best_rates and look.cost <= enough and look.margin >= trial.margin - DOUBT:
            seen += _closely(trial, [look], seen, stop)
            if any(c.margin >= trial.margin for c in seen):
                enough = min(enough, look.cost)
    complete = not stop()
    if not any(c.margin >= trial.margin for c in seen):
        promising = sorted(looks, key=lambda c: -c.margin)[:LAST_LOOKS]
        seen += _closely(trial, promising, seen, stop)
    if dearer:
        seen += _closely(trial, _more_reliable(looks, seen), seen, stop)
    seen = seen or looks  # where the time was over before a second look
    if not complete:  # that nothing measured tells nothing is no answer
        seen = [c for c in seen if c.support or c.margin >= trial.margin]
    if not seen:
        return None
    candidates = tuple(sorted(seen, key=lambda c: (c.cost, -c.margin)))
    return Choice(preferred(candidates, trial.margin, best_rates), candidates, complete)


def _closely(
    trial: Trial, looks: Sequence[Candidate], seen: Sequence[Candidate], stop: Stopper
) -> list[Candidate]:
    """Look closely at panels that were only glanced at, as far as there is time."""
    done = {c.support for c in seen}
    found = (trial.score(c.support, stop) for c in looks if c.support not in done)
    return [c for c in found if c is not None]


def _more_reliable(looks: Sequence[Candidate], seen: Sequence[Candidate]) -> list[Candidate]:
    """Return panels that promise more than those seen, at even steps up to the most."""
    least = max((c.margin for c in seen), default=-np.inf)
    more = sorted((c for c in looks if c.margin > least), key=lambda c: c.margin)
    if not more:
        return []
    picked = np.unique(np.linspace(0, len(more) - 1, DEARER_LOOKS).round().astype(int))
    return [more[int(k)] for k in picked]


def preferred(
    candidates: Sequence[Candidate], margin: float, best_rates: bool = False
) -> Candidate:
    """Return the cheapest candidate that has the margin, or else the one that has the most."""
    enough = [c for c in candidates if c.margin >= margin]
    if enough and not best_rates:
        return min(enough, key=lambda c: (c.cost, -c.margin))
    return max(candidates, key=lambda c: (c.margin, -c.cost))
