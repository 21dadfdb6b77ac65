"""``fit --rates unseen``, the default: what it says, writes and exits with."""

from __future__ import annotations

import json

import pytest
from cli_tools import frugalsvm, patients, write_rows
from page_statements import check

from frugalsvm import load_model
from frugalsvm.runtime.stopping import COMPILATION

ASKED = ("--target", "diagnosis", "--positive", "ill", "--exclude", "id", "--time-limit", 30)


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    return write_rows(tmp_path_factory.mktemp("unseen") / "data.csv", patients(400, gaps=False))


def test_the_default_speaks_of_new_data(table, tmp_path):
    said = frugalsvm(
        *("fit", table, *ASKED, "--min-tpr", 0.9, "--min-tnr", 0.9),
        *("--model", tmp_path / "m.json", "--report", tmp_path / "r.html", "--trade-off", 0),
    )
    assert said.code == 0, said.err
    assert "expected on new data" in said.out
    assert "Expected to reach both targets on new data (cross-validated)." in said.out
    assert "Proven" not in said.out
    page = (tmp_path / "r.html").read_text()
    assert "both targets on new data, at a cost of" in page
    assert "Expected, not certified: both targets hold on new data." in page
    assert "meets both targets; the counts" not in page
    unseen = load_model(tmp_path / "m.json").unseen
    assert unseen.held_out is None
    assert unseen.expected.n_positive + unseen.expected.n_negative == 400


@pytest.mark.parametrize("aside", [(), ("--hold-out", 0.3)])
def test_the_trade_off_is_about_new_data_too(table, tmp_path, monkeypatch, aside):
    """Beside a headline about new data it used to show training rates, and lower costs."""
    monkeypatch.setattr(COMPILATION, "left", 1e6)  # boundless, it would leave the report no time
    said = frugalsvm(
        *("fit", table, *ASKED, "--min-tpr", 0.75, "--min-tnr", 0.75, *aside),
        *("--report", tmp_path / "r.html", "--json"),
    )
    assert said.code in (0, 7), said.err
    page = (tmp_path / "r.html").read_text()
    shown = check(page)
    assert shown.data["rates"] == "cv"
    assert "What other targets would cost on new data" in page
    assert "in training; on new data" not in page
    assert shown.data["tpr"][:4] == ["60%", "65%", "70%", "75%"]
    assert said.json["unseen"]["targets_met"]


def test_too_little_time_for_a_trade_off_is_said(table, tmp_path, monkeypatch):
    monkeypatch.setattr(COMPILATION, "left", 0.0)  # which would add to the limit
    said = frugalsvm(
        *("fit", table, *ASKED, "--min-tpr", 0.75, "--min-tnr", 0.75),
        *("--report", tmp_path / "r.html", "--trade-off", 0.001),
    )
    assert said.code == 0, said.err
    assert "The report is without the costs of other targets" in said.err
    assert "What other targets would cost" not in (tmp_path / "r.html").read_text()


def test_rows_set_aside_certify(table, tmp_path):
    said = frugalsvm(
        *("fit", table, *ASKED, "--min-tpr", 0.75, "--min-tnr", 0.75, "--hold-out", 0.4),
        *("--confidence", 0.9, "--model", tmp_path / "m.json", "--report", tmp_path / "r.html"),
        *("--trade-off", 0, "--json"),
    )
    assert said.code == 0, said.err
    facts = said.json["unseen"]
    assert facts["held_out"]["certified"]
    assert facts["held_out"]["tpr"]["n"] + facts["held_out"]["tnr"]["n"] == 160
    assert "Certified at 90.0% confidence" in (tmp_path / "r.html").read_text()
    stored = json.loads((tmp_path / "m.json").read_text())["unseen"]["held_out"]
    assert len(stored["rows"]) == 160
    card = load_model(tmp_path / "m.json").score_card
    assert card.exact.n_positive + card.exact.n_negative == 240  # those learned from
    shown = frugalsvm("show", tmp_path / "m.json")
    assert "Certified at 0.9 confidence" in shown.out
    assert "rows set aside" in shown.out


def test_not_certified_has_its_exit_code(tmp_path):
    rows = [
        row | {"diagnosis": "ill" if k % 5 == 0 else row["diagnosis"]}
        for k, row in enumerate(patients(400, gaps=False))
    ]
    said = frugalsvm(
        *("fit", write_rows(tmp_path / "d.csv", rows), *ASKED, "--min-tpr", 0.93),
        *("--min-tnr", 0.93, "--hold-out", 0.3),
    )
    assert said.code == 7
    assert "Not certified at 0.95 confidence" in said.out
    assert "would not help" in said.err or "would confirm it" in said.err


def test_targets_out_of_reach_are_said(tmp_path):
    rows = [
        row | {"diagnosis": "ill" if k % 3 == 0 else row["diagnosis"]}
        for k, row in enumerate(patients(200, gaps=False))
    ]
    said = frugalsvm(
        *("fit", write_rows(tmp_path / "d.csv", rows), *ASKED),
        *("--min-tpr", 0.95, "--min-tnr", 0.95),
    )
    assert said.code == 0
    assert "Not expected to reach both targets on new data" in said.out
    assert "do not expect both rates on new data" in said.err.replace("\n", " ")
