"""Exit codes, and which error leads to which."""

from __future__ import annotations

from enum import IntEnum

from frugalsvm.cli.wording import in_options
from frugalsvm.data.exceptions import (
    DataError,
    FrugalSVMError,
    InfeasibleRatesError,
    NoSolutionError,
    SolverError,
    UnsupportedModelError,
    VerificationError,
)


class ExitCode(IntEnum):
    """What the command's exit code means; part of the interface."""

    OK = 0
    UNEXPECTED = 1
    """A bug: a traceback is shown."""
    BAD_INPUT = 2
    """Wrong usage, or a file that cannot be used."""
    INFEASIBLE = 3
    """The rates cannot be met with these features."""
    NO_SOLUTION = 4
    """Nothing was found in the time given; whether there is an answer is not known."""
    SOLVER = 5
    """The chosen solver is missing, failed, or cannot solve this kind of model."""
    VERIFICATION = 6
    """An answer did not survive being recomputed: a bug, please report it."""
    NOT_CONFIRMED = 7
    """certify, or fit with rows set aside: at least one target is not confirmed."""
    INTERRUPTED = 130
    """Ctrl-C; an answer found before it was written."""


HANDLED = (FrugalSVMError, ValueError, OSError, MemoryError)
"""Errors that are explained in a sentence; anything else is a bug and shows its traceback."""


def exit_code(error: BaseException) -> ExitCode:
    """Return the exit code for an error.

    Examples
    --------
    >>> exit_code(NoSolutionError("nothing yet", bound=2.0))
    <ExitCode.NO_SOLUTION: 4>
    """
    if isinstance(error, KeyboardInterrupt):
        return ExitCode.INTERRUPTED
    if isinstance(error, InfeasibleRatesError):
        return ExitCode.INFEASIBLE
    if isinstance(error, NoSolutionError):
        return ExitCode.INTERRUPTED if error.interrupted else ExitCode.NO_SOLUTION
    if isinstance(error, (SolverError, UnsupportedModelError)):
        return ExitCode.SOLVER
    if isinstance(error, VerificationError):
        return ExitCode.VERIFICATION
    if isinstance(error, (FrugalSVMError, ValueError, OSError)):
        return ExitCode.BAD_INPUT
    return ExitCode.UNEXPECTED


def explanation(error: BaseException) -> str:
    """Return the sentence that tells a user what happened."""
    if isinstance(error, KeyboardInterrupt):
        return str(error) or "Interrupted before there was an answer; nothing was written."
    if isinstance(error, MemoryError) and not isinstance(error, FrugalSVMError):
        return "The data do not fit into memory."
    if isinstance(error, OSError) and error.strerror:
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{error.strerror}."
    if isinstance(error, DataError):  # it speaks of the user's own columns and files
        return str(error)
    return in_options(str(error))
