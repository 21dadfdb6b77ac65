"""How the study is run: the paper's protocol, or a quick look at it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

GRID = tuple(2.0**k for k in range(-5, 6))
"""The paper's values of C, and of gamma for the radial kernel."""

STUDY_ALPHA = 0.272
"""Significance level of the study's Hoeffding thresholds.

The paper does not name its own. sqrt(1.301 / (2 n)), a base-10 logarithm at 0.05 or 0.272 with the
natural one, reproduces its number of features; 0.05 with the natural logarithm makes Australian
infeasible.
"""

TOLERATED_LOSS = 0.025
"""How far below the standard SVM's rates the thresholds are (Section 4 of the paper)."""


@dataclass(frozen=True)
class StudySettings:
    """Everything that decides a number of the study, but the data.

    Attributes
    ----------
    seed : int
        Seed of the folds and of everything random.
    outer_folds, inner_folds : int
        Folds of the two cross-validations.
    run_folds : int or None
        How many of the outer folds to run; None: all. The standard SVM, whose rates give the
        thresholds, runs on all of them in any case.
    leave_one_out_below : int
        Data sets with fewer samples are cross-validated by leaving one out, in both loops.
    costs, gammas : tuple of float
        Grids of C (the paper's: libsvm's is half of it) and of gamma.
    alpha : float
        Significance level of the Hoeffding thresholds.
    select_limit, train_limit : float
        Seconds for P1, and for P2 or P3, on each outer training set.
    inner_limit : float
        Seconds for P1 on each inner training set.
    cardinalities : tuple of int
        The numbers of features of the table "Australian by cardinality".
    """

    seed: int = 0
    outer_folds: int = 10
    inner_folds: int = 10
    run_folds: int | None = None
    leave_one_out_below: int = 100
    costs: tuple[float, ...] = GRID
    gammas: tuple[float, ...] = GRID
    alpha: float = STUDY_ALPHA
    select_limit: float = 60.0
    train_limit: float = 60.0
    inner_limit: float = 20.0
    cardinalities: tuple[int, ...] = tuple(range(1, 35))

    @classmethod
    def quick(cls, seed: int = 0, time_limit: float = 10.0) -> StudySettings:
        """Return the settings of a quick look: one outer fold, three inner ones, three C."""
        few = (2.0**-5, 1.0, 2.0**5)
        return cls(
            seed=seed,
            inner_folds=3,
            run_folds=1,
            leave_one_out_below=0,
            costs=few,
            gammas=few,
            select_limit=time_limit,
            train_limit=time_limit,
            inner_limit=5.0,
            cardinalities=(1, 2, 5, 10, 20, 34),
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the settings as plain values."""
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in asdict(self).items()
        }
