"""What is to be read first about a model: the panel, and what is proven or expected of it."""

from __future__ import annotations

from rich.text import Text

from frugalsvm.data.rates import RateCounts
from frugalsvm.runtime.progress import money, percent
from frugalsvm.saved.model import FrugalModel, Outlook, UnseenRates

NOT_EXPECTED = "Not expected to reach both targets on new data (cross-validated)."
NOT_ESTIMATED = (
    "Not known whether both targets hold on new data: the time was over before their rates could "
    "be estimated. More time helps: --time-limit."
)


def opening(model: FrugalModel, validated: RateCounts | None = None) -> list[Text]:
    """Return what is to be read first: what new data will miss, then the panel and its proof."""
    told = proof(model)
    if model.unseen is not None:
        hopeful = outlook(model) in (Outlook.CERTIFIED, Outlook.EXPECTED)
        return [headline(model), told] if hopeful else [told, headline(model)]
    asked = model.targets
    missed = validated is not None and (
        validated.tpr < asked.min_tpr or validated.tnr < asked.min_tnr
    )
    first = [Text(NOT_EXPECTED, style="yellow")] if missed else []
    return [*first, headline(model), told]


def headline(model: FrugalModel) -> Text:
    """Return what the panel is and costs."""
    panel = model.panel
    n_variables = len(model.preparation.variables)
    noun = "measurement" if n_variables == 1 else "measurements"
    text = Text.assemble(
        ("Panel: ", "bold"),
        (f"{n_variables} {noun}, cost {money(model.cost)}", "bold green"),
    )
    return text + Text(f" (all {panel.n_candidates} columns: {money(panel.cost_of_all)})")


def proof(model: FrugalModel) -> Text:
    """Return what is certified, expected or proven, in plain words."""
    if model.unseen is not None:
        return unseen_verdict(model, model.unseen)
    if model.status == "optimal":
        text = f"Proven: no panel cheaper than {money(model.cost)} meets both targets in training."
        return Text(text, style="green")
    ended = f"{model.selection.stop_reason} after {model.selection.seconds:.1f} s"
    if model.bound <= 0:
        return Text(f"Not proven cheapest: nothing is known of cheaper panels ({ended}).", "yellow")
    return Text(
        f"Not proven cheapest ({ended}). Proven: no panel cheaper than {money(model.bound)} meets "
        f"both targets in training; a gap of {percent(model.selection.gap)} is open.",
        style="yellow",
    )


def unseen_verdict(model: FrugalModel, unseen: UnseenRates) -> Text:
    """Return what new data can be expected to show."""
    held_out = unseen.held_out
    if held_out is not None:
        counts = f"{held_out.counts.n_positive} + {held_out.counts.n_negative} rows set aside"
        if held_out.certified:
            return Text(
                f"Certified at {held_out.confidence:.4g} confidence on {counts}: both rates reach "
                "their targets on new data.",
                style="green",
            )
        return Text(
            f"Not certified at {held_out.confidence:.4g} confidence on {counts}: whether both "
            "rates reach their targets on new data is open.",
            style="yellow",
        )
    known = outlook(model)
    if known is Outlook.EXPECTED:
        return Text("Expected to reach both targets on new data (cross-validated).", style="green")
    return Text(NOT_EXPECTED if known is Outlook.NOT_EXPECTED else NOT_ESTIMATED, style="yellow")


def outlook(model: FrugalModel) -> Outlook | None:
    """Return what is known of both targets on new data; None of a model for rates in training."""
    if model.unseen is None:
        return None
    return model.unseen.outlook(model.targets.min_tpr, model.targets.min_tnr)
