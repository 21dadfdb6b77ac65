"""When no panel meets the rates of all targets: what is said."""

from __future__ import annotations

from frugalsvm.data.exceptions import InfeasibleRatesError, NoSolutionError
from frugalsvm.data.rates import RateTargets
from frugalsvm.data.result import Status, StopReason
from frugalsvm.engine.dispatch import attainable_selection
from frugalsvm.engine.no_answer import GAVE_UP, Reached
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.several.fusion import Confusion
from frugalsvm.several.labels import Block, SeveralLabels
from frugalsvm.several.problem import SeveralProblem
from frugalsvm.several.result import PanelResult


def cut_short(result: PanelResult) -> bool:
    """Return True if the work ended too early for "no answer" to mean anything."""
    return result.status is Status.UNKNOWN and result.stop_reason in GAVE_UP


def no_panel(owner: str, result: PanelResult, labels: SeveralLabels) -> NoSolutionError:
    """Return the error for a search that was cut short without an answer."""
    interrupted = result.stop_reason is StopReason.INTERRUPTED
    open_targets = [labels.names[t] for t in result.unmet]
    known = f" Nothing was found yet for {open_targets}." if open_targets else ""
    more = "" if interrupted else "Give it more time (time_limit), or "
    lower = "Lower" if interrupted else "lower"
    return NoSolutionError(
        f"{owner} found no panel that meets the rates of all {len(labels.names)} targets before it "
        f"stopped ({result.stop_reason.value} after {result.seconds:.1f} s); whether one exists is "
        f"not known.{known} {more}{lower} the targets.",
        bound=result.bound,
        interrupted=interrupted,
    )


def infeasible_panel(
    problem: SeveralProblem,
    labels: SeveralLabels,
    asked: tuple[RateTargets, ...],
    result: PanelResult,
    confusion: Confusion,
    fusion: tuple[Block, ...] | None,
    stop: Stopper,
    seed: int,
) -> InfeasibleRatesError:
    """Return the error for targets that no panel meets: which, and which classes are alike."""
    proven = bool(result.infeasible)
    short = result.infeasible or result.unmet
    names = labels.names
    first = problem.single(short[0])
    found = attainable_selection(first, stop, seed)
    reached = Reached(asked[short[0]], first.n_positive, first.n_negative, found)
    tpr, tnr = asked[short[0]].training_rates(first.n_positive, first.n_negative)
    claim = "It is proven that no" if proven else "No"
    known = "meets" if proven else "was found to meet"
    kind = "class" if labels.exclusive else "output"
    pairs, doubtful = (tuple((names[a], names[b]) for a, b in numbers) for numbers in confusion)
    return InfeasibleRatesError(
        f"{claim} hyperplane on the allowed features {known} the rates of the {kind} "
        f"{names[short[0]]!r} against the rest: {reached.asked_for}. The best found is "
        f"{found.pos_errors} errors among the positives with the negatives' rate kept "
        f"({_parameter(labels)} {reached.best_tpr:.4f}), or {found.neg_errors} among the negatives "
        f"with the positives' rate kept (min_tnr {reached.best_tnr:.4f})."
        + _others([names[t] for t in short[1:]], labels)
        + _alike(pairs, doubtful, labels)
        + _remedy(fusion, labels),
        proven=proven,
        n_positive=first.n_positive,
        n_negative=first.n_negative,
        min_tpr=tpr,
        min_tnr=tnr,
        best_tpr=reached.best_tpr,
        best_tnr=reached.best_tnr,
        classes=tuple(names[t] for t in short),
        pairs=pairs,
        doubtful_pairs=doubtful,
    )


def _parameter(labels: SeveralLabels) -> str:
    return "min_recall" if labels.exclusive else "min_recall or min_tpr"


def _others(names: list[object], labels: SeveralLabels) -> str:
    if not names:
        return ""
    return f" Nor are the rates met of {', '.join(map(repr, names))}."


def _alike(
    pairs: tuple[tuple[object, object], ...],
    doubtful: tuple[tuple[object, object], ...],
    labels: SeveralLabels,
) -> str:
    """Return what is known about pairs of classes, in words."""
    if not labels.exclusive:
        return ""
    text = ""
    if pairs:
        shown = ", ".join(f"{a!r} and {b!r}" for a, b in pairs)
        text += f" Classes that cannot be told apart at these recalls: {shown}."
    if doubtful:
        shown = ", ".join(f"{a!r} and {b!r}" for a, b in doubtful)
        text += f" Whether these can be told apart was not decided: {shown}."
    if not pairs and not doubtful:
        text += (
            " Any two classes can be told apart: it is all the others together that are in the way."
        )
    return text


def _remedy(fusion: tuple[Block, ...] | None, labels: SeveralLabels) -> str:
    lower = "lower the rates, or add features."
    if not labels.exclusive:
        return f" Leave out the output, {lower}"
    if fusion is None:
        return f" No fusion of classes that meets the rates was found: {lower}"
    fused = "; ".join(
        " with ".join(repr(labels.names[c]) for c in block) for block in fusion if len(block) > 1
    )
    return f" The rates can be met if classes are fused: {fused} (fuse_classes=True); or {lower}"
