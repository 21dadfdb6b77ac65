"""A model as values that JSON can hold."""

from __future__ import annotations

from typing import Any

from sklearn.metrics.pairwise import kernel_metrics

from frugalsvm.data.exceptions import ModelFileError
from frugalsvm.data.losses import HINGE
from frugalsvm.export import ScoreCard
from frugalsvm.saved.decision import Decision
from frugalsvm.saved.model import FrugalModel, UnseenRates
from frugalsvm.tabular.variables import Variable

FORMAT = "frugalsvm-model"
SCHEMA_VERSION = 2
"""Raise it whenever a reader of the old schema could misread the new one."""


def encode(model: FrugalModel) -> dict[str, Any]:
    """Return a model as values that JSON can hold; floats keep every bit."""
    return {
        "format": FORMAT,
        "schema_version": SCHEMA_VERSION,
        "origin": vars(model.origin),
        "targets": vars(model.targets),
        "classes": list(model.classes),
        "positive_class": model.positive,
        "preparation": {
            "missing_markers": list(model.missing_markers),
            "variables": [_encode_variable(v) for v in model.preparation.variables],
        },
        "panel": {
            "features": [vars(f) | {"groups": list(f.groups)} for f in model.panel.features],
            "groups": [vars(g) for g in model.panel.groups],
            "n_candidates": model.panel.n_candidates,
            "cost_of_all": model.panel.cost_of_all,
        },
        "selection": vars(model.selection),
        "training": vars(model.training),
        "training_rates": {"tpr": model.train_tpr, "tnr": model.train_tnr},
        # Older versions read files without a loss, and refuse others: nothing is misread.
        "parameters": model.parameters | ({} if model.loss == HINGE else {"loss": model.loss}),
        "classifier": _encode_decision(model.decision),
        "positive_levels": list(model.positive_levels),
        "score_card": None if model.score_card is None else _encode_card(model.score_card),
        "unseen": None if model.unseen is None else _encode_unseen(model.unseen),
    }


def _encode_card(card: ScoreCard) -> dict[str, Any]:
    return {
        "lines": [vars(line) for line in card.lines],
        "cutoff": card.cutoff,
        "counts": vars(card.counts),
        "exact": vars(card.exact),
        "meets_targets": card.meets_targets,
    }


def _encode_unseen(unseen: UnseenRates) -> dict[str, Any]:
    held_out = unseen.held_out
    return {
        "threshold": unseen.threshold,
        "margin": unseen.margin,
        "expected": vars(unseen.expected),
        "held_out": None
        if held_out is None
        else vars(held_out) | {"counts": vars(held_out.counts), "rows": list(held_out.rows)},
    }


def _encode_variable(variable: Variable) -> dict[str, Any]:
    return vars(variable) | {"kind": str(variable.kind), "levels": list(variable.levels)}


def _encode_decision(decision: Decision) -> dict[str, Any]:
    kernel = decision.kernel
    if not isinstance(kernel.kind, str) or kernel.kind not in kernel_metrics():
        raise ModelFileError(
            "A model file holds kernels by name. Got a 'kernel' that is a callable: it would have "
            "to run code when the file is loaded."
        )
    return {
        "kernel": kernel.kind,
        "gamma": float(kernel.gamma),
        "degree": float(kernel.degree),
        "coef0": float(kernel.coef0),
        "center": decision.scaler.center.tolist(),
        "scale": decision.scaler.scale.tolist(),
        "constant": decision.scaler.constant.tolist(),
        "weights": decision.weights.tolist(),
        "vectors": decision.vectors.tolist(),
        "dual": decision.dual.tolist(),
        "intercept": decision.intercept,
        "sign": decision.sign,
    }
