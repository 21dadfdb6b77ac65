"""The paper's peers as rivals: which features each of them chooses, within stated limits."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split

from frugalsvm.peers import BudgetSVC, HoldOutSVC, KernelPenalizedSVC

Matrix = NDArray[np.float64]
Labels = NDArray[np.bool_]

PEER_LIMIT = 5.0
"""Seconds for each choice of features: what was found by then counts."""

MANY_FEATURES = 200
MANY_DROPPED = 0.1  # share of many features that HOSVM drops in a round
MOST_SAMPLES = 1000  # of which KP-SVM holds kernel matrices


def hosvm(Z: Matrix, y: Labels, r: int, seed: int) -> tuple[int, ...]:
    """Drop features (of many: a tenth of them) by the errors on a hold-out sample."""
    chosen = HoldOutSVC(
        r,
        step=MANY_DROPPED if Z.shape[1] > MANY_FEATURES else 1,
        standardize=False,
        time_limit=PEER_LIMIT,
        random_state=seed,
    ).fit(Z, y)
    return _support(chosen)


def kp_svm(Z: Matrix, y: Labels, r: int, seed: int) -> tuple[int, ...]:
    """Penalise the widths of a Gaussian kernel until at most r are left."""
    if len(Z) > MOST_SAMPLES:
        Z, _, y, _ = train_test_split(Z, y, train_size=MOST_SAMPLES, stratify=y, random_state=seed)
    chosen = KernelPenalizedSVC(max_features=r, standardize=False, time_limit=PEER_LIMIT)
    return _support(chosen.fit(Z, y))


def cost_milp(Z: Matrix, y: Labels, r: int, seed: int) -> tuple[int, ...]:
    """Buy the r features, at a price of 1 each, of least hinge loss."""
    return _support(BudgetSVC(r, time_limit=PEER_LIMIT, random_state=seed).fit(Z, y))


def _support(fitted: BudgetSVC | HoldOutSVC | KernelPenalizedSVC) -> tuple[int, ...]:
    return tuple(int(k) for k in np.flatnonzero(fitted.get_support()))
