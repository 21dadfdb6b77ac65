"""What else a user would try, at the same number of features.

Every rival chooses its features on the outer training set; C of the standard linear SVM on them is
then tuned by the inner cross-validation. (The relaxations choose once for every C.)
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping
from functools import partial

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import (
    RFE,
    SequentialFeatureSelector,
    chi2,
    f_classif,
    mutual_info_classif,
)
from sklearn.svm import LinearSVC

from frugalsvm.inputs.standardize import Standardizer
from frugalsvm.sparse.relaxations import chan, ghaddar
from frugalsvm.study.baseline import linear_svm_path, linear_svm_paths
from frugalsvm.study.counts import Counts
from frugalsvm.study.peers import cost_milp, hosvm, kp_svm
from frugalsvm.study.protocol import Fold, Scores, standard_svm, tune

Matrix = NDArray[np.float64]
Labels = NDArray[np.bool_]
Support = tuple[int, ...]
Choose = Callable[[Matrix, Labels, int, int], Support]

MANY_FEATURES = 200
SHORTLIST = 30  # with many features, stepwise selection starts from the best by ANOVA
STEPWISE_FOLDS = 3
L1_STEPS = 30


def _classifier() -> LinearSVC:
    return LinearSVC(dual=False, max_iter=5000)


def _top(values: NDArray[np.float64], r: int) -> Support:
    order = np.argsort(-np.nan_to_num(values, nan=-np.inf), kind="stable")
    return tuple(sorted(int(k) for k in order[:r]))


def anova(Z: Matrix, y: Labels, r: int, seed: int) -> Support:
    """Keep the features of greatest ANOVA F value."""
    with np.errstate(divide="ignore", invalid="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # constant features get NaN and come last
        return _top(f_classif(Z, y)[0], r)


def chi_squared(Z: Matrix, y: Labels, r: int, seed: int) -> Support:
    """Keep the features of greatest chi-squared statistic, scaled to [0, 1]."""
    low, high = Z.min(axis=0), Z.max(axis=0)
    with np.errstate(invalid="ignore"):
        return _top(chi2((Z - low) / np.where(high > low, high - low, 1.0), y)[0], r)


def mutual_information(Z: Matrix, y: Labels, r: int, seed: int) -> Support:
    """Keep the features of greatest mutual information with the class."""
    discrete = np.array([len(np.unique(column)) <= 2 for column in Z.T])
    # Two values are coded 0 and 1: scikit-learn takes other numbers for continuous.
    coded = np.where(discrete, Z.max(axis=0) == Z, Z)
    return _top(mutual_info_classif(coded, y, discrete_features=discrete, random_state=seed), r)


def rfe(Z: Matrix, y: Labels, r: int, seed: int) -> Support:
    """Drop the feature (of many: a tenth of them) of least weight, again and again."""
    step = 0.1 if Z.shape[1] > MANY_FEATURES else 1
    found = RFE(_classifier(), n_features_to_select=r, step=step).fit(Z, y)
    return tuple(int(k) for k in np.flatnonzero(found.support_))


def stepwise(Z: Matrix, y: Labels, r: int, seed: int, *, direction: str) -> Support:
    """Add the best or drop the worst feature by cross-validated accuracy."""
    columns = np.arange(Z.shape[1])
    if len(columns) > MANY_FEATURES:
        columns = np.array(anova(Z, y, max(SHORTLIST, r + 1), seed))
    if r >= len(columns):
        return tuple(int(k) for k in columns)
    selector = SequentialFeatureSelector(
        _classifier(), n_features_to_select=r, direction=direction, cv=STEPWISE_FOLDS
    )
    selector.fit(Z[:, columns], y)
    return tuple(int(k) for k in columns[selector.get_support()])


def l1_svm(Z: Matrix, y: Labels, r: int, seed: int) -> Support:
    """Weaken an l1-penalised LinearSVC until at most r weights remain (by bisection of log C)."""
    low, high = 1e-5, 1e3
    best: Support = anova(Z, y, 1, seed)
    for _ in range(L1_STEPS):
        C = math.sqrt(low * high)
        model = LinearSVC(penalty="l1", dual=False, C=C, max_iter=5000, random_state=seed)
        kept = tuple(int(k) for k in np.flatnonzero(model.fit(Z, y).coef_[0]))
        if len(kept) <= r:
            low, best = C, kept or best
        else:
            high = C
        if len(kept) == r:
            break
    return best


CHOOSERS: Mapping[str, Choose] = {
    "anova": anova,
    "chi2": chi_squared,
    "mutual_info": mutual_information,
    "rfe": rfe,
    "forward": partial(stepwise, direction="forward"),
    "backward": partial(stepwise, direction="backward"),
    "l1_svm": l1_svm,
    "hosvm": hosvm,
    "kp_svm": kp_svm,
    "cost_milp": cost_milp,
}
RELAXATIONS = {"sparse_chan": chan, "sparse_ghaddar": ghaddar}
RIVALS = (*RELAXATIONS, *CHOOSERS)


def run_rival(fold: Fold, method: str, r: int) -> tuple[float, Support, Counts]:
    """Return the tuned C, the features and the counts of one rival with at most `r` features."""
    with warnings.catch_warnings():
        # LinearSVC at its iteration limit is what users of these rivals get as well.
        warnings.simplefilter("ignore", ConvergenceWarning)
        if method in RELAXATIONS:
            return _run_relaxation(fold, method, r)
        X, y = fold.training(fold.outer)
        Z = Standardizer.fit(X).transform(X)
        support = CHOOSERS[method](Z, y, min(r, Z.shape[1]), fold.settings.seed)
    C, counts = standard_svm(fold, support)
    return C, support, counts


def _run_relaxation(fold: Fold, method: str, r: int) -> tuple[float, Support, Counts]:
    X, y = fold.training(fold.outer)
    Z = Standardizer.fit(X).transform(X)
    signs = np.where(y, 1.0, -1.0)
    costs = fold.settings.costs
    supports = [RELAXATIONS[method](Z, signs, C / 2, r).support for C in costs]

    tables = [_inner_scores(fold, support, C) for support, C in zip(supports, costs, strict=True)]
    index = tune(fold, lambda number, _: [scores[number] for scores in tables]).index
    support, C = supports[index], costs[index]
    (plane,) = linear_svm_path(X[:, support], y, [C])
    X_new, y_new = fold.validation(fold.outer)
    counts = Counts.of(plane.scores(X_new[:, support]), y_new)
    return C, tuple(int(k) for k in support), counts


def _inner_scores(fold: Fold, support: NDArray[np.intp], C: float) -> Scores:
    """Return the decision values on the validation samples of each inner split."""
    X, y = fold.data.X[:, support], fold.data.y
    paths = linear_svm_paths([(X[s.train], y[s.train]) for s in fold.inner], [C])
    return [plane.scores(X[s.test]) for s, (plane,) in zip(fold.inner, paths, strict=True)]
