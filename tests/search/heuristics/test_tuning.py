"""The numbers of the heuristics stay in the order that what they are for asks for."""

from __future__ import annotations

from frugalsvm.search.heuristics import tuning


def test_criteria_and_ways_differ_and_the_first_ones_look_at_prices() -> None:
    assert len(set(tuning.CRITERIA)) == len(tuning.CRITERIA)
    assert tuning.CRITERIA[0].by_loss
    assert tuning.CRITERIA[0].power == 1.0
    assert len(set(tuning.WAYS)) == len(tuning.WAYS)
    # Where prices are equal only the first two are gone: they have to differ in the loss.
    assert {trimmed for _, trimmed in tuning.WAYS[:2]} == {False, True}
    assert {power for power, _ in tuning.WAYS[:2]} == {1.0}


def test_shares_of_the_work_leave_some_for_the_whole() -> None:
    assert 0 < tuning.IMPROVEMENT_SHARE < 1
    assert tuning.PART_SHARE * len(tuning.RAISED) < 1
    assert tuning.FITS_ALONE < tuning.QUICK_WORK
    assert tuning.PROOF < tuning.SLOW_PROOF


def test_later_fits_are_shorter_than_first_ones() -> None:
    assert tuning.NEARBY_ROUNDS < tuning.FIT_ROUNDS
    assert tuning.ELIMINATION_ROUNDS < tuning.ELIMINATION_FIRST_ROUNDS
    assert tuning.UNTRIMMED < tuning.ELIMINATION_FIRST_ROUNDS
    assert tuning.EXCHANGE_ROUNDS < tuning.EXCHANGE_FIRST_ROUNDS
    assert tuning.NEARLY < tuning.NEARER < 0
