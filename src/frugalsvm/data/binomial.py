"""Exact binomial tests and bounds of a rate: what a count of right samples says about it."""

from __future__ import annotations

from scipy.special import betainc, betaincinv
from scipy.stats import binom


def exact_p_value(right: float, n: float, target: float) -> float:
    """Return P(at least `right` of `n` right) if the true rate is `target`.

    Examples
    --------
    >>> round(exact_p_value(29, 29, 0.9), 4)
    0.0471
    """
    if target <= 0:
        return 0.0  # no rate is below 0
    if right <= 0:
        return 1.0
    return float(betainc(right, n - right + 1, target)) if target < 1 else 1.0


def exact_lower_bound(right: int, n: int, level: float) -> float:
    """Return the Clopper-Pearson bound that the true rate falls below with probability `level`."""
    return float(betaincinv(right, n - right + 1, level)) if right > 0 else 0.0


def rate_interval(successes: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """Return the exact (Clopper-Pearson) two-sided interval for a rate.

    Examples
    --------
    >>> low, high = rate_interval(8, 10)
    >>> round(low, 4), round(high, 4)
    (0.4439, 0.9748)
    """
    tail = (1 - confidence) / 2
    return exact_lower_bound(successes, n, tail), 1 - exact_lower_bound(n - successes, n, tail)


def fewest_right(n: int, target: float, level: float) -> int | None:
    """Return how many of `n` must be right for a p-value of at most `level`; None: all do not do.

    Examples
    --------
    >>> fewest_right(100, 0.9, 0.05), fewest_right(28, 0.9, 0.05)
    (96, None)
    """
    needed = max(0, min(n, int(binom.isf(level, n, target)) + 1))
    while needed > 0 and exact_p_value(needed - 1, n, target) <= level:
        needed -= 1
    while needed <= n and exact_p_value(needed, n, target) > level:
        needed += 1
    return needed if needed <= n else None


def confirmation_power(n: int, target: float, true_rate: float, level: float) -> float:
    """Return the probability that `n` samples confirm the target if the rate is `true_rate`."""
    needed = fewest_right(n, target, level)
    return 0.0 if needed is None else float(binom.sf(needed - 1, n, true_rate))
