"""JSON values as a model, with every field checked, and the fields against each other."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.metrics.pairwise import kernel_metrics

from frugalsvm.data.exceptions import ModelFileError
from frugalsvm.data.losses import HINGE, LOSSES
from frugalsvm.data.rates import RateCounts, RateTargets
from frugalsvm.data.result import StopReason
from frugalsvm.inputs.standardize import Standardizer
from frugalsvm.inputs.svm_kernels import Kernel
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
from frugalsvm.saved.modelfile.card import decode_card
from frugalsvm.saved.modelfile.encoding import FORMAT, SCHEMA_VERSION
from frugalsvm.saved.modelfile.strict_json import Field
from frugalsvm.tabular.preparation import CodedColumn, Preparation
from frugalsvm.tabular.variables import Kind, Variable

_TOLERANCE = 1e-6
"""Relative difference that rounding may leave between a sum and its stored value."""

_SECTIONS = (
    "format",
    "schema_version",
    "origin",
    "targets",
    "classes",
    "positive_class",
    "preparation",
    "panel",
    "selection",
    "training",
    "training_rates",
    "parameters",
    "classifier",
)
_LATER = ("score_card", "positive_levels", "unseen")
"""Sections that files of the first schema do not have."""


def decode(document: Any) -> FrugalModel:
    """Return the model, or raise a ModelFileError that names the field that is wrong."""
    first = _check_version(document) == 1
    sections = (*_SECTIONS, *_LATER)
    found = Field(document).fields(
        *(_SECTIONS if first else sections), optional=_LATER if first else ()
    )
    top = dict(zip(sections, found, strict=True))
    markers, variables = top["preparation"].fields("missing_markers", "variables")
    panel = _panel(top["panel"])
    tpr, tnr = top["training_rates"].fields("tpr", "tnr")
    parameters, loss = _parameters(top["parameters"])
    model = FrugalModel(
        preparation=_preparation(variables, panel),
        panel=panel,
        decision=_decision(top["classifier"], max(1, len(panel.features))),
        classes=_classes(top["classes"]),
        positive=top["positive_class"].count(most=1),
        targets=_targets(top["targets"]),
        parameters=parameters,
        selection=_outcome(top["selection"]),
        training=_outcome(top["training"]),
        train_tpr=tpr.number(0, 1),
        train_tnr=tnr.number(0, 1),
        origin=_origin(top["origin"]),
        missing_markers=tuple(marker.text() for marker in markers.items()),
        positive_levels=_levels(top["positive_levels"]),
        unseen=_unseen(top["unseen"]),
        loss=loss,
    )
    _check_consistency(model)
    if top["score_card"].absent:
        return model
    return replace(model, score_card=decode_card(top["score_card"], model))


def _levels(entry: Field) -> tuple[str, ...]:
    return () if entry.absent else tuple(level.text() for level in entry.items())


def _check_version(document: Any) -> int:
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ModelFileError(f'It does not say that it is one ("format": "{FORMAT}").')
    found = Field(document.get("schema_version"), "schema_version").count(1)
    if found > SCHEMA_VERSION:
        raise ModelFileError(
            f"It was written by a newer version of frugalsvm (schema {found}; this one reads up "
            f"to {SCHEMA_VERSION}): update frugalsvm."
        )
    return found


def _unseen(entry: Field) -> UnseenRates | None:
    if entry.absent:
        return None
    threshold, margin, expected, held_out = entry.fields(
        "threshold", "margin", "expected", "held_out"
    )
    return UnseenRates(
        threshold.number(),
        margin.number(),
        _counts(expected),
        None if held_out.absent else _held_out(held_out),
    )


def _held_out(entry: Field) -> HeldOutRates:
    certified, confidence, counts, rows = entry.fields("certified", "confidence", "counts", "rows")
    if not 0 < confidence.number() < 1:
        confidence.refuse("a number between 0 and 1")
    return HeldOutRates(
        certified.flag(),
        confidence.number(),
        _counts(counts),
        tuple(row.count() for row in rows.items()),
    )


def _counts(entry: Field) -> RateCounts:
    true_positives, n_positive, true_negatives, n_negative = entry.fields(
        "true_positives", "n_positive", "true_negatives", "n_negative"
    )
    return RateCounts(
        true_positives.count(most=n_positive.count()),
        n_positive.count(),
        true_negatives.count(most=n_negative.count()),
        n_negative.count(),
    )


def _panel(panel: Field) -> Panel:
    features, groups, n_candidates, cost_of_all = panel.fields(
        "features", "groups", "n_candidates", "cost_of_all"
    )
    return Panel(
        tuple(_panel_feature(entry) for entry in features.items()),
        tuple(_panel_group(entry) for entry in groups.items()),
        n_candidates.count(),
        cost_of_all.number(0),
    )


def _panel_feature(entry: Field) -> PanelFeature:
    name, variable, level, cost, groups = entry.fields(
        "name", "variable", "level", "cost", "groups"
    )
    return PanelFeature(
        name.text(),
        variable.text(),
        None if level.absent else level.text(),
        cost.number(0),
        tuple(group.text() for group in groups.items()),
    )


def _panel_group(entry: Field) -> PanelGroup:
    name, cost, variable = entry.fields("name", "cost", "variable")
    return PanelGroup(name.text(), cost.number(0), None if variable.absent else variable.text())


def _preparation(variables: Field, panel: Panel) -> Preparation:
    learned = {}
    for entry in variables.items():
        variable = _variable(entry)
        if variable.name in learned:
            entry.refuse("a variable that is not listed before")
        learned[variable.name] = variable
    for feature in panel.features:
        known = learned.get(feature.variable)
        pairs = () if known is None else zip(known.coded_names, known.coded_levels, strict=True)
        if (feature.name, feature.level) not in pairs:
            raise ModelFileError(
                f"The panel's feature {ascii(feature.name)[:80]} is not a column of a variable "
                "in 'preparation'."
            )
    columns = tuple(CodedColumn(f.name, f.variable, f.level) for f in panel.features)
    needed = {column.variable for column in columns}
    if len({c.name for c in columns}) < len(columns) or needed != set(learned):
        raise ModelFileError(
            "'preparation.variables' must be the variables that the panel uses, and the panel's "
            "features distinct. They are not."
        )
    return Preparation(tuple(learned.values()), columns)


def _variable(entry: Field) -> Variable:
    name, kind, levels, fill, n_missing, low, high = entry.fields(
        "name", "kind", "levels", "fill", "n_missing", optional=("low", "high")
    )
    chosen = Kind(kind.choice([str(k) for k in Kind]))
    names = tuple(level.text() for level in levels.items())
    categorical = chosen is Kind.CATEGORICAL
    if categorical != bool(names) or list(names) != sorted(set(names)):
        levels.refuse("distinct levels in alphabetical order, for a categorical variable only")
    value: float | str | None = None
    if not fill.absent:
        value = fill.choice(names) if categorical else fill.number()
    if chosen is Kind.BOOLEAN and value not in (None, 0.0, 1.0):
        fill.refuse("0 or 1")
    seen = (None if low.absent else low.number(), None if high.absent else high.number())
    if seen[0] is not None and seen[1] is not None and seen[0] > seen[1]:
        high.refuse(f"at least 'low', {seen[0]:g}")
    return Variable(name.text(), chosen, names, value, n_missing.count(), *seen)


def _decision(classifier: Field, n_features: int) -> Decision:
    kernel, gamma, degree, coef0, center, scale, constant, weights, vectors, dual, b, sign = (
        classifier.fields(
            "kernel",
            "gamma",
            "degree",
            "coef0",
            "center",
            "scale",
            "constant",
            "weights",
            "vectors",
            "dual",
            "intercept",
            "sign",
        )
    )
    chosen = Kernel(
        kernel.choice(list(kernel_metrics())), gamma.number(0), degree.number(0), coef0.number()
    )
    scaler = Standardizer(
        center.vector(n_features), scale.vector(n_features), _flags(constant, n_features)
    )
    if not np.all(scaler.scale > 0):
        scale.refuse("a list of numbers > 0")
    if sign.number() not in (1.0, -1.0):
        sign.refuse("1 or -1")
    rows = vectors.matrix(n_features)
    if chosen.linear and len(rows):
        vectors.refuse("empty for the linear kernel")
    return Decision(
        scaler=scaler,
        kernel=chosen,
        weights=weights.vector(n_features if chosen.linear else 0),
        vectors=rows,
        dual=dual.vector(len(rows)),
        intercept=b.number(),
        sign=sign.number(),
    )


def _flags(entries: Field, length: int) -> Any:
    flags = [entry.flag() for entry in entries.items()]
    if len(flags) != length:
        raise ModelFileError(f"'{entries.place}' must have {length} entries. Got {len(flags)}.")
    return np.array(flags, dtype=np.bool_)


def _classes(entries: Field) -> tuple[Label, Label]:
    labels: list[Label] = []
    for entry in entries.items():
        if isinstance(entry.value, bool):
            labels.append(entry.value)
        elif isinstance(entry.value, str):
            labels.append(entry.text())
        else:
            entry.number()
            labels.append(entry.value)
    if len(labels) != 2 or type(labels[0]) is not type(labels[1]) or not _ascend(*labels):
        entries.refuse("two labels of one type in ascending order")
    return labels[0], labels[1]


def _ascend(first: Any, second: Any) -> bool:
    return bool(first < second)


def _targets(entry: Field) -> RateTargets:
    tpr, tnr, correction, alpha = entry.fields("min_tpr", "min_tnr", "correction", "alpha")
    if not correction.absent:
        correction.choice(["hoeffding"])
    if not 0 < alpha.number() < 1:
        alpha.refuse("a number between 0 and 1")
    return RateTargets(
        tpr.number(0, 1),
        tnr.number(0, 1),
        None if correction.absent else "hoeffding",
        alpha.number(),
    )


def _parameters(entry: Field) -> tuple[dict[str, float], str]:
    """Return the numbers, and the loss."""
    C, max_weight, loss = entry.fields("C", "max_weight", optional=("loss",))
    numbers = {"C": C.number(0), "max_weight": max_weight.number(0)}
    return numbers, HINGE if loss.absent else loss.choice(LOSSES)


def _outcome(entry: Field) -> StepOutcome:
    status, value, bound, reason, solver, version, seconds = entry.fields(
        "status", "value", "bound", "stop_reason", "solver", "solver_version", "seconds"
    )
    outcome = StepOutcome(
        status.choice(["optimal", "feasible"]),
        value.number(0),
        bound.number(0),
        reason.choice([str(r) for r in StopReason]),
        solver.text(200),
        version.text(200),
        seconds.number(0),
    )
    if outcome.bound > outcome.value * (1 + _TOLERANCE) + _TOLERANCE:
        bound.refuse(f"at most the value it bounds, {outcome.value:g}")
    return outcome


def _origin(entry: Field) -> Origin:
    created, versions, n_positive, n_negative, sha256, target, file = entry.fields(
        "created", "versions", "n_positive", "n_negative", "sha256", "target", "file"
    )
    digest = sha256.text(64)
    if len(digest) != 64 or not set(digest) <= set("0123456789abcdef"):
        sha256.refuse("64 hexadecimal digits")
    return Origin(
        created.text(40),
        {name[:100]: item.text(100) for name, item in versions.mapping().items()},
        n_positive.count(1),
        n_negative.count(1),
        digest,
        None if target.absent else target.text(),
        None if file.absent else file.text(),
    )


def _check_consistency(model: FrugalModel) -> None:
    """Raise if the parts contradict each other."""
    panel = model.panel
    named = [group.name for group in panel.groups]
    touched = {name for feature in panel.features for name in feature.groups}
    if len(set(named)) < len(named) or set(named) != touched:
        raise ModelFileError("'panel.groups' must be the groups that its features name, once each.")
    if panel.n_candidates < len(panel.features):
        raise ModelFileError("'panel.n_candidates' must be at least the number of its features.")
    if not math.isclose(panel.cost, model.cost, rel_tol=_TOLERANCE, abs_tol=_TOLERANCE):
        raise ModelFileError(
            f"'selection.value' must be the cost of the panel, {panel.cost:g}. Got {model.cost:g}."
        )
    gap = model.cost - model.bound
    if model.status == "optimal" and gap > _TOLERANCE * max(1.0, model.cost):
        raise ModelFileError(
            f"'selection.status' is \"optimal\", but its bound {model.bound:g} is below its "
            f"value {model.cost:g}."
        )
    sign = 1.0 if model.positive == 1 else -1.0
    if model.decision.sign != sign:
        raise ModelFileError("'classifier.sign' must fit 'positive_class'.")
