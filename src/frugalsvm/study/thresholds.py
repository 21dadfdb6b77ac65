"""The thresholds that a name stands for."""

from __future__ import annotations

from collections.abc import Sequence

from frugalsvm.data.rates import RateTargets
from frugalsvm.study.published import paper_rates
from frugalsvm.study.settings import TOLERATED_LOSS
from frugalsvm.study.summary import summarize
from frugalsvm.study.tasks import Payload

PAPERS = "paper-"
"""Prefix of thresholds that follow from the rates of the paper's standard SVM, not of ours."""


def uncorrected(name: str) -> str:
    """Return the name of the same thresholds without a correction."""
    return name.replace("hoeffding", "plain")


def thresholds(name: str, dataset: str, svm: Sequence[Payload], alpha: float) -> RateTargets:
    """Return the thresholds of that name: a pair, or a standard SVM's rates less 0.025.

    The paper's rates are those of its plain table: the TPR of Australian in its Hoeffding table is
    another one, but the same classifier's.
    """
    if "/" in name:
        tpr, tnr = (float(part) for part in name.split("/"))
        return RateTargets(tpr, tnr)
    if name.startswith(PAPERS):
        table = paper_rates()
        tpr, tnr = (table["linear_plain", dataset, "svm", rate].mean for rate in ("TPR", "TNR"))
    else:
        ours = summarize(svm)
        tpr, tnr = ours.tpr.mean, ours.tnr.mean
    return RateTargets(
        _lowered(tpr),
        _lowered(tnr),
        "hoeffding" if name.removeprefix(PAPERS) == "hoeffding" else None,
        alpha,
    )


def _lowered(rate: float) -> float:
    return min(1.0, max(0.0, rate - TOLERATED_LOSS))
