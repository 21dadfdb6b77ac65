"""The report as text: complete, escaped, self-contained, and saying what is known."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from report_samples import HOSTILE, sample_fit, sample_frontier, sample_report
from scipy.stats import binomtest

from frugalsvm.data.rates import RateCounts
from frugalsvm.report import FeatureLine, ReportData, render_report, write_report


class Page(HTMLParser):
    """Collects the elements and the visible text of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self._skip = 0
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._skip += tag in ("script", "style")

    def handle_endtag(self, tag: str) -> None:
        self._skip -= tag in ("script", "style")

    def handle_data(self, data: str) -> None:
        if not self._skip:
            self.text += data

    def words(self) -> str:
        return " ".join(self.text.split())


@pytest.fixture(scope="module")
def html() -> str:
    return render_report(sample_report())


@pytest.fixture(scope="module")
def page(html: str) -> Page:
    return Page(html)


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_text(page: Page, name: str) -> None:
    assert " ".join(name.split()) in page.words()


def test_no_element_comes_from_the_data(page: Page) -> None:
    tags = {tag for tag, _ in page.elements}
    assert not tags & {"img", "iframe", "object", "embed", "link", "base", "b"}
    assert sum(tag == "script" for tag, _ in page.elements) == 2


def test_nothing_is_loaded(page: Page, html: str) -> None:
    policy = next(a["content"] for _, a in page.elements if "http-equiv" in a)
    assert policy is not None
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    for _, attributes in page.elements:
        assert not {"src", "style", "onclick", "onload", "srcset"} & set(attributes)
        assert (attributes.get("href") or "#").startswith("#")
    assert "http:" not in html
    assert "https:" not in html


def test_data_block_survives_hostile_names(html: str) -> None:
    block = re.search(r'id="frontier-data">(.*?)</script>', html, re.S)
    assert block is not None
    assert not re.search(r"[<>&]", block[1])
    data = json.loads(block[1])
    assert data["points"][-1]["features"][0] == HOSTILE[0]


def test_identifiers_are_unique_and_references_resolve(page: Page) -> None:
    ids = [a["id"] for _, a in page.elements if "id" in a]
    assert len(ids) == len(set(ids))
    for _, attributes in page.elements:
        for key in ("aria-labelledby", "aria-controls", "for"):
            for target in (attributes.get(key) or "").split():
                assert target in ids
        href = attributes.get("href")
        assert href is None or href[1:] in ids


def test_every_header_cell_has_a_scope_and_every_figure_a_name(page: Page) -> None:
    assert all(a.get("scope") for tag, a in page.elements if tag == "th")
    figures = [a for tag, a in page.elements if tag == "svg" and "aria-hidden" not in a]
    assert len(figures) == 4
    assert all(a.get("role") == "img" and a.get("aria-labelledby") for a in figures)


def test_landmarks_and_live_region(page: Page) -> None:
    tags = [tag for tag, _ in page.elements]
    assert all(tags.count(tag) == 1 for tag in ("header", "main", "footer", "nav", "h1"))
    choice = next(a for _, a in page.elements if a.get("id") == "choice")
    assert choice["aria-live"] == "polite"


def test_proof_in_plain_words(page: Page) -> None:
    assert "Proved: no set cheaper than 5.10 meets both targets." in page.words()
    assert "3 features of 7 meet both targets in training, at a cost of 5.10." in page.words()
    assert "saves 119.08 (96%)" in page.words()
    assert "drawing <blood> once, for" in page.words()


def test_open_gap_is_not_called_proved() -> None:
    words = Page(render_report(sample_report(fit=sample_fit("feasible"), frontier=None))).words()
    assert "Found, not proved cheapest: no set cheaper than 3.00 meets both targets." in words
    assert "gap 41.2%" in words
    assert "time limit" in words
    assert "Proved:" not in words


def test_models_of_other_solvers_prove_less() -> None:
    fit = sample_fit(solver="HiGHS 1.15")
    words = Page(render_report(sample_report(fit=fit, frontier=None))).words()
    assert "limits how wrong a single sample may be" in words


def test_cross_validated_rates_with_exact_intervals(page: Page) -> None:
    for right, n in ((200, 212), (325, 357)):
        low, high = binomtest(right, n).proportion_ci(method="exact")
        assert f"{100 * low:.1f}% to {100 * high:.1f}%" in page.words()
    assert "In 1 fold no classifier that meets the targets was found" in page.words()


def test_rates_below_their_targets_are_called_so() -> None:
    from frugalsvm.report.words import outlook

    assert "expect new cases to miss it" in outlook("TPR", 0.95, 80, 100)
    assert "cannot tell" in outlook("TPR", 0.95, 94, 100)
    assert "lies above" in outlook("TPR", 0.95, 999, 1000)


def test_guarantees_are_told_apart(page: Page) -> None:
    words = page.words()
    assert "Guaranteed" in words
    assert "The rates on new cases" in words[words.index("Not guaranteed") :]


def test_without_cross_validation_nothing_is_said_of_new_cases() -> None:
    fit = sample_fit(cross_validation=None)
    words = Page(render_report(sample_report(fit=fit, frontier=None))).words()
    assert "nothing here speaks of new cases" in words
    assert "in training only" in words


@pytest.mark.parametrize("changes", [{"fit": None}, {"frontier": None}])
def test_either_part_alone(changes: dict[str, object]) -> None:
    page = Page(render_report(sample_report(**changes)))
    ids = {a["id"] for _, a in page.elements if "id" in a}
    assert ("tradeoff" in ids) == ("frontier" not in changes)
    assert ("panel" in ids) == ("fit" not in changes)


def test_a_report_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="fit, a frontier, or both"):
        render_report(ReportData("empty"))


def test_empty_panel_and_a_kernel_without_weights() -> None:
    empty = sample_fit(panel=(), shared_costs=(), cost=0.0, bound=0.0)
    words = Page(render_report(sample_report(fit=empty, frontier=None))).words()
    assert "Both targets are met in training without measuring anything." in words
    plain = tuple(line.__class__(line.name, line.cost) for line in sample_fit().panel)
    curved = sample_fit(panel=plain, kernel="rbf, gamma = scale")
    words = Page(render_report(sample_report(fit=curved, frontier=None))).words()
    assert "Per unit" not in words
    assert "no cheaper set would do with a curved rule" in words


def test_no_held_out_sample_at_all() -> None:
    from frugalsvm.report import CrossValidation

    fit = sample_fit(cross_validation=CrossValidation(RateCounts(0, 0, 0, 0), 5, 5))
    words = Page(render_report(sample_report(fit=fit, frontier=None))).words()
    assert "In 5 folds no classifier that meets the targets was found" in words


def test_thousands_of_features_left_out_are_not_all_listed() -> None:
    many = tuple(FeatureLine(f"gene {k}", 1.0) for k in range(7000))
    html = render_report(sample_report(fit=sample_fit(left_out=many), frontier=None))
    assert "7000 features that need not be measured" in Page(html).words()
    assert "and 6700 more" in Page(html).words()
    assert len(html) < 200_000


def test_half_a_surrogate_pair_is_written(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    write_report(path, sample_report(title="broken \ud83d name"))
    assert "broken ? name" in path.read_text(encoding="utf-8")


def test_infeasible_and_open_cells_are_told_apart() -> None:
    words = Page(render_report(sample_report(frontier=sample_frontier(), fit=None))).words()
    assert "cannot be met" in words
    assert "≤" in words
