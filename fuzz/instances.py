"""What a random problem is: plain data, written to a file and read back without loss."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Row = tuple[float, ...]


@dataclass(frozen=True)
class SelectionInstance:
    """A question to FrugalSelector.

    Attributes
    ----------
    X, y
        Raw data as rows, and whether each sample is positive.
    min_tpr, min_tnr
        Rates asked for.
    feature_costs
        One price per feature.
    groups_of, group_costs
        The groups that each feature touches, by number, and their prices.
    include, exclude
        Numbers of features.
    max_weight
        M3.
    labels
        The labels of the negative and the positive class.
    n_alternatives
        How many further supports are asked for.
    setting
        What is unusual about the search: see `fuzz.subject`.
    weights
        How many samples each row stands for; empty: one each.
    seed
        What it was made from.
    """

    X: tuple[Row, ...]
    y: tuple[bool, ...]
    min_tpr: float
    min_tnr: float
    feature_costs: tuple[float, ...]
    groups_of: tuple[tuple[int, ...], ...] = ()
    group_costs: tuple[float, ...] = ()
    include: tuple[int, ...] = ()
    exclude: tuple[int, ...] = ()
    max_weight: float = 100.0
    labels: tuple[Any, Any] = (0, 1)
    n_alternatives: int = 0
    setting: tuple[str, ...] = ()
    weights: tuple[int, ...] = ()
    seed: int = -1

    def __post_init__(self) -> None:
        if not self.groups_of:
            object.__setattr__(self, "groups_of", ((),) * len(self.feature_costs))


@dataclass(frozen=True)
class Measure:
    """A further constraint of a training: at least `min_rate` of these samples are right.

    `label` is None (both classes), True (positives) or False; `where` None or a mask.
    """

    min_rate: float
    label: bool | None = None
    where: tuple[bool, ...] | None = None


@dataclass(frozen=True)
class TrainingInstance:
    """A question to RateSVC; see `SelectionInstance` for what is not named here.

    Attributes
    ----------
    kernel, gamma, degree, coef0, C, standardize, max_slack
        As the estimator takes them; gamma is "scale", "auto" or a number.
    measures
        Further constraints.
    """

    X: tuple[Row, ...]
    y: tuple[bool, ...]
    min_tpr: float
    min_tnr: float
    C: float
    kernel: str = "linear"
    gamma: Any = "scale"
    degree: int = 3
    coef0: float = 0.0
    standardize: bool = True
    max_slack: float | None = None
    measures: tuple[Measure, ...] = ()
    labels: tuple[Any, Any] = (0, 1)
    weights: tuple[int, ...] = ()
    seed: int = -1


Instance = SelectionInstance | TrainingInstance


def repeated(instance: Instance) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return samples and classes, each row as often as its weight says."""
    X, positive = np.array(instance.X, dtype=float), np.array(instance.y, dtype=bool)
    if not instance.weights:
        return X, positive
    rows = np.repeat(np.arange(len(X)), instance.weights)
    return X[rows], positive[rows]


@dataclass(frozen=True)
class Failure:
    """One thing that went wrong.

    Attributes
    ----------
    kind
        A short name, by which failures are counted.
    detail
        What was expected and what came.
    instance
        The problem, if there is one.
    extra
        Further figures.
    """

    kind: str
    detail: str
    instance: Instance | None = None
    extra: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Verdict:
    """What became of one instance: a word for the counts, and what went wrong."""

    outcome: str
    failures: tuple[Failure, ...] = ()


def to_json(instance: Instance) -> str:
    """Return the instance as text; floats are written with all their digits."""
    return json.dumps({"type": type(instance).__name__, **asdict(instance)}, indent=1)


def from_json(text: str) -> Instance:
    """Return the instance that :func:`to_json` wrote."""
    data = json.loads(text)
    kind = data.pop("type")
    if kind == "TrainingInstance":
        data["measures"] = tuple(
            Measure(m["min_rate"], m["label"], m["where"] and tuple(m["where"]))
            for m in data["measures"]
        )
        return TrainingInstance(**{k: _tuples(v) for k, v in data.items()})
    return SelectionInstance(**{k: _tuples(v) for k, v in data.items()})


def _tuples(value: Any) -> Any:
    return tuple(_tuples(v) for v in value) if isinstance(value, list | tuple) else value
