"""From a fitted estimator to a model file."""

from __future__ import annotations

import json
import platform
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from sklearn.utils.validation import check_is_fitted

from frugalsvm.decision import Decision
from frugalsvm.exceptions import ModelFileError
from frugalsvm.files import write_whole
from frugalsvm.model import (
    FrugalModel,
    Label,
    Origin,
    Panel,
    PanelFeature,
    PanelGroup,
    StepOutcome,
)
from frugalsvm.modelfile.decoding import decode
from frugalsvm.modelfile.encoding import encode
from frugalsvm.modelfile.strict_json import parse
from frugalsvm.prices import FeatureTable, PriceInputs
from frugalsvm.rates import RateTargets
from frugalsvm.result import MarginResult, SelectionResult
from frugalsvm.tabular.preparation import Preparation


@dataclass(frozen=True)
class Training:
    """What a model file says beyond the estimator: where its columns come from.

    Attributes
    ----------
    preparation : Preparation
        How the raw table became the estimator's columns.
    own_groups : mapping from str to str
        Group to variable, for the groups that only hold the levels of one variable.
    target, file, sha256 : str or None
        The target column, and name and hash of the data file.
    missing_markers : tuple of str
        Cells of a CSV file that mean "no value".
    """

    preparation: Preparation
    own_groups: Mapping[str, str] = field(default_factory=dict)
    target: str | None = None
    file: str | None = None
    sha256: str | None = None
    missing_markers: tuple[str, ...] = ()


def save(estimator: Any, path: str | Path, training: Training | None = None) -> FrugalModel:
    """Write a fitted :class:`~frugalsvm.FrugalSVC` to a file, whole or not at all.

    Parameters
    ----------
    estimator : FrugalSVC
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
    check_is_fitted(estimator, "svc_")
    model = model_of(estimator, training)
    text = _text(encode(model))
    decode(parse(text.encode("utf-8")))  # what cannot be read must not be written
    write_whole(path, text)
    return model


def model_of(estimator: Any, training: Training | None = None) -> FrugalModel:
    """Return the model of a fitted FrugalSVC; see :func:`save`."""
    if training is None:
        training = Training(Preparation.identity(_names(estimator)))
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
        targets=RateTargets(
            float(estimator.min_tpr),
            float(estimator.min_tnr),
            estimator.correction,
            float(estimator.alpha),
        ),
        parameters={"C": float(estimator.C), "max_weight": float(estimator.max_weight)},
        selection=_outcome(estimator.result_, estimator.result_.cost),
        training=_outcome(estimator.svc_.result_, estimator.svc_.result_.objective),
        train_tpr=float(estimator.train_tpr_),
        train_tnr=float(estimator.train_tnr_),
        origin=_origin(training, estimator),
        missing_markers=training.missing_markers,
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
        sha256=training.sha256 or estimator._data_hash,
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
