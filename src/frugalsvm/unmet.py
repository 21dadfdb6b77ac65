"""When there is no answer: what to tell the user, and what could be had instead."""

from __future__ import annotations

import math

from frugalsvm.exceptions import InfeasibleRatesError, NoSolutionError
from frugalsvm.rates import RateTargets
from frugalsvm.result import Attainable, MarginResult, SelectionResult, Status, StopReason

GAVE_UP = (StopReason.TIME_LIMIT, StopReason.NODE_LIMIT, StopReason.INTERRUPTED)


def ran_out(result: SelectionResult | MarginResult) -> bool:
    """Return True if the work was cut short, so that no answer means nothing."""
    return result.status is Status.UNKNOWN and result.stop_reason in GAVE_UP


def proven_infeasible(result: SelectionResult | MarginResult) -> bool:
    """Return True if there provably is no answer to the problem itself.

    The paper's models as written exclude more than the problem does (a finite M1 or M2, the box of
    P3): that one of them is infeasible proves nothing here. They say so in their details.
    """
    return result.status is Status.INFEASIBLE and bool(result.details.get("exact", True))


def no_solution(owner: str, result: SelectionResult | MarginResult) -> NoSolutionError:
    """Return the error for work that was cut short without an answer."""
    remedy = (
        "Give it more time (time_limit), lower the targets"
        if result.stop_reason is not StopReason.INTERRUPTED
        else "Let it run longer, lower the targets"
    )
    return NoSolutionError(
        f"{owner} found no classifier that meets both rates before it stopped "
        f"({result.stop_reason.value} after {result.seconds:.1f} s, {result.solver}); whether one "
        f"exists is not known. {remedy}, or try solver='auto'.",
        bound=result.bound,
        interrupted=result.stop_reason is StopReason.INTERRUPTED,
    )


def infeasible_rates(
    targets: RateTargets,
    n_positive: int,
    n_negative: int,
    attainable: Attainable,
    *,
    proven: bool,
    of_what: str,
) -> InfeasibleRatesError:
    """Return the error for targets that cannot be met, with what can.

    ``best_tpr`` and ``best_tnr`` are in the user's terms: passed as ``min_tpr`` or ``min_tnr`` with
    the same correction, they are met.
    """
    asked_tpr, asked_tnr = targets.training_rates(n_positive, n_negative)
    best_tpr = targets.target_for(n_positive - attainable.pos_errors, n_positive)
    best_tnr = targets.target_for(n_negative - attainable.neg_errors, n_negative)
    budget = targets.budget(n_positive, n_negative)
    claim = "It is proven that no" if proven else "No"
    known = "meets" if proven else "was found to meet"
    corrected = "" if targets.correction is None else f" after the {targets.correction} correction"
    return InfeasibleRatesError(
        f"{claim} {of_what} {known} both rates on the training data: TPR >= {asked_tpr:.4g} and "
        f"TNR >= {asked_tnr:.4g}{corrected}, that is at most {_errors(budget.pos)} among "
        f"{n_positive} positives and {budget.neg} among {n_negative} negatives. The best found is "
        f"{_errors(attainable.pos_errors)} among the positives with the negatives' rate kept "
        f"(min_tpr={_down(best_tpr)}, min_tnr={targets.min_tnr:.6g}), or {attainable.neg_errors} "
        f"among the negatives with the positives' rate kept (min_tpr={targets.min_tpr:.6g}, "
        f"min_tnr={_down(best_tnr)}). Lower the targets to one of these pairs, or add features.",
        proven=proven,
        n_positive=n_positive,
        n_negative=n_negative,
        min_tpr=asked_tpr,
        min_tnr=asked_tnr,
        best_tpr=best_tpr,
        best_tnr=best_tnr,
    )


def _down(rate: float) -> str:
    """Return the rate with four digits, rounded down: what the message says must be attainable."""
    return f"{math.floor(rate * 1e4) / 1e4:.4f}"


def _errors(count: int) -> str:
    return f"{count} error" if count == 1 else f"{count} errors"
