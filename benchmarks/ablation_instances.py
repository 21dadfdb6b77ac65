"""What the ablation runs on: the selection suite, and data that no tactic was tuned on.

Kinds: "tuned" (fold 0 of the paper's data, the suite's wide and tall instances), "folds" (folds 5
to 9), "sklearn" (digits and wine, one class against the rest), "generated" (three families).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits, load_wine

from frugalsvm.data.problem import SelectionProblem
from frugalsvm.data.rates import RateTargets
from selection import make_problem
from selection_instances import PAPER, WIDE, planted, selection_problem, standardised


class Case(NamedTuple):
    """An instance of the suite.

    Attributes
    ----------
    kind
        Where it comes from.
    data
        The data set, by which certificates are counted.
    rates
        TPR and TNR asked for.
    costs
        "unit", "prices" or "groups".
    part
        The fold, the class that is positive, or the seed.
    """

    kind: str
    data: str
    rates: tuple[float, float]
    costs: str = "unit"
    part: int = 0

    @property
    def name(self) -> str:
        """What the table calls it."""
        rates = f"{self.rates[0]:g}/{self.rates[1]:g}"
        return f"{self.data} {rates} {self.costs} {self.part}"

    def problem(self) -> SelectionProblem:
        """Return the problem."""
        if self.kind in ("tuned", "folds"):
            rates = f"{self.rates[0]:g}/{self.rates[1]:g}"
            return make_problem(f"{self.data} {rates}", self.part, self.costs)
        X, y = _sklearn(self) if self.kind == "sklearn" else FAMILIES[self.data](self.part)
        return selection_problem(X, y, RateTargets(*self.rates), self.costs)


Table = tuple[NDArray[np.float64], NDArray[np.bool_]]


def _sklearn(case: Case) -> Table:
    load = {"digits": load_digits, "wine": load_wine}[case.data]
    X, target = load(return_X_y=True)
    return standardised(np.asarray(X, dtype=float)), target == case.part


def _normal(seed: int) -> Table:
    """Return 250 samples of 24 normal features, five of which matter."""
    return planted(250, 24, informative=5, noise=0.4, seed=seed)


def _questions(seed: int) -> Table:
    """Return 400 answers to 20 questions with two to four levels, a noisy sum of six of them."""
    rng = np.random.default_rng(seed)
    levels = rng.integers(2, 5, 20)
    X = np.column_stack([rng.integers(0, m, 400) for m in levels]).astype(float)
    score = (standardised(X)[:, :6] * (1.0, 0.9, 0.8, 0.7, 0.6, 0.5)).sum(axis=1)
    y = score + 0.3 * rng.standard_normal(400) > 0.0
    return standardised(X), y


def _mixed(seed: int) -> Table:
    """Return 500 samples of 4 continuous and 14 binary features, a noisy sum of two and five."""
    rng = np.random.default_rng(seed)
    continuous = rng.standard_normal((500, 4))
    binary = (rng.random((500, 14)) < rng.uniform(0.2, 0.8, 14)).astype(float)
    score = continuous[:, :2].sum(axis=1) + 1.5 * standardised(binary)[:, :5].sum(axis=1)
    y = score + 0.8 * rng.standard_normal(500) > 0.0
    return standardised(np.column_stack((continuous, binary))), y


FAMILIES = {"normal": _normal, "questions": _questions, "mixed": _mixed}


def candidates() -> Iterator[Case]:
    """Yield more cases than are needed; those that are trivial or hopeless are left out later."""
    for costs in ("unit", "prices", "groups"):
        for instance in PAPER:
            if costs != "groups" or instance.data == "wisconsin":
                rates = instance.min_tpr, instance.min_tnr
                yield Case("tuned", instance.data, rates, costs)
                for fold in (5, 7, 9):
                    yield Case("folds", instance.data, rates, costs, fold)
    for instance in WIDE:
        yield Case("tuned", instance.data + instance.light, (instance.min_tpr, instance.min_tnr))
    yield Case("tuned", "nursery", (0.975, 0.975))
    for costs in ("unit", "prices"):
        for rates in ((0.95, 0.95), (0.98, 0.98)):
            for digit in (0, 6):
                yield Case("sklearn", "digits", rates, costs, digit)
        for rates in ((0.98, 0.98), (1.0, 1.0)):
            for cultivar in range(3):
                yield Case("sklearn", "wine", rates, costs, cultivar)
        for family, asked in (
            ("normal", ((0.98, 0.98), (0.93, 0.93), (0.85, 0.9))),
            ("questions", ((0.98, 0.98), (0.93, 0.93), (0.85, 0.9))),
            ("mixed", ((0.95, 0.95), (0.9, 0.9), (0.85, 0.9))),
        ):
            for seed, rates in enumerate(asked):
                yield Case("generated", family, rates, costs, seed)
