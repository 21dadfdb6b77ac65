"""A panel in other forms decides as the panel does."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer

from frugalsvm import FrugalSVC
from frugalsvm.data.exceptions import ModelFileError, UnsupportedModelError
from frugalsvm.data.rates import ErrorBudget, RateCounts
from frugalsvm.export import CardLine, Rule, ScoreCard, score_card
from frugalsvm.export.rule import Term
from frugalsvm.export.scorecard import card_of, nice_step
from frugalsvm.saved.model import FrugalModel
from frugalsvm.saved.modelfile.decoding import decode
from frugalsvm.saved.modelfile.encoding import encode
from model_examples import example_model, example_rows


def many_rows(n: int = 200) -> pd.DataFrame:
    rng = np.random.default_rng(3)
    return pd.DataFrame(
        {
            "age": rng.uniform(20, 90, n).round(1),
            "smoker": rng.random(n) < 0.4,
            "colour": rng.choice(["blue", "red", "white", "yellow"], n),
        }
    )


@pytest.fixture(scope="module")
def cancer() -> tuple[pd.DataFrame, np.ndarray, FrugalSVC]:
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    return X, y.to_numpy(), FrugalSVC(0.93, 0.9).fit(X, y)


def test_the_printed_formula_decides_as_the_model(cancer: Any) -> None:
    X, _, clf = cancer
    rule = clf.model_.rule
    numbers = [
        float(part.split()[1]) * (-1 if part[0] == "-" else 1) for part in map(str, rule.terms)
    ]
    intercept = float(str(rule).splitlines()[0].removeprefix("score = "))
    by_hand = X[[t.variable for t in rule.terms]].to_numpy() @ np.array(numbers) + intercept
    np.testing.assert_array_equal(np.where(by_hand > 0, 1, 0), clf.predict(X))
    assert "1 if the score is above 0, 0 otherwise" in str(rule)


def test_a_formula_of_values_that_vary_little_beside_their_size_has_the_digits_it_needs() -> None:
    rng = np.random.default_rng(2)
    y = rng.random(4000) < 0.4
    volts = (20 + 0.02 * (rng.standard_normal(4000) + 2 * y)).round(4)
    clf = FrugalSVC(0.8, 0.8, time_limit=5).fit(pd.DataFrame({"volts": volts}), y)
    rule = clf.model_.rule
    intercept, term = str(rule).splitlines()[:2]
    sign, size, _ = term.split(maxsplit=2)
    by_hand = float(intercept.removeprefix("score = ")) + float(sign + size) * volts
    np.testing.assert_array_equal(by_hand > 0, clf.predict(pd.DataFrame({"volts": volts})))
    assert rule.digits > 6


def test_the_formula_speaks_for_the_positive_class_and_of_levels() -> None:
    model = example_model()
    rule = model.rule
    frame = pd.DataFrame(example_rows())
    towards_positive = -model.decision_function(frame)  # ill is classes[0]
    np.testing.assert_allclose(
        model.coded(frame) @ rule.weights + rule.intercept, towards_positive, atol=1e-12
    )
    assert any(" if colour is red" in str(term) for term in rule.terms)
    with pytest.raises(UnsupportedModelError, match="train with kernel='linear'"):
        _ = example_model("rbf").rule


@pytest.mark.parametrize("name", ["data", 'my "own" table'])
def test_sql_decides_as_the_model_and_guesses_nothing(name: str) -> None:
    model, frame = example_model(), many_rows()
    frame["smoker"] = frame["smoker"].astype(int)
    odd = pd.DataFrame({"age": [None, 50.0], "smoker": [1, 0], "colour": ["red", "green"]})
    with sqlite3.connect(":memory:") as database:
        pd.concat([frame, odd]).to_sql(name, database, index=False)
        found = pd.read_sql_query(model.to_sql(name), database)
    asked = many_rows()
    assert found["prediction"][:-2].tolist() == model.predict(asked).tolist()
    np.testing.assert_allclose(
        found["score"][:-2].astype(float), -model.decision_function(asked), atol=1e-9
    )
    assert found["prediction"][-2:].isna().all()
    assert found["score"][-2:].isna().all()


def test_names_and_levels_are_quoted_in_sql() -> None:
    model = example_model()
    variables = tuple(
        replace(v, name="it's; DROP TABLE data", levels=v.levels) if v.name == "colour" else v
        for v in model.preparation.variables
    )
    columns = tuple(
        replace(c, variable="it's; DROP TABLE data") if c.variable == "colour" else c
        for c in model.preparation.columns
    )
    features = tuple(
        replace(f, variable="it's; DROP TABLE data") if f.variable == "colour" else f
        for f in model.panel.features
    )
    hostile = replace(
        model,
        preparation=replace(model.preparation, variables=variables, columns=columns),
        panel=replace(model.panel, features=features),
    )
    assert '"it\'s; DROP TABLE data"' in hostile.to_sql()


def test_the_scikit_learn_pipeline_decides_as_the_model() -> None:
    model, frame = example_model(), many_rows()
    pipeline = model.to_sklearn()
    assert pipeline.predict(frame).tolist() == model.predict(frame).tolist()
    np.testing.assert_allclose(
        pipeline.decision_function(frame), model.decision_function(frame), atol=1e-9
    )
    with pytest.raises(ValueError, match="unknown categories"):
        pipeline.predict(frame.assign(colour="green"))
    with pytest.raises(UnsupportedModelError, match="needs a panel trained with the linear"):
        example_model("rbf").to_sklearn()


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
def test_onnx_decides_as_the_model_and_guesses_nothing(kernel: str) -> None:
    onnx = pytest.importorskip("onnx")
    from onnx.reference import ReferenceEvaluator

    model, frame = example_model(kernel), many_rows()
    graph = onnx.load_from_string(model.to_onnx())
    onnx.checker.check_model(graph)
    rows = pd.concat(
        [frame, pd.DataFrame({"age": [np.nan, 50.0], "smoker": True, "colour": ["red", "green"]})]
    )
    feeds = {
        "age": rows[["age"]].to_numpy(float),
        "smoker": rows[["smoker"]].to_numpy().astype(float),
        "colour": rows[["colour"]].to_numpy().astype(object),
    }
    score, label = ReferenceEvaluator(graph).run(["score", "label"], feeds)
    np.testing.assert_allclose(score[:-2, 0], model.decision_function(frame), atol=1e-9)
    assert label[:-2, 0].tolist() == model.predict(frame).tolist()
    assert np.isnan(score[-2:]).all()
    assert label[-2:, 0].tolist() == ["", ""]


def test_onnx_of_other_kernels_is_refused() -> None:
    with pytest.raises(UnsupportedModelError, match="ONNX files hold panels with the kernels"):
        example_model("laplacian").to_onnx()


def test_a_score_card_in_whole_points_that_meets_the_targets(cancer: Any) -> None:
    X, y, clf = cancer
    card = score_card(clf.model_, X, y)
    assert card.meets_targets
    assert all(isinstance(line.points, int) for line in card.lines)
    names = [line.variable for line in card.lines]
    points = sum(line.points * X[line.variable] / line.step for line in card.lines)
    said = points.round(9) >= card.cutoff  # as by hand, without binary fractions
    assert int((said & (y == 1)).sum()) == card.counts.true_positives
    assert int((~said & (y == 0)).sum()) == card.counts.true_negatives
    assert card.counts.tpr >= 0.93
    assert card.counts.tnr >= 0.9
    assert set(names) == set(clf.get_feature_names_out())
    assert (card.exact.tpr, card.exact.tnr) == (clf.train_tpr_, clf.train_tnr_)
    np.testing.assert_allclose(card.points(clf.model_.coded(X)), points)


def test_a_score_card_that_misses_a_target_says_so(cancer: Any) -> None:
    X, y, clf = cancer
    model = replace(clf.model_, targets=replace(clf.model_.targets, min_tpr=1.0, min_tnr=1.0))
    card = score_card(model, X, y)
    assert not card.meets_targets
    assert "it misses a target" in str(card)


def test_lines_without_points_are_not_on_the_card() -> None:
    """They used to be printed: "+0 points if ...", to be looked up and added for nothing."""
    rng = np.random.default_rng(0)
    X = np.column_stack(
        [rng.integers(0, 2, 400), rng.integers(0, 2, 400), rng.integers(20, 80, 400)]
    )
    terms = (Term("pain", "none", 8.0), Term("sex", "m", 0.05), Term("age", None, 0.1))
    rule = Rule(terms, -6.0, "ill", "well")
    positive = X @ rule.weights + rule.intercept > 0
    card = card_of(rule, X.astype(float), positive, ErrorBudget(20, 20))
    assert [line.points for line in card.lines].count(0) == 1
    assert "sex" not in "".join(map(str, card.counted))
    assert str(card).count("\n") == 2 + 2
    assert "No points for 1 of 3 features, too small to count in whole points: sex m." in str(card)
    assert "Parts of a step count in proportion." in str(card)
    by_hand = [
        sum(
            Fraction(line.points) * value / Fraction(line.step).limit_denominator()
            for line, value in zip(card.lines, row, strict=True)
        )
        for row in X.tolist()
    ]
    said = np.array([total >= card.cutoff for total in by_hand])
    assert int((said & positive).sum()) == card.counts.true_positives


def test_a_row_at_the_cut_off_is_counted_as_by_hand() -> None:
    X = np.array([[0.1, 0.2], [0.0, 0.1], [0.3, 0.0], [0.0, 0.0]])
    lines = (CardLine("a", None, 1, 0.1), CardLine("b", None, 1, 0.1))
    nothing = RateCounts(0, 1, 0, 1)
    card = ScoreCard(lines, 3, "ill", "well", nothing, nothing, True)
    assert (card.points(X) >= card.cutoff).tolist() == [True, False, True, False]


@pytest.mark.parametrize(("spread", "step"), [(0.07, 0.05), (17.0, 20.0), (900.0, 1000.0)])
def test_steps_are_round_numbers(spread: float, step: float) -> None:
    assert nice_step(np.array([-spread, spread])) == pytest.approx(step)


def test_a_score_card_survives_the_model_file(cancer: Any) -> None:
    X, y, clf = cancer
    model = replace(clf.model_, score_card=score_card(clf.model_, X, y))
    document = json.loads(json.dumps(encode(model)))
    assert decode(document).score_card == model.score_card
    for path, value in (
        (("lines",), []),
        (("cutoff",), 1.5),
        (("counts", "true_positives"), 10**6),
        (("lines", 0, "step"), 0.0),
    ):
        damaged = json.loads(json.dumps(document))
        place = damaged["score_card"]
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = value
        with pytest.raises(ModelFileError, match="score_card"):
            decode(damaged)


def test_model_files_of_the_first_schema_are_read() -> None:
    document = json.loads(json.dumps(encode(example_model())))
    del document["score_card"]
    document["schema_version"] = 1
    model = decode(document)
    assert isinstance(model, FrugalModel)
    assert model.score_card is None
