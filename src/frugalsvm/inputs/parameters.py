"""Checks of constructor parameters, with messages in the manner of scikit-learn's own."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from numbers import Integral, Real
from typing import Any

Rule = tuple[str, Callable[[Any], bool]]


def check_parameters(estimator: Any, rules: Mapping[str, Rule]) -> None:
    """Raise a ValueError that names parameter, owner, rule and value for the first one broken."""
    for name, (rule, holds) in rules.items():
        value = getattr(estimator, name)
        if not holds(value):
            raise ValueError(
                f"The '{name}' parameter of {type(estimator).__name__} must be {rule}. "
                f"Got {value!r} instead."
            )


def is_number(value: Any) -> bool:
    """Return True for a finite real number that is not a bool."""
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)


def _is_count(value: Any, least: int) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= least


RATE: Rule = (
    "a float in the range [0.0, 1.0]",
    lambda v: is_number(v) and 0.0 <= v <= 1.0,
)
OPEN_UNIT: Rule = (
    "a float in the range (0.0, 1.0)",
    lambda v: is_number(v) and 0.0 < v < 1.0,
)
POSITIVE: Rule = (
    "a float in the range (0.0, inf)",
    lambda v: is_number(v) and v > 0,
)
LARGEST_WEIGHT = 1e6
"""A margin of less than a millionth of a standard deviation is lost in rounding."""
WEIGHT_LIMIT: Rule = (
    f"a float in the range (0.0, {LARGEST_WEIGHT:g}]",
    lambda v: is_number(v) and 0 < v <= LARGEST_WEIGHT,
)
POSITIVE_OR_NONE: Rule = (
    "a float in the range (0.0, inf), or None",
    lambda v: v is None or (is_number(v) and v > 0),
)
NUMBER: Rule = ("a finite float", is_number)
TIME_LIMIT: Rule = (
    "a number of seconds in the range (0.0, inf], or None",
    lambda v: v is None or (isinstance(v, Real) and not isinstance(v, bool) and float(v) > 0),
)
COUNT: Rule = ("an int in the range [0, inf)", lambda v: _is_count(v, 0))
DEGREE: Rule = ("an int in the range [0, inf)", lambda v: _is_count(v, 0))
N_JOBS: Rule = (
    "None, -1 or an int in the range [1, inf)",
    lambda v: v is None or _is_count(v, 1) or (_is_count(v, -1) and v == -1),
)
BOOL: Rule = ("a bool", lambda v: isinstance(v, bool))
VERBOSE: Rule = (
    "a bool or an int in the range [0, inf)",
    lambda v: isinstance(v, bool) or _is_count(v, 0),
)
CALLBACK: Rule = ("None or callable", lambda v: v is None or callable(v))
OPTIONS: Rule = ("None or a dict", lambda v: v is None or isinstance(v, Mapping))


def one_of(*choices: Any) -> Rule:
    """Return the rule "one of these"."""
    shown = ", ".join(repr(c) for c in choices)
    return f"one of {shown}", lambda v: any(
        v is c or (type(v) is type(c) and v == c) for c in choices
    )


def gamma_rule() -> Rule:
    """Return the rule of scikit-learn's ``gamma``."""
    return (
        "'scale', 'auto' or a float in the range [0.0, inf)",
        lambda v: (isinstance(v, str) and v in ("scale", "auto")) or (is_number(v) and v >= 0),
    )
