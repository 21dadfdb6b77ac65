"""The study's units of work: one outer fold of one data set for one purpose.

A task is plain data with a key; :func:`execute` turns it, its data set and the results it builds on
into a payload of plain values. Nothing here knows where or in which order tasks run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from frugalsvm.data.rates import RateTargets
from frugalsvm.study.datasets import Dataset
from frugalsvm.study.folds import leaves_one_out
from frugalsvm.study.new_data import choose_for_new_data
from frugalsvm.study.protocol import Fold, standard_svm
from frugalsvm.study.rivals import run_rival
from frugalsvm.study.selection import Selected, select, select_inner
from frugalsvm.study.settings import StudySettings
from frugalsvm.study.training import train_fold

Payload = dict[str, Any]

STAGES = 4


@dataclass(frozen=True)
class Task:
    """One unit of work.

    Attributes
    ----------
    kind : {"svm", "select", "panel", "linear", "radial", "rival", "cardinality", "unseen"}
        What to do; "panel" is the part of "select" that rivals build on.
    dataset : str
        On which data.
    fold : int
        Number of the outer fold.
    targets : str
        Name of the thresholds: "plain", "hoeffding", "paper-plain", "paper-hoeffding", or a pair
        such as "0.85/0.5"; empty for kinds without.
    method : str
        The rival's name, the number of features of "cardinality", or the kernel of "unseen";
        else empty.
    """

    kind: str
    dataset: str
    fold: int
    targets: str = ""
    method: str = ""

    @property
    def key(self) -> str:
        """A name that no other task has."""
        return "|".join((self.kind, self.dataset, self.targets, self.method, f"{self.fold:03d}"))

    @property
    def stage(self) -> int:
        """0 for what needs nothing, 1 for selection, 2 for what needs one, 3 if it has a twin."""
        if self.twin is not None:
            return 3
        early = {"svm": 0, "cardinality": 0, "select": 1, "panel": 1, "unseen": 1}
        return early.get(self.kind, 2)

    @property
    def needs_thresholds(self) -> bool:
        """True if this task builds on thresholds, which follow from the standard SVM."""
        return self.stage == 1

    @property
    def needs_selection(self) -> bool:
        """True if this task builds on a selection."""
        return self.stage >= 2

    @property
    def selection(self) -> Task:
        """The selection that this task builds on."""
        return Task("select", self.dataset, self.fold, self.targets)

    @property
    def panel(self) -> Task:
        """The selection of the outer training set alone, which is all that a rival builds on."""
        return Task("panel", self.dataset, self.fold, self.targets)

    @property
    def twin(self) -> Task | None:
        """A task that has done the same work if it used as many features."""
        if self.kind == "rival" and self.targets == "hoeffding":
            return replace(self, targets="plain")
        return None


@dataclass(frozen=True)
class Inputs:
    """What a task builds on: the thresholds, or the selection of its fold and its twin's result."""

    targets: RateTargets | None = None
    selection: Payload | None = None
    twin: Payload | None = None


def execute(task: Task, data: Dataset, settings: StudySettings, inputs: Inputs) -> Payload:
    """Do the work of a task."""
    fold = Fold.of(data, settings, task.fold)
    return _WORK[task.kind](task, fold, inputs)


def _svm(task: Task, fold: Fold, inputs: Inputs) -> Payload:
    C, counts = standard_svm(fold)
    return {"C": C, "counts": counts.as_list()}


def _panel(task: Task, fold: Fold, inputs: Inputs) -> Payload:
    outer = _outer(fold, _targets(task, inputs))
    return {"outer": outer.as_dict(), "inner": []}


def _targets(task: Task, inputs: Inputs) -> RateTargets:
    if inputs.targets is None:
        raise ValueError(f"{task.key} needs thresholds")
    return inputs.targets


def _outer(fold: Fold, targets: RateTargets) -> Selected:
    X, y = fold.training(fold.outer)
    settings = fold.settings
    return select(X, y, targets, time_limit=settings.select_limit, seed=settings.seed)


def _select(task: Task, fold: Fold, inputs: Inputs) -> Payload:
    targets = _targets(task, inputs)
    settings = fold.settings
    outer = _outer(fold, targets)
    reuse = leaves_one_out(fold.data.n_samples, settings)
    inner = [
        select_inner(
            *fold.training(split),
            targets,
            time_limit=settings.inner_limit,
            seed=settings.seed,
            outer=outer,
            reuse=reuse,
        )
        for split in fold.inner
    ]
    return {
        "min_tpr": targets.min_tpr,
        "min_tnr": targets.min_tnr,
        "correction": targets.correction,
        "alpha": targets.alpha,
        "outer": outer.as_dict(),
        "inner": [selected.as_dict() for selected in inner],
        "names": [fold.data.feature_names[k] for k in outer.support],
    }


def _train(task: Task, fold: Fold, inputs: Inputs) -> Payload:
    outer, inner = _selection(task, inputs)
    return train_fold(fold, outer, inner, "linear" if task.kind == "linear" else "radial").as_dict()


def _rival(task: Task, fold: Fold, inputs: Inputs) -> Payload:
    outer, _ = _selection(task, inputs)
    r = max(1, len(outer.support))
    if inputs.twin is not None and inputs.twin["max_features"] == r:
        return inputs.twin
    return _rival_payload(fold, task.method, r)


def _cardinality(task: Task, fold: Fold, inputs: Inputs) -> Payload:
    method, r = task.method.split(":")
    return _rival_payload(fold, method, int(r))


def _rival_payload(fold: Fold, method: str, r: int) -> Payload:
    C, support, counts = run_rival(fold, method, r)
    return {"C": C, "counts": counts.as_list(), "support": list(support), "max_features": r}


def _unseen(task: Task, fold: Fold, inputs: Inputs) -> Payload:
    targets = _targets(task, inputs)
    C, support, counts = choose_for_new_data(fold, targets.min_tpr, targets.min_tnr, task.method)
    return {"C": C, "counts": counts.as_list(), "support": list(support)}


def _selection(task: Task, inputs: Inputs) -> tuple[Selected, list[Selected]]:
    if inputs.selection is None:
        raise ValueError(f"{task.key} needs the selection of its fold")
    outer = Selected.from_dict(inputs.selection["outer"])
    return outer, [Selected.from_dict(values) for values in inputs.selection["inner"]]


_WORK: Mapping[str, Callable[[Task, Fold, Inputs], Payload]] = {
    "svm": _svm,
    "select": _select,
    "panel": _panel,
    "linear": _train,
    "radial": _train,
    "rival": _rival,
    "cardinality": _cardinality,
    "unseen": _unseen,
}
