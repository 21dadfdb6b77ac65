"""When there is no answer: what to tell the user, and what could be had instead."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass

from sklearn.exceptions import ConvergenceWarning

from frugalsvm.data.exceptions import InfeasibleRatesError, NoSolutionError
from frugalsvm.data.rates import ErrorBudget, RateTargets
from frugalsvm.data.result import Attainable, MarginResult, SelectionResult, Status, StopReason
from frugalsvm.runtime.stopping import Stopper

OWN = "frugalsvm"
"""What results of the library's own searches call their solver."""
GAVE_UP = (StopReason.TIME_LIMIT, StopReason.NODE_LIMIT, StopReason.INTERRUPTED)

MORE_TIME = "Give it more time (time_limit)."
OUT_OF_REACH = (
    "A proof is out of reach, and more time is not worth it; time_limit=None goes on regardless."
)
HIDDEN_BY_ROUNDING = (
    "More time will not help, rounding hides the rest: standardise the features, or choose a C "
    "between 1e-4 and 1e6."
)
"""What to do about unfinished training."""

MEETS = "the classifier meets the rates, but another one may have wider margins"
"""What unfinished training means where it is under rate constraints."""


def warn_unfinished(owner: str, result: MarginResult, meaning: str = MEETS) -> None:
    """Warn, as scikit-learn does, that a classifier is not proven to be the best.

    Under rate constraints it meets the rates all the same: that is counted. The gap tells how
    far its objective may be from the least.
    """
    if result.status is not Status.FEASIBLE:
        return
    remedies = {StopReason.EFFORT_LIMIT: OUT_OF_REACH} | dict.fromkeys(GAVE_UP, MORE_TIME)
    remedy = remedies.get(result.stop_reason, HIDDEN_BY_ROUNDING)
    warnings.warn(
        f"The training of {owner} did not finish ({result.stop_reason.value} after "
        f"{result.seconds:.1f} s): {meaning}. Between its objective and the proven bound a gap of "
        f"{100 * result.gap:.3g} % is open. {remedy}",
        ConvergenceWarning,
        stacklevel=3,
    )


def ran_out(result: SelectionResult | MarginResult) -> bool:
    """Return True if the work was cut short, so that no answer means nothing."""
    return result.status is Status.UNKNOWN and result.stop_reason in GAVE_UP


def proven_infeasible(result: SelectionResult | MarginResult) -> bool:
    """Return True if there provably is no answer to the problem itself.

    The paper's models as written exclude more than the problem does (a finite M1 or M2, the box of
    P3): that one of them is infeasible proves nothing here. They say so in their details.
    """
    return result.status is Status.INFEASIBLE and bool(result.details.get("exact", True))


@dataclass(frozen=True)
class Reached:
    """What was reached where the rates asked for were not.

    Attributes
    ----------
    targets : RateTargets
        The rates asked for.
    n_positive, n_negative : int
        Sizes of the classes.
    attainable : Attainable
        The fewest errors of each class with the other's rate kept.
    balanced : ErrorBudget or None
        Errors of a classifier about equally far from both rates.
    """

    targets: RateTargets
    n_positive: int
    n_negative: int
    attainable: Attainable
    balanced: ErrorBudget | None = None

    @property
    def best_tpr(self) -> float:
        """The TPR to ask for, in the user's terms, that is met with the asked TNR kept."""
        right = self.n_positive - self.attainable.pos_errors
        return self.targets.target_for(right, self.n_positive)

    @property
    def best_tnr(self) -> float:
        """The TNR to ask for that is met with the asked TPR kept."""
        right = self.n_negative - self.attainable.neg_errors
        return self.targets.target_for(right, self.n_negative)

    @property
    def balanced_rates(self) -> tuple[float, float] | None:
        """Both rates of the balanced pair; None if no rate above 0 is left after a correction."""
        if self.balanced is None:
            return None
        tpr = self.targets.target_for(self.n_positive - self.balanced.pos, self.n_positive)
        tnr = self.targets.target_for(self.n_negative - self.balanced.neg, self.n_negative)
        return (tpr, tnr) if min(tpr, tnr) > 0 else None

    @property
    def asked_for(self) -> str:
        """The rates asked for in words, with what a correction made of them."""
        tpr, tnr = self.targets.training_rates(self.n_positive, self.n_negative)
        budget = self.targets.budget(self.n_positive, self.n_negative)
        errors = (
            f"that is at most {_errors(budget.pos)} among {self.n_positive} positives and "
            f"{budget.neg} among {self.n_negative} negatives"
        )
        if self.targets.correction is None:
            return f"TPR >= {tpr:.4g} and TNR >= {tnr:.4g}, {errors}"
        return (
            f"TPR >= {tpr:.4g} and TNR >= {tnr:.4g} (the {self.targets.correction} correction "
            f"raised them from {self.targets.min_tpr:.4g} and {self.targets.min_tnr:.4g}), {errors}"
        )

    @property
    def offers(self) -> str:
        """The pairs of rates that were reached, in words."""
        asked = self.targets
        pairs = [
            f"{_errors(self.attainable.pos_errors)} among the positives with the negatives' rate "
            f"kept (min_tpr={_down(self.best_tpr)}, min_tnr={asked.min_tnr:.6g})",
            f"{self.attainable.neg_errors} among the negatives with the positives' rate kept "
            f"(min_tpr={asked.min_tpr:.6g}, min_tnr={_down(self.best_tnr)})",
        ]
        if self.balanced_rates is not None:
            tpr, tnr = self.balanced_rates
            pairs.append(f"a balanced pair (min_tpr={_down(tpr)}, min_tnr={_down(tnr)})")
        return ", or ".join(pairs)


def no_solution(
    owner: str, result: SelectionResult | MarginResult, reached: Reached | None = None
) -> NoSolutionError:
    """Return the error for work that was cut short without an answer."""
    remedies = ["Lower the targets"]
    if result.stop_reason is not StopReason.INTERRUPTED:
        remedies.insert(0, "Give it more time (time_limit)")
    if result.solver != OWN:
        remedies.append("try solver='auto'")
    known = "" if reached is None else f" {_so_far(reached)}"
    return NoSolutionError(
        f"{owner} found no classifier that meets both rates before it stopped "
        f"({result.stop_reason.value} after {result.seconds:.1f} s, {result.solver}); whether one "
        f"exists is not known.{known} {_either(remedies)}.",
        bound=result.bound,
        interrupted=result.stop_reason is StopReason.INTERRUPTED,
        best_tpr=None if reached is None else reached.best_tpr,
        best_tnr=None if reached is None else reached.best_tnr,
    )


def _so_far(reached: Reached) -> str:
    budget = reached.targets.budget(reached.n_positive, reached.n_negative)
    found = reached.attainable
    if found.pos_errors <= budget.pos or found.neg_errors <= budget.neg:
        return "With all allowed features together the rates can be met."
    return f"Asked for: {reached.asked_for}. The best found so far: {reached.offers}."


def _either(remedies: list[str]) -> str:
    """Return remedies as one sentence."""
    first, *others = remedies
    rest = [remedy[0].lower() + remedy[1:] for remedy in others]
    return ", or ".join([first, *rest])


def matrix_unfinished(owner: str, n_samples: int, stop: Stopper) -> NoSolutionError:
    """Return the error for a kernel matrix that there was no time to compute."""
    return NoSolutionError(
        f"{owner} stopped ({stop.reason.value} after {stop.elapsed:.1f} s) before the kernel "
        f"matrix of {n_samples:,} samples was computed; whether the rates can be met is not known. "
        "Give it more time (time_limit), use kernel='linear', which needs no such matrix, or train "
        "on a sample of the rows.",
        bound=0.0,
        interrupted=stop.interrupted,
    )


def infeasible_rates(
    targets: RateTargets,
    n_positive: int,
    n_negative: int,
    attainable: Attainable,
    *,
    proven: bool,
    of_what: str,
    balanced: ErrorBudget | None = None,
) -> InfeasibleRatesError:
    """Return the error for targets that cannot be met, with what can.

    ``best_tpr`` and ``best_tnr`` are in the user's terms: passed as ``min_tpr`` or ``min_tnr`` with
    the same correction, they are met.
    """
    reached = Reached(targets, n_positive, n_negative, attainable, balanced)
    claim = "It is proven that no" if proven else "No"
    known = "meets" if proven else "was found to meet"
    asked_tpr, asked_tnr = targets.training_rates(n_positive, n_negative)
    return InfeasibleRatesError(
        f"{claim} {of_what} {known} both rates on the training data: {reached.asked_for}. The best "
        f"found is {reached.offers}. Lower the targets to one of these pairs, look at what can be "
        "had with frontier, or add features.",
        proven=proven,
        n_positive=n_positive,
        n_negative=n_negative,
        min_tpr=asked_tpr,
        min_tnr=asked_tnr,
        best_tpr=reached.best_tpr,
        best_tnr=reached.best_tnr,
        balanced=reached.balanced_rates,
    )


def _down(rate: float) -> str:
    """Return the rate with four digits, rounded down: what the message says must be attainable."""
    return f"{math.floor(rate * 1e4) / 1e4:.4f}"


def _errors(count: int) -> str:
    return f"{count} error" if count == 1 else f"{count} errors"
