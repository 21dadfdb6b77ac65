"""From a model file to decisions elsewhere: formula, score card, exports, strange new data."""

from __future__ import annotations

import joblib
import numpy as np
import pandas as pd
import pytest
from cli_tools import frugalsvm, patients, write_rows

from frugalsvm import FrugalSVC, OutOfRangeWarning, load_model
from frugalsvm.data.exceptions import ModelFileError


def test_show_prints_what_can_be_computed_by_hand(clinic):
    said = frugalsvm("show", clinic / "model.json")
    facts = frugalsvm("show", clinic / "model.json", "--json").json
    assert f"score = {facts['rule']['intercept']:.6g}" in said.out
    assert "if the score is above 0" in said.out
    assert f"from {facts['score_card']['cutoff']} points on" in said.out
    rates = facts["score_card"]["training_rates"]
    assert facts["score_card"]["meets_targets"] == (rates["tpr"] >= 0.9 and rates["tnr"] >= 0.9)


@pytest.mark.parametrize("form", ["sql", "sklearn", "onnx"])
def test_export(clinic, tmp_path, form):
    out = tmp_path / "exported"
    said = frugalsvm("export", clinic / "model.json", "--to", form, "--out", out)
    assert said.code == 0, said.err
    if form == "sql":
        assert out.read_text().startswith("SELECT")
    elif form == "onnx":
        assert out.stat().st_size > 100
    else:
        model = load_model(clinic / "model.json")
        rows = pd.DataFrame(patients(gaps=False))
        rows = rows[list(model.preparation.raw_names)]
        assert joblib.load(out).predict(rows).tolist() == model.predict(rows).tolist()


def test_export_of_a_kernel_says_what_to_do(clinic, tmp_path):
    frugalsvm(
        *("fit", clinic / "data.csv", "--target", "diagnosis", "--positive", "ill"),
        *("--exclude", "id", "--min-tpr", 0.7, "--min-tnr", 0.7, "--kernel", "rbf"),
        *("--model", tmp_path / "m.json", "--time-limit", 20),
    )
    said = frugalsvm("export", tmp_path / "m.json", "--to", "sql", "--out", tmp_path / "x.sql")
    assert said.code == 5
    assert "--kernel linear" in said.err


def test_new_data_in_another_unit_are_noticed(clinic, tmp_path):
    """Cholesterol in mmol/l moved half of the predictions in silence."""
    model = load_model(clinic / "model.json")
    number = next(v for v in model.preparation.variables if v.high is not None and v.high > 2)
    rows = [row | {number.name: number.low / 40} for row in patients(gaps=False)]
    new = write_rows(tmp_path / "new.csv", rows)
    said = frugalsvm("predict", clinic / "model.json", new, "--out", tmp_path / "p.csv", "--json")
    words = " ".join(said.err.split())
    assert f"Column '{number.name}', row 1 (and {len(rows) - 1} more rows)" in words
    assert "is it measured in the same unit?" in words
    finding = said.json["out_of_range"][0]
    assert (finding["variable"], finding["rows"]) == (number.name, len(rows))
    same = frugalsvm("predict", clinic / "model.json", clinic / "data.csv", "--impute", "--json")
    assert same.json["out_of_range"] == []
    assert "outside the range" not in same.err


def test_python_models_warn_of_numbers_out_of_range(tmp_path):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=60), "b": rng.normal(size=60)})
    y = (X["a"] > 0).astype(int)
    FrugalSVC(0.9, 0.9).fit(X, y).save(tmp_path / "m.json")
    model = load_model(tmp_path / "m.json")
    assert (model.predict(X) == y).mean() > 0.9
    with pytest.warns(OutOfRangeWarning, match=r"Column 'a', row 2: 99 is outside"):
        model.predict(pd.DataFrame({"a": [0.0, 99.0]}))


def test_a_range_upside_down_is_no_model(clinic, tmp_path):
    text = (clinic / "model.json").read_text()
    model = load_model(clinic / "model.json")
    high = next(v.high for v in model.preparation.variables if v.high is not None)
    damaged = tmp_path / "m.json"
    damaged.write_text(text.replace(f'"high": {high}', '"high": -1e9', 1))
    with pytest.raises(ModelFileError, match="at least 'low'"):
        load_model(damaged)


def test_training_that_did_not_finish_is_said(clinic, tmp_path, monkeypatch):
    from dataclasses import replace

    from frugalsvm.data.result import Status, StopReason
    from frugalsvm.engine.dispatch import Engine

    train = Engine.train

    def cut_short(self, problem, stop):
        result = train(self, problem, stop)
        early = {"status": Status.FEASIBLE, "stop_reason": StopReason.TIME_LIMIT}
        return replace(result, bound=result.objective / 100, **early)

    monkeypatch.setattr(Engine, "train", cut_short)
    said = frugalsvm(
        *("fit", clinic / "data.csv", "--target", "diagnosis", "--positive", "ill"),
        *("--exclude", "id", "--min-tpr", 0.7, "--min-tnr", 0.7, "--folds", 0, "--trade-off", 0),
        *("--model", tmp_path / "m.json", "--report", tmp_path / "r.html"),
    )
    assert said.code == 0, said.err
    for words in (said.out, frugalsvm("show", tmp_path / "m.json").out):
        assert "The training did not finish (time limit after" in " ".join(words.split())
        assert "gap 99 %" in " ".join(words.split())
    assert frugalsvm("show", tmp_path / "m.json", "--json").json["training"]["gap"] > 0.98
    assert "The training did not finish" in (tmp_path / "r.html").read_text()
