"""Numbers and findings in plain words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from frugalsvm.data.binomial import rate_interval
from frugalsvm.data.rates import RateCounts
from frugalsvm.data.result import StopReason
from frugalsvm.export import ScoreCard
from frugalsvm.report.data import CrossValidation, FitSection, TrainingStep
from frugalsvm.saved.model import Outlook, UnseenRates
from frugalsvm.tradeoff.points import FrontierPoint

CONFIDENCE = 0.95
SAME = 1e-15
"""Relative difference below which two costs are the same: they come correctly rounded."""


def same_cost(one: float, other: float) -> bool:
    """Return True if two costs differ by rounding at the most.

    Examples
    --------
    >>> same_cost(2.1, 2.0999999999999996), same_cost(2.0, 2.1), same_cost(math.inf, math.inf)
    (True, False, True)
    >>> same_cost(2e-10, 5e-10), same_cost(1e10 + 1, 1e10 + 6)
    (False, False)
    """
    return math.isclose(one, other, rel_tol=SAME)


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


def listed(names: Sequence[str], most: int = 4) -> str:
    """Return names in a sentence.

    Examples
    --------
    >>> listed(["a"]), listed(["a", "b", "c"]), listed(list("abcdef"))
    ('a', 'a, b and c', 'a, b, c and 3 more')
    """
    names = list(names)
    if len(names) > most:
        return f"{', '.join(names[: most - 1])} and {len(names) - most + 1} more"
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]])) if names else "nothing"


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


def lead_words(fit: FitSection, counts: str, unit: str) -> str:
    """Return the page's first sentence: how many features, for what, at which cost.

    Parameters
    ----------
    fit : FitSection
        The fit.
    counts : str
        "3 features of 7".
    unit : str
        What costs are counted in, with a space before it; or nothing.
    """
    cost = f"at a cost of {money(fit.cost)}{unit}"
    if fit.unseen is None:
        if not fit.panel:
            return "Both targets are met in training without measuring anything."
        return f"{counts} meet both targets in training, {cost}."
    panel = counts if fit.panel else "Nothing is measured"
    outlook_of = {
        Outlook.CERTIFIED: f"{panel} for both targets on new data, {cost}.",
        Outlook.EXPECTED: f"{panel} for both targets on new data, {cost}.",
        Outlook.NOT_CERTIFIED: f"{panel}, {cost}: not certified for new data.",
        Outlook.NOT_EXPECTED: f"{panel}, {cost}: do not expect both targets on new data.",
        Outlook.UNKNOWN: f"{panel}, {cost}: there was no time to see what new data will show.",
    }
    return outlook_of[fit.unseen.outlook(fit.min_tpr, fit.min_tnr)]


def missed_words(fit: FitSection) -> Proof | None:
    """Return what is to be said first of a panel for rates in training that new data will miss."""
    if fit.unseen is not None or fit.cross_validation is None:
        return None
    counts = fit.cross_validation.counts
    if not counts.n_positive or not counts.n_negative:
        return None
    if counts.tpr >= fit.min_tpr and counts.tnr >= fit.min_tnr:
        return None
    return Proof(
        False,
        "Do not expect both targets on new cases.",
        f"In cross-validation the sensitivity is {percent(counts.tpr)} (asked: "
        f"{target_percent(fit.min_tpr)}) and the specificity {percent(counts.tnr)} (asked: "
        f"{target_percent(fit.min_tnr)}). Both targets are met on the training data only.",
    )


def proof_words(fit: FitSection) -> Proof:
    """Return what is proven about a panel's cost, or certified or expected of its rates."""
    if fit.unseen is not None:
        return unseen_words(fit, fit.unseen)
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
    if fit.cheaper is not None:
        return Proof(
            False,
            f"Not the cheapest: a set that costs {money(fit.cheaper.cost)} meets both targets.",
            "It was found while the trade-off below was computed: "
            f"{', '.join(fit.cheaper.features)}. Fit again with a longer time limit to get it. "
            f"Bound {money(fit.bound)}. {clock}",
        )
    gap = (fit.cost - fit.bound) / fit.cost if fit.cost else 0.0
    return Proof(
        False,
        f"Found, not proved cheapest: no set cheaper than {money(fit.bound)} meets both targets.",
        f"Bound {money(fit.bound)}, gap {percent(gap)}: a set up to "
        f"{money(fit.cost - fit.bound)} cheaper may exist. The search ended early "
        f"({fit.stop_reason}). {clock}",
    )


def unseen_words(fit: FitSection, unseen: UnseenRates) -> Proof:
    """Return what new data can be expected to show."""
    clock = f"The work took {duration(fit.seconds)} ({fit.solver})."
    held_out = unseen.held_out
    if held_out is not None:
        seen = (
            f"Of the samples set aside, {held_out.counts.true_positives} of "
            f"{held_out.counts.n_positive} positives and {held_out.counts.true_negatives} of "
            f"{held_out.counts.n_negative} negatives are right. {_cheaper_words(fit)}".rstrip()
        )
        sure = f"at {percent(held_out.confidence)} confidence"
        if held_out.certified:
            return Proof(
                True, f"Certified {sure}: both targets hold on new data.", f"{seen} {clock}"
            )
        return Proof(False, f"Not certified {sure}: both targets may be missed.", f"{seen} {clock}")
    outlook = unseen.outlook(fit.min_tpr, fit.min_tnr)
    clock = f"{_cheaper_words(fit)}{clock}"
    if outlook is Outlook.UNKNOWN:
        return Proof(
            False,
            "Not known: the time was over before rates on new data could be estimated.",
            f"Fit again with a longer time limit before you rely on this panel. {clock}",
        )
    if outlook is Outlook.EXPECTED:
        return Proof(
            False,
            "Expected, not certified: both targets hold on new data.",
            "Cross-validation with panel and classifier chosen anew reaches both; no samples "
            f"were set aside for a certificate. {clock}",
        )
    return Proof(
        False,
        "Do not expect both targets on new data.",
        "Cross-validation with panel and classifier chosen anew misses at least one. Lower the "
        f"targets, or add samples or features. {clock}",
    )


def _cheaper_words(fit: FitSection) -> str:
    """Return what the trade-off found to be cheaper; empty, or with a space at its end."""
    if fit.cheaper is None:
        return ""
    certified = fit.unseen is not None and fit.unseen.held_out is not None
    return (
        f"The trade-off below met a panel of cost {money(fit.cheaper.cost)} by which both can be "
        f"expected{', though nothing certifies it' if certified else ''}: "
        f"{', '.join(fit.cheaper.features)}. "
    )


def unfinished_words(step: TrainingStep, *, unseen: bool = False) -> str:
    """Return what is to be said about training that did not finish; empty if it did."""
    if step.status == "optimal":
        return ""
    meaning = (
        "The classifier's rates may differ from those of a finished one."
        if unseen
        else "The classifier meets both targets on the training data; another one on the same "
        "panel may have wider margins."
    )
    remedy = (
        "A proof is out of reach: more time would not help."
        if step.stop_reason == StopReason.EFFORT_LIMIT
        else "A longer time limit may help."
    )
    return (
        f"The training did not finish ({step.stop_reason} after {duration(step.seconds)}, gap "
        f"{percent(step.gap)}). {meaning} {remedy}"
    )


def card_words(card: ScoreCard) -> str:
    """Return what rounding to whole points costs in training."""
    if card.counts == card.exact and card.meets_targets:
        return "The rounding costs nothing in training: both rates are those of the formula."
    missed = "" if card.meets_targets else " The card misses a target in training."
    pairs = (
        ("sensitivity", card.counts.tpr, card.exact.tpr),
        ("specificity", card.counts.tnr, card.exact.tnr),
    )
    changes = [
        f"the {name} is {percent(rounded)} as by the formula"
        if rounded == exact
        else f"the {name} is {percent(rounded)}, by the formula {percent(exact)}"
        for name, rounded, exact in pairs
    ]
    return f"In training, {'; '.join(changes)}.{missed}"


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
            f"In {plural(validation.failed_folds, 'fold')} no classifier that meets the targets "
            "was found on the training part; those samples are not counted, which flatters the "
            "rates."
        )
    return words


def guarantees(fit: FitSection) -> tuple[list[str], list[str]]:
    """Return what is guaranteed, and what is not."""
    if fit.unseen is not None:
        return unseen_guarantees(fit.unseen)
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


def unseen_guarantees(unseen: UnseenRates) -> tuple[list[str], list[str]]:
    """Return what is guaranteed, and what is not, of a panel chosen for new data."""
    sure = ["The counts: they were recomputed from the raw data."]
    held_out = unseen.held_out
    if held_out is not None and held_out.certified:
        sure.append(
            "The procedure certifies a classifier that misses a target on new data with a "
            f"probability of at most {percent(1 - held_out.confidence)}. This supposes samples set "
            "aside that are independent and drawn like the new ones, and a procedure run once."
        )
    unsure = [
        "That no cheaper panel would do. The panel is the cheapest of those looked at; what holds "
        "on new data cannot be proven from a sample.",
        "The expected rates. They are those of classifiers chosen and trained in the same way on "
        "most of the samples; their intervals treat samples as independent draws from the "
        "population where the classifier will be used.",
    ]
    if held_out is None:
        unsure.append("Both targets: set samples aside (--hold-out, test_size) for a certificate.")
    return sure, unsure


def point_words(point: FrontierPoint, rates: str) -> str:
    """Return what is known about a point of a frontier; `rates` says where they have to hold."""
    if rates == "cv":
        return _expected_point_words(point)
    if not point.has_answer:
        if math.isinf(point.bound):
            return "Proved: no set of features meets these targets on the training data."
        return (
            "No set was found within the time limit, and none was ruled out. Any that exists "
            f"costs at least {money(point.bound)}."
        )
    if same_cost(point.bound, point.cost):
        return (
            f"Proved: no set cheaper than {money(point.cost)} meets these targets on the training "
            "data."
        )
    return (
        f"Not proved cheapest: a set that costs {money(point.bound)} or more could be enough for "
        "these targets."
    )


def at_most(point: FrontierPoint, rates: str) -> bool:
    """Return True if cheaper panels than the point's may do, for all that is known."""
    if rates == "cv":  # nothing is proved there, but panels were looked at, or not
        return point.has_answer and not point.searched
    return point.has_answer and not same_cost(point.bound, point.cost)


def _expected_point_words(point: FrontierPoint) -> str:
    if not point.has_answer:
        return (
            "None of the panels looked at lets one expect both targets on new data, or the time "
            "was over before that was known."
        )
    if at_most(point, "cv"):
        return (
            "Both targets can be expected to hold on new data with the panel of this page. The "
            "time was over before cheaper ones were judged for these targets, which may cost less."
        )
    return (
        "Both targets can be expected to hold on new data. This is the cheapest of the panels "
        "looked at; that no cheaper one would do cannot be proved."
    )


def rates_words(counts: RateCounts | None) -> dict[str, str]:
    """Return rates with their intervals for the trade-off's table."""
    if counts is None:
        return {"tpr": "not made", "tnr": "not made", "tpr_range": "", "tnr_range": ""}
    return {
        "tpr": percent(counts.tpr),
        "tnr": percent(counts.tnr),
        "tpr_range": interval_words(counts.true_positives, counts.n_positive),
        "tnr_range": interval_words(counts.true_negatives, counts.n_negative),
    }
