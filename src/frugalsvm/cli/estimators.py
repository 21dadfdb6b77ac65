"""Which estimator ``fit`` uses: for rates on new data, or for rates in training."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sklearn.exceptions import ConvergenceWarning

from frugalsvm.cli.console import warn
from frugalsvm.cli.wording import in_options
from frugalsvm.data.exceptions import DataError
from frugalsvm.data.result import StopReason
from frugalsvm.estimators.classifier import FrugalSVC
from frugalsvm.inputs.svm_kernels import AUTO
from frugalsvm.unseen import FrugalSVCCV

CONFIDENCE = 0.95
"""Of a certificate, if none is asked for; intervals always have it."""
AROUND = (0.1, 1.0, 10.0)
"""Multiples of --C that cross-validation chooses from."""
NOT_FOR_UNSEEN = ("correction", "alpha", "max_weight", "n_alternatives", "C", "solver")


def estimator_for(
    parameters: dict[str, Any], *, unseen: bool, hold_out: float, confidence: float
) -> FrugalSVC | FrugalSVCCV:
    """Return the estimator that the options of ``fit`` describe.

    Parameters
    ----------
    parameters : dict
        Parameters of :class:`~frugalsvm.FrugalSVC`.
    unseen : bool
        True: for rates on new data.
    hold_out : float
        Share of the rows for a certificate; 0: none.
    confidence : float
        Of the certificate.
    """
    if not hold_out and confidence != CONFIDENCE:
        raise DataError(
            f"--confidence {confidence:g} is that of a certificate, which takes rows set aside: "
            "say --hold-out 0.3, or leave it out."
        )
    if not unseen:
        if hold_out:
            raise DataError(
                "--hold-out certifies rates on new data: say --rates unseen, or leave it out and "
                "use frugalsvm certify on rows that were not used for training."
            )
        own = {k: value for k, value in parameters.items() if k != "margin"}
        return FrugalSVC(**(own | {"kernel": _settled(parameters.get("kernel", AUTO))}))
    if parameters.get("correction") is not None:
        raise DataError(
            "--correction raises the rates asked for in training: say --rates training. With "
            "--rates unseen the margin in cross-validation takes its place."
        )
    if parameters.get("solver", "auto") != "auto":
        raise DataError(
            f"--solver {parameters['solver']} solves the paper's selection problem, which --rates "
            "unseen does not pose: say --rates training."
        )
    shared = {name: value for name, value in parameters.items() if name not in NOT_FOR_UNSEEN}
    return FrugalSVCCV(
        **shared,
        Cs=tuple(C * parameters["C"] for C in AROUND),
        test_size=hold_out or None,
        confidence=confidence,
    )


def _settled(kernel: str) -> str:
    """Return the kernel for rates in training, where there is nothing to choose by."""
    return "linear" if kernel == AUTO else kernel


@contextmanager
def caveats_told(*, quiet: bool) -> Iterator[None]:
    """Show what an estimator warns of as the command line's own warnings.

    But for unfinished training: the result says it, and how far it is.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for caveat in caught:
        ours = issubclass(caveat.category, UserWarning)
        if ours and not issubclass(caveat.category, ConvergenceWarning) and not quiet:
            warn(in_options(str(caveat.message)))


def was_interrupted(estimator: FrugalSVC | FrugalSVCCV) -> bool:
    """Return True if the user ended the work."""
    steps = (estimator.result_, estimator.svc_.result_)
    return any(step.stop_reason is StopReason.INTERRUPTED for step in steps)
