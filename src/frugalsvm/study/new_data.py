"""What the paper does not have: panels chosen for new data, validated on the same outer folds."""

from __future__ import annotations

import warnings

from frugalsvm.study.counts import Counts
from frugalsvm.study.protocol import Fold
from frugalsvm.unseen import FrugalSVCCV

NEW_DATA = "new-data"
"""What ``--methods`` calls it, beside the rivals."""

KERNELS = {"linear": "linear", "radial": "rbf"}
"""Of the study's tables: each is about one kind of classifier, so none is chosen here."""


def choose_for_new_data(
    fold: Fold, min_tpr: float, min_tnr: float, kernel: str
) -> tuple[float | None, tuple[int, ...], Counts]:
    """Return C, features and validation counts of FrugalSVCCV on one outer fold.

    It has defaults throughout and no time limit, so that a run can be repeated to the bit. Its own
    margin takes the place of a correction of the thresholds.
    """
    X, y = fold.training(fold.outer)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # small classes, thresholds out of reach
        fitted = FrugalSVCCV(
            min_tpr,
            min_tnr,
            kernel=KERNELS[kernel],
            time_limit=None,
            random_state=fold.settings.seed,
        ).fit(X, y)
    X_new, y_new = fold.validation(fold.outer)
    counts = Counts.of(fitted.decision_function(X_new), y_new)
    return fitted.C_, fitted.result_.support, counts
