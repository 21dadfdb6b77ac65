"""The figures for notebooks."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.datasets import make_classification

from frugalsvm import FrugalSVC, frontier
from frugalsvm.tradeoff.displays import FrontierDisplay, RatesDisplay, axes_of
from frugalsvm.tradeoff.points import Frontier

mpl.use("Agg")
import matplotlib.pyplot as plt

X, y = make_classification(n_samples=80, n_features=4, n_redundant=0, class_sep=1.5, random_state=0)


@pytest.fixture(scope="module")
def found() -> Frontier:
    return frontier(X, y, min_tprs=[0.7, 0.9, 1.0], min_tnrs=[0.7, 0.9], cv=None)


@pytest.fixture(autouse=True)
def close() -> Iterator[None]:
    yield
    plt.close("all")


def texts(display: Any) -> list[str]:
    return [t.get_text() for t in display.ax_.texts]


def test_frontier_shows_a_cost_in_every_cell(found: Frontier) -> None:
    display = found.plot()
    assert isinstance(display, FrontierDisplay)
    shown = texts(display)
    assert len(shown) == 6
    assert shown[0] == f"{found.points[0].cost:g}"
    assert display.ax_.get_xlabel() == "required TNR"
    display.figure_.canvas.draw()


def test_frontier_on_given_axes_without_text(found: Frontier) -> None:
    _, ax = plt.subplots()
    display = FrontierDisplay.from_predictions(found, ax=ax, annotate=False)
    assert display.ax_ is ax
    assert texts(display) == []


def test_frontier_from_an_estimator_uses_its_prices() -> None:
    clf = FrugalSVC(feature_costs=[5.0] * 4)
    display = FrontierDisplay.from_estimator(clf, X, y, min_tprs=[0.8], min_tnrs=[0.8], cv=None)
    assert display.frontier.points[0].cost % 5 == 0


@pytest.mark.parametrize("pos_label", [None, 0, 1])
def test_rates_of_an_estimator(pos_label: Any) -> None:
    clf = FrugalSVC(0.8, 0.8, pos_label=pos_label).fit(X, y)
    display = RatesDisplay.from_estimator(clf, X, y)
    assert display.point == (clf.train_tpr_, clf.train_tnr_)
    # The operating point lies on the curve.
    tpr, tnr = display.point
    assert np.any(np.isclose(display.tpr, tpr) & np.isclose(display.fpr, 1 - tnr)) or (
        np.interp(1 - tnr, display.fpr, display.tpr) >= tpr - 1e-12
    )
    assert len(display.ax_.collections) == 1
    display.figure_.canvas.draw()


def test_rates_of_decision_values_alone() -> None:
    display = RatesDisplay.from_predictions(y, np.where(y == 1, 1.0, -1.0), name="perfect", lw=3)
    assert display.point == (1.0, 1.0)
    assert display.line_.get_linewidth() == 3
    assert len(display.ax_.collections) == 0


def test_figures_without_matplotlib_name_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"frugalsvm\[plot\]"):
        axes_of(None)
