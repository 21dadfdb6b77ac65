"""Of supports that cost the same FrugalSVC takes the one that trains best."""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_breast_cancer

from frugalsvm import FrugalSVC, RateSVC, frontier


def test_of_supports_of_equal_cost_the_least_objective_wins():
    X, y = load_breast_cancer(return_X_y=True)
    fitted = FrugalSVC(0.95, 0.9, n_alternatives=4, time_limit=60).fit(X, y)
    assert len(fitted.alternatives_) > 0
    own = fitted.svc_.objective_
    for support in fitted.alternatives_:
        assert len(support) == fitted.cost_
        other = RateSVC(0.95, 0.9, time_limit=60).fit(X[:, support], y)
        assert own <= other.objective_ * (1 + 2e-3)
    supports = [tuple(np.flatnonzero(fitted.get_support())), *map(tuple, fitted.alternatives_)]
    assert len(set(supports)) == len(supports)
    assert fitted.status_ == fitted.selector_.status_ == str(fitted.result_.status)
    assert fitted.bound_ == fitted.result_.bound == fitted.cost_
    assert fitted.train_tpr_ >= 0.95
    assert fitted.train_tnr_ >= 0.9


def test_features_that_cost_nothing_beside_others_are_no_stumbling_block():
    rng = np.random.default_rng(3)
    y = np.arange(120) % 2
    X = rng.normal(size=(120, 5)) + np.array([1.0, 1.0, 0.8, 0.5, 0.1]) * y[:, np.newaxis]
    groups = ["blood", "blood", "blood", "scan", "scan"]
    fitted = FrugalSVC(
        0.8,
        0.7,
        feature_costs=0.0,
        feature_groups=groups,
        group_costs=1.0,
        n_alternatives=5,
        time_limit=30,
    ).fit(X, y)
    support = np.flatnonzero(fitted.get_support())
    assert fitted.svc_.n_features_in_ == len(support)
    assert fitted.cost_ == len({groups[k] for k in support})


def test_the_same_without_alternatives_is_a_support_of_the_same_cost():
    X, y = load_breast_cancer(return_X_y=True)
    plain = FrugalSVC(0.95, 0.9, time_limit=60).fit(X, y)
    tied = FrugalSVC(0.95, 0.9, n_alternatives=4, time_limit=60).fit(X, y)
    assert plain.cost_ == tied.cost_
    assert tied.svc_.objective_ <= plain.svc_.objective_ * (1 + 2e-3)


def test_another_support_of_equal_cost_is_known_to_the_frontier():
    """Its selector was fitted on that support alone, which made its bound useless."""
    X, y = load_breast_cancer(return_X_y=True)
    fitted = FrugalSVC(0.95, 0.9, n_alternatives=2, time_limit=60).fit(X, y)
    fitted.selector_ = fitted._restricted(fitted.selector_, fitted.alternatives_[0], X, y)
    found = frontier(X, y, min_tprs=[0.95], min_tnrs=[0.9], cv=None, known=fitted)
    assert found.points[0].cost == found.points[0].bound == fitted.cost_
