"""The tables of rates and features: by kernel and thresholds, and by target pair."""

from __future__ import annotations

from frugalsvm.study.plan import TARGET_PAIRS, datasets_of
from frugalsvm.study.published import PAPER_DATA, paper_features, paper_rates, paper_targets
from frugalsvm.study.table import METRICS, Cell, Source, Table, metric_of
from frugalsvm.study.thresholds import PAPERS

FOLDS_NOTE = (
    "Mean (standard deviation) over outer folds. At least: features proven necessary. Selections "
    "and SVMs certified: folds whose set of features, and whose final SVM, are proven optimal. "
    "Targets met as asked: folds whose thresholds were attainable; the others were solved at the "
    "nearest attainable thresholds."
)


NEW_DATA = "for new data"
NEW_DATA_NOTE = (
    "For new data: FrugalSVCCV, which chooses panel, C and threshold for the same rates on new "
    "samples; its margin takes the place of a correction."
)


def described(targets: str) -> str:
    """Return the name of thresholds in words."""
    if targets.startswith(PAPERS):
        return (
            f"{targets.removeprefix(PAPERS)} thresholds as the paper's own standard SVM sets them"
        )
    return f"{targets} thresholds"


def performance(name: str, source: Source) -> Table:
    """Return the rates and features of a kernel at some thresholds, beside the paper's."""
    kernel, targets = name.split("_")
    paper = f"{kernel}_{targets.removeprefix(PAPERS)}"
    rows: list[tuple[Cell, ...]] = []
    for dataset in datasets_of(name, source.data):
        svm, ours = source.rates("svm", dataset), source.rates(kernel, dataset, targets)
        folds = _folds(source, kernel, dataset, targets)
        unseen, used = source.for_new_data(dataset, targets, kernel)
        for metric in METRICS:
            theirs = [paper_rates()[paper, dataset, who, metric] for who in ("svm", "frugal")]
            of_svm, of_ours = metric_of(svm, metric), metric_of(ours, metric)
            cells = of_svm, theirs[0], of_ours, theirs[1], *folds, metric_of(unseen, metric)
            rows.append((dataset, metric, *cells))
        kept = source.features(dataset, targets), paper_features()[paper, dataset]
        of = source.data[dataset].n_features, PAPER_DATA[dataset][1]
        rows.append((dataset, "features", *of, *kept, *folds, used))
        bounds = source.bounds(dataset, targets)
        rows.append((dataset, "at least", None, None, bounds, None, *folds, None))
    return Table(
        name,
        f"{kernel.capitalize()} kernel, {described(targets)}",
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
            NEW_DATA,
        ),
        tuple(rows),
        (FOLDS_NOTE, NEW_DATA_NOTE, _threshold_note(source, targets)),
    )


def _threshold_note(source: Source, targets: str) -> str:
    parts = []
    for dataset in source.data:
        asked = source.thresholds(dataset, targets)
        if asked is not None:
            parts.append(f"{dataset} TPR {asked.min_tpr:.4f}, TNR {asked.min_tnr:.4f}")
    corrected = targets.removeprefix(PAPERS) == "hoeffding"
    extra = " before Hoeffding's correction at alpha = 0.272" if corrected else ""
    return f"Thresholds{extra}: {'; '.join(parts) or 'not run'}."


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


def by_target(source: Source) -> Table:
    """Return what pairs of thresholds lead to on Australian, beside the paper's."""
    rows: list[tuple[Cell, ...]] = []
    for pair in TARGET_PAIRS:
        tpr, tnr = (float(part) for part in pair.split("/"))
        rates = source.rates("linear", "australian", pair)
        unseen, used = source.for_new_data("australian", pair, "linear")
        paper = paper_targets()[pair]
        rows.append(
            (
                tpr,
                tnr,
                *(metric_of(rates, metric) for metric in METRICS),
                source.features("australian", pair),
                *(paper.accuracy, paper.tpr, paper.tnr, paper.features),
                *_folds(source, "linear", "australian", pair),
                *(metric_of(unseen, metric) for metric in METRICS),
                used,
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
            *(f"{m} ({NEW_DATA})" for m in (*METRICS, "features")),
        ),
        tuple(rows),
        (FOLDS_NOTE, NEW_DATA_NOTE),
    )
