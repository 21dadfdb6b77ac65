"""The tables of the paper's Section 4 from a store, ours beside the paper's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from frugalsvm.study.datasets import Dataset
from frugalsvm.study.plan import (
    CARDINALITY_METHODS,
    TARGET_PAIRS,
    datasets_of,
)
from frugalsvm.study.published import (
    PAPER_CONTINGENCY,
    PAPER_DATA,
    paper_cardinality,
    paper_features,
    paper_rates,
    paper_targets,
)
from frugalsvm.study.rivals import RIVALS
from frugalsvm.study.store import Store
from frugalsvm.study.summary import Rates, Spread, spread, summarize
from frugalsvm.study.tasks import Payload

Cell = str | int | float | Spread | None
METRICS = ("Acc", "TPR", "TNR")


@dataclass(frozen=True)
class Table:
    """A table with a title, ready to be written in any format.

    Attributes
    ----------
    name, title : str
        The file's name, and what the table shows.
    columns : tuple of str
        Heads of the columns.
    rows : tuple of tuple
        Cells; None where nothing was run, or the paper says nothing.
    notes : tuple of str
        What a reader has to know.
    """

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Source:
    """Where tables come from: the results, the data, and which data sets are wanted."""

    store: Store
    data: Mapping[str, Dataset]

    def rates(self, kind: str, dataset: str, targets: str = "", method: str = "") -> Rates | None:
        """Return the rates over the folds that are there; None if there are none."""
        found = self.store.find(kind, dataset, targets, method)
        return summarize(found) if found else None

    def selections(self, dataset: str, targets: str) -> list[Payload]:
        """Return the selections of the outer training sets that are there."""
        return [payload["outer"] for payload in self.store.find("select", dataset, targets)]


def build_table(name: str, source: Source) -> Table:
    """Return one of the paper's tables."""
    builder = _BUILDERS.get(name)
    return builder(source) if builder else _performance(name, source)


def build_tables(names: Iterable[str], source: Source) -> list[Table]:
    """Return several of the paper's tables."""
    return [build_table(name, source) for name in names]


def _data(source: Source) -> Table:
    rows = []
    references = []
    for name in datasets_of("data", source.data):
        data = source.data[name]
        share = 100 * data.n_positive / data.n_samples
        ours = (data.n_samples, data.n_features, data.n_positive, round(share, 1))
        rows.append((name, *ours, *PAPER_DATA[name], data.positive_label))
        if data.reference_levels:
            levels = ", ".join(f"{k}: {v}" for k, v in data.reference_levels.items())
            references.append(f"Reference levels of {name}: {levels}.")
    return Table(
        "data",
        "Data sets (the paper's Table 1)",
        (
            "dataset",
            "samples",
            "features",
            "positives",
            "positives %",
            "samples (paper)",
            "features (paper)",
            "positives (paper)",
            "positive class",
        ),
        tuple(rows),
        (
            "Every public copy of leukemia has 7129 genes; the paper says 7128.",
            *references,
        ),
    )


def _performance(name: str, source: Source) -> Table:
    kernel, targets = name.split("_")
    rows: list[tuple[Cell, ...]] = []
    for dataset in datasets_of(name, source.data):
        svm, ours = source.rates("svm", dataset), source.rates(kernel, dataset, targets)
        for metric in METRICS:
            rows.append(
                (
                    dataset,
                    metric,
                    _metric(svm, metric),
                    paper_rates()[name, dataset, "svm", metric],
                    _metric(ours, metric),
                    paper_rates()[name, dataset, "frugal", metric],
                    *_folds(source, kernel, dataset, targets),
                )
            )
        rows.append(
            (
                dataset,
                "features",
                source.data[dataset].n_features,
                PAPER_DATA[dataset][1],
                _features(source, dataset, targets),
                paper_features()[name, dataset],
                *_folds(source, kernel, dataset, targets),
            )
        )
    return Table(
        name,
        f"{kernel.capitalize()} kernel, {targets} thresholds",
        (
            "dataset",
            "metric",
            "SVM",
            "SVM (paper)",
            "frugal SVM",
            "frugal SVM (paper)",
            "folds",
            "selections certified",
            "SVMs certified",
            "targets met as asked",
        ),
        tuple(rows),
        (FOLDS_NOTE, _threshold_note(source, targets)),
    )


FOLDS_NOTE = (
    "Mean (standard deviation) over outer folds. Selections and SVMs certified: folds whose set of "
    "features, and whose final SVM, are proven optimal. Targets met as asked: folds whose "
    "thresholds were attainable; the others were solved at the nearest attainable thresholds."
)


def _threshold_note(source: Source, targets: str) -> str:
    parts = []
    for dataset in source.data:
        found = source.store.find("select", dataset, targets)
        if found:
            first = found[0]
            parts.append(f"{dataset} TPR {first['min_tpr']:.4f}, TNR {first['min_tnr']:.4f}")
    extra = " before Hoeffding's correction at alpha = 0.272" if targets == "hoeffding" else ""
    return f"Thresholds{extra}: {'; '.join(parts) or 'not run'}."


def _metric(rates: Rates | None, metric: str) -> Spread | None:
    return None if rates is None else rates.by_name()[metric]


def _features(source: Source, dataset: str, targets: str) -> Spread | None:
    chosen = [len(outer["support"]) for outer in source.selections(dataset, targets)]
    return spread([float(count) for count in chosen]) if chosen else None


def _folds(source: Source, kernel: str, dataset: str, targets: str) -> tuple[Cell, ...]:
    trained = source.store.find(kernel, dataset, targets)
    if not trained:
        return (None, None, None, None)
    selected = source.selections(dataset, targets)
    return (
        len(trained),
        sum(outer["status"] == "optimal" for outer in selected),
        sum(payload["status"] == "optimal" for payload in trained),
        sum(outer["budget"] == outer["asked_budget"] for outer in selected),
    )


def _contingency(source: Source) -> Table:
    name, rows = "not run", []
    counted = Counter(
        tuple(payload["names"]) for payload in source.store.find("select", "australian", "plain")
    )
    if counted:
        chosen, _ = counted.most_common(1)[0]
        name = " and ".join(chosen)
        data = source.data["australian"]
        on = data.X[:, [data.feature_names.index(n) for n in chosen]].any(axis=1)
        for sign, side in (("+", data.y), ("-", ~data.y)):
            ours = (int((side & ~on).sum()), int((side & on).sum()))
            rows.append((f"class {sign}", *ours, *PAPER_CONTINGENCY[sign]))
    return Table(
        "contingency",
        f"The feature selected in Australian ({name}) by class",
        ("class", "X = 0", "X = 1", "X = 0 (paper)", "X = 1 (paper)"),
        tuple(rows),
        (f"Chosen in {max(counted.values(), default=0)} of {sum(counted.values())} folds.",),
    )


def _compare(name: str, source: Source) -> Table:
    targets = name.split("_")[1]
    rows: list[tuple[Cell, ...]] = []
    for dataset in datasets_of(name, source.data):
        rivals = [source.rates("rival", dataset, targets, method) for method in RIVALS]
        svm = source.rates("svm", dataset)
        ours = source.rates("linear", dataset, targets)
        for metric in METRICS:
            paper = (
                paper_rates()[name, dataset, m, metric] for m in ("svm", "frugal", "sparse_svm")
            )
            rows.append(
                (
                    dataset,
                    metric,
                    _metric(svm, metric),
                    _metric(ours, metric),
                    *(_metric(rival, metric) for rival in rivals),
                    *paper,
                )
            )
        rows.append(
            (
                dataset,
                "features",
                source.data[dataset].n_features,
                _features(source, dataset, targets),
                *(_used(source, dataset, targets, method) for method in RIVALS),
                PAPER_DATA[dataset][1],
                paper_features()[f"linear_{targets}", dataset],
                None,
            )
        )
    return Table(
        name,
        f"Other methods with at most as many features, {targets} thresholds",
        (
            "dataset",
            "metric",
            "SVM",
            "frugal SVM",
            *RIVALS,
            "SVM (paper)",
            "frugal SVM (paper)",
            "sparse SVM (paper)",
        ),
        tuple(rows),
        ("Every rival may use as many features as the frugal SVM does in the same fold.",),
    )


def _used(source: Source, dataset: str, targets: str, method: str) -> Spread | None:
    found = source.store.find("rival", dataset, targets, method)
    return spread([float(len(p["support"])) for p in found]) if found else None


def _cardinality(source: Source) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for r, paper in paper_cardinality().items():
        cells: list[Cell] = [r]
        for method in CARDINALITY_METHODS:
            rates = source.rates("cardinality", "australian", method=f"{method}:{r}")
            cells += [None if rates is None else rates.by_name()[m].mean for m in METRICS]
        rows.append((*cells, *paper))
    heads = [f"{m} ({method})" for method in (*CARDINALITY_METHODS, "paper") for m in METRICS]
    return Table(
        "australian_by_cardinality",
        "Sparse SVMs on Australian by the greatest number of features",
        ("features", *heads),
        tuple(rows),
    )


def _by_target(source: Source) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for pair in TARGET_PAIRS:
        tpr, tnr = (float(part) for part in pair.split("/"))
        rates = source.rates("linear", "australian", pair)
        paper = paper_targets()[pair]
        rows.append(
            (
                tpr,
                tnr,
                *(_metric(rates, metric) for metric in METRICS),
                _features(source, "australian", pair),
                *(paper.accuracy, paper.tpr, paper.tnr, paper.features),
                *_folds(source, "linear", "australian", pair),
            )
        )
    return Table(
        "australian_by_target",
        "Frugal SVMs on Australian by the thresholds asked for",
        (
            "min TPR",
            "min TNR",
            *METRICS,
            "features",
            *(f"{m} (paper)" for m in (*METRICS, "features")),
            "folds",
            "selections certified",
            "SVMs certified",
            "targets met as asked",
        ),
        tuple(rows),
        (FOLDS_NOTE,),
    )


_BUILDERS: Mapping[str, Callable[[Source], Table]] = {
    "data": _data,
    "contingency": _contingency,
    "compare_plain": lambda source: _compare("compare_plain", source),
    "compare_hoeffding": lambda source: _compare("compare_hoeffding", source),
    "australian_by_cardinality": _cardinality,
    "australian_by_target": _by_target,
}
