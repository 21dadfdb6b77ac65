"""The tables of the paper's Section 4 from a store, ours beside the paper's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from frugalsvm.study.peers import MANY_FEATURES, MOST_SAMPLES, PEER_LIMIT
from frugalsvm.study.performance import NEW_DATA, NEW_DATA_NOTE, by_target, performance
from frugalsvm.study.plan import CARDINALITY_METHODS, datasets_of
from frugalsvm.study.published import (
    PAPER_CONTINGENCY,
    PAPER_DATA,
    paper_cardinality,
    paper_features,
    paper_rates,
)
from frugalsvm.study.rivals import RIVALS
from frugalsvm.study.table import METRICS, Cell, Source, Table, metric_of

PEERS_NOTE = (
    "hosvm, kp_svm and cost_milp are the paper's peers HoldOutSVC (linear kernel), "
    "KernelPenalizedSVC and BudgetSVC (every feature costs 1). They choose features like the other "
    f"rivals, within {PEER_LIMIT:g} s of wall time each: what was found by then counts, so that a "
    f"less busy machine may find more. Of more than {MANY_FEATURES} features hosvm drops a tenth "
    f"in a round; kp_svm sees at most {MOST_SAMPLES} training samples."
)


def build_table(name: str, source: Source) -> Table:
    """Return one of the paper's tables."""
    builder = _BUILDERS.get(name)
    return builder(source) if builder else performance(name, source)


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
        unseen, used = source.for_new_data(dataset, targets, "linear")
        for metric in METRICS:
            paper = (
                paper_rates()[name, dataset, m, metric] for m in ("svm", "frugal", "sparse_svm")
            )
            rows.append(
                (
                    dataset,
                    metric,
                    metric_of(svm, metric),
                    metric_of(ours, metric),
                    *(metric_of(rival, metric) for rival in rivals),
                    *paper,
                    metric_of(unseen, metric),
                )
            )
        rows.append(
            (
                dataset,
                "features",
                source.data[dataset].n_features,
                source.features(dataset, targets),
                *(source.used("rival", dataset, targets, method) for method in RIVALS),
                PAPER_DATA[dataset][1],
                paper_features()[f"linear_{targets}", dataset],
                None,
                used,
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
            NEW_DATA,
        ),
        tuple(rows),
        (
            "Every rival may use as many features as the frugal SVM does in the same fold. "
            f"{NEW_DATA_NOTE}",
            PEERS_NOTE,
        ),
    )


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


_BUILDERS: Mapping[str, Callable[[Source], Table]] = {
    "data": _data,
    "contingency": _contingency,
    "compare_plain": lambda source: _compare("compare_plain", source),
    "compare_hoeffding": lambda source: _compare("compare_hoeffding", source),
    "australian_by_cardinality": _cardinality,
    "australian_by_target": by_target,
}
