"""No statement of a report contradicts another: read off the page's own data, and checked."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from page_statements import check
from report_samples import HOSTILE, sample_fit, sample_frontier, sample_report
from sklearn.datasets import load_breast_cancer, load_wine

from frugalsvm import FrugalSVC, FrugalSVCCV, frontier
from frugalsvm.data.rates import RateCounts
from frugalsvm.data.result import Status
from frugalsvm.report import ReportData, fit_section, render_report
from frugalsvm.report.agreement import agreed
from frugalsvm.report.words import point_words
from frugalsvm.saved.model import HeldOutRates, UnseenRates
from frugalsvm.tradeoff.points import Frontier

RATES = [0.8, 0.85, 0.9, 0.95, 0.99]


def medical() -> tuple[pd.DataFrame, np.ndarray, dict[str, Any]]:
    """Numbers and coded levels, prices from 1 to 103, some of them shared."""
    rng = np.random.default_rng(7)
    ill = rng.random(303) < 0.46
    columns = {
        "age": np.where(ill, 56.5, 52.5) + rng.normal(0, 9, 303),
        "pulse": np.where(ill, 139, 158) + rng.normal(0, 21, 303),
        "chol": np.where(ill, 251, 243) + rng.normal(0, 50, 303),
        "peak": np.maximum(0, np.where(ill, 1.57, 0.59) + rng.normal(0, 1.1, 303)),
    }
    for name, shares in {"cp=a": (0.75, 0.3), "thal=r": (0.64, 0.17), "sex=m": (0.8, 0.56)}.items():
        columns[name] = (rng.random(303) < np.where(ill, *shares)).astype(float)
    prices = {
        "feature_costs": [1.0, 102.9, 7.27, 87.3, 1.0, 102.9, 1.0],
        "feature_groups": [None, "stress", "blood", "stress", None, None, None],
        "group_costs": {"stress": 10.0, "blood": 2.1},
    }
    return pd.DataFrame(columns).round(1), np.where(ill, "ill", "well"), prices


def tumours() -> tuple[pd.DataFrame, np.ndarray, dict[str, Any]]:
    data = load_breast_cancer(as_frame=True)
    costs = np.random.default_rng(1).integers(1, 60, 12).astype(float)
    return data.data.iloc[:, :12], data.target.to_numpy(), {"feature_costs": costs}


def wines() -> tuple[pd.DataFrame, np.ndarray, dict[str, Any]]:
    data = load_wine(as_frame=True)
    return data.data, (data.target == 1).to_numpy().astype(int), {}


@pytest.mark.parametrize("seconds", [0.2, 1.0])
@pytest.mark.parametrize(
    ("table", "targets"), [(medical, (0.7, 0.6)), (tumours, (0.93, 0.9)), (wines, (0.9, 0.95))]
)
def test_a_report_made_within_a_short_limit_agrees_with_itself(
    table: Any, targets: tuple[float, float], seconds: float
) -> None:
    X, y, prices = table()
    clf = FrugalSVC(*targets, time_limit=2.0, **prices).fit(X, y)
    section = fit_section(clf, X, y, cv=None)
    grids = [sorted({*RATES, rate}) for rate in targets]
    for known in (clf, None):  # the page agrees even if the frontier did not know of the fit
        found = frontier(
            *(X, y),
            **prices,
            min_tprs=grids[0],
            min_tnrs=grids[1],
            total_time_limit=seconds,
            cv=None,
            known=known,
        )
        check(render_report(ReportData("both", fit=section, frontier=found)))
        check(render_report(ReportData("alone", frontier=found)))


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(
    ("table", "targets"),
    [(medical, (0.7, 0.6)), (medical, (0.95, 0.95)), (tumours, (0.9, 0.9)), (wines, (0.9, 0.95))],
)
def test_a_report_about_new_data_has_a_trade_off_about_new_data(
    table: Any, targets: tuple[float, float]
) -> None:
    """It used to be one about training rates, with lower costs for the targets of the headline."""
    X, y, prices = table()
    clf = FrugalSVCCV(*targets, **prices).fit(X, y)
    section = fit_section(clf, X, y, cv=None)
    grids = [sorted({*RATES, rate}) for rate in targets]
    found = frontier(X, y, **prices, rates="cv", min_tprs=grids[0], min_tnrs=grids[1])
    html = render_report(ReportData("both", fit=section, frontier=found))
    said = check(html)
    assert "Another question" not in html
    row, column = said.data["start"]
    own = said.data["cells"][row * len(said.data["tnr"]) + column]
    assert (own["cost"] is not None) >= clf.targets_met_
    check(render_report(ReportData("alone", frontier=found)))


def expected_on_new_data(found: Frontier, *wrong: int) -> Frontier:
    """Return the sample's frontier for new data; some points fall short of a target there."""
    kept = RateCounts(212, 212, 357, 357)
    points = [
        replace(p, bound=0.0, status="feasible", training=None, cross_validated=kept)
        if p.has_answer
        else replace(p, bound=0.0, status="unknown")
        for p in found.points
    ]
    for n in wrong:
        points[n] = replace(points[n], cross_validated=RateCounts(1, 212, 357, 357))
    return replace(found, points=tuple(points), rates="cv")


def test_targets_that_cannot_be_expected_have_no_panel_on_the_page() -> None:
    found = expected_on_new_data(sample_frontier(), 0)
    said = check(render_report(ReportData("new", frontier=found)))
    first = said.data["cells"][0]
    assert first["cost"] == found.points[1].cost  # of the next tighter pair
    everything = expected_on_new_data(sample_frontier(), *range(len(found.points)))
    said = check(render_report(ReportData("new", frontier=everything)))
    assert {cell["cost"] for cell in said.data["cells"]} == {None}
    assert set(said.short) == {"?"}


def test_a_panel_that_misses_its_own_targets_serves_looser_ones_that_it_reaches() -> None:
    """The page expected 73 % of new cases, and had no panel for a target of 70 %."""
    found = expected_on_new_data(sample_frontier(), *range(len(sample_frontier().points)))
    tprs = found.min_tprs
    n = next(k for k, p in enumerate(found.points) if p.has_answer and p.min_tpr == tprs[1])
    between = RateCounts(int(212 * (tprs[0] + tprs[1]) / 2), 212, 357, 357)
    points = list(found.points)
    points[n] = replace(points[n], cross_validated=between)
    html = render_report(ReportData("new", frontier=replace(found, points=tuple(points))))
    said = check(html)
    looser = n - len(found.min_tnrs)
    assert points[looser].min_tpr == tprs[0]
    assert said.short[n] == "?"
    assert said.short[looser] == f"{points[n].cost:.4g}"
    assert f"{100 * between.tpr:.1f}%" in html


def test_a_trade_off_that_was_cut_short_does_not_call_the_fits_panel_the_cheapest() -> None:
    """It said of every looser pair that the fit's panel was the cheapest of those looked at."""
    found = expected_on_new_data(sample_frontier())
    counts = found.points[0].cross_validated
    points = tuple(replace(p, cross_validated=None) for p in found.points)
    unseen = UnseenRates(0.0, 1.0, counts, None)
    fit = sample_fit("feasible", bound=0.0, unseen=unseen)
    html = render_report(
        sample_report(fit=fit, frontier=replace(found, points=points, complete=False))
    )
    said = check(html)
    row, column = said.data["start"]
    own = row * len(said.data["tnr"]) + column
    assert not said.short[own].startswith("≤")
    assert said.short[0].startswith("≤")
    assert "cheapest of the panels looked at" in said.data["cells"][own]["words"]
    assert "The time was over before cheaper ones" in said.data["cells"][0]["words"]
    assert "cheaper ones were not judged in time" in html
    whole = render_report(sample_report(fit=fit, frontier=found))
    assert not any(text.startswith("≤") for text in check(whole).short)


def test_a_panel_for_a_certificate_may_be_dearer_than_the_trade_offs() -> None:
    found = expected_on_new_data(sample_frontier())
    counts = found.points[0].cross_validated
    aside = HeldOutRates(True, 0.95, counts, (0, 1))
    changes = {"cost": 9.0, "bound": 0.0, "unseen": UnseenRates(0.0, 1.0, counts, aside)}
    fit = sample_fit("feasible", **changes)
    html = render_report(sample_report(fit=fit, frontier=found))
    assert "met a panel of cost 5.10 by which both can be expected, though nothing" in html
    row, column = check(html).data["start"]
    assert check(html).grid("cost")[row, column] == pytest.approx(5.1)


def test_a_free_panel_is_not_proved_on_new_data() -> None:
    found = expected_on_new_data(sample_frontier())
    points = [replace(p, cost=0.0) if p.has_answer else p for p in found.points]
    html = render_report(ReportData("new", frontier=replace(found, points=tuple(points))))
    assert "Proved" not in html
    assert check(html).data["cells"][0]["cost"] == 0.0


def test_what_the_fit_knows_is_in_the_grid() -> None:
    X, y, prices = medical()
    clf = FrugalSVC(0.7, 0.6, time_limit=5.0, **prices).fit(X, y)
    found = frontier(X, y, **prices, total_time_limit=0.1, cv=None, known=clf)
    for point in found.points:
        if point.min_tpr <= 0.7 and point.min_tnr <= 0.6:
            assert point.cost <= clf.cost_
        if point.min_tpr >= 0.7 and point.min_tnr >= 0.6:
            assert point.bound >= clf.bound_ - 1e-9


@pytest.mark.parametrize(
    "changes",
    [
        {"feature_costs": [1.0] * 7},
        {"max_weight": 10.0},
        {"include": ["age"]},
        {"pos_label": "ill"},
    ],
)
def test_a_fit_on_other_terms_is_no_known_answer(changes: dict[str, Any]) -> None:
    X, y, prices = medical()
    clf = FrugalSVC(0.6, 0.6, time_limit=5.0, **prices).fit(X, y)
    with pytest.raises(
        ValueError, match="'known' parameter of frontier must be fitted on the same"
    ):
        frontier(X, y, **(prices | changes), known=clf, total_time_limit=0.1, cv=None)
    with pytest.raises(
        ValueError, match="'known' parameter of frontier must be fitted on the same"
    ):
        frontier(X, y[::-1], **prices, known=clf, total_time_limit=0.1, cv=None)
    with pytest.raises(TypeError, match="must be a fitted FrugalSVC or FrugalSelector"):
        frontier(X, y, **prices, known="clf")


def forgetful(found: Frontier) -> Frontier:
    """Return the sample's frontier as if nothing had been found for the fit's targets."""
    points = [
        replace(p, status="unknown", cost=math.inf, bound=1.0, support=(), features=())
        if (p.min_tpr, p.min_tnr) == (0.95, 0.9)
        else p
        for p in found.points
    ]
    return replace(found, points=tuple(points))


def test_a_grid_that_missed_the_fitted_panel_is_told_of_it() -> None:
    said = check(render_report(sample_report(frontier=forgetful(sample_frontier()))))
    assert said.headline == {"cost": 5.1, "bound": 5.1, "proved": True, "promised": False}


def test_a_proof_by_the_trade_off_is_the_headline_too() -> None:
    html = render_report(sample_report(fit=sample_fit("feasible")))
    assert check(html).headline["proved"]
    assert "Found, not proved" not in html


def test_a_cheaper_panel_of_the_trade_off_is_said_first() -> None:
    dear = sample_fit("feasible", cost=9.0, bound=3.0)
    html = render_report(sample_report(fit=dear))
    assert not check(html).headline["proved"]
    assert "Not the cheapest: a set that costs 5.10 meets both targets." in html
    assert "cheaper may exist" not in html


def test_parts_of_different_data_are_refused() -> None:
    with pytest.raises(ValueError, match="must be of the same data and prices"):
        render_report(sample_report(fit=sample_fit(cost=2.0, bound=2.0)))


def test_the_fits_own_panel_shows_one_pair_of_training_rates() -> None:
    found = sample_frontier()
    said = check(render_report(sample_report(frontier=found)))
    own = next(p for p in said.data["points"] if (p["tpr"], p["tnr"]) == ("95%", "95%"))
    assert own["features"] == list(HOSTILE[:3])
    loose = sample_fit(min_tnr=0.95, training_tnr=0.95)
    said = check(render_report(sample_report(frontier=found, fit=loose)))
    own = next(p for p in said.data["points"] if (p["tpr"], p["tnr"]) == ("95%", "95%"))
    assert own["training"]["tpr"] == "96.7%"  # the fit's 205 of 212


def test_a_cheaper_panel_is_named_by_its_variables() -> None:
    """It used to name the columns of levels: "pain=none, pain=typical"."""
    cheap = sample_frontier(("pain=none", "pain=typical", *HOSTILE[2:]))
    names = {"pain=none": ("pain", "none"), "pain=typical": ("pain", "typical")}
    dear = sample_fit("feasible", cost=9.0, bound=3.0)
    html = render_report(sample_report(fit=dear, frontier=cheap, variables=names))
    assert "while the trade-off below was computed: pain, " in html


@pytest.mark.parametrize(("dear", "cheap"), [(5e-10, 2e-10), (1e10 + 6, 1e10 + 1)])
def test_prices_that_are_tiny_or_hardly_differ_make_no_false_proof(
    dear: float, cheap: float
) -> None:
    """Costs were once the same for a page that were within 1e-9, or a billionth, of each other."""
    X = np.column_stack([np.repeat([0.0, 1.0], 20), np.tile([0.0, 1.0], 20)])
    y = np.repeat(["well", "ill"], 20)
    prices = [dear, cheap]
    whole = frontier(
        X, y, min_tprs=[0.9], min_tnrs=[0.9], pos_label="ill", cv=None, feature_costs=prices
    )
    (point,) = whole.points
    assert (point.cost, point.status) == (dear, Status.OPTIMAL)
    left_open = replace(point, status=Status.FEASIBLE, bound=cheap)
    page = agreed(ReportData(title="", source="", frontier=replace(whole, points=(left_open,))))
    assert page.frontier is not None
    (shown,) = page.frontier.points
    assert shown.status is Status.FEASIBLE
    assert point_words(shown, "training").startswith("Not proved cheapest")
