"""Training an ordinary SVM so that time limits and Ctrl-C hold."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.svm import SVC

from frugalsvm.data.result import StopReason
from frugalsvm.inputs.svm_kernels import Kernel
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.runtime.watch import watched

NATIVE = ("linear", "poly", "rbf", "sigmoid")
"""Kernels that libsvm computes itself."""


def trained(
    svc: SVC, X: NDArray[np.float64], signs: NDArray[np.float64], stop: Stopper
) -> SVC | None:
    """Return the SVM trained on `X`; None if `stop` said so before it was."""
    if stop():
        return None
    return watched(lambda: svc.fit(X, signs), stop, look=lambda: None)


def svm(kernel: Kernel, C: float) -> SVC:
    """Return an untrained SVM with objective ||f||^2 / 2 + C sum xi."""
    kind: Any = kernel.kind if kernel.kind in NATIVE else kernel.matrix
    return SVC(C=C, kernel=kind, gamma=kernel.gamma, degree=int(kernel.degree), coef0=kernel.coef0)


def last_training(stop: Stopper) -> Stopper:
    """Return the stopper of a training without which there is no answer.

    It has the time that is left. After Ctrl-C it runs all the same: a second one ends it.
    """
    return Stopper(stop.remaining) if stop.interrupted else stop


def ended(stop: Stopper, *, completed: bool) -> str:
    """Return why the work ended; time that was kept for a last training counts as over."""
    if completed:
        return str(StopReason.COMPLETED)
    return str(StopReason.INTERRUPTED if stop.interrupted else StopReason.TIME_LIMIT)
