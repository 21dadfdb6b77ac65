"""frontier(rates="cv"): cost against rates expected on new data."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from frugalsvm import FrugalSVC, NoSolutionError, frontier
from frugalsvm.unseen.linear_or_radial import LinearOrRadial

RATES = (0.85, 0.9, 0.94)


@pytest.fixture(scope="module")
def found():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    return frontier(X, y, min_tprs=RATES, min_tnrs=RATES, rates="cv")


def test_every_pair_has_a_point_that_never_gets_cheaper_as_rates_rise(found):
    assert len(found.points) == 9
    assert found.complete
    cost = np.array([p.cost for p in found.points]).reshape(3, 3)
    assert np.all(np.diff(cost, axis=0) >= 0)
    assert np.all(np.diff(cost, axis=1) >= 0)
    assert np.isfinite(cost[0, 0])


def test_the_rates_to_expect_come_near_the_targets(found):
    for point in found.efficient:
        counts = point.cross_validated
        assert counts.n_positive + counts.n_negative == 569
        assert counts.tpr >= point.min_tpr - 0.03
        assert counts.tnr >= point.min_tnr - 0.04
        assert point.bound == 0
    assert len(found.to_frame()) == len(found.efficient)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"correction": "hoeffding"}, "'correction'"),
        ({"known": FrugalSVC()}, "'known'"),
        ({"store": "file"}, "'store'"),
        ({"solver": "highs"}, "'solver'"),
        ({"cv": None}, "'cv'"),
        ({"rates": "future"}, "'rates'"),
        ({"margin": "wide"}, "'margin'"),
    ],
)
def test_what_does_not_go_together_is_refused(options, message):
    X, y = load_breast_cancer(return_X_y=True)
    with pytest.raises(ValueError, match=message):
        frontier(X, y, **({"rates": "cv"} | options))


def test_no_time_is_an_error_that_says_so():
    X, y = load_breast_cancer(return_X_y=True)
    with pytest.raises(NoSolutionError, match="total_time_limit"):
        frontier(X, y, rates="cv", total_time_limit=1e-6)


def test_panels_that_were_looked_at_in_time_make_a_frontier(monkeypatch):
    """All of it was thrown away where the time was over before the dearest panel."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    looked_at = LinearOrRadial.scores
    on_all = []

    def scores(self, panel, positive, splits, stop):
        if len(positive) == len(y) and len(splits) > 5:
            on_all.append(panel.shape[1])
            if len(on_all) > 4:
                return None
        return looked_at(self, panel, positive, splits, stop)

    monkeypatch.setattr(LinearOrRadial, "scores", scores)
    found = frontier(X.iloc[:, :8], y, min_tprs=[0.6, 0.8], min_tnrs=[0.8, 0.999], rates="cv")
    assert not found.complete
    loose, tight = found.points[0], found.points[-1]
    assert loose.has_answer
    assert loose.cross_validated is not None
    assert not tight.has_answer
