"""Numbers and findings in plain words."""

from __future__ import annotations

import math
from dataclasses import dataclass

from frugalsvm.certify import rate_interval
from frugalsvm.report.data import CrossValidation, FitSection
from frugalsvm.tradeoff.points import FrontierPoint, RateCounts

CONFIDENCE = 0.95
SAME = 1e-9
"""Relative difference below which two costs are the same."""


def money(cost: float) -> str:
    """Return a cost with two decimals, or more where those would hide it.

    Examples
    --------
    >>> money(1234.5), money(3), money(0.0012), money(math.inf)
    ('1,234.50', '3.00', '0.0012', 'none')
    """
    if math.isinf(cost):
        return "none"
    return f"{cost:.2g}" if 0 < abs(cost) < 0.01 else f"{cost:,.2f}"


def percent(rate: float, digits: int = 1) -> str:
    """Return a rate in percent, never rounded up to 100 nor down to 0.

    Examples
    --------
    >>> percent(0.95), percent(0.9999), percent(1.0), percent(math.nan)
    ('95.0%', '99.9%', '100.0%', 'n/a')
    """
    if math.isnan(rate):
        return "n/a"
    step = 10.0**-digits
    value = 100 * rate
    rounded = round(value, digits)
    if rounded >= 100 and value < 100:
        rounded = 100 - step
    if rounded <= 0 and value > 0:
        rounded = step
    return f"{rounded:.{digits}f}%"


def target_percent(rate: float) -> str:
    """Return a target as the user wrote it.

    Examples
    --------
    >>> target_percent(0.95), target_percent(0.9675), target_percent(0.80 + 0.19 / 7)
    ('95%', '96.75%', '82.71%')
    """
    return f"{100 * rate:.2f}".rstrip("0").rstrip(".") + "%"


def duration(seconds: float) -> str:
    """Return a time as people say it.

    Examples
    --------
    >>> duration(0.004), duration(2.34), duration(75), duration(7340)
    ('less than 0.1 s', '2.3 s', '1 min 15 s', '2 h 2 min')
    """
    if seconds < 0.1:
        return "less than 0.1 s"
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def plural(count: int, noun: str) -> str:
    """Return a count with its noun.

    Examples
    --------
    >>> plural(1, "feature"), plural(3, "feature")
    ('1 feature', '3 features')
    """
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


@dataclass(frozen=True)
class Proof:
    """What is proven about the cost.

    Attributes
    ----------
    proved : bool
        True if the panel is proven cheapest.
    headline, detail : str
        In plain words.
    """

    proved: bool
    headline: str
    detail: str


def proof_words(fit: FitSection) -> Proof:
    """Return what is proven about a panel's cost."""
    clock = f"The search took {duration(fit.seconds)} ({fit.solver})."
    if fit.status == "optimal":
        scope = "Every cheaper set was ruled out on the training data."
        if not fit.solver.startswith("frugalsvm"):
            scope = (
                "The solver proved it for the mixed-integer model, which limits how wrong a "
                "single sample may be."
            )
        return Proof(
            True,
            f"Proved: no set cheaper than {money(fit.cost)} meets both targets.",
            f"Bound {money(fit.bound)}, gap 0%. {scope} {clock}",
        )
    gap = (fit.cost - fit.bound) / fit.cost if fit.cost else 0.0
    return Proof(
        False,
        f"Found, not proved cheapest: no set cheaper than {money(fit.bound)} meets both targets.",
        f"Bound {money(fit.bound)}, gap {percent(gap)}: a set up to "
        f"{money(fit.cost - fit.bound)} cheaper may exist. The search ended early "
        f"({fit.stop_reason}). {clock}",
    )


def interval_words(right: int, n: int) -> str:
    """Return the exact 95% interval of a rate in percent.

    Examples
    --------
    >>> interval_words(340, 357)
    '92.5% to 97.2%'
    """
    if n == 0:
        return "n/a"
    low, high = rate_interval(right, n, CONFIDENCE)
    return f"{percent(low)} to {percent(high)}"


def outlook(name: str, target: float, right: int, n: int) -> str:
    """Return what cross-validation suggests about one target on unseen data."""
    if n == 0:
        return f"{name}: no sample was held out."
    low, high = rate_interval(right, n, CONFIDENCE)
    seen = f"{name}: {right} of {n} held-out samples right, {percent(right / n)}"
    if low >= target:
        return f"{seen}. The whole interval lies above the target of {target_percent(target)}."
    if high < target:
        return (
            f"{seen}. The whole interval lies below the target of {target_percent(target)}: expect "
            "new cases to miss it. Ask for a higher rate in training, or more data."
        )
    return (
        f"{seen}. The target of {target_percent(target)} lies inside the interval: these data "
        "cannot tell whether new cases will meet it."
    )


def validation_words(validation: CrossValidation, n_features: int) -> list[str]:
    """Return how the cross-validation was done, and what should be known about it."""
    words = [
        f"The data were split into {validation.n_folds} parts. For each part, features were "
        "selected and the classifier trained anew on the others alone, then judged on the part "
        "held out."
    ]
    used = validation.n_folds - validation.failed_folds
    if used and n_features:
        words.append(
            f"{validation.same_panel} of {plural(used, 'fold')} chose exactly the features of this "
            "panel."
        )
    if validation.failed_folds:
        words.append(
            f"In {plural(validation.failed_folds, 'fold')} no classifier met the targets on the "
            "training part; those samples are not counted, which flatters the rates."
        )
    return words


def guarantees(fit: FitSection) -> tuple[list[str], list[str]]:
    """Return what is guaranteed, and what is not."""
    sure = [
        "On the training data the classifier meets both targets; the counts were recomputed from "
        "the raw data.",
        f"No set of features that costs less than {money(fit.bound)} can meet both targets on the "
        f"training data with a linear rule. Margins below {1 / fit.max_weight:.3g} standard "
        "deviations do not count.",
    ]
    unsure = [
        "The rates on new cases. Features and classifier were chosen with the same data that the "
        "training rates are measured on, so training rates are too good on average.",
        "The intervals. They treat held-out samples as independent draws from the population "
        "where the classifier will be used. If that population differs, they say nothing about it.",
    ]
    if fit.cross_validation is None:
        unsure[1] = "No cross-validation was made: nothing here speaks of new cases."
    if fit.kernel != "linear":
        unsure.append(
            "That no cheaper set would do with a curved rule. The proof is about linear rules; the "
            "kernel is used for the classifier on the panel."
        )
    if fit.correction is not None:
        unsure.append(
            "The Hoeffding correction raises the rates asked for in training. It makes success on "
            "new cases more likely; it is no proof, because the classifier was chosen after "
            "seeing the data."
        )
    unsure.append(
        "Only data that played no part in choosing or training can confirm a target: "
        "frugalsvm.certify does so with a stated confidence."
    )
    return sure, unsure


def point_words(point: FrontierPoint) -> str:
    """Return what is known about a point of the frontier."""
    if not point.has_answer:
        if math.isinf(point.bound):
            return "Proved: no set of features meets these targets on the training data."
        return (
            "No set was found within the time limit, and none was ruled out. Any that exists "
            f"costs at least {money(point.bound)}."
        )
    if point.bound >= point.cost - SAME * max(1.0, point.cost):
        return f"Proved: no set cheaper than {money(point.cost)} meets these targets."
    return (
        f"Not proved cheapest: a set that costs {money(point.bound)} or more could be enough for "
        "these targets."
    )


def rates_words(counts: RateCounts | None) -> dict[str, str]:
    """Return rates with their intervals for the trade-off's table."""
    if counts is None:
        return {"tpr": "n/a", "tnr": "n/a", "tpr_range": "", "tnr_range": ""}
    return {
        "tpr": percent(counts.tpr),
        "tnr": percent(counts.tnr),
        "tpr_range": interval_words(counts.true_positives, counts.n_positive),
        "tnr_range": interval_words(counts.true_negatives, counts.n_negative),
    }
