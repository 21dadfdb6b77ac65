"""How many held-out samples of a class a rate can be confirmed with."""

from __future__ import annotations

import math

from frugalsvm.data.binomial import confirmation_power, exact_p_value
from frugalsvm.inputs.parameters import OPEN_UNIT, RATE

MOST_SAMPLES = 10_000_000


def required_samples(
    target: float, true_rate: float = 1.0, confidence: float = 0.95, power: float = 0.8
) -> int:
    """Return how many held-out samples of a class are needed to confirm a rate.

    With this many, and with any larger number, the exact binomial test at the given confidence
    confirms the target with at least the given probability, if the classifier's true rate is
    `true_rate`. Held-out samples are ones that had no part in choosing or training the
    classifier. Both classes need theirs.

    Parameters
    ----------
    target : float
        The rate to confirm, in (0, 1).
    true_rate : float, default=1.0
        The rate that the classifier really has, above the target. 1: no error at all, the least
        number with which the target can be confirmed.
    confidence : float, default=0.95
        Of the statement.
    power : float, default=0.8
        Probability with which it can be made.

    Returns
    -------
    int
        Samples of the class.

    Examples
    --------
    >>> required_samples(0.9), required_samples(0.95)
    (29, 59)
    >>> required_samples(0.9, true_rate=0.95)
    203
    """
    _check(target, true_rate, confidence, power)
    level = 1 - confidence
    perfect = fewest_samples(target, confidence)
    if true_rate == 1:
        return perfect
    low, high = perfect - 1, perfect
    while confirmation_power(high, target, true_rate, level) < power:
        low, high = high, 2 * high
        if high > MOST_SAMPLES:
            raise ValueError(
                f"More than {MOST_SAMPLES} samples would be needed to confirm a rate of {target:g} "
                f"if the true rate is {true_rate:g}: the two are too close."
            )
    while high - low > 1:
        middle = (low + high) // 2
        if confirmation_power(middle, target, true_rate, level) >= power:
            high = middle
        else:
            low = middle
    return _lasting(high, target, true_rate, level, power)


def fewest_samples(target: float, confidence: float) -> int:
    """Return the least number of samples that, all of them right, confirm the target.

    Examples
    --------
    >>> fewest_samples(0.9, 0.95), fewest_samples(0.0, 0.95)
    (29, 1)
    """
    if target <= 0:
        return 1
    if target >= 1:
        raise ValueError("A rate of 1 cannot be confirmed with any number of samples.")
    n = max(1, math.floor(math.log(1 - confidence) / math.log(target)))
    while exact_p_value(n, n, target) > 1 - confidence:
        n += 1
    return n


def _lasting(n: int, target: float, true_rate: float, level: float, power: float) -> int:
    """Return the size from which on the power is never too small, by a look at those around `n`.

    Power falls back after each rise, because the number of errors still allowed is whole. A fall
    is about 1 / sqrt(n), the rise with each sample (true_rate - target) / (2 sqrt(n)): after some
    2 / (true_rate - target) samples no fall reaches below where it started.
    """
    around = int(4 / (true_rate - target) + 2 / (1 - target)) + 10
    sizes = range(max(1, n - around), n + around)
    short = [size for size in sizes if confirmation_power(size, target, true_rate, level) < power]
    return short[-1] + 1 if short else sizes[0]


def _check(target: float, true_rate: float, confidence: float, power: float) -> None:
    given = {"target": target, "confidence": confidence, "power": power}
    for name, value in given.items():
        rule, holds = OPEN_UNIT
        if not holds(value):
            raise ValueError(
                f"The '{name}' parameter of required_samples must be {rule}. Got {value!r} instead."
            )
    if not RATE[1](true_rate) or true_rate <= target:
        raise ValueError(
            "The 'true_rate' parameter of required_samples must be above the target "
            f"{target:g} and at most 1. Got {true_rate!r} instead: a target that the classifier "
            "does not exceed cannot be confirmed."
        )
