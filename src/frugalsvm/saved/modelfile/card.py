"""The score card of a model file, checked against the panel it belongs to."""

from __future__ import annotations

from frugalsvm.data.rates import RateCounts
from frugalsvm.export import CardLine, ScoreCard
from frugalsvm.saved.model import FrugalModel
from frugalsvm.saved.modelfile.strict_json import Field

MOST = 2**53


def decode_card(card: Field, model: FrugalModel) -> ScoreCard:
    """Return the card, or raise a ModelFileError that names the field that is wrong."""
    lines, cutoff, counts, exact, meets = card.fields(
        "lines", "cutoff", "counts", "exact", "meets_targets"
    )
    read = tuple(_line(entry) for entry in lines.items())
    places = [(feature.variable, feature.level) for feature in model.panel.features]
    if [(line.variable, line.level) for line in read] != places:
        lines.refuse("one line for every feature of the panel, in its order")
    return ScoreCard(
        read,
        cutoff.count(-MOST, MOST),
        str(model.positive_label),
        str(model.negative_label),
        _counts(counts, model),
        _counts(exact, model),
        meets.flag(),
    )


def _line(entry: Field) -> CardLine:
    variable, level, points, step = entry.fields("variable", "level", "points", "step")
    if step.number(0) == 0:
        step.refuse("a number above 0")
    return CardLine(
        variable.text(),
        None if level.absent else level.text(),
        points.count(-MOST, MOST),
        step.number(0),
    )


def _counts(entry: Field, model: FrugalModel) -> RateCounts:
    tp, n_positive, tn, n_negative = entry.fields(
        "true_positives", "n_positive", "true_negatives", "n_negative"
    )
    sizes = (model.origin.n_positive, model.origin.n_negative)
    if (n_positive.count(1), n_negative.count(1)) != sizes:
        entry.refuse(f"counts of the training data, {sizes[0]} and {sizes[1]} samples")
    return RateCounts(tp.count(0, sizes[0]), sizes[0], tn.count(0, sizes[1]), sizes[1])
