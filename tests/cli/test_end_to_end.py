"""From a table with gaps, levels and a price list with groups to predictions, all by commands."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from cli_tools import frugalsvm, patients, read_rows, write_rows

from frugalsvm import FrugalSVC, load_model
from frugalsvm.tabular.reading import file_sha256


def coded_by_hand(rows):
    """Code the table as the documentation says, independently of the package."""
    raw = pd.DataFrame(rows).replace({"": None, "NA": None})
    coded = pd.DataFrame(index=raw.index)
    ages = raw["age"].astype(float)
    coded["age"] = ages.fillna(ages.median())
    coded["chol"] = raw["chol"].astype(float)
    coded["glucose"] = raw["glucose"].astype(float)
    colours = raw["colour"].fillna(raw["colour"].mode()[0])
    coded["colour=red"] = (colours == "red").astype(float)
    coded["colour=white"] = (colours == "white").astype(float)
    coded["smoker"] = (raw["smoker"] == "true").astype(float)
    return coded, raw["diagnosis"].to_numpy(dtype=str)


@pytest.fixture(scope="module")
def estimator():
    X, y = coded_by_hand(patients())
    return FrugalSVC(
        0.9,
        0.9,
        n_alternatives=5,  # as the command line looks for
        pos_label="ill",
        feature_costs={
            "age": 0.5,
            "chol": 7.27,
            "glucose": 7.27,
            "colour=red": 0,
            "colour=white": 0,
            "smoker": 0.5,
        },
        feature_groups={
            "chol": "blood",
            "glucose": "blood",
            "colour=red": ("blood", "colour"),
            "colour=white": ("blood", "colour"),
        },
        group_costs={"blood": 2.1, "colour": 3.0},
        time_limit=30,
    ).fit(X, y)


def test_fit_finds_what_the_python_api_finds(clinic, estimator):
    said = json.loads((clinic / "fit.json").read_text())
    assert said["cost"] == estimator.cost_
    assert said["bound"] == estimator.bound_
    assert said["status"] == estimator.status_
    assert [f["feature"] for f in said["panel"]] == list(estimator.get_feature_names_out())
    assert said["training_rates"] == {"tpr": estimator.train_tpr_, "tnr": estimator.train_tnr_}
    assert said["targets"]["min_tpr"] == 0.9
    assert said["interrupted"] is False
    assert said["cost_of_all"] == pytest.approx(0.5 + 7.27 + 7.27 + 3 + 0.5 + 2.1)


def test_predictions_need_only_the_panel_and_equal_the_python_api(clinic, estimator, tmp_path):
    model = load_model(clinic / "model.json")
    needed = list(model.preparation.raw_names)
    assert needed == ["age", "chol", "colour"]
    new = patients(n=300, seed=11, gaps=False)
    write_rows(tmp_path / "new.csv", new, ["id", *reversed(needed)])
    result = frugalsvm(
        "predict",
        clinic / "model.json",
        tmp_path / "new.csv",
        "--keep",
        "id",
        "--out",
        tmp_path / "out.csv",
        "--json",
    )
    assert result.code == 0, result.err
    rows = read_rows(tmp_path / "out.csv")
    assert [row["id"] for row in rows] == [row["id"] for row in new]
    X, _ = coded_by_hand(new)
    assert [row["prediction"] for row in rows] == estimator.predict(X).tolist()
    towards_ill = -estimator.decision_function(X)  # scikit-learn's points to the second class
    assert [float(row["score"]) for row in rows] == towards_ill.tolist()
    assert result.json["predicted"]["ill"] == (estimator.predict(X) == "ill").sum()


def test_imputed_predictions_equal_training(clinic, estimator, tmp_path):
    result = frugalsvm(
        "predict",
        clinic / "model.json",
        clinic / "data.csv",
        "--impute",
        "--out",
        tmp_path / "out.csv",
    )
    assert result.code == 0, result.err
    X, _ = coded_by_hand(patients())
    said = [row["prediction"] for row in read_rows(tmp_path / "out.csv")]
    assert said == estimator.predict(X).tolist()


def test_parquet_predicts_alike(clinic, tmp_path):
    new = patients(n=50, seed=12, gaps=False)
    write_rows(tmp_path / "new.csv", new)
    frame = pd.DataFrame(new)
    frame["smoker"] = frame["smoker"] == "true"
    frame.to_parquet(tmp_path / "new.parquet")
    by_csv = frugalsvm("predict", clinic / "model.json", tmp_path / "new.csv")
    by_parquet = frugalsvm("predict", clinic / "model.json", tmp_path / "new.parquet")
    assert by_csv.out == by_parquet.out
    assert len(by_csv.out.splitlines()) == 51


def test_show_tells_the_panel_and_its_price(clinic):
    said = frugalsvm("show", clinic / "model.json")
    model = load_model(clinic / "model.json")
    assert said.code == 0
    for name in model.preparation.raw_names:
        assert name in said.out
    assert "once for the group blood" in said.out
    assert "no guarantee" in said.out
    assert "TPR (ill recognised)" in said.out
    assert "missing in training, filled with the" in said.out
    facts = frugalsvm("show", clinic / "model.json", "--json").json
    fitted = json.loads((clinic / "fit.json").read_text())
    assert {key: fitted[key] for key in facts} == facts
    assert max(len(line) for line in said.out.splitlines()) <= 80


def test_model_remembers_its_origin(clinic):
    origin = load_model(clinic / "model.json").origin
    assert origin.sha256 == file_sha256(clinic / "data.csv")
    assert (origin.file, origin.target) == ("data.csv", "diagnosis")
    labels = [row["diagnosis"] for row in patients()]
    assert origin.n_positive == labels.count("ill")
    assert origin.n_negative == labels.count("well")


def test_certify(clinic, tmp_path):
    write_rows(tmp_path / "held_out.csv", patients(n=2000, seed=21, gaps=False))
    said = frugalsvm("certify", clinic / "model.json", tmp_path / "held_out.csv", "--json")
    facts = said.json
    assert said.code == (0 if facts["holds"] else 7)
    assert facts["tpr"]["n"] + facts["tnr"]["n"] == 2000
    words = frugalsvm("certify", clinic / "model.json", tmp_path / "held_out.csv")
    assert "0.95 confidence" in words.out
    same = frugalsvm("certify", clinic / "model.json", clinic / "data.csv", "--impute")
    assert same.code == 2
    assert "certify nothing" in " ".join(same.err.split())
    assert "hold" not in same.out  # it used to say so all the same, with exit code 0


def test_rest_sets_one_class_against_all(tmp_path):
    rng = np.random.default_rng(0)
    rows = [
        {"x": round(float(v), 3), "y": ["low", "mid", "high"][int(v > -0.5) + int(v > 0.5)]}
        for v in rng.normal(size=60)
    ]
    write_rows(tmp_path / "d.csv", rows)
    asked = ["fit", tmp_path / "d.csv", "--target", "y", "--positive", "high", "--min-tpr", 0.9]
    asked += ["--min-tnr", 0.9]
    refused = frugalsvm(*asked)
    assert refused.code == 2
    assert "has 3 classes" in refused.err
    assert "--rest" in refused.err
    said = frugalsvm(*asked, "--rest", "--json", "--model", tmp_path / "m.json")
    assert said.json["negative"] == "not high"
    write_rows(tmp_path / "new.csv", [row | {"x": row["x"] + 1e-3} for row in rows])
    certified = frugalsvm("certify", tmp_path / "m.json", tmp_path / "new.csv", "--json")
    assert certified.json["tpr"]["n"] == sum(row["y"] == "high" for row in rows)
