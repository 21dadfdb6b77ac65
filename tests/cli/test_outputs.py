"""What the commands write can be opened without harm, and read by scripts and people."""

from __future__ import annotations

import csv
import json

import pytest
from cli_tools import frugalsvm, patients, read_rows, write_rows

from frugalsvm.cli.outputs import csv_text, safe_cell


@pytest.mark.parametrize(
    "text", ["=1+2", "+SUM(A1)", "-2+3", "@cmd", "\t=1", "\r=1", "  =1", "=cmd|' /C calc'!A0", "+-"]
)
def test_formulas_become_text(text):
    assert safe_cell(text) == "'" + text


def test_classes_called_plus_and_minus_are_predicted_by_their_names():
    assert csv_text(["prediction"], [["+"], ["-"]]) == "prediction\n+\n-\n"


@pytest.mark.parametrize("text", ["-1", "+1.5", "-1e-5", ".5", "a=b", "1-2", "", "x@y", "ill"])
def test_numbers_and_plain_text_stay(text):
    assert safe_cell(text) == text


def test_csv_cells_survive_quoting():
    rows = [["a,b", 'say "x"', "two\nlines", -1.5, 0.1]]
    read = list(csv.reader(csv_text(["h1", "=h2", "h3", "h4", "h5"], rows).splitlines(True)))
    assert read[0] == ["h1", "'=h2", "h3", "h4", "h5"]
    assert read[1] == ["a,b", 'say "x"', "two\nlines", "-1.5", "0.1"]


def test_predictions_are_safe_to_open(clinic, tmp_path):
    rows = patients(4, gaps=False)
    for row, evil in zip(rows, ["=1+1", "@x", "+cmd|'x'!A0", "-5"], strict=True):
        row["id"] = evil
    write_rows(tmp_path / "new.csv", rows)
    out = tmp_path / "out.csv"
    frugalsvm("predict", clinic / "model.json", tmp_path / "new.csv", "--keep", "id", "--out", out)
    assert [row["id"] for row in read_rows(out)] == ["'=1+1", "'@x", "'+cmd|'x'!A0", "-5"]


def test_predictions_to_stdout(clinic):
    said = frugalsvm("predict", clinic / "model.json", clinic / "data.csv", "--impute")
    lines = said.out.splitlines()
    assert lines[0] == "prediction,score"
    assert len(lines) == 121
    assert "120 rows" in said.err


def test_check_tells_what_is_there(clinic):
    said = frugalsvm("check", clinic / "data.csv", "--target", "diagnosis", "--exclude", "id")
    assert said.code == 0
    assert "120 rows, 5 columns to decide from" in said.out
    assert "Nothing stands in the way of a fit." in said.out
    facts = frugalsvm("check", clinic / "data.csv", "--target", "diagnosis", "--json")
    assert facts.code == 2  # 120 different identifiers
    by_name = {column["name"]: column for column in facts.json["columns"]}
    assert by_name["age"]["kind"] == "numeric"
    assert by_name["age"]["n_missing"] == 7
    assert by_name["smoker"]["kind"] == "boolean"
    assert "identifier" in facts.json["problems"][0]


def test_check_knows_price_lists(clinic, tmp_path):
    (tmp_path / "costs.csv").write_text("feature,cost\nage,1\n")
    said = frugalsvm(
        *("check", clinic / "data.csv", "--target", "diagnosis", "--exclude", "id"),
        *("--costs", tmp_path / "costs.csv"),
    )
    assert said.code == 2
    assert "no price for 'chol'" in said.out


def test_wide_tables_are_shown_in_part(tmp_path):
    names = [f"x{k}" for k in range(200)]
    rows = [{name: (k * j) % 7 for j, name in enumerate(names, 1)} for k in range(1, 30)]
    rows[0]["x5"] = ""
    said = frugalsvm("check", write_rows(tmp_path / "d.csv", rows))
    assert "x5" in said.out
    assert "of 200" in said.out
    assert "with gaps, problems or warnings:" in said.out
    rows = [{f"x{k}": (row * k) ** 0.5 for k in range(2, 103)} for row in range(1, 30)]
    said = frugalsvm("check", write_rows(tmp_path / "d.csv", rows))
    assert "101 numeric (of 101). None of them has gaps" in " ".join(said.out.split())
    assert "distinct" not in said.out  # no table without rows


def test_names_with_control_characters_and_markup_are_shown_as_text(tmp_path):
    evil = "a\x1b[2J[bold]<script>😀"
    rows = [{evil: v, "y": "ill" if v > 10 else "well"} for v in range(20)]
    write_rows(tmp_path / "d.csv", rows)
    asked = ("--target", "y", "--positive", "ill", "--min-tpr", 0.9, "--min-tnr", 0.9)
    said = frugalsvm("fit", tmp_path / "d.csv", *asked, "--model", tmp_path / "m.json")
    assert said.code == 0, said.err
    shown = frugalsvm("show", tmp_path / "m.json").out
    for text in (said.out, shown, frugalsvm("check", tmp_path / "d.csv").out):
        assert "\x1b[2J" not in text
        assert "\\x1b[2J[bold]<script>😀" in text.replace("\n", "")
    facts = frugalsvm("show", tmp_path / "m.json", "--json")
    assert facts.json["measure"] == [evil]


def test_fit_says_what_it_did_to_the_data(clinic, tmp_path):
    said = frugalsvm(
        *("fit", clinic / "data.csv", "--target", "diagnosis", "--positive", "ill"),
        *("--exclude", "id", "--min-tpr", 0.6, "--min-tnr", 0.6, "--model", tmp_path / "m.json"),
        *("--rates", "training"),
    )
    assert "120 rows" in said.err
    assert "age: 7 missing in training, filled with the median" in said.err
    assert "colour: 5 missing in training, filled with the most frequent value" in said.err
    assert f"Wrote {tmp_path / 'm.json'}" in said.err
    assert "Panel:" in said.out
    assert "Proven: no panel cheaper than" in said.out


def test_fit_options_reach_the_classifier(clinic, tmp_path):
    said = frugalsvm(
        *("fit", clinic / "data.csv", "--target", "diagnosis", "--positive", "well"),
        *("--exclude", "id", "--min-tpr", 0.5, "--min-tnr", 0.5, "--kernel", "rbf"),
        *("--gamma", "0.25", "--C", "2", "--include", "colour", "--include", "smoker"),
        *("--correction", "hoeffding", "--alpha", "0.3", "--categorical", "smoker"),
        *("--rates", "training"),
        *("--default-cost", "2", "--quiet", "--json", "--model", tmp_path / "m.json"),
    )
    assert said.code == 0, said.err
    assert said.err == ""
    facts = said.json
    assert {"colour=red", "colour=white", "smoker=true"} <= {f["feature"] for f in facts["panel"]}
    assert facts["cost"] >= 4
    assert facts["positive"] == "well"
    assert facts["targets"]["correction"] == "hoeffding"
    model = json.loads((tmp_path / "m.json").read_text())
    assert model["classifier"]["gamma"] == 0.25
    assert model["parameters"]["C"] == 2.0
