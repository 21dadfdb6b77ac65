"""Sparse tables: the same answers as filled in, and answers with bounds where they are not."""

import itertools
import math

import numpy as np
import pytest
from scipy.sparse import csc_array, csr_array

from frugalsvm import FrugalSelector, FrugalSVC, RateSVC
from frugalsvm.data.exceptions import OutOfMemoryError
from frugalsvm.engine import many_columns
from frugalsvm.inputs.fingerprint import data_hash
from frugalsvm.inputs.standardize import Standardizer
from frugalsvm.inputs.tables import column_ranges

RATES = {"min_tpr": 0.75, "min_tnr": 0.75, "time_limit": 120.0}


def words(n=120, d=24, seed=0):
    """Return counts, most of them 0, of which six matter; a constant column among the others."""
    rng = np.random.default_rng(seed)
    X = (rng.random((n, d)) < 0.15) * rng.integers(1, 4, (n, d)).astype(float)
    X[:, :6] = rng.random((n, 6)) < 0.4
    X[:, 7] = 0.0
    score = X[:, :6] @ rng.choice((-1.0, 1.0), 6) + 0.3 * rng.standard_normal(n)
    return X, score > np.median(score)


def left_sparse(monkeypatch, columns, n=120):
    """Let so many columns of a sparse table be filled in."""
    monkeypatch.setattr(many_columns, "MOST_NUMBERS", columns * n)


@pytest.mark.parametrize("seed", range(2))
def test_a_sparse_table_has_the_answer_of_the_filled_in_one(monkeypatch, seed):
    X, y = words(seed=seed)
    dense = FrugalSelector(**RATES).fit(X, y)
    left_sparse(monkeypatch, 23)  # not all 24, but those that vary
    sparse = FrugalSelector(**RATES).fit(csr_array(X), y)
    assert sparse.result_.details["columns"] == 23
    assert (sparse.cost_, sparse.bound_, sparse.status_) == (dense.cost_, dense.bound_, "optimal")
    assert sparse.result_.support == dense.result_.support
    np.testing.assert_allclose(sparse.coef_, dense.coef_, rtol=1e-9)
    np.testing.assert_allclose(sparse.intercept_, dense.intercept_, rtol=1e-9)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("columns", [10, 18])
@pytest.mark.parametrize("priced", [False, True])
def test_bounds_hold_where_columns_were_left_out(monkeypatch, seed, columns, priced):
    X, y = words(seed=seed)
    prices = np.random.default_rng(seed).integers(1, 9, 24) / 2 if priced else None
    best = FrugalSelector(**RATES, feature_costs=prices).fit(X, y)
    assert best.status_ == "optimal"
    told = []
    left_sparse(monkeypatch, columns)
    part = FrugalSelector(**RATES, feature_costs=prices, callback=told.append)
    part.fit(csr_array(X), y)
    assert part.result_.details["columns"] == columns
    assert part.bound_ <= best.cost_ <= part.cost_
    assert part.bound_ > 0
    assert all(step.bound <= best.cost_ for step in (*told, *part.result_.history))
    assert part.status_ == ("optimal" if part.bound_ == part.cost_ else "feasible")
    assert part.train_tpr_ >= 0.75
    assert part.train_tnr_ >= 0.75


def test_groups_and_terms_are_those_of_the_columns(monkeypatch):
    X, y = words()
    terms = {
        "feature_groups": [k // 4 for k in range(24)],
        "group_costs": 5.0,
        "include": [20],
        "exclude": [0],
    }
    best = FrugalSelector(**RATES, **terms).fit(X, y)
    left_sparse(monkeypatch, 12)
    part = FrugalSelector(**RATES, **terms).fit(csr_array(X), y)
    support = part.get_support()
    assert support[20]
    assert not support[0]
    assert part.bound_ <= best.cost_ <= part.cost_
    groups = {int(k) // 4 for k in np.flatnonzero(support)}
    assert part.cost_ == support.sum() + 5 * len(groups)


def test_alternatives_are_complete_only_where_all_columns_were_looked_at(monkeypatch):
    X, y = words()
    left_sparse(monkeypatch, 12)
    part = FrugalSelector(**RATES, n_alternatives=50).fit(csr_array(X), y)
    assert not part.alternatives_complete_
    assert all(support.max() < 24 for support in part.alternatives_)


def test_few_entries_bound_the_cost():
    """Each column touches one sample: three of four positives take three columns."""
    X = csr_array(np.vstack([np.eye(4), np.zeros((4, 4))]))
    positive = np.arange(8) < 4
    costs = FrugalSelector(0.75, 1.0).fit(X, positive)
    assert costs.cost_ == 3.0
    from frugalsvm.data.costs import CostModel
    from frugalsvm.data.rates import ErrorBudget

    exact = CostModel.per_feature(np.ones(4)).exact
    allowed, left_out = np.arange(4), np.array([3])
    found = many_columns._least_costs(X, positive, ErrorBudget(1, 0), exact, allowed, left_out)
    assert found == (3.0, 3.0)
    nothing = many_columns._least_costs(
        X, ~positive, ErrorBudget(0, 0), exact, np.arange(2), np.zeros(0, dtype=np.intp)
    )
    assert nothing == (math.inf, math.inf)  # three columns do not touch four samples


def test_columns_that_touch_nobody_who_must_be_right_add_nothing_to_the_bound(monkeypatch):
    """The positive is the only sample in the first column; the others cost 3 and touch negatives.

    To know the one positive costs 5, to know all negatives 2 and 1. The bound counted all 8.
    """
    X = np.eye(3)[[2, 1, 0, 2, 1]]
    y = np.arange(5) == 2
    prices = [5.0, 2.0, 1.0]
    best = FrugalSelector(1.0, 1.0, feature_costs=prices).fit(X, y)
    assert (best.cost_, best.status_) == (3.0, "optimal")
    left_sparse(monkeypatch, 1, n=5)
    part = FrugalSelector(1.0, 1.0, feature_costs=prices).fit(csr_array(X), y)
    assert part.result_.details["columns"] == 1
    assert part.bound_ <= 3.0 <= part.cost_
    assert part.status_ == "feasible"


def test_numbers_stored_in_parts_are_the_sums_of_these(monkeypatch):
    """The columns' scales were those of the parts, and with them what a weight of 1 means."""
    X, y = words()
    whole = csr_array(X)
    halves = np.repeat(whole.data / 2, 2), np.repeat(whole.indices, 2), 2 * whole.indptr
    parts = csr_array(halves, shape=X.shape)
    left_sparse(monkeypatch, 12)
    fitted = FrugalSelector(**RATES).fit(parts, y)
    assert len(parts.data) == 2 * len(whole.data)
    np.testing.assert_allclose(fitted._scaler.scale, Standardizer.fit(X).scale, rtol=1e-12)
    assert fitted.cost_ == FrugalSelector(**RATES).fit(whole, y).cost_


def test_bounds_of_columns_left_out_hold_for_every_panel():
    """Compared with all panels that touch enough samples of a class, whatever else they do."""
    from frugalsvm.data.costs import CostModel
    from frugalsvm.data.rates import ErrorBudget

    for seed in range(300):
        rng = np.random.default_rng(seed)
        n, d = rng.integers(3, 9), rng.integers(2, 6)
        X = (rng.random((n, d)) < rng.choice([0.2, 0.4, 0.6])).astype(float)
        positive = rng.permutation(n) < rng.integers(1, n)
        prices = rng.choice([0.0, 1.0, 2.0, 5.0, 1e10], d)
        budget = ErrorBudget(int(rng.integers(2)), int(rng.integers(2)))
        allowed, left_out = np.arange(d), np.sort(rng.choice(d, rng.integers(1, d), replace=False))
        exact = CostModel.per_feature(prices).exact
        least = many_columns._least_costs(csr_array(X), positive, budget, exact, allowed, left_out)
        for chosen in itertools.product([False, True], repeat=d):
            missed = ~X[:, chosen].any(axis=1)
            few = (missed & positive).sum() <= budget.pos or (
                missed & ~positive
            ).sum() <= budget.neg
            paid = prices[list(chosen)].sum()
            if few:
                assert least[0] <= paid, seed
            if few and np.array(chosen)[left_out].any():
                assert least[1] <= paid, seed


def test_the_whole_classifier_takes_a_sparse_table(monkeypatch):
    X, y = words()
    left_sparse(monkeypatch, 12)
    clf = FrugalSVC(**RATES).fit(csr_array(X), y)
    np.testing.assert_array_equal(clf.predict(csr_array(X)), clf.predict(X))
    np.testing.assert_array_equal(clf.predict(csc_array(X)), clf.predict(X))
    assert clf.train_tpr_ >= 0.75


def test_moments_ranges_and_hash_are_those_of_the_filled_in_table():
    X, y = words()
    sparse, dense = Standardizer.fit(csr_array(X)), Standardizer.fit(X)
    np.testing.assert_allclose(sparse.center, dense.center, rtol=1e-14)
    np.testing.assert_allclose(sparse.scale, dense.scale, rtol=1e-14)
    np.testing.assert_array_equal(sparse.constant, dense.constant)
    assert column_ranges(csr_array(X)) == column_ranges(X)
    again = csc_array(X).tocsr()
    assert data_hash(csr_array(X), y) == data_hash(again, y)
    assert data_hash(csr_array(X[:, ::-1]), y) != data_hash(again, y)


def test_a_table_that_does_not_fit_is_refused_with_what_would(monkeypatch):
    X, y = words()
    monkeypatch.setattr("frugalsvm.runtime.memory.free_memory", lambda: 8.0 * 3 * 120 * 10)
    with pytest.raises(
        OutOfMemoryError,
        match=r"RateSVC needs .* 120 samples of 24 features.*at most 50 of the samples or 10 of",
    ):
        RateSVC(**RATES).fit(csr_array(X), y)
    left_sparse(monkeypatch, 12)
    assert FrugalSelector(**RATES).fit(csr_array(X), y).cost_ < math.inf


@pytest.mark.slow
def test_a_wide_sparse_table_is_not_filled_in():
    rng = np.random.default_rng(0)
    n, d, entries = 2_000, 200_000, 400_000
    X = csr_array(
        (np.ones(entries), (rng.integers(0, n, entries), rng.integers(0, d, entries))),
        shape=(n, d),
    ).tolil()
    X[:, [0, 1, 2]] = rng.random((n, 3)) < 0.3
    X = X.tocsr()
    y = X[:, [0, 1, 2]].sum(axis=1) + 0.2 * rng.standard_normal(n) > 0.5
    selector = FrugalSelector(**RATES).fit(X, y)
    assert selector.cost_ <= 3


def test_scores_are_those_of_the_whole_table_by_the_used_columns():
    X, _ = words()
    scaler = Standardizer.fit(X)
    weights = np.zeros(24)
    weights[[1, 5, 7]] = 2.0, -1.0, 9.0  # the seventh is constant
    expected = scaler.transform(X) @ weights + 0.5
    np.testing.assert_allclose(scaler.scores(X, weights, 0.5), expected, atol=1e-12)
    np.testing.assert_allclose(scaler.scores(csr_array(X), weights, 0.5), expected, atol=1e-12)
