"""Bad input gets an error that names the parameter, the rule and the value."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from frugalsvm import FrugalSelector, FrugalSVC, RateSVC, UnsupportedModelError

ALL = [FrugalSelector, RateSVC, FrugalSVC]
SELECTING = [FrugalSelector, FrugalSVC]


@pytest.fixture
def data() -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(40, 3)), columns=["age", "chol", "sex"])
    y = (X["age"] + 0.2 * X["chol"] > 0).astype(int).to_numpy()
    return X, y


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda X, y: (X.mask(X > 1), y), "contains NaN"),
        (lambda X, y: (X.mask(X > 1, np.inf), y), "contains infinity"),
        (lambda X, y: (X, np.ones(len(y))), "samples of 2 classes"),
        (lambda X, y: (X, y[:-1]), "inconsistent numbers of samples"),
        (lambda X, y: (X.iloc[:0], y[:0]), "minimum of 1 is required|0 sample"),
        (lambda X, y: (X.iloc[:, :0], y), "0 feature"),
        (lambda X, y: (X.assign(age="old"), y), "1 columns? holds? text or levels: 'age'"),
        (lambda X, y: (X["age"].to_numpy(), y), "2D array"),
        (lambda X, y: (X, np.where(y == 1, np.nan, 0.0)), "NaN"),
    ],
)
def test_bad_data(kind: Any, spoil: Any, message: str, data: Any) -> None:
    with pytest.raises(ValueError, match=message):
        kind().fit(*spoil(*data))


def test_training_alone_takes_two_classes(data: Any) -> None:
    X, y = data
    with pytest.raises(ValueError, match="Only binary classification"):
        RateSVC().fit(X, np.arange(len(y)) % 3)


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize(
    ("params", "rule"),
    [
        ({"min_tpr": 1.1}, r"a float in the range \[0.0, 1.0\]. Got 1.1"),
        ({"min_tnr": -0.1}, r"a float in the range \[0.0, 1.0\]. Got -0.1"),
        ({"min_tpr": np.nan}, "Got nan"),
        ({"min_tpr": "0.9"}, "Got '0.9'"),
        ({"min_tpr": True}, "Got True"),
        ({"correction": "bonferroni"}, "one of None, 'hoeffding'. Got 'bonferroni'"),
        ({"alpha": 0.0}, r"a float in the range \(0.0, 1.0\). Got 0.0"),
        ({"solver": "cplex"}, "one of 'auto', 'highs', 'scip', 'gurobi'. Got 'cplex'"),
        ({"time_limit": 0}, "a number of seconds .* Got 0"),
        ({"time_limit": "1 minute"}, "a number of seconds .* Got '1 minute'"),
        ({"n_jobs": 0}, "Got 0"),
        ({"callback": 3}, "None or callable. Got 3"),
    ],
)
def test_bad_parameters_of_all(kind: Any, params: dict[str, Any], rule: str, data: Any) -> None:
    name = next(iter(params))
    with pytest.raises(
        ValueError, match=f"'{name}' parameter of {kind.__name__} must be {rule}|{rule}"
    ):
        kind(**params).fit(*data)


@pytest.mark.parametrize("kind", SELECTING)
@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"max_weight": 0.0}, r"'max_weight' parameter of {} must be a float in the range \(0.0"),
        ({"n_alternatives": -1}, "'n_alternatives' parameter of {} must be an int"),
        ({"feature_costs": {"weight": 1}}, "'feature_costs' parameter of {} .* Got 'weight'"),
        ({"feature_costs": [1, -1, 1]}, "'feature_costs' parameter of {} .* Got -1 for 'chol'"),
        ({"include": ["height"]}, "'include' parameter of {} .* Got 'height'"),
        ({"include": ["age"], "exclude": ["age"]}, r"of {} must not overlap. .*\['age'\]"),
        ({"pos_label": "ill"}, "'pos_label' parameter of {} .* 0, 1. Got 'ill'"),
        ({"solver_options": {"m2": 5}}, "solver='auto' has no options. Got 'm2'"),
        ({"solver": "highs", "solver_options": {"m9": 5}}, "m2|HiGHS"),
    ],
)
def test_bad_parameters_of_selectors(
    kind: Any, params: dict[str, Any], message: str, data: Any
) -> None:
    with pytest.raises(ValueError, match=message.format(kind.__name__)):
        kind(**params).fit(*data)


@pytest.mark.parametrize("kind", [RateSVC, FrugalSVC])
@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"C": 0}, r"'C' parameter of {} must be a float in the range \(0.0, inf\). Got 0"),
        ({"kernel": "gauss"}, "'kernel' parameter of {} must be callable or one of .*'rbf'"),
        ({"gamma": -1.0}, "'gamma' parameter of {} must be 'scale', 'auto' or a float"),
        ({"degree": 1.5}, "'degree' parameter of {} must be an int"),
        ({"standardize": "yes"}, "'standardize' parameter of {} must be a bool"),
        ({"max_slack": 0.0}, "'max_slack' parameter of {} must be"),
    ],
)
def test_bad_parameters_of_trainers(
    kind: Any, params: dict[str, Any], message: str, data: Any
) -> None:
    with pytest.raises(ValueError, match=message.format(kind.__name__)):
        kind(**params).fit(*data)


@pytest.mark.parametrize("kind", [RateSVC, FrugalSVC])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_highs_cannot_train_and_says_so_before_any_work(kind: Any, kernel: str, data: Any) -> None:
    with pytest.raises(UnsupportedModelError, match="scip"):
        kind(solver="highs", kernel=kernel).fit(*data)


def test_frugal_svc_takes_no_precomputed_kernel(data: Any) -> None:
    with pytest.raises(ValueError, match="Got 'precomputed' instead; use RateSVC"):
        FrugalSVC(kernel="precomputed").fit(*data)


def test_precomputed_kernel_must_be_square(data: Any) -> None:
    with pytest.raises(ValueError, match="square"):
        RateSVC(kernel="precomputed").fit(*data)


def test_kernel_callable_of_the_wrong_shape(data: Any) -> None:
    with pytest.raises(ValueError, match="'kernel' callable must return a matrix"):
        RateSVC(kernel=lambda A, B: A).fit(*data)


def test_object_columns_of_numbers_are_numbers(data: Any) -> None:
    X, y = data
    plain = FrugalSelector(0.8, 0.8).fit(X, y)
    objects = FrugalSelector(0.8, 0.8).fit(X.astype(object), y)
    assert objects.result_.support == plain.result_.support


def test_constant_columns_are_never_selected(data: Any) -> None:
    X, y = data
    X = X.assign(always=3.7)
    fitted = FrugalSVC(0.9, 0.9, feature_costs=[1, 1, 1, 0]).fit(X, y)
    assert "always" not in fitted.get_feature_names_out()
    with pytest.raises(ValueError, match=r"must not name constant features.*\['always'\]"):
        FrugalSVC(0.9, 0.9, include=["always"]).fit(X, y)


@pytest.mark.parametrize("cheap", [0, 1])
def test_of_duplicate_columns_the_cheaper_is_selected(cheap: int, data: Any) -> None:
    X, y = data
    X = pd.DataFrame({"a": X["age"], "b": X["age"], "c": X["sex"]})
    costs = np.array([5.0, 5.0, 1.0])
    costs[cheap] = 3.0
    fitted = FrugalSelector(0.85, 0.85, feature_costs=costs).fit(X, y)
    assert fitted.result_.support == (cheap,)
    assert fitted.cost_ == fitted.bound_ == 3.0


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_huge_scales_change_nothing(scale: float, data: Any) -> None:
    X, y = data
    plain = FrugalSVC(0.9, 0.9).fit(X, y)
    huge = FrugalSVC(0.9, 0.9).fit(X * scale, y)
    assert huge.result_.support == plain.result_.support
    assert huge.decision_function(X * scale) == pytest.approx(plain.decision_function(X), rel=1e-6)


def test_a_failed_fit_leaves_the_parameters_alone(data: Any) -> None:
    clf = FrugalSVC(feature_costs={"weight": 1})
    with pytest.raises(ValueError, match="weight"):
        clf.fit(*data)
    assert clf.get_params()["feature_costs"] == {"weight": 1}
    assert not hasattr(clf, "cost_")
