"""Which tasks each table of the paper needs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from frugalsvm.study.datasets import DATASETS
from frugalsvm.study.new_data import NEW_DATA
from frugalsvm.study.rivals import RIVALS
from frugalsvm.study.settings import StudySettings
from frugalsvm.study.tasks import Task
from frugalsvm.study.thresholds import uncorrected

RADIAL_DATASETS = ("wisconsin", "votes", "nursery")
"""The data sets of the paper's radial tables (its text says Australian for nursery)."""

TARGET_PAIRS = ("0.85/0.5", "0.85/0.55", "0.85/0.575", "0.85/0.6", "0.9/0.5")
"""The pairs of thresholds of the paper's last table."""

CARDINALITY_METHODS = ("sparse_chan", "sparse_ghaddar")

METHODS = (*RIVALS, NEW_DATA)
"""What can be run alone."""

TABLES = (
    "data",
    "linear_plain",
    "linear_hoeffding",
    "contingency",
    "radial_plain",
    "radial_hoeffding",
    "compare_plain",
    "compare_hoeffding",
    "australian_by_cardinality",
    "australian_by_target",
    "linear_paper-plain",
    "linear_paper-hoeffding",
)
"""The tables of the paper's Section 4, in its order; then the linear ones at its thresholds."""


def datasets_of(table: str, chosen: Iterable[str]) -> tuple[str, ...]:
    """Return which of the chosen data sets a table has rows for, in the paper's order."""
    if table.startswith("radial"):
        rows: Iterable[str] = RADIAL_DATASETS
    elif table in ("contingency", "australian_by_cardinality", "australian_by_target"):
        rows = ("australian",)
    else:
        rows = DATASETS
    wanted = set(chosen)
    return tuple(name for name in rows if name in wanted)


def tasks_of(
    tables: Iterable[str],
    datasets: Iterable[str],
    folds: Mapping[str, int],
    settings: StudySettings,
    methods: Iterable[str] | None = None,
) -> list[Task]:
    """Return the tasks of these tables, each once, those that others build on first.

    The paper's own rival comes before the others, so that a run cut short has its rows. `folds` is
    the number of outer folds of each data set. With `methods`, only what these need.
    """
    only = None if methods is None else set(methods)
    datasets = tuple(datasets)
    tasks: dict[str, Task] = {}
    for table in tables:
        for name in datasets_of(table, datasets):
            for fold in range(folds[name]):
                wanted = _tasks(table, name, fold, settings)
                if only is not None:
                    wanted = _needed_by(only, wanted)
                if settings.run_folds is not None and fold >= settings.run_folds:
                    wanted = [task for task in wanted if task.kind == "svm"]
                tasks |= {task.key: task for task in wanted}
    rank = {method: place for place, method in enumerate(RIVALS, start=1)}
    return sorted(tasks.values(), key=lambda task: (task.stage, rank.get(task.method, 0)))


def _needed_by(methods: set[str], tasks: Sequence[Task]) -> list[Task]:
    """Return the tasks of these methods, with their selections cut down to what rivals need."""
    rivals = [task for task in tasks if task.kind == "rival" and task.method in methods]
    needed = [rivals[0].panel, *rivals] if rivals else []
    if NEW_DATA in methods:
        needed += [task for task in tasks if task.kind == "unseen"]
    return [*(task for task in tasks if task.kind == "svm" and needed), *needed]


def _tasks(table: str, dataset: str, fold: int, settings: StudySettings) -> list[Task]:
    if table == "data":
        return []
    if table == "australian_by_cardinality":
        return [
            Task("cardinality", dataset, fold, method=f"{method}:{r}")
            for method in CARDINALITY_METHODS
            for r in settings.cardinalities
        ]
    if table == "australian_by_target":
        chain = [
            (
                Task("select", dataset, fold, pair),
                Task("linear", dataset, fold, pair),
                Task("unseen", dataset, fold, pair, "linear"),
            )
            for pair in TARGET_PAIRS
        ]
        return [task for pair in chain for task in pair]
    targets = "plain" if table == "contingency" else table.split("_")[1]
    needed = [Task("svm", dataset, fold), Task("select", dataset, fold, targets)]
    if table.startswith("radial"):
        needed.append(Task("radial", dataset, fold, targets))
        needed.append(Task("unseen", dataset, fold, uncorrected(targets), "radial"))
    elif table != "contingency":
        needed.append(Task("linear", dataset, fold, targets))
        needed.append(Task("unseen", dataset, fold, uncorrected(targets), "linear"))
    if table.startswith("compare"):
        needed += [Task("rival", dataset, fold, targets, method) for method in RIVALS]
    return needed
