"""The demonstration: which measurements of the breast-cancer data are enough.

Run by ``make demo``, ``frugalsvm demo`` and ``python -m frugalsvm.cli.demo``.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from frugalsvm.estimators.classifier import FrugalSVC
from frugalsvm.unseen import FrugalSVCCV

MIN_TPR, MIN_TNR = 0.94, 0.9
"""Below what all measurements reach, so that there is something to choose."""


@dataclass(frozen=True)
class DemoRow:
    """One classifier of the demonstration.

    Attributes
    ----------
    title : str
        Which method, at which prices.
    panel : tuple of str
        The features used; empty: all.
    cost : str
        What they cost.
    verdict : str
        How sure that is, in words.
    train, held_out : (tpr, tnr)
        Rates on the training and on the unseen samples.
    expected : (tpr, tnr) or None
        Rates that the method expects on unseen samples, if it says so.
    seconds : float
        Wall time of the fit.
    """

    title: str
    panel: tuple[str, ...]
    cost: str
    verdict: str
    train: tuple[float, float]
    held_out: tuple[float, float]
    seconds: float
    expected: tuple[float, float] | None = None


def measurement(feature: str) -> str:
    """Return which of the ten measurements a column is the mean, error or worst of.

    Examples
    --------
    >>> measurement("worst concave points"), measurement("area error")
    ('concave points', 'area')
    """
    for word in ("mean ", "worst "):
        if feature.startswith(word):
            return feature.removeprefix(word)
    return feature.removesuffix(" error")


def run_demo() -> list[DemoRow]:
    """Fit the full SVM, the paper's method and ours for new data; return what there is to tell."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    split = train_test_split(X, y, test_size=0.25, stratify=y, random_state=0)
    groups = {name: measurement(name) for name in X.columns}
    n_measurements = len(set(groups.values()))
    by_measurement = {"feature_costs": 0.0, "feature_groups": groups, "group_costs": 1.0}
    return [
        _full(split, f"{X.shape[1]} columns\n{n_measurements} measurements"),
        _frugal(split, "the paper's:\na column\ncosts 1", "column", {}),
        _unseen(split, "for new data:\na column\ncosts 1", "column", {}),
        _frugal(split, "the paper's:\na measurement\ncosts 1", "measurement", by_measurement),
        _unseen(split, "for new data:\na measurement\ncosts 1", "measurement", by_measurement),
    ]


def _full(split: list[Any], cost: str) -> DemoRow:
    X, X_new, y, y_new = split
    model = make_pipeline(StandardScaler(), SVC(kernel="linear", C=0.5)).fit(X, y)
    return DemoRow(
        title="full SVM",
        panel=(),
        cost=cost,
        verdict="",
        train=_rates(model.predict(X), y),
        held_out=_rates(model.predict(X_new), y_new),
        seconds=0.0,
    )


def _frugal(split: list[Any], title: str, unit: str, prices: dict[str, Any]) -> DemoRow:
    X, X_new, y, y_new = split
    model = FrugalSVC(min_tpr=MIN_TPR, min_tnr=MIN_TNR, verbose=1, **prices).fit(X, y)
    cost = _cost(model.cost_, unit)
    bound = f"fewer than {model.bound_:g} {unit}{'' if model.bound_ == 1 else 's'}"
    best = "" if model.status_ == "optimal" else f" (the best found has {model.cost_:g})"
    return DemoRow(
        title=title,
        panel=tuple(model.get_feature_names_out()),
        cost=cost,
        verdict=f"Proven: no panel of {bound} meets both rates in training{best}.",
        train=_rates(model.predict(X), y),
        held_out=_rates(model.predict(X_new), y_new),
        seconds=model.result_.seconds + model.svc_.result_.seconds,
    )


def _unseen(split: list[Any], title: str, unit: str, prices: dict[str, Any]) -> DemoRow:
    X, X_new, y, y_new = split
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the table shows what they would say
        model = FrugalSVCCV(min_tpr=MIN_TPR, min_tnr=MIN_TNR, **prices).fit(X, y)
    return DemoRow(
        title=title,
        panel=tuple(model.get_feature_names_out()),
        cost=_cost(model.cost_, unit),
        verdict="",
        train=(model.train_tpr_, model.train_tnr_),
        held_out=_rates(model.predict(X_new), y_new),
        seconds=model.result_.seconds,
        expected=(model.cv_tpr_, model.cv_tnr_),
    )


def _cost(cost: float, unit: str) -> str:
    return f"{cost:g} {unit}{'s' if cost != 1 else ''}"


def _rates(predicted: NDArray[Any], y: Any) -> tuple[float, float]:
    truth = np.asarray(y) == 1
    return float(np.mean(predicted[truth] == 1)), float(np.mean(predicted[~truth] == 0))


def show_demo(rows: list[DemoRow]) -> None:
    """Print the demonstration as a table."""
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    console.print(
        "\n[bold]Which measurements are enough to tell benign from malignant?[/bold]\n"
        "scikit-learn's breast-cancer data: 426 samples to learn from, 143 held out.\n"
        f"Asked for: TPR >= {MIN_TPR} (benign recognised), TNR >= {MIN_TNR} (malignant), shown\n"
        "in this order."
    )
    table = Table(show_lines=True, pad_edge=False)
    for heading in (
        "method",
        "cheapest panel",
        "cost",
        "in\ntraining",
        "expec-\nted",
        "held\nout",
    ):
        table.add_column(heading, no_wrap=True)
    for row in rows:
        panel = "\n".join(row.panel) or "all features"
        table.add_row(
            row.title,
            f"[bold]{panel}[/bold]",
            row.cost,
            _pair(row.train),
            "" if row.expected is None else _pair(row.expected),
            _pair(row.held_out),
        )
    console.print(table)
    for row in rows:
        if row.verdict:
            console.print(row.verdict)
    console.print(
        "The paper's method promises rates in training. FrugalSVCCV looks for rates on\n"
        "new data and says what to expect. Neither is a guarantee: samples that had no\n"
        "part in anything give one (FrugalSVCCV's test_size, certify).\n"
        f"Fitted in {sum(row.seconds for row in rows):.1f} s.\n"
    )


def _pair(rates: tuple[float, float]) -> str:
    return f"{rates[0]:.3f}\n{rates[1]:.3f}"


if __name__ == "__main__":
    show_demo(run_demo())
