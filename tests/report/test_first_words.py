"""What a reader sees first agrees with the rest of the page: missed targets come first."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from page_statements import Statements
from report_samples import sample_fit, sample_frontier, sample_report

from frugalsvm.data.rates import RateCounts
from frugalsvm.data.result import Status
from frugalsvm.export import ScoreCard
from frugalsvm.report import CrossValidation, ReportData, render_report
from frugalsvm.report.data import TrainingStep
from frugalsvm.report.words import card_words, unfinished_words
from frugalsvm.saved.model import HeldOutRates, UnseenRates

NOTHING = RateCounts(0, 0, 0, 0)
GOOD, BAD = RateCounts(208, 212, 340, 357), RateCounts(150, 212, 340, 357)


def answer(html: str) -> str:
    """Return the words of the page's first section."""
    section = re.search(r'<section class="answer".*?</section>', html, re.S)
    assert section is not None
    return " ".join(re.sub(r"<[^>]*>", " ", section[0]).split())


def unseen_report(expected: RateCounts, held_out: HeldOutRates | None = None, **changes) -> str:
    fit = sample_fit(
        "feasible",
        bound=0.0,
        unseen=UnseenRates(0.0, 1.0, expected, held_out),
        cross_validation=CrossValidation(expected, 5),
    )
    return render_report(sample_report(fit=fit, **changes))


@pytest.mark.parametrize(
    ("expected", "held_out", "lead", "sentence"),
    [
        (GOOD, None, "for both targets on new data", "Expected, not certified"),
        (BAD, None, "do not expect both targets on new data", "Do not expect both targets"),
        (NOTHING, None, "there was no time to see what new data will show", "Not known: the time"),
        (BAD, True, "for both targets on new data", "Certified at 95.0%"),
        (GOOD, False, "not certified for new data", "Not certified at 95.0%"),
    ],
)
def test_the_headline_promises_what_is_known(expected, held_out, lead, sentence) -> None:
    seen = None if held_out is None else HeldOutRates(held_out, 0.95, GOOD, (0, 1))
    words = answer(unseen_report(expected, seen))
    headline = words.split(". ")[0]
    assert lead in headline
    assert ("for both targets on new data" in words) == ("for both targets on new data" in lead)
    assert sentence in words


def test_rates_that_were_not_estimated_are_not_called_missed() -> None:
    words = answer(unseen_report(NOTHING))
    assert "misses" not in words
    assert "Do not expect" not in words


def test_a_panel_for_training_says_first_that_cross_validation_misses_the_targets() -> None:
    missed = answer(render_report(sample_report()))
    first = "Do not expect both targets on new cases. In cross-validation the sensitivity is 94.3%"
    assert missed.index("meet both targets in training") < missed.index(first)
    assert missed.index(first) < missed.index("Proved: no set cheaper")
    fit = sample_fit(cross_validation=CrossValidation(GOOD, 5))
    assert "Do not expect" not in answer(render_report(sample_report(fit=fit)))
    assert "Do not expect" not in answer(
        render_report(sample_report(fit=sample_fit(cross_validation=None)))
    )


def test_rates_that_were_not_made_belong_to_no_classifier() -> None:
    found = sample_frontier()
    assert "the time was over before" not in render_report(ReportData("all", frontier=found))
    points = tuple(replace(p, training=None, cross_validated=None) for p in found.points)
    page = render_report(ReportData("none", frontier=replace(found, points=points)))
    assert "“not made”: the time was over before." in page
    data = Statements.of(page).data
    assert not any(point["trained"] for point in data["points"])


def test_a_trade_off_in_training_says_so_even_if_nothing_is_proved() -> None:
    found = sample_frontier()
    points = tuple(
        replace(p, status=Status.FEASIBLE if p.has_answer else Status.UNKNOWN, bound=0.0)
        for p in found.points
    )
    open_points = replace(found, points=points)
    page = unseen_report(GOOD, frontier=open_points)
    assert "What other targets would cost in training" in page
    assert "Targets are met here on the training data" in page
    assert "Another question than that of the panel above." in page
    of_training = render_report(sample_report())
    assert "Another question" not in of_training
    on_new_data = unseen_report(GOOD, frontier=replace(open_points, rates="cv"))
    assert "What other targets would cost on new data</h2>" in on_new_data
    assert "Targets are met here on the training data" not in on_new_data
    assert "Another question" not in on_new_data
    assert "panel fixed" not in on_new_data
    assert "panel chosen anew (5 folds)" in on_new_data


def test_the_trade_off_says_how_its_cross_validation_differs_from_the_fits() -> None:
    page = render_report(sample_report())
    assert '<span class="note">panel fixed, 95%</span>' in page
    assert "with the panel fixed (5 folds)" in page


def test_rates_of_samples_set_aside_have_a_column() -> None:
    page = unseen_report(GOOD, HeldOutRates(True, 0.95, RateCounts(77, 80, 118, 120), (0, 1)))
    assert ">Set aside <" in page
    assert 'data-label="Set aside">96.2% <' in page
    assert ">Set aside <" not in unseen_report(GOOD)


def test_a_rate_that_rounding_leaves_is_not_said_to_change() -> None:
    exact = RateCounts(90, 100, 80, 100)
    card = ScoreCard((), 3, "ill", "well", RateCounts(88, 100, 80, 100), exact, True)
    assert card_words(card) == (
        "In training, the sensitivity is 88.0%, by the formula 90.0%; the specificity is 80.0% as "
        "by the formula."
    )


@pytest.mark.parametrize(
    ("reason", "advice"),
    [("time limit", "A longer time limit may help."), ("effort limit", "would not help")],
)
def test_more_time_is_advised_where_it_helps(reason: str, advice: str) -> None:
    assert advice in unfinished_words(TrainingStep("feasible", reason, 0.9, 30.0))
