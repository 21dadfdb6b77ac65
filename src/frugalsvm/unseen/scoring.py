"""Decision values of samples that a classifier on a panel was not trained on.

The classifier is an ordinary SVM, for each C, or, with a linear kernel, a logistic regression; or
any classifier of scikit-learn. Linear SVMs on few features are trained side by side: all splits and
all C at once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.svm import SVC

from frugalsvm.data.losses import HINGE, LOGISTIC
from frugalsvm.inputs.standardize import Standardizer
from frugalsvm.inputs.svm_kernels import Kernel, settle_gamma
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.runtime.watch import watched
from frugalsvm.sparse.batch import solve_many
from frugalsvm.unseen.folds import Split
from frugalsvm.unseen.logistic import logistic_plane

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

TOLERANCE = 1e-3
"""Relative gap of the SVMs: rates are counted from them, and the one returned is trained anew."""
DIGITS = 2
"""Decimals of their decision values that are taken seriously; the margin is at 1. Where an SVM
gives all samples almost the same value, the rest tells how the solver came to it, not the classes,
and the classifier trained anew would not repeat it."""
ENOUGH_SAMPLES = 20_000
"""Rates of some ten thousand samples are known to a third of a percent."""
MOST_AT_ONCE = 1_000_000  # numbers in the feature matrices that are solved side by side


@dataclass(frozen=True)
class Setting:
    """What is chosen together with a panel.

    Attributes
    ----------
    C : float or None
        None where there is nothing to choose.
    loss : {"hinge", "logistic"} or None
        An SVM or a logistic regression; None where there is nothing to choose.
    kernel : str, callable or None
        The SVM's; None where there is nothing to choose.
    """

    C: float | None
    loss: str | None = HINGE
    kernel: Any = "linear"


class Machine(Protocol):
    """Something to train on a panel, in one or several settings."""

    @property
    def settings(self) -> Sequence[Setting]:
        """What to choose from."""

    @property
    def parts(self) -> Sequence[Machine]:
        """What it is made of: a later one is tried only where the ones before fall short."""

    def middle(self) -> Machine:
        """Return the machine with few settings, for a first look."""

    def only(self, setting: Setting) -> Machine:
        """Return the machine with this setting alone."""

    @property
    def enough_samples(self) -> float:
        """Samples that tell its decision values on more of them, too; infinity: none do."""

    def scores(
        self, X: Floats, positive: Mask, splits: Sequence[Split], stop: Stopper
    ) -> Floats | None:
        """Return the decision values, settings by samples asked about; None if it has to stop."""


def scores_in_time(
    machine: Machine, X: Floats, positive: Mask, splits: Sequence[Split], stop: Stopper
) -> Floats | None:
    """Return the decision values of a machine; None if they are not there when it is time to stop.

    Some classifiers hear nobody while they are trained. They are left to end by themselves.
    """
    return watched(lambda: machine.scores(X, positive, splits, stop), stop, look=lambda: None)


def panel_columns(X: Floats, support: Sequence[int]) -> Floats:
    """Return the panel's columns; for the empty panel one column of zeros."""
    return X[:, list(support)] if len(support) else np.zeros((len(X), 1))


@dataclass(frozen=True)
class Machines:
    """Support Vector Machines of one kernel; parameters as in :class:`~frugalsvm.RateSVC`.

    With a linear kernel also a logistic regression of the middle C: where one class is rare, an
    SVM without rate constraints may hardly tell it from the other.
    """

    Cs: tuple[float, ...]
    kernel: Any = "linear"
    gamma: Any = "scale"
    degree: int = 3
    coef0: float = 0.0
    standardize: bool = True
    losses: tuple[str, ...] = (HINGE, LOGISTIC)

    @property
    def settings(self) -> Sequence[Setting]:
        """The SVMs' values of C, then the logistic regression's."""
        svms = self.Cs if HINGE in self.losses else ()
        found = [Setting(C, HINGE, self.kernel) for C in svms]
        return found + [Setting(self._middle, LOGISTIC, self.kernel)] * self._has_logistic

    @property
    def parts(self) -> Sequence[Machine]:
        """Nothing but this machine."""
        return (self,)

    @property
    def enough_samples(self) -> float:
        """Of linear machines: with far more samples than features, more change little."""
        return ENOUGH_SAMPLES if self.kernel == "linear" else np.inf

    @property
    def _middle(self) -> float:
        return sorted(self.Cs)[len(self.Cs) // 2]

    @property
    def _has_logistic(self) -> bool:
        return LOGISTIC in self.losses and self.kernel == "linear"

    def middle(self) -> Machines:
        """Return the machines of the middle C."""
        return replace(self, Cs=(self._middle,))

    def only(self, setting: Setting) -> Machines:
        """Return the machine of this C and loss."""
        if setting.C is None or setting.loss is None:
            return self
        return replace(self, Cs=(setting.C,), losses=(setting.loss,))

    def scores(
        self, X: Floats, positive: Mask, splits: Sequence[Split], stop: Stopper
    ) -> Floats | None:
        """Return the decision values, one row for each setting; None if it has to stop.

        If that is only after the SVMs, their rows are returned, which are those of the first
        settings: where a user is in a hurry, they serve.
        """
        svms = self._svm_scores(X, positive, splits, stop) if HINGE in self.losses else None
        if not self._has_logistic or (svms is None and HINGE in self.losses):
            return svms
        logistic = self._logistic_scores(X, positive, splits, stop)
        found = [rows for rows in (svms, logistic) if rows is not None]
        return np.concatenate(found) if found else None

    def _logistic_scores(
        self, X: Floats, positive: Mask, splits: Sequence[Split], stop: Stopper
    ) -> Floats | None:
        parts = []
        for learn, ask in splits:
            if stop():
                return None
            scaler = self._scaler(X[learn])
            signs = np.where(positive[learn], 1.0, -1.0)
            weights, intercept = logistic_plane(scaler.transform(X[learn]), signs, self._middle / 2)
            parts.append(scaler.transform(X[ask]) @ weights + intercept)
        return np.concatenate(parts)[np.newaxis]

    def _svm_scores(
        self, X: Floats, positive: Mask, splits: Sequence[Split], stop: Stopper
    ) -> Floats | None:
        side_by_side = self.kernel == "linear" and X.shape[1] < min(len(s[0]) for s in splits)
        found: dict[int, Floats] = {}
        for numbers in self._batches(X, splits) if side_by_side else _one_by_one(splits):
            if stop():
                return None
            if side_by_side:
                found |= self._linear_scores(X, positive, splits, numbers, stop)
                if stop.interrupted:
                    return None  # a user who leaves does not wait for the rest of a batch
            else:
                (k,) = numbers
                found[k] = self._kernel_scores(X, positive, *splits[k])
        return np.round(np.concatenate([found[k] for k in range(len(splits))], axis=1), DIGITS)

    def _scaler(self, X: Floats) -> Standardizer:
        return Standardizer.fit(X) if self.standardize else Standardizer.identity(X.shape[1])

    def _batches(self, X: Floats, splits: Sequence[Split]) -> Iterator[list[int]]:
        """Yield the splits that are trained side by side: of one size, as far as memory allows."""
        by_size: dict[int, list[int]] = defaultdict(list)
        for number, (learn, _) in enumerate(splits):
            by_size[len(learn)].append(number)
        for size, numbers in by_size.items():
            step = max(1, MOST_AT_ONCE // (size * X.shape[1] * len(self.Cs)))
            for start in range(0, len(numbers), step):
                yield numbers[start : start + step]

    def _linear_scores(
        self,
        X: Floats,
        positive: Mask,
        splits: Sequence[Split],
        numbers: Sequence[int],
        stop: Stopper,
    ) -> dict[int, Floats]:
        scalers = [self._scaler(X[splits[k][0]]) for k in numbers]
        Z = np.array([s.transform(X[splits[k][0]]) for s, k in zip(scalers, numbers, strict=True)])
        signs = np.array([np.where(positive[splits[k][0]], 1.0, -1.0) for k in numbers])
        n = len(self.Cs)
        halves = np.tile(np.asarray(self.Cs) / 2, len(numbers))
        each = np.repeat(np.arange(len(numbers)), n)
        planes = solve_many(
            *(Z[each], signs[each], halves),
            tolerance=TOLERANCE,
            leave=lambda: stop.interrupted,
        )
        return {
            k: planes.weights[i * n : (i + 1) * n] @ scaler.transform(X[splits[k][1]]).T
            + planes.intercepts[i * n : (i + 1) * n, np.newaxis]
            for i, (scaler, k) in enumerate(zip(scalers, numbers, strict=True))
        }

    def _kernel_scores(
        self, X: Floats, positive: Mask, learn: NDArray[np.intp], ask: NDArray[np.intp]
    ) -> Floats:
        scaler = self._scaler(X[learn])
        Z, asked = scaler.transform(X[learn]), scaler.transform(X[ask])
        kernel = Kernel(self.kernel, settle_gamma(self.gamma, Z), self.degree, self.coef0)
        gram, across = kernel.matrix(Z, Z), kernel.matrix(asked, Z)
        return np.array(
            [
                SVC(C=C / 2, kernel="precomputed")
                .fit(gram, positive[learn])
                .decision_function(across)
                for C in self.Cs
            ]
        )


@dataclass(frozen=True)
class AnyClassifier:
    """A classifier of scikit-learn with a decision function or probabilities."""

    estimator: Any

    @property
    def settings(self) -> Sequence[Setting]:
        """Nothing to choose."""
        return (Setting(None, None, None),)

    @property
    def parts(self) -> Sequence[Machine]:
        """Nothing but this machine."""
        return (self,)

    @property
    def enough_samples(self) -> float:
        """Nothing is known about it."""
        return np.inf

    def fitted(self, panel: Floats, truth: Mask) -> Any:
        """Return the classifier fitted; without anything to tell by, one that tells nothing."""
        blank = np.ptp(panel, axis=0).max(initial=0.0) == 0.0  # not every classifier takes that
        return (DummyClassifier() if blank else clone(self.estimator)).fit(panel, truth)

    def middle(self) -> AnyClassifier:
        """Return this machine: there is nothing to choose."""
        return self

    def only(self, setting: Setting) -> AnyClassifier:
        """Return this machine."""
        return self

    def scores(
        self, X: Floats, positive: Mask, splits: Sequence[Split], stop: Stopper
    ) -> Floats | None:
        """Return decision values or probabilities, as one row; None if it has to stop."""
        parts = []
        for learn, ask in splits:
            if stop():
                return None
            parts.append(positive_scores(self.fitted(X[learn], positive[learn]), X[ask]))
        return np.concatenate(parts)[np.newaxis]


def _one_by_one(splits: Sequence[Split]) -> Iterator[list[int]]:
    return ([k] for k in range(len(splits)))


def positive_scores(fitted: Any, X: Floats) -> Floats:
    """Return what a classifier of (False, True) says for True: decision values or probabilities."""
    if hasattr(fitted, "decision_function"):
        return np.asarray(fitted.decision_function(X), dtype=np.float64)
    return np.asarray(fitted.predict_proba(X)[:, 1], dtype=np.float64)
