"""A model in words and tables, for people and (as plain data) for scripts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from frugalsvm.cli.console import clean, plain
from frugalsvm.cli.verdict import opening
from frugalsvm.data.binomial import rate_interval
from frugalsvm.data.result import StopReason
from frugalsvm.runtime.progress import money, percent
from frugalsvm.saved.model import FrugalModel, Outlook, PanelFeature, UnseenRates
from frugalsvm.tabular.variables import Kind, Variable
from frugalsvm.tradeoff import RateCounts


def show_model(model: FrugalModel, console: Console, validated: RateCounts | None = None) -> None:
    """Print everything a reader of the model wants to know first."""
    console.print(
        Group(
            *opening(model, validated),
            *unfinished(model),
            Text(),
            panel_table(model),
            Text(),
            rates_table(model, validated),
            Text(),
            *formula(model),
            *(plain(sentence) for sentence in preparation_sentences(model)),
            plain(honesty(model), style="dim"),
        )
    )


def unfinished(model: FrugalModel) -> list[Text]:
    """Return what is to be said about training that did not finish; nothing if it did."""
    step = model.training
    if step.status == "optimal":
        return []
    meaning = (
        "the classifier meets the rates, but another one may have wider margins"
        if model.unseen is None
        else "its rates may differ from those of a finished one"
    )
    remedy = (
        "A proof is out of reach: more time would not help."
        if step.stop_reason == StopReason.EFFORT_LIMIT
        else "More time may help: --time-limit."
    )
    return [
        Text(
            f"The training did not finish ({step.stop_reason} after {step.seconds:.1f} s, gap "
            f"{percent(step.gap)}): {meaning}. {remedy}",
            style="yellow",
        )
    ]


def formula(model: FrugalModel) -> list[Text]:
    """Return the decision to be computed by hand, as a formula and in points."""
    if not model.decision.kernel.linear:
        return []
    rule = model.rule
    lines = [Text("By hand", style="bold"), *map(plain, str(rule).splitlines())]
    card = model.score_card
    if card is not None:
        lines += [Text(), Text("In whole points", style="bold")]
        lines += [plain(line) for line in (*card.counted, f"{card.decision}.")]
        lines += [plain(card.reading)] if card.reading else []
        lines.append(plain(card.price, style="dim" if card.meets_targets else "yellow"))
    return [*lines, Text()]


def panel_table(model: FrugalModel) -> Table:
    """Return the panel, variable by variable, with costs and weights."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("measure", overflow="fold", ratio=3)
    table.add_column("cost", justify="right", no_wrap=True)
    table.add_column("group", overflow="fold", ratio=2)
    linear = model.decision.kernel.linear
    if linear:
        table.add_column("weight per unit", justify="right", overflow="fold", ratio=2)
    weights = _weights(model)
    for variable in model.preparation.variables:
        features = [f for f in model.panel.features if f.variable == variable.name]
        groups = [g.name for g in model.panel.groups if _shared(model, g.name, features)]
        cells = [
            plain(variable.name),
            Text(money(variable_cost(model, variable.name))),
            plain(", ".join(groups)),
        ]
        table.add_row(*cells, *([Text(_weight_cell(features, weights))] if linear else []))
    for group in model.panel.groups:
        if group.variable is None:
            table.add_row(plain(f"once for the group {group.name}", style="dim"), money(group.cost))
    table.add_row(Text("total", style="bold"), Text(money(model.cost), style="bold"))
    return table


def variable_cost(model: FrugalModel, name: str) -> float:
    """Return the price of one raw variable of the panel, without the groups it shares."""
    own = [f.cost for f in model.panel.features if f.variable == name]
    return sum(own) + sum(g.cost for g in model.panel.groups if g.variable == name)


def rates_table(model: FrugalModel, validated: RateCounts | None = None) -> Table:
    """Return the targets, the training rates and, if known, the cross-validated ones."""
    if model.unseen is not None:
        return unseen_table(model, model.unseen)
    origin = model.origin
    required = model.targets.training_rates(origin.n_positive, origin.n_negative)
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("rate", overflow="fold")
    titles = ["asked for", "needed in training", "training"]
    if validated is not None:
        titles = ["asked for", "needed", "training", "cross-validated"]
    for title in titles:
        table.add_column(title, justify="right")
    rows = (
        ("TPR", model.positive_label, model.targets.min_tpr, required[0], model.train_tpr),
        ("TNR", model.negative_label, model.targets.min_tnr, required[1], model.train_tnr),
    )
    unseen = ("", "") if validated is None else validated_cells(validated)
    for (name, label, asked, needed, found), cell in zip(rows, unseen, strict=True):
        rate = Text(f"{name} ") + plain(f"({label} recognised)", style="dim")
        cells = [f"{asked:.4g}", f"{needed:.4g}", f"{found:.4f}", cell]
        table.add_row(rate, *cells[: len(titles)])
    return table


def unseen_table(model: FrugalModel, unseen: UnseenRates) -> Table:
    """Return the targets, what to expect on new data, what was seen there, and training rates."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("rate", overflow="fold")
    seen = unseen.held_out
    titles = [
        "asked for",
        "expected on new data",
        *(["rows set aside"] if seen else []),
        "training",
    ]
    for title in titles:
        table.add_column(title, justify="right")
    expected = validated_cells(unseen.expected)
    held_out = validated_cells(seen.counts) if seen else ("", "")
    rows = (
        ("TPR", model.positive_label, model.targets.min_tpr, model.train_tpr),
        ("TNR", model.negative_label, model.targets.min_tnr, model.train_tnr),
    )
    for (name, label, asked, found), hoped, kept in zip(rows, expected, held_out, strict=True):
        rate = Text(f"{name} ") + plain(f"({label} recognised)", style="dim")
        table.add_row(rate, f"{asked:.4g}", hoped, *([kept] if seen else []), f"{found:.4f}")
    return table


def validated_cells(counts: RateCounts) -> tuple[str, ...]:
    """Return both cross-validated rates with their exact 95 % intervals."""
    return tuple(
        f"{fact['rate']:.4f} ({fact['low']:.3f} to {fact['high']:.3f})"
        if fact["n"]
        else "not estimated"
        for fact in validated_json(counts).values()
    )


def validated_json(counts: RateCounts | None) -> dict[str, dict[str, Any]]:
    """Return both cross-validated rates with counts and exact 95 % intervals."""
    if counts is None:
        return {}
    facts = {}
    for name, right, n in (
        ("tpr", counts.true_positives, counts.n_positive),
        ("tnr", counts.true_negatives, counts.n_negative),
    ):
        low, high = rate_interval(right, n) if n else (0.0, 1.0)
        rate = right / n if n else math.nan
        facts[name] = {"right": right, "n": n, "rate": rate, "low": low, "high": high}
    return facts


def preparation_sentences(model: FrugalModel) -> list[str]:
    """Return what was done to the raw columns, one sentence for each."""
    sentences, used = [], told_apart(model)
    for variable in model.preparation.variables:
        if variable.kind is not Kind.NUMERIC:
            sentences.append(coding_sentence(variable, used[variable.name]))
        if variable.n_missing:
            sentences.append(filling_sentence(variable))
    return sentences


def told_apart(model: FrugalModel) -> dict[str, list[str]]:
    """Return the levels that the panel tells apart from the others, by variable of the panel."""
    used: dict[str, list[str]] = {name: [] for name in model.preparation.raw_names}
    for feature in model.panel.features:
        if feature.level is not None:
            used[feature.variable].append(feature.level)
    return used


def coding_sentence(variable: Variable, used: Sequence[str] | None = None) -> str:
    """Return how a categorical variable or a truth value was coded.

    `used` are the levels that a panel tells apart; None: all but the first.
    """
    if variable.kind is Kind.BOOLEAN:
        return f"{variable.name}: true counts as 1, false as 0."
    used = variable.levels[1:] if used is None else used
    others = [level for level in variable.levels if level not in used]
    apart = f"{variable.name}: {_some(used)} {'is' if len(used) == 1 else 'are'} compared with"
    if len(others) == 1:
        return f"{apart} {others[0]}."
    return f"{apart} the other levels, which count alike: {_some(others)}."


def _some(levels: Sequence[str]) -> str:
    """Return the first of the levels."""
    return ", ".join(levels[:6]) + (", ..." if len(levels) > 6 else "")


def filling_sentence(variable: Variable) -> str:
    """Return how a variable's gaps were filled."""
    what, value = variable.filling
    return (
        f"{variable.name}: {variable.n_missing} missing in training, "
        f"filled with the {what}, {value}."
    )


def honesty(model: FrugalModel) -> str:
    """Return what is and what is not guaranteed."""
    if model.unseen is not None and model.unseen.held_out is not None:
        return (
            "A certificate says how rarely this procedure certifies a classifier that misses a "
            "target. It supposes rows set aside that are independent and drawn like those to "
            "come, and a procedure that was run once."
        )
    if model.unseen is not None:
        return (
            "Expected rates are those of classifiers chosen and trained in the same way, on rows "
            "that they did not see. They are an estimate, not a guarantee: --hold-out sets rows "
            "aside for a certificate."
        )
    return (
        "The training rates are exact counts on the data the classifier was chosen with. They "
        "are no guarantee for new samples: certify it on held-out data."
    )


def model_json(model: FrugalModel) -> dict[str, Any]:
    """Return the model's facts for scripts."""
    return {
        "status": model.status,
        "cost": model.cost,
        "bound": model.bound,
        "gap": model.selection.gap,
        "stop_reason": model.selection.stop_reason,
        "seconds": model.selection.seconds + model.training.seconds,
        "measure": list(model.preparation.raw_names),
        "panel": [
            {"feature": f.name, "variable": f.variable, "level": f.level, "cost": f.cost}
            for f in model.panel.features
        ],
        "variables": [
            {"name": name, "cost": variable_cost(model, name)}
            for name in model.preparation.raw_names
        ],
        "groups": [
            {"name": g.name, "cost": g.cost} for g in model.panel.groups if g.variable is None
        ],
        "cost_of_all": model.panel.cost_of_all,
        "n_candidates": model.panel.n_candidates,
        "positive": model.positive_label,
        "negative": model.negative_label,
        "targets": dict(vars(model.targets)),
        "training_rates": {"tpr": model.train_tpr, "tnr": model.train_tnr},
        "training": {
            "status": model.training.status,
            "gap": model.training.gap,
            "stop_reason": model.training.stop_reason,
            "seconds": model.training.seconds,
        },
        "rule": rule_json(model),
        "score_card": card_json(model),
        "kernel": model.decision.kernel.kind,
        "filled": {
            v.name: {"missing": v.n_missing, "fill": v.fill} for v in model.preparation.filled
        },
        "origin": dict(vars(model.origin)),
        "unseen": None if model.unseen is None else _unseen_json(model, model.unseen),
    }


def _unseen_json(model: FrugalModel, unseen: UnseenRates) -> dict[str, Any]:
    held_out = unseen.held_out
    known = unseen.expectation(model.targets.min_tpr, model.targets.min_tnr)
    return {
        "threshold": unseen.threshold,
        "margin": unseen.margin,
        "targets_met": None if known is Outlook.UNKNOWN else known is Outlook.EXPECTED,
        "expected": validated_json(unseen.expected),
        "held_out": None
        if held_out is None
        else {
            "certified": held_out.certified,
            "confidence": held_out.confidence,
            **validated_json(held_out.counts),
        },
    }


def rule_json(model: FrugalModel) -> dict[str, Any] | None:
    """Return the formula for scripts; None where there is none."""
    if not model.decision.kernel.linear:
        return None
    rule = model.rule
    return {"intercept": rule.intercept, "terms": [dict(vars(term)) for term in rule.terms]}


def card_json(model: FrugalModel) -> dict[str, Any] | None:
    """Return the score card for scripts; None where there is none."""
    card = model.score_card
    if card is None:
        return None
    return {
        "lines": [dict(vars(line)) for line in card.counted],
        "cutoff": card.cutoff,
        "training_rates": {"tpr": card.counts.tpr, "tnr": card.counts.tnr},
        "meets_targets": card.meets_targets,
    }


def _shared(model: FrugalModel, group: str, features: list[PanelFeature]) -> bool:
    """Return True if the group is a real one, not a variable's price, and a feature touches it."""
    own = any(g.name == group and g.variable is not None for g in model.panel.groups)
    return not own and any(group in feature.groups for feature in features)


def _weights(model: FrugalModel) -> dict[str, float]:
    """Return the weights in the user's units, positive towards the positive class."""
    if not model.decision.kernel.linear or not model.panel.features:
        return {}
    weights, _ = model.decision.weights_in_user_units()
    towards_positive = weights if model.positive == 1 else -weights
    return {f.name: float(w) for f, w in zip(model.panel.features, towards_positive, strict=True)}


def _weight_cell(features: list[PanelFeature], weights: dict[str, float]) -> str:
    return "\n".join(
        (f"{clean(feature.level)}: " if feature.level is not None else "")
        + f"{weights[feature.name]:+.4g}"
        for feature in features
    )
