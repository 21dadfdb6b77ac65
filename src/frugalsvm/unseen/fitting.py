"""One fit from end to end: choose, train, test on held-out samples, estimate what to expect."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from frugalsvm.data.result import Progress, StopReason
from frugalsvm.inputs.labels import Labels
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.unseen.choice import Candidate, Choice
from frugalsvm.unseen.folds import Folds
from frugalsvm.unseen.holdout import Calibration
from frugalsvm.unseen.nested import Expected
from frugalsvm.unseen.panel_classifier import PanelClassifier, train_panel
from frugalsvm.unseen.procedure import Procedure, Samples
from frugalsvm.unseen.sequence import HeldOut, UnseenCertificate, observe, order_of_tests, passed

LEAST_TIME = 0.6  # seconds for the training, however little time is left; radial ones need them


@dataclass(frozen=True)
class Fit:
    """What a fit found.

    Attributes
    ----------
    classifier : PanelClassifier
        The one to return.
    choice : Choice
        Candidates, and the one that cross-validation prefers.
    expected : Expected
        Rates of the procedure on samples that had no part in it.
    certificate : UnseenCertificate or None
        By held-out samples, if there are any.
    seconds : float
        Wall time.
    stop_reason : StopReason
        Why the work ended.
    """

    classifier: PanelClassifier
    choice: Choice
    expected: Expected
    certificate: UnseenCertificate | None
    seconds: float
    stop_reason: StopReason


@dataclass(frozen=True)
class Fitter:
    """The procedure with the samples to learn from."""

    procedure: Procedure
    samples: Samples
    labels: Labels
    calibration: Calibration | None
    confidence: float
    n_jobs: int
    on_progress: Callable[[Progress], None] | None = None

    def run(self, stop: Stopper) -> Fit | None:
        """Return what was found; None if there was not the time for anything."""
        folds = self.procedure.folds(self.samples, self.procedure.n_repeats)
        choice = self._choose(folds, stop)
        if choice is None:
            return None
        if self.on_progress is not None:
            looked = len(choice.candidates)
            phase = f"cross-validated, {looked} panel{'s' if looked > 1 else ''} looked at closely"
            self.on_progress(Progress(stop.elapsed, choice.best.cost, 0.0, phase))
        classifier, certificate = self._certified(choice, stop)
        expected = self.procedure.expected(self.samples, folds.first, stop, self.n_jobs)
        reason = stop.reason
        if reason is StopReason.COMPLETED and not (choice.complete and expected.complete):
            reason = StopReason.TIME_LIMIT  # a part of the work used up its share of the time
        return Fit(classifier, choice, expected, certificate, stop.elapsed, reason)

    def certified(self, stop: Stopper) -> tuple[PanelClassifier, UnseenCertificate | None] | None:
        """Return classifier and certificate alone, without the rates to expect."""
        folds = self.procedure.folds(self.samples, self.procedure.n_repeats)
        choice = self._choose(folds, stop)
        return None if choice is None else self._certified(choice, stop)

    def _choose(self, folds: Folds, stop: Stopper) -> Choice | None:
        dearer = self.calibration is not None
        return self.procedure.choose(self.samples, folds, stop, dearer=dearer, hurry=True)

    def _train(self, candidate: Candidate, stop: Stopper) -> PanelClassifier:
        """Train on all samples, or where the time is over on as many as chose the panel."""
        X, labels, left = self.samples.X, self.labels, max(LEAST_TIME, stop.remaining)
        if stop():
            left = LEAST_TIME
            rows = self.procedure.enough_rows(self.samples)
            if rows is not None:
                X, labels = X[rows], replace(labels, positive=labels.positive[rows])
        return train_panel(
            self.procedure.machine,
            candidate,
            X,
            labels,
            time_limit=None if math.isinf(left) else left,
            seed=self.procedure.seed,
            owner=self.procedure.owner,
        )

    def _certified(
        self, choice: Choice, stop: Stopper
    ) -> tuple[PanelClassifier, UnseenCertificate | None]:
        """Return the cheapest classifier that the held-out samples confirm, or the chosen one."""
        if self.calibration is None:
            return self._train(choice.best, stop), None
        trained = self._trained(order_of_tests(choice.candidates), stop)
        tests = [self._observe(classifier) for classifier in trained]
        n_passed = passed(tests, self.confidence)
        if n_passed:
            classifier, seen = trained[n_passed - 1], tests[n_passed - 1]
        else:
            classifier = self._train(choice.best, stop)
            seen = self._observe(classifier)
        made = tuple(tests[: n_passed + 1])
        targets = self.procedure.targets
        return classifier, UnseenCertificate(n_passed > 0, self.confidence, targets, seen, made)

    def _trained(self, candidates: Sequence[Candidate], stop: Stopper) -> list[PanelClassifier]:
        """Train the candidates in their order; when the time is over no more than the first."""
        trained: list[PanelClassifier] = []
        for left, candidate in zip(range(len(candidates), 0, -1), candidates, strict=True):
            if trained and stop():
                break
            trained.append(self._train(candidate, stop.within(stop.remaining / left)))
        return trained

    def _observe(self, classifier: PanelClassifier) -> HeldOut:
        if self.calibration is None:
            raise TypeError("there are no held-out samples")
        return observe(
            classifier.candidate,
            classifier.scores(self.calibration.X),
            self.calibration.positive,
            self.procedure.targets,
        )
