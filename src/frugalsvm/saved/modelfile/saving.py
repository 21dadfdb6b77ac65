"""From a fitted estimator to a model file."""

from __future__ import annotations

import json
import platform
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from sklearn.utils.validation import check_is_fitted

from frugalsvm.data.exceptions import ModelFileError
from frugalsvm.data.problem import MAX_WEIGHT
from frugalsvm.data.rates import RateCounts
from frugalsvm.data.result import MarginResult, SelectionResult
from frugalsvm.inputs.prices import FeatureTable, PriceInputs
from frugalsvm.runtime.files import write_whole
from frugalsvm.saved.decision import Decision
from frugalsvm.saved.model import (
    FrugalModel,
    HeldOutRates,
    Label,
    Origin,
    Panel,
    PanelFeature,
    PanelGroup,
    StepOutcome,
    UnseenRates,
)
from frugalsvm.saved.modelfile.decoding import decode
from frugalsvm.saved.modelfile.encoding import encode
from frugalsvm.saved.modelfile.strict_json import parse
from frugalsvm.tabular.origin import Training
from frugalsvm.tabular.preparation import Preparation


def save(estimator: Any, path: str | Path, training: Training | None = None) -> FrugalModel:
    """Write a fitted :class:`~frugalsvm.FrugalSVC` to a file, whole or not at all.

    Parameters
    ----------
    estimator : FrugalSVC or FrugalSVCCV
        Fitted.
    path : str or Path
        Where to.
    training : Training or None
        Where the estimator's columns come from; None: they are the raw columns.

    Returns
    -------
    FrugalModel
        What the file holds.
    """
    check_is_fitted(estimator, "result_")
    return save_model(model_of(estimator, training), path)


def save_model(model: FrugalModel, path: str | Path) -> FrugalModel:
    """Write a model to a file, whole or not at all; return it."""
    text = _text(encode(model))
    decode(parse(text.encode("utf-8")))  # what cannot be read must not be written
    write_whole(path, text)
    return model


def model_of(estimator: Any, training: Training | None = None) -> FrugalModel:
    """Return the model of a fitted FrugalSVC or FrugalSVCCV; see :func:`save`."""
    if not hasattr(estimator, "svc_"):
        raise ModelFileError(
            "A model file holds a Support Vector Machine. Got an estimator with another classifier "
            "on its panel (the 'estimator' parameter): use joblib or pickle for that one."
        )
    if hasattr(estimator.svc_, "estimators_"):
        raise ModelFileError(
            "A model file holds one classifier with two classes. Got an estimator with "
            f"{len(estimator.svc_.estimators_)} of them: use joblib or pickle for that one."
        )
    if training is None:
        training = Training(Preparation.identity(_names(estimator), estimator._ranges))
    names = training.preparation.coded_names
    chosen = [names[k] for k in estimator.result_.support]
    preparation = training.preparation.select(chosen)
    classes = [_label(label) for label in estimator.classes_.tolist()]
    return FrugalModel(
        preparation=preparation,
        panel=_panel(estimator, names, preparation, training.own_groups),
        decision=Decision.of(estimator.svc_),
        classes=(classes[0], classes[1]),
        positive=1 if estimator.svc_._sign > 0 else 0,
        targets=estimator._targets(),
        parameters={"C": float(estimator.svc_.C), "max_weight": _max_weight(estimator)},
        selection=_outcome(estimator.result_, estimator.result_.cost),
        training=_outcome(estimator.svc_.result_, estimator.svc_.result_.objective),
        train_tpr=float(estimator.train_tpr_),
        train_tnr=float(estimator.train_tnr_),
        origin=_origin(training, estimator),
        missing_markers=training.missing_markers,
        positive_levels=training.positive_levels,
        unseen=unseen_rates(estimator),
        loss=estimator.svc_.loss,
    )


def _max_weight(estimator: Any) -> float:
    return float(getattr(estimator, "max_weight", MAX_WEIGHT))


def unseen_rates(estimator: Any) -> UnseenRates | None:
    """Return what a FrugalSVCCV says about new data; None for a FrugalSVC."""
    expected = getattr(estimator, "_expected", None)
    if expected is None:
        return None
    certificate = estimator.certificate_
    held_out = None
    if certificate is not None:
        held_out = HeldOutRates(
            certificate.certified,
            certificate.confidence,
            _counts(certificate.held_out),
            tuple(estimator.held_out_.tolist()),
        )
    return UnseenRates(
        float(estimator.threshold_), float(estimator.margin), _counts(expected), held_out
    )


def _counts(found: Any) -> RateCounts:
    return RateCounts(
        found.right_positives, found.n_positives, found.right_negatives, found.n_negatives
    )


def _names(estimator: Any) -> list[str]:
    names = getattr(estimator, "feature_names_in_", None)
    if names is None:
        return [f"x{k}" for k in range(estimator.n_features_in_)]
    return [str(name) for name in names]


def _panel(
    estimator: Any, names: Sequence[str], preparation: Preparation, own_groups: Mapping[str, str]
) -> Panel:
    table = FeatureTable(tuple(names), type(estimator).__name__)
    inputs = PriceInputs(estimator.feature_costs, estimator.feature_groups, estimator.group_costs)
    costs = inputs.resolve(table)
    group_names = inputs.group_names(table)
    support = estimator.result_.support
    features = tuple(
        PanelFeature(
            column.name,
            column.variable,
            column.level,
            float(costs.feature[k]),
            tuple(group_names[g] for g in costs.groups_of[k]),
        )
        for k, column in zip(support, preparation.columns, strict=True)
    )
    groups = tuple(
        PanelGroup(group_names[g], float(costs.group[g]), own_groups.get(group_names[g]))
        for g in sorted(costs.groups_touched(support))
    )
    return Panel(features, groups, len(names), costs.cost(range(len(names))))


def _outcome(result: SelectionResult | MarginResult, value: float) -> StepOutcome:
    return StepOutcome(
        status=str(result.status),
        value=float(value),
        bound=max(0.0, float(result.bound)),  # costs and objectives are never negative
        stop_reason=str(result.stop_reason),
        solver=result.solver,
        solver_version=result.solver_version,
        seconds=float(result.seconds),
    )


def _origin(training: Training, estimator: Any) -> Origin:
    packages = ("frugalsvm", "numpy", "scipy", "scikit-learn", "highspy")
    n_positive, n_negative = estimator.svc_._class_sizes
    return Origin(
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        versions={"python": platform.python_version()} | {p: version(p) for p in packages},
        n_positive=n_positive,
        n_negative=n_negative,
        target=training.target,
        file=training.file,
        sha256=training.sha256 or getattr(estimator, "selector_", estimator)._data_hash,
    )


def _label(label: Any) -> Label:
    if isinstance(label, (str, bool, int, float)):
        return label
    raise ModelFileError(
        f"A model file holds labels that are texts, numbers or truth values. Got {label!r}."
    )


def _text(document: dict[str, Any]) -> str:
    """Return JSON for people: one field a line, but rows of numbers in one line."""
    text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)
    # Line breaks inside strings are escaped, so that this only sees the layout itself.
    rows = re.compile(r"\[\n\s*([-0-9][-+.,eE0-9\s]*?)\n\s*\]")
    return rows.sub(lambda found: "[" + " ".join(found.group(1).split()) + "]", text) + "\n"
