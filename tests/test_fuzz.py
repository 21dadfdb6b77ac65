"""The fuzzer's references on cases worked out by hand, and a fixed slice of its instances."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import frugalsvm
from frugalsvm import InfeasibleRatesError
from frugalsvm.search.door import FalseProofError
from fuzz.checks import selection as selection_check
from fuzz.checks.metamorphic import check_metamorphic
from fuzz.checks.selection import check_selection
from fuzz.checks.training import check_training
from fuzz.generators.hitting import ALONE
from fuzz.generators.planted import planted_selection
from fuzz.generators.selections import random_selection
from fuzz.generators.trainings import random_training
from fuzz.instances import SelectionInstance, TrainingInstance, from_json, to_json
from fuzz.jobs import warm_up
from fuzz.limits.table import kept, table
from fuzz.mutants.catalogue import MUTANTS
from fuzz.reference import complementarity
from fuzz.reference.costs import cost, is_at_most
from fuzz.reference.gaps import largest_gap
from fuzz.reference.programs import reaches
from fuzz.reference.scaling import allowed_errors, standardised
from fuzz.reference.selection import Optimum, SelectionReference, Word
from fuzz.reference.training import TrainingReference
from fuzz.subject import STRESS, under

TWO_BY_TWO = ((-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0), (1.0, 1.0))


@pytest.fixture(scope="module")
def compiled():
    """Compile what the fits below use, so that no time limit pays for it."""
    warm_up()


def line(**changes):
    """Four samples, of which the first feature alone tells the classes apart."""
    given = {
        "X": TWO_BY_TWO,
        "y": (False, False, True, True),
        "min_tpr": 1.0,
        "min_tnr": 1.0,
        "feature_costs": (3.0, 1.0),
    }
    return SelectionInstance(**(given | changes))


class TestGaps:
    positive = np.array([False, False, True, True])

    def test_one_feature(self):
        assert largest_gap(np.array([[0.0], [1.0], [3.0], [9.0]]), self.positive, 2, 2) == 2.0

    def test_the_other_side(self):
        assert largest_gap(np.array([[3.0], [9.0], [0.0], [1.0]]), self.positive, 2, 2) == 2.0

    def test_an_error_that_may_be_made(self):
        points = np.array([[0.0], [5.0], [3.0], [9.0]])
        assert largest_gap(points, self.positive, 2, 2) == -2.0
        assert largest_gap(points, self.positive, 2, 1) == 3.0
        assert largest_gap(points, self.positive, 1, 2) == 4.0

    def test_two_copies_carry_twice_the_weight(self):
        column = np.array([0.0, 1.0, 3.0, 9.0])
        assert largest_gap(np.column_stack((column, -column)), self.positive, 2, 2) == 4.0

    def test_no_line_separates_the_corners_of_a_square(self):
        points = np.array([[-1.0, -1.0], [1.0, 1.0], [-1.0, 1.0], [1.0, -1.0]])
        assert largest_gap(points, self.positive, 2, 2) <= 0.0
        assert largest_gap(points, self.positive, 1, 2) > 0.0

    def test_a_class_that_may_be_wrong_altogether(self):
        assert largest_gap(np.zeros((4, 1)), self.positive, 0, 2) == math.inf

    def test_linear_programs_agree(self):
        rng = np.random.default_rng(0)
        for d in (1, 2, 3, 4):
            for _ in range(10):
                points = np.round(rng.standard_normal((10, d)), int(rng.integers(0, 3)))
                positive = np.arange(10) < 5
                pos, neg = (int(v) for v in rng.integers(0, 3, 2))
                gap = largest_gap(points, positive, 5 - pos, 5 - neg)
                if gap > 0:
                    assert reaches(points, positive, pos, neg, gap - 1e-8)
                    assert reaches(points, positive, pos, neg, gap + 1e-8) is False


class TestSelectionReference:
    def test_the_optimum_by_hand(self):
        assert SelectionReference(line()).optimum() == Optimum(Fraction(3), Fraction(3))

    def test_included_features_are_paid(self):
        assert SelectionReference(line(include=(1,))).optimum().high == 4

    def test_nothing_is_left(self):
        assert SelectionReference(line(exclude=(0,))).optimum() == Optimum(None, None)

    def test_a_group_is_paid_once(self):
        grouped = line(groups_of=((0,), (0,)), group_costs=(10.0,), include=(0, 1))
        assert SelectionReference(grouped).optimum().high == 14

    def test_a_gap_at_the_floor_is_either(self):
        reference = SelectionReference(line(max_weight=1.0))  # gap 2, floor 2
        assert reference.word(frozenset({0})) is Word.EITHER
        assert reference.optimum() == Optimum(Fraction(3), None)

    def test_budgets_are_exact(self):
        assert allowed_errors(0.7, 10) == 3
        assert allowed_errors(1 - 0.1, 10) == 1
        assert allowed_errors(0.701, 10) == 2

    def test_prices_are_what_is_written(self):
        assert cost(line(feature_costs=(0.1, 0.2)), (0, 1)) == Fraction(3, 10)
        assert cost(line(feature_costs=(0.1 + 0.2, 0.0)), (0, 1)) > Fraction(3, 10)

    def test_a_bound_is_compared_exactly(self):
        third = Fraction(1, 3)
        assert is_at_most(1 / 3, third)
        assert not is_at_most(math.nextafter(1 / 3, 1), third)
        assert not is_at_most(math.inf, third)

    def test_what_is_surely_feasible_has_no_smaller_part(self):
        assert SelectionReference(line()).surely_feasible() == [frozenset({0})]
        assert SelectionReference(line(include=(1,))).surely_feasible() == [frozenset({0, 1})]

    def test_standardisation_of_huge_and_constant_columns(self):
        Z, constant = standardised(np.array([[1e300, 5.0], [3e300, 5.0]]))
        assert Z.tolist() == [[-1.0, 0.0], [1.0, 0.0]]
        assert constant.tolist() == [False, True]


def trained(X, y, **changes):
    given = {
        "X": tuple((float(v),) for v in X),
        "y": tuple(y),
        "min_tpr": 1.0,
        "min_tnr": 1.0,
        "C": 1.0,
        "standardize": False,
    }
    return TrainingReference(TrainingInstance(**(given | changes)))


class TestTrainingReference:
    def test_an_outlier_changes_nothing(self):
        reference = trained([1, 2, 3, 4, 1e6], [False, False, True, True, True])
        assert reference.optimum().high == pytest.approx(4.0)
        assert reference.optimum(whole=True).high == 4.0

    def test_coinciding_samples_of_two_classes(self):
        reference = trained([1, 2, 2], [False, False, True])
        assert reference.optimum().low == math.inf

    def test_a_sample_that_may_be_wrong_costs_its_slack(self):
        reference = trained([1, 2, 2], [False, False, True], min_tnr=0.5, C=1e-3)
        assert reference.optimum(whole=True).high == pytest.approx(
            4.0 + 2e-3
        )  # w = 2, a slack of 2

    def test_max_slack_at_its_edge_is_feasible(self):
        reference = trained([0, 1], [False, True], min_tnr=0.0, C=1e5, max_slack=2.0)
        assert reference.optimum().high == pytest.approx(4.0)  # w = 2 is cheaper than a slack
        tied = trained([0, 0], [False, True], min_tnr=0.0, C=1e5, max_slack=2.0)
        assert tied.optimum(whole=True).high == 2e5
        less = trained([0, 0], [False, True], min_tnr=0.0, C=1e5, max_slack=1.999)
        assert less.optimum(whole=True).low == math.inf

    def test_floating_point_and_whole_numbers_agree(self):
        for seed in range(40):
            reference = TrainingReference(random_training(seed))
            fast, exact = reference.optimum(), reference.optimum(whole=True)
            assert fast.low <= exact.high * (1 + 1e-6)
            assert fast.high >= exact.low * (1 - 1e-6)

    def test_complementarity_by_hand(self):
        M = np.array([[2, 1], [1, 2]], dtype=object)
        assert complementarity.solve(M, np.array([-5, -6], dtype=object)) == [
            Fraction(4, 3),
            Fraction(7, 3),
        ]
        nothing = np.array([[0, 0], [0, 0]], dtype=object)
        assert complementarity.solve(nothing, np.array([1, -1], dtype=object)) is None


@pytest.mark.usefixtures("compiled")
class TestTheFuzzerNotices:
    """The library's answer is replaced by a wrong one."""

    def kinds(self, monkeypatch, instance, **said):
        good = selection_check.FrugalSelector(**selection_check.parameters(instance))
        good.fit(*selection_check.data(instance))

        class Liar:
            def __init__(self, **given):
                pass

            def fit(self, X, y, sample_weight=None):
                if "raises" in said:
                    raise said["raises"]
                for name, value in said.items():
                    setattr(good, name, value)
                return good

        monkeypatch.setattr(selection_check, "FrugalSelector", Liar)
        return {failure.kind for failure in check_selection(instance).failures}

    def test_a_right_answer(self, monkeypatch):
        assert self.kinds(monkeypatch, line()) == set()

    def test_a_bound_above_the_optimum(self, monkeypatch):
        assert "bound" in self.kinds(monkeypatch, line(), bound_=3.5)

    def test_an_optimum_with_a_gap(self, monkeypatch):
        assert self.kinds(monkeypatch, line(), bound_=2.0) == {"optimal with a gap"}

    def test_a_dearer_support_called_optimal(self, monkeypatch):
        both = line(include=(1,))
        instance = replace(both, include=())
        dearer = selection_check.FrugalSelector(**selection_check.parameters(both))
        dearer.fit(*selection_check.data(both))
        wrong = SimpleNamespace(**vars(dearer), get_support=dearer.get_support)

        class Liar:
            def __init__(self, **given):
                pass

            def fit(self, X, y, sample_weight=None):
                return wrong

        monkeypatch.setattr(selection_check, "FrugalSelector", Liar)
        assert "wrong optimum" in {f.kind for f in check_selection(instance).failures}

    def test_a_false_infeasibility(self, monkeypatch):
        error = InfeasibleRatesError(
            "no", proven=True, n_positive=2, n_negative=2, min_tpr=1.0, min_tnr=1.0,
            best_tpr=0.5, best_tnr=0.5,
        )  # fmt: skip
        assert "false infeasibility" in self.kinds(monkeypatch, line(), raises=error)

    def test_a_crash(self, monkeypatch):
        assert self.kinds(monkeypatch, line(), raises=IndexError("x")) == {"crash IndexError"}


def test_instances_survive_a_file():
    for seed in range(30):
        assert from_json(to_json(random_selection(seed))) == random_selection(seed)
        assert from_json(to_json(random_training(seed))) == random_training(seed)


def test_the_planted_support_is_feasible():
    for seed in range(10):
        planted = planted_selection(seed, "no errors")
        reference = SelectionReference(planted.instance)
        points = reference.Z[:, sorted(planted.support)]
        spare = reference.spare_pos, reference.spare_neg
        assert reaches(points, reference.positive, *spare, reference.floor)


def test_every_threshold_of_the_search_can_be_moved():
    for name in STRESS:
        with under((name,)):
            pass


def test_every_mutant_fits_the_library():
    package = Path(frugalsvm.__file__).parent
    for mutant in MUTANTS:
        text = (package / mutant.file).read_text()
        assert text.count(mutant.old) == 1, f"{mutant.oracle}: adapt fuzz/mutants/catalogue.py"


def test_the_table_of_limits():
    good = {"regime": "a", "limit": 5.0, "pressed": None, "seconds": 5.4, "latency": None}
    late = good | {"seconds": 6.6}
    heard = good | {"pressed": 3.0, "latency": 0.4, "seconds": 3.4}
    assert kept([good, heard])
    assert not kept([good, late])
    assert not kept([heard | {"latency": 1.2}])
    assert "worst 1.60 s" in table([good, late, heard])


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize("chunk", range(6))
def test_slice_of_selections(chunk):
    failures = [
        failure
        for seed in range(100 * chunk, 100 * chunk + 100)
        for failure in check_selection(random_selection(seed)).failures
    ]
    assert not failures, failures[0]


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize("chunk", range(4))
def test_slice_of_trainings(chunk):
    failures = [
        failure
        for seed in range(100 * chunk, 100 * chunk + 100)
        for failure in check_training(random_training(seed)).failures
    ]
    assert not failures, failures[0]


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize("seed", range(10))
def test_slice_of_metamorphic_bases(seed):
    failures = check_metamorphic(seed).failures
    assert not failures, failures[0]


class TestSettings:
    """They once reached no search at all: its caller asked for the usual options by name."""

    X = np.array(TWO_BY_TWO)
    y = np.array([False, False, True, True])

    def test_a_tactic_is_switched_off(self, compiled):
        with under(("-scan", "-heuristic")):
            found = frugalsvm.FrugalSelector(1.0, 1.0).fit(self.X, self.y)
        assert not {step.phase for step in found.result_.history} & {"scan", "heuristic"}

    def test_a_wrong_proof_is_noticed_by_the_witnesses(self, compiled):
        selector = frugalsvm.FrugalSelector(1.0, 1.0, feature_costs=[3.0, 1.0])
        with under((), [(0,)]):
            assert selector.fit(self.X, self.y).cost_ == 3.0
        with under((), [(1,)]), pytest.raises(FalseProofError, match="an answer"):
            selector.fit(self.X, self.y)

    def test_what_is_searched_next_has_the_tactics_but_not_the_witnesses(self, compiled):
        selector = frugalsvm.FrugalSelector(1.0, 1.0)
        with under(("-scan", "-heuristic"), [(0,)]):
            selector.fit(self.X, self.y)
            other = selector.fit(self.X[:, ::-1], self.y)  # where the witness is wrong
        assert not {step.phase for step in other.result_.history} & {"scan", "heuristic"}


def test_questions_of_hitting_sets_are_among_the_instances():
    settings = [random_selection(seed).setting for seed in range(400)]
    assert settings.count(ALONE) >= 5
