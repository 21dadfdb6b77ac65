"""Parameters of FrugalSVCCV that are its own, and what they must be."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral
from typing import Any

from frugalsvm.estimators.base import RUN_RULES
from frugalsvm.inputs.parameters import (
    BOOL,
    DEGREE,
    NUMBER,
    OPEN_UNIT,
    RATE,
    Rule,
    gamma_rule,
    is_number,
)
from frugalsvm.inputs.svm_kernels import AUTO, kernel_rule


def _is_count(value: Any, least: int) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= least


def _positive_numbers(value: Any) -> bool:
    if isinstance(value, str) or not isinstance(value, Iterable):
        return False
    listed = list(value)
    return bool(listed) and all(is_number(C) and C > 0 for C in listed)


def _scores(value: Any) -> bool:
    able = hasattr(value, "decision_function") or hasattr(value, "predict_proba")
    return hasattr(value, "fit") and able and not isinstance(value, type)


RULES: dict[str, Rule] = RUN_RULES | {
    "min_tpr": RATE,
    "min_tnr": RATE,
    "margin": NUMBER,
    "max_cost": (
        "None or a float in the range [0.0, inf)",
        lambda v: v is None or (is_number(v) and v >= 0),
    ),
    "estimator": (
        "None or a classifier (not a class) with fit and decision_function or predict_proba",
        lambda v: v is None or _scores(v),
    ),
    "kernel": kernel_rule(AUTO),
    "gamma": gamma_rule(),
    "degree": DEGREE,
    "coef0": NUMBER,
    "Cs": ("floats in the range (0.0, inf), at least one", _positive_numbers),
    "standardize": BOOL,
    "cv": (
        "an int in the range [2, inf), a splitter or an iterable of splits",
        lambda v: _is_count(v, 2) or hasattr(v, "split") or isinstance(v, Iterable),
    ),
    "n_repeats": ("an int in the range [1, inf)", lambda v: _is_count(v, 1)),
    "test_size": (
        "None or a float in the range (0.0, 1.0)",
        lambda v: v is None or OPEN_UNIT[1](v),
    ),
    "confidence": OPEN_UNIT,
}
