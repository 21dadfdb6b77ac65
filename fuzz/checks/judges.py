"""Every oracle alone, about every support, against brute force; and what the walks leave out."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from frugalsvm.search.verdict import FEASIBLE, INFEASIBLE, UNDECIDED
from fuzz.generators.just_feasible import just_feasible
from fuzz.instances import Failure, SelectionInstance, Verdict
from fuzz.judges import Judges
from fuzz.reference.costs import cost
from fuzz.reference.selection import SelectionReference, Support, Word
from fuzz.subject import under


def check_judges(seed: int) -> Verdict:
    """Ask everyone about everything."""
    return check_instance(just_feasible(seed))


def check_instance(instance: SelectionInstance) -> Verdict:
    """Ask everyone about all supports of an instance."""
    reference = SelectionReference(instance)
    with under(instance.setting):
        judges = Judges(reference)
        if judges.trivial:
            return Verdict("trivial")
        failures = [
            *_wrong_words(reference, judges),
            *_wrongly_ruled_out(reference, judges),
            *_left_out(reference, judges),
        ]
    outcome = "feasible" if _feasible(reference, judges) else "infeasible"
    return Verdict(outcome, tuple(Failure(f.kind, f.detail, instance) for f in failures))


def _feasible(reference: SelectionReference, judges: Judges) -> list[Support]:
    supports = [judges.original(chosen) for chosen in judges.supports()]
    return [s for s in supports if reference.word(s) is Word.YES]


def _wrong_words(reference: SelectionReference, judges: Judges) -> Iterator[Failure]:
    for chosen in judges.supports():
        support = judges.original(chosen)
        truth = reference.word(support)
        for name, word in judges.words(chosen):
            if word is False and truth is Word.YES:
                yield Failure(f"false proof: {name}", _told(reference, support))
            if word is True and truth is Word.NO:
                yield Failure(f"false answer: {name}", _told(reference, support))


def _wrongly_ruled_out(reference: SelectionReference, judges: Judges) -> Iterator[Failure]:
    feasible = _feasible(reference, judges)
    for name, gone in judges.ruled_out():
        for support in feasible:
            if support <= gone:
                yield Failure(f"false proof: {name}", f"{sorted(gone)}: {sorted(support)}")
                break


def _left_out(reference: SelectionReference, judges: Judges) -> Iterator[Failure]:
    """Look for feasible supports within a limit that a walk neither delivers nor holds."""
    rng = np.random.default_rng(reference.instance.seed)

    def word(chosen: Support) -> int:
        if reference.word(chosen) is Word.NO:
            return INFEASIBLE
        return int(rng.choice([FEASIBLE, UNDECIDED]))

    unit = judges.core.costs.unit
    base = judges.core.base
    for walked in judges.walks(word):
        for support in _feasible(reference, judges):
            within = cost(reference.instance, support) <= base + int(walked.limit) * unit
            if within and not any(support <= held for held in walked.open):
                yield Failure(f"left out: {walked.name}", f"{sorted(support)}, {walked.limit}")


def _told(reference: SelectionReference, support: Support) -> str:
    return f"{sorted(support)}: gap {reference.gap(support)!r}, floor {reference.floor!r}"
