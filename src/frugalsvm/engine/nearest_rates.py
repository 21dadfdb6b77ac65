"""The pair of rates nearest to the one asked for, both lowered by the same amount."""

from __future__ import annotations

from collections.abc import Callable

from frugalsvm.data.rates import ErrorBudget, RateTargets
from frugalsvm.data.result import Attainable
from frugalsvm.runtime.stopping import Stopper

HALVINGS = 6
"""Steps of the bisection: the common amount is found to a sixty-fourth."""

Attain = Callable[[ErrorBudget], Attainable]


def balanced_errors(
    targets: RateTargets, n_positive: int, n_negative: int, attain: Attain, stop: Stopper
) -> ErrorBudget:
    """Return the errors of a classifier that falls short of both rates by about the same.

    Parameters
    ----------
    targets : RateTargets
        The rates asked for.
    n_positive, n_negative : int
        Sizes of the classes.
    attain : callable
        From a budget to the fewest errors of each class found with the other's budget kept.
    stop : Stopper
        Ends the bisection; the best found so far is returned.

    Examples
    --------
    >>> frontier = lambda budget: Attainable(max(0, 8 - budget.neg), max(0, 8 - budget.pos))
    >>> balanced_errors(RateTargets(1.0, 1.0), 10, 10, frontier, Stopper(60.0))
    ErrorBudget(pos=4, neg=4)
    """
    asked = targets.budget(n_positive, n_negative)
    best = ErrorBudget(n_positive, n_negative)
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        if stop():
            break
        shift = (low + high) / 2
        allowed = ErrorBudget(
            min(n_positive, asked.pos + int(shift * n_positive)),
            min(n_negative, asked.neg + int(shift * n_negative)),
        )
        met = attain(allowed).pos_errors
        if met <= allowed.pos:
            high, best = shift, ErrorBudget(met, allowed.neg)
        else:
            low = shift
    return best
