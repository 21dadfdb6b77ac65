"""Messages of the library in the words of the command line: options instead of parameters."""

from __future__ import annotations

import re

OPTIONS = {
    "min_tpr": "--min-tpr",
    "min_tnr": "--min-tnr",
    "min_tprs": "--min-tprs",
    "min_tnrs": "--min-tnrs",
    "correction": "--correction",
    "alpha": "--alpha",
    "pos_label": "--positive",
    "feature_costs": "--costs",
    "group_costs": "--costs",
    "feature_groups": "--costs",
    "include": "--include",
    "exclude": "--exclude",
    "max_weight": "--max-weight",
    "kernel": "--kernel",
    "gamma": "--gamma",
    "degree": "--degree",
    "coef0": "--coef0",
    "C": "-C",
    "solver": "--solver",
    "time_limit": "--time-limit",
    "total_time_limit": "--total-time-limit",
    "n_alternatives": "--alternatives",
    "n_jobs": "--threads",
    "random_state": "--seed",
    "Cs": "-C",
    "cv": "--folds",
    "margin": "--margin",
    "test_size": "--hold-out",
    "store": "--store",
    "confidence": "--confidence",
    "adjustment": "--adjustment",
}
"""What a parameter of the estimators and functions is called on the command line."""

_NAMES = "|".join(sorted(OPTIONS, key=len, reverse=True))
_OWNED = re.compile(rf"[Tt]he '({_NAMES})' parameter of \w+")
_PAIR = re.compile(rf"\b({_NAMES})=('?)([\w.+-]*\w)\2(?:,(?= (?:{_NAMES})=))?")
_MADE_BY = re.compile(r"\b(Frugal(?:SVCCV|SVC|Selector)|RateSVC)(?:\.fit)?\b")
_LONE = re.compile(rf"\(({_NAMES})\)|'({_NAMES})'")


def in_options(message: str) -> str:
    """Return a message with its parameters named as options.

    Examples
    --------
    >>> in_options("Give it more time (time_limit), or try solver='auto'.")
    'Give it more time (--time-limit), or try --solver auto.'
    >>> in_options("a balanced pair (min_tpr=0.87, min_tnr=0.8125).")
    'a balanced pair (--min-tpr 0.87 --min-tnr 0.8125).'
    >>> in_options("FrugalSVCCV was stopped. No panel that FrugalSVCCV tried is better.")
    'The fit was stopped. No panel that the fit tried is better.'
    >>> in_options("The 'alpha' parameter of FrugalSVC must be a float. Got 2 instead.")
    '--alpha must be a float. Got 2 instead.'
    """
    message = _OWNED.sub(lambda found: OPTIONS[found[1]], message)
    message = _PAIR.sub(lambda found: f"{OPTIONS[found[1]]} {found[3]}", message)
    message = _LONE.sub(
        lambda found: f"({OPTIONS[found[1]]})" if found[1] else OPTIONS[found[2]], message
    )
    message = _MADE_BY.sub("the fit", message)
    return re.sub(r"^the fit|(?<=[.] )the fit", "The fit", message)
