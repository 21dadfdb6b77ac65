"""Everything that frugalsvm raises on purpose."""

from __future__ import annotations

from pathlib import Path
from typing import Any


class FrugalSVMError(Exception):
    """Base class of the errors below."""


class InfeasibleRatesError(FrugalSVMError, ValueError):
    """No allowed set of features meets both rates.

    Attributes
    ----------
    proven : bool
        True if it is proven that no classifier of this kind meets the rates.
    n_positive, n_negative : int
        How many samples of each class the rates were asked for.
    min_tpr, min_tnr : float
        The rates that were asked for, after any correction.
    best_tpr : float
        The best TPR found with the asked TNR kept: asking for (best_tpr, min_tnr) succeeds.
    best_tnr : float
        The best TNR found with the asked TPR kept: asking for (min_tpr, best_tnr) succeeds.
    balanced : tuple of float or None
        A TPR and a TNR that can be had together, each about as far below the rate asked for.
    classes : tuple of labels
        With several classes or outputs: those whose rates, against the rest, cannot be met. The
        figures above are about the first of them.
    pairs : tuple of pairs of labels
        Classes that provably cannot be told apart: no hyperplane on the allowed features has the
        recalls asked for of both, with nothing else to tell them from. Fusing them may help.
    doubtful_pairs : tuple of pairs of labels
        Classes for which neither a hyperplane nor such a proof was found.
    """

    def __init__(
        self,
        message: str,
        *,
        proven: bool,
        n_positive: int,
        n_negative: int,
        min_tpr: float,
        min_tnr: float,
        best_tpr: float,
        best_tnr: float,
        balanced: tuple[float, float] | None = None,
        classes: tuple[Any, ...] = (),
        pairs: tuple[tuple[Any, Any], ...] = (),
        doubtful_pairs: tuple[tuple[Any, Any], ...] = (),
    ) -> None:
        super().__init__(message)
        self.proven = proven
        self.n_positive = n_positive
        self.n_negative = n_negative
        self.min_tpr = min_tpr
        self.min_tnr = min_tnr
        self.best_tpr = best_tpr
        self.best_tnr = best_tnr
        self.balanced = balanced
        self.classes = classes
        self.pairs = pairs
        self.doubtful_pairs = doubtful_pairs


class NoSolutionError(FrugalSVMError, RuntimeError):
    """The search stopped before it found any classifier that meets the rates.

    Unlike :class:`InfeasibleRatesError` this says nothing about whether one exists.

    Attributes
    ----------
    bound : float
        The proven lower bound on the cost (or objective) when the search stopped.
    interrupted : bool
        True if the user stopped it, and no limit did.
    best_tpr, best_tnr : float or None
        The best TPR found with the asked TNR kept, and the other way round, as in
        :class:`InfeasibleRatesError`; None where nothing was looked for.
    """

    def __init__(
        self,
        message: str,
        *,
        bound: float,
        interrupted: bool = False,
        best_tpr: float | None = None,
        best_tnr: float | None = None,
    ) -> None:
        super().__init__(message)
        self.bound = bound
        self.interrupted = interrupted
        self.best_tpr = best_tpr
        self.best_tnr = best_tnr


class VerificationError(FrugalSVMError, RuntimeError):
    """An answer did not survive being recomputed from the raw data: a bug, please report it.

    Attributes
    ----------
    report : pathlib.Path or None
        A file with the problem and the answer, to attach to the report.
    """

    def __init__(self, message: str, *, report: Path | None = None) -> None:
        super().__init__(message)
        self.report = report


class SolverError(FrugalSVMError, RuntimeError):
    """A solver is missing, refused the model (a size-limited licence, say), or failed."""


class UnsupportedModelError(FrugalSVMError, ValueError):
    """The chosen solver cannot solve this kind of model; the message names one that can."""


class OutOfMemoryError(FrugalSVMError, MemoryError):
    """The problem would not fit into the memory that is left; the message says what would.

    Attributes
    ----------
    needed, free : float
        Bytes that it takes, and that the machine has left.
    """

    def __init__(self, message: str, *, needed: float, free: float) -> None:
        super().__init__(message)
        self.needed = needed
        self.free = free


class OutOfRangeWarning(UserWarning):
    """New data leave the range that a model saw in training; the message names row and column."""


class RecallWarning(UserWarning):
    """Of several classes, the one with the largest score has a lower recall than was asked for."""


class FusedClassesWarning(UserWarning):
    """Classes that cannot be told apart were taken as one; the message names them."""


class DataError(FrugalSVMError, ValueError):
    """A table or a price list cannot be used as it is; the message names the row and the column."""


class ModelFileError(FrugalSVMError, ValueError):
    """A model file is damaged, hostile, or newer than this version; the message says where."""
