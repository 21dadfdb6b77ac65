"""The parts that FrugalSVCCV is made of, each against something simpler."""

from __future__ import annotations

import itertools
import math
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC

from frugalsvm import FrugalSVCCV
from frugalsvm.data.costs import CostModel
from frugalsvm.data.losses import HINGE
from frugalsvm.data.problem import SelectionProblem
from frugalsvm.data.rates import ErrorBudget, RateTargets
from frugalsvm.data.result import StopReason
from frugalsvm.inputs.standardize import Standardizer
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.sparse import batch
from frugalsvm.unseen.choice import Candidate, Trial, choose, preferred
from frugalsvm.unseen.folds import Folds, make_folds
from frugalsvm.unseen.logistic import logistic_plane
from frugalsvm.unseen.nested import Expected
from frugalsvm.unseen.outcome import caveats
from frugalsvm.unseen.scoring import AnyClassifier, Machines, Setting
from frugalsvm.unseen.subsets import LeastSquares, PricedLoss, priced_subsets
from frugalsvm.unseen.threshold import Reserve, best_cut

FOREVER = Stopper(None)


def blobs(n: int = 120, d: int = 5, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    positive = rng.random(n) < 0.5
    X = rng.normal(size=(n, d))
    X[positive, :2] += 1.5
    return X, positive


@settings(deadline=None, max_examples=60)
@given(
    scores=st.lists(st.integers(-5, 5), min_size=4, max_size=30),
    tpr=st.floats(0.3, 1.0),
    tnr=st.floats(0.3, 1.0),
    data=st.data(),
)
def test_best_cut_is_the_best_of_all_thresholds(scores, tpr, tnr, data) -> None:
    values = np.array(scores, dtype=float)
    flags = data.draw(st.lists(st.booleans(), min_size=len(scores), max_size=len(scores)))
    positive = np.array(flags)
    positive[0], positive[1] = True, False
    reserve = Reserve.of(RateTargets(tpr, tnr), positive)
    cut = best_cut(values, positive, reserve)
    said = values > cut.threshold
    assert cut.tpr == pytest.approx(said[positive].mean())
    assert cut.tnr == pytest.approx((~said)[~positive].mean())
    every = [values.min() - 1, *np.unique(values)]
    margins = [
        reserve.margin(
            np.array((values > t)[positive].mean()), np.array((values <= t)[~positive].mean())
        )
        for t in every
    ]
    assert cut.margin == pytest.approx(max(margins))


def test_the_smaller_class_gets_the_larger_reserve() -> None:
    targets = RateTargets(0.9, 0.9)
    of_tpr, of_tnr = Reserve(targets, 25, 400).errors
    assert of_tpr == pytest.approx(4 * of_tnr)
    raised = Reserve(targets, 25, 400).tightened(1.0)
    assert raised.min_tpr == pytest.approx(0.96)
    assert raised.min_tnr == pytest.approx(0.915)
    assert Reserve(targets, 4, 4).tightened(3).min_tpr == 1.0


def test_linear_machines_side_by_side_are_libsvm_one_by_one() -> None:
    X, positive = blobs(90)
    folds = make_folds(4, 1, positive, None, 0, "test")
    machine = Machines((0.2, 5.0))
    found = machine.scores(X, positive, folds.splits, FOREVER)
    assert found is not None
    start = 0
    for learn, ask in folds.splits:
        scaler = Standardizer.fit(X[learn])
        for row, C in enumerate(machine.Cs):
            svc = SVC(C=C / 2, kernel="linear", tol=1e-8).fit(
                scaler.transform(X[learn]), positive[learn]
            )
            expected = svc.decision_function(scaler.transform(X[ask]))
            assert found[row, start : start + len(ask)] == pytest.approx(expected, abs=0.03)
        start += len(ask)


def test_ctrl_c_ends_a_batch_that_is_being_trained(monkeypatch: pytest.MonkeyPatch) -> None:
    """It used to be heard between panels only: 22 s of waiting for 60 columns."""
    X, positive = blobs(300, 20)
    folds = make_folds(5, 3, positive, None, 0, "test")
    stop, steps = Stopper(None), []
    advance = batch._advance

    def slow(*arguments):
        steps.append(1)
        stop.interrupt()
        return advance(*arguments)

    monkeypatch.setattr(batch, "_advance", slow)
    assert Machines((0.1, 1.0, 10.0)).scores(X, positive, folds.splits, stop) is None
    assert len(steps) == 1


def levels(n: int = 600, seed: int = 11) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Four levels, of three of which most samples are negative: an SVM takes those for one."""
    rng = np.random.default_rng(seed)
    level = rng.choice(4, n, p=(0.2, 0.25, 0.15, 0.4))
    positive = rng.random(n) < np.array([0.51, 0.38, 0.24, 0.11])[level]
    return (level[:, np.newaxis] == [0, 1, 2]).astype(float), positive, level


def test_levels_that_only_the_solver_tells_apart_have_one_decision_value() -> None:
    X, positive, level = levels()
    folds = make_folds(5, 2, positive, None, 0, "test")
    svms = Machines((0.1, 1.0, 10.0), losses=(HINGE,))
    found = svms.scores(X, positive, folds.splits, FOREVER)
    assert found is not None
    assert set(found[:, level[folds.asked] > 0].ravel()) == {-1.0}


def test_the_classifier_does_in_training_what_cross_validation_saw() -> None:
    X, positive, _ = levels()
    months = np.random.default_rng(0).normal(size=len(X)) + 0.9 * positive
    clf = FrugalSVCCV(
        0.7, 0.6, feature_groups={"x0": "level", "x1": "level", "x2": "level"},
        feature_costs=[0, 0, 0, 1], group_costs={"level": 1}, time_limit=20,
    )  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of time, on a slow machine
        clf.fit(np.column_stack((X, months)), positive)
    assert clf.train_tpr_ > 0.65
    assert clf.train_tnr_ > 0.55


def test_more_features_than_samples_go_by_the_kernel_matrix() -> None:
    rng = np.random.default_rng(0)
    positive = np.arange(30) % 2 == 0
    X = rng.normal(size=(30, 80)) + positive[:, np.newaxis]
    folds = make_folds(3, 1, positive, None, 0, "test")
    found = Machines((1.0,)).scores(X, positive, folds.splits, FOREVER)
    assert found is not None
    truth = positive[folds.asked]
    assert ((found[0] > 0) == truth).mean() > 0.9


def test_logistic_regression_is_scikit_learns_for_few_features_and_for_many() -> None:
    rng = np.random.default_rng(3)
    for n_features in (4, 70):
        positive = rng.random(50) < 0.3
        Z = rng.normal(size=(50, n_features)) + 0.7 * positive[:, np.newaxis]
        weights, intercept = logistic_plane(Z, np.where(positive, 1.0, -1.0), 0.5)
        theirs = LogisticRegression(C=0.5, tol=1e-10, max_iter=10_000).fit(Z, positive)
        assert weights == pytest.approx(theirs.coef_[0], abs=2e-3)
        assert intercept == pytest.approx(theirs.intercept_[0], abs=2e-3)


def test_one_setting_scores_as_it_does_among_all() -> None:
    X, positive = blobs()
    folds = make_folds(3, 1, positive, None, 0, "test")
    machine = Machines((0.2, 1.0, 5.0))
    rows = machine.scores(X, positive, folds.splits, FOREVER)
    assert rows is not None
    assert [(s.C, s.loss) for s in machine.settings[2:]] == [(5.0, "hinge"), (1.0, "logistic")]
    for setting, row in zip(machine.settings, rows, strict=True):
        alone = machine.only(setting)
        assert list(alone.settings) == [setting]
        found = alone.scores(X, positive, folds.splits, FOREVER)
        assert found is not None
        assert found[0] == pytest.approx(row, abs=0.03)


def test_only_the_linear_kernel_has_a_logistic_regression() -> None:
    assert {s.loss for s in Machines((1.0,), kernel="rbf").settings} == {"hinge"}


def test_where_one_class_is_rare_logistic_regression_tells_more() -> None:
    rng = np.random.default_rng(1)
    positive = np.arange(400) % 12 == 0
    X = rng.normal(size=(400, 3)) + 0.9 * positive[:, np.newaxis]
    folds = make_folds(5, 3, positive, None, 0, "test")
    machine = Machines((0.1, 1.0, 10.0))
    rows = machine.scores(X, positive, folds.splits, FOREVER)
    assert rows is not None
    reserve = Reserve.of(RateTargets(0.8, 0.8), positive)
    margins = [best_cut(row, positive[folds.asked], reserve).margin for row in rows]
    assert margins[-1] > max(margins[:-1]) + 0.2


def test_probabilities_serve_as_scores() -> None:
    X, positive = blobs()

    folds = make_folds(3, 1, positive, None, 0, "test")
    found = AnyClassifier(GaussianNB()).scores(X, positive, folds.splits, FOREVER)
    assert found is not None
    assert found.min() >= 0
    assert found.max() <= 1


def test_a_machine_told_to_stop_has_no_scores() -> None:
    X, positive = blobs()
    folds = make_folds(3, 1, positive, None, 0, "test")
    stop = Stopper(None)
    stop.interrupt()
    for machine in (Machines((1.0,)), Machines((1.0,), kernel="rbf"), AnyClassifier(SVC())):
        assert machine.scores(X, positive, folds.splits, stop) is None


def test_folds_keep_groups_together_and_shrink_to_the_smaller_class() -> None:
    positive = np.arange(60) % 3 == 0
    groups = np.repeat(np.arange(30), 2)
    folds = make_folds(5, 2, positive, groups, 0, "test")
    for learn, ask in folds.splits:
        assert not set(groups[learn]) & set(groups[ask])
    few = np.arange(40) < 3
    folds = make_folds(5, 2, few, None, 0, "test")
    assert folds.n_first == 3
    assert sorted(folds.first.asked.tolist()) == list(range(40))
    with pytest.raises(ValueError, match="needs 2 samples of each class"):
        make_folds(5, 1, np.arange(40) < 1, None, 0, "test")


def test_a_splitter_that_leaves_one_class_is_refused() -> None:
    positive = np.arange(10) < 5
    split = [(np.arange(5), np.arange(5, 10))]
    with pytest.raises(ValueError, match="both classes"):
        make_folds(split, 1, positive, None, 0, "test")


def squares(seed: int = 0, d: int = 6) -> tuple[LeastSquares, CostModel]:
    X, positive = blobs(80, d, seed)
    Z = Standardizer.fit(X).transform(X)
    prices = np.random.default_rng(seed).integers(1, 5, d).astype(float)
    groups = ((0,), (0,), (), (1,), (), (1,))[:d]
    return LeastSquares.of(Z, positive), CostModel(prices, groups, np.array([2.0, 1.0]))


def test_losses_of_neighbours_are_those_computed_alone() -> None:
    found, _ = squares()
    support = [0, 2, 3]
    added = found.after_adding(support, np.array([1, 5]))
    assert added == pytest.approx([found.loss([0, 1, 2, 3]), found.loss([0, 2, 3, 5])])
    dropped = found.after_dropping(support)
    assert dropped == pytest.approx([found.loss([2, 3]), found.loss([0, 3]), found.loss([0, 2])])
    assert found.after_adding([], np.array([4])) == pytest.approx([found.loss([4])])


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("price", [0.0, 0.5, 5.0])
def test_single_moves_find_a_minimum_that_no_single_move_improves(seed: int, price: float) -> None:
    loss, costs = squares(seed)
    criterion = PricedLoss(loss, costs, price, frozenset({1}))
    found = criterion.improved({1})
    assert 1 in found
    value = criterion.value(found)
    for k in set(range(6)) - {1}:
        assert criterion.value(found ^ {k}) >= value - 1e-7
    for out, new in itertools.product(found - {1}, set(range(6)) - found):
        assert criterion.value((found - {out}) | {new}) >= value - 1e-7


def problem(X: np.ndarray, positive: np.ndarray, **changes) -> SelectionProblem:
    d = X.shape[1]
    none = np.zeros(d, dtype=bool)
    settings = {
        "costs": CostModel.per_feature(np.ones(d)),
        "include": none,
        "exclude": none,
    } | changes
    Z = Standardizer.fit(X).transform(X)
    return SelectionProblem(Z, positive, ErrorBudget(0, 0), **settings)


def test_subsets_come_by_cost_and_respect_what_may_be_used() -> None:
    X, positive = blobs(150, 8)
    include, exclude = np.arange(8) == 7, np.arange(8) == 0
    asked = problem(X, positive, include=include, exclude=exclude)
    found = priced_subsets(asked, FOREVER)
    costs = [asked.costs.cost(s) for s in found]
    assert costs == sorted(costs)
    assert len(found) >= 3
    assert all(7 in s and 0 not in s for s in found)
    assert any(1 in s for s in found)  # the informative one that is left


def test_subsets_hold_the_path_that_adds_what_pays_most() -> None:
    rng = np.random.default_rng(0)
    positive = np.arange(80) % 2 == 0
    X = rng.normal(size=(80, 12)) + 0.8 * positive[:, np.newaxis] * rng.random(12)
    Z = Standardizer.fit(X).transform(X)
    prices = rng.integers(1, 5, 12).astype(float)
    problem = SelectionProblem(
        X=Z,
        positive=positive,
        budget=ErrorBudget(0, 0),
        costs=CostModel.per_feature(prices),
        include=np.arange(12) == 3,
        exclude=np.arange(12) == 5,
    )
    found = set(priced_subsets(problem, FOREVER))
    squares, panel = LeastSquares.of(Z, positive), [3]
    while len(panel) < 8:
        others = np.array([k for k in range(12) if k not in (*panel, 5)])
        gain = squares.loss(panel) - squares.after_adding(panel, others)
        panel = sorted([*panel, int(others[np.argmax(gain / prices[others])])])
        assert tuple(panel) in found


def test_subsets_of_many_features_come_from_a_shortlist() -> None:
    X, positive = blobs(100, 400)
    found = priced_subsets(problem(X, positive), FOREVER)
    assert any({0, 1} <= set(s) for s in found)


def trial(margin: float = 0.0, targets: RateTargets = RateTargets(0.7, 0.7)) -> Trial:  # noqa: B008
    X, positive = blobs(160)
    folds = make_folds(4, 2, positive, None, 0, "test")
    return Trial(
        X=X,
        positive=positive,
        costs=CostModel.per_feature(np.ones(5)),
        machine=Machines((0.5, 5.0)),
        folds=folds,
        reserve=Reserve.of(targets, positive),
        margin=margin,
        enough=margin,
    )


EVERY = [s for r in range(6) for s in itertools.combinations(range(5), r)]


def test_the_choice_is_the_cheapest_of_all_with_the_margin() -> None:
    tried = trial(margin=0.5)
    choice = choose(tried, EVERY, FOREVER)
    assert choice is not None
    assert choice.complete
    assert choice.best.margin >= 0.5
    cheaper = [tried.score(s, FOREVER) for s in EVERY if len(s) < choice.best.cost]
    assert all(c is not None and c.margin < 0.5 for c in cheaper)


def test_where_none_has_the_margin_the_best_is_returned() -> None:
    tried = trial(margin=2.0, targets=RateTargets(0.99, 0.99))
    choice = choose(tried, EVERY, FOREVER)
    assert choice is not None
    assert choice.best.margin < 2.0
    assert choice.best.margin == max(c.margin for c in choice.candidates)


def test_for_a_budget_the_best_rates_are_chosen() -> None:
    tried = trial(margin=-50.0)
    choice = choose(tried, EVERY, FOREVER, best_rates=True)
    assert choice is not None
    assert choice.best.cost > 1  # the cheapest, nothing at all, would have had the margin


def test_a_choice_cut_short_is_among_what_was_seen() -> None:
    class After(Stopper):
        def __init__(self, calls: int) -> None:
            super().__init__(None)
            self.left = calls

        def __call__(self) -> bool:
            self.left -= 1
            return self.left < 0

    assert choose(trial(), EVERY, After(0)) is None
    choice = choose(trial(margin=9.0), EVERY, After(8))
    assert choice is not None
    assert not choice.complete
    assert len(choice.candidates) >= 1


def test_preferred_breaks_ties_of_cost_by_margin() -> None:
    def panel(cost: float, margin: float) -> Candidate:
        return Candidate((0,), cost, Setting(1.0), 0.0, 0.9, 0.9, margin)

    assert preferred([panel(2, 1.0), panel(2, 1.5), panel(3, 4)], 1.0).margin == 1.5
    assert preferred([panel(2, 0.1), panel(3, 0.2)], 1.0).cost == 3
    assert math.isclose(preferred([panel(2, 1.0), panel(3, 4)], 1.0, best_rates=True).margin, 4)


def test_the_first_repetition_is_a_part_of_all() -> None:
    positive = np.arange(40) % 2 == 0
    folds = make_folds(4, 3, positive, None, 0, "test")
    assert isinstance(folds, Folds)
    assert len(folds.splits) == 12
    assert len(folds.first.splits) == 4
    assert len(folds.asked) == 120
    assert (folds.n_repeats, folds.first.n_repeats) == (3, 1)


@pytest.mark.parametrize(
    ("margin", "training", "supports", "said"),
    [
        (1.5, (0.95, 0.93), ((0,),), []),
        (1.5, (0.5, 0.93), ((0,),), ["on the very data that it is trained on"]),
        (0.5, (0.95, 0.93), ((0,),), ["do not expect both rates on new data"]),
        (0.5, (0.95, 0.93), (), ["a rate may be missed on new data", "are not known. Give it"]),
    ],
)
def test_caveats_say_what_is_known_and_no_more(margin, training, supports, said) -> None:
    count = 190 if supports else 0
    total = 200 if supports else 0
    found = SimpleNamespace(
        classifier=SimpleNamespace(candidate=Candidate((0,), 1.0, 1.0, 0.0, 0.93, 0.93, margin)),
        expected=Expected(count, total, count, total, supports, bool(supports)),
        certificate=None,
        stop_reason=StopReason.COMPLETED if supports else StopReason.TIME_LIMIT,
    )
    reserve = Reserve(RateTargets(0.9, 0.9), 200, 200)
    messages = list(caveats(found, training, reserve, 1.0, "FrugalSVCCV"))  # type: ignore[arg-type]
    assert len(messages) == len(said)
    assert all(part in message for part, message in zip(said, messages, strict=True))
