"""The best classifier so far."""

from __future__ import annotations

import math
from dataclasses import replace

from frugalsvm.data.problem import MarginProblem
from frugalsvm.margin.classifiers.answer import Classifier, classifier
from frugalsvm.margin.classifiers.candidates import Candidate
from frugalsvm.margin.rows.reduction import Reduced
from frugalsvm.margin.tuning import SAME_OBJECTIVE


class Keeper:
    """The best classifier so far, recomputed from the problem's own data.

    Attributes
    ----------
    answer : Classifier or None
        The classifier.
    """

    def __init__(self, problem: MarginProblem, rows: Reduced) -> None:
        self.problem, self.rows = problem, rows
        self.answer: Classifier | None = None
        self._last: Candidate | None = None

    @property
    def objective(self) -> float:
        """Its objective, infinite if there is none."""
        return math.inf if self.answer is None else self.answer.objective

    def checked(self, candidate: Candidate | None) -> Candidate | None:
        """Keep a candidate that is better; return it with its true objective, None if it fails."""
        if candidate is None or candidate is self._last:
            return candidate
        found = classifier(self.problem, self.rows, candidate)
        if found is None:
            return None
        self.take(found)
        if abs(found.objective - candidate.objective) > SAME_OBJECTIVE * candidate.objective:
            candidate = replace(candidate, objective=found.objective)
        self._last = candidate
        return candidate

    def take(self, found: Classifier | None) -> None:
        """Keep a classifier if it is better."""
        if found is not None and found.objective < self.objective:
            self.answer = found
