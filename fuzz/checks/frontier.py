"""The frontier against brute force: searches that share what they know must not share mistakes."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from frugalsvm import frontier
from fuzz.checks.selection import bound_holds, data, is_least, parameters, told
from fuzz.generators.selections import random_selection
from fuzz.instances import Failure, SelectionInstance, Verdict
from fuzz.reference.costs import cost
from fuzz.reference.selection import SelectionReference, Word

SECONDS = 20.0


def check_frontier(seed: int) -> Verdict:
    """Compute a grid of three by three targets, and compare every point."""
    base = replace(random_selection(seed), setting=(), n_alternatives=0, weights=())
    rng = np.random.default_rng([seed, 5])
    tprs, tnrs = _rates(rng, base.min_tpr), _rates(rng, base.min_tnr)
    given = parameters(base)
    for name in ("min_tpr", "min_tnr", "n_alternatives", "time_limit"):
        del given[name]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = frontier(
                *data(base), min_tprs=tprs, min_tnrs=tnrs, cv=None, time_limit=SECONDS, **given
            )
    except Exception as error:  # noqa: BLE001 - whatever comes is a finding
        said = f"{error}; min_tprs={tprs}, min_tnrs={tnrs}"
        return Verdict("crash", (Failure(f"crash {type(error).__name__}", said, base),))
    failures = [failure for point in found.points for failure in _wrong_point(base, point)]
    return Verdict("compared", tuple(failures))


def _rates(rng: np.random.Generator, asked: float) -> list[float]:
    return sorted({asked, float(rng.choice([0.5, 0.6, 0.75, 0.8])), float(rng.choice([0.9, 1.0]))})


def _wrong_point(base: SelectionInstance, point: Any) -> Iterator[Failure]:
    instance = replace(base, min_tpr=point.min_tpr, min_tnr=point.min_tnr)
    reference = SelectionReference(instance)
    optimum = reference.optimum()
    status = str(point.status)
    said = f"cost {point.cost!r}, bound {point.bound!r}, {status}; optimum {told(optimum)}"
    if status == "infeasible" and optimum.high is not None:
        yield Failure("false infeasibility", said, instance)
    if status in ("feasible", "optimal"):
        support = frozenset(point.support)
        if reference.word(support) is Word.NO:
            yield Failure("infeasible answer", f"{sorted(support)}: {said}", instance)
        if status == "optimal" and not is_least(cost(instance, support), optimum):
            yield Failure("wrong optimum", said, instance)
    if status != "infeasible" and not bound_holds(point.bound, optimum):
        yield Failure("bound", said, instance)
