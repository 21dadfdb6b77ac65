"""Origins are medians of the samples that matter, units what is usual: against numpy."""

from __future__ import annotations

import numpy as np
import pytest

from frugalsvm.runtime.compiled import kernel
from frugalsvm.search.oracles.thresholds import origins
from frugalsvm.search.oracles.thresholds.origins import (
    LARGEST_UNIT,
    MOST_KEPT,
    NEARBY,
    SMALLEST_UNIT,
    empty_origins,
    set_medians,
    set_near_thresholds,
    set_units,
)
from frugalsvm.search.oracles.thresholds.tables import empty_tables, tabulate
from frugalsvm.search.problem.reduction import Floats, Ints


@kernel
def medians(points: Floats, cells: Ints, number: int) -> Floats:
    found = np.zeros((number, points.shape[1]))
    set_medians(points, empty_tables(cells, number), found)
    return found


@kernel
def near(points: Floats, cells: Ints, number: int, scores: Floats, places: Ints) -> Floats:
    tables = empty_tables(cells, number)
    tabulate(tables, scores, len(scores) // 2, np.ones(len(scores), np.int64))
    found = np.zeros((number, points.shape[1]))
    set_near_thresholds(points, tables, scores, places, found)
    return found


def drawn(seed: int) -> tuple[np.ndarray, np.ndarray, int]:
    rng = np.random.default_rng(seed)
    cells = np.unique(rng.integers(0, 4, 50), return_inverse=True)[1].astype(np.int64)
    return rng.standard_normal((50, 3)), cells, int(cells.max()) + 1


def upper_median(values: np.ndarray) -> np.ndarray:
    """Return the upper of the two middle values of each column."""
    return np.sort(values, axis=0)[len(values) // 2]


@pytest.mark.parametrize("seed", range(8))
def test_a_cell_is_measured_from_its_median(seed: int) -> None:
    points, cells, number = drawn(seed)
    found = medians(points, cells, number)
    for c in range(number):
        np.testing.assert_array_equal(found[c], upper_median(points[cells == c]))


@pytest.mark.parametrize("seed", range(8))
def test_near_a_threshold_it_is_the_median_of_those_next_to_it(seed: int) -> None:
    points, cells, number = drawn(seed)
    rng = np.random.default_rng(seed)
    scores = rng.standard_normal(50)
    places = np.array([int(rng.integers(0, np.sum(cells == c) + 1)) for c in range(number)])
    found = near(points, cells, number, scores, places)
    for c in range(number):
        own = np.flatnonzero(cells == c)
        ranked = own[np.argsort(scores[own])]
        reach = NEARBY[0] + len(own) // NEARBY[1]
        close = ranked[max(0, places[c] - reach) : places[c] + reach]
        np.testing.assert_array_equal(found[c], upper_median(points[close]))


def test_units_are_the_usual_distance_within_limits() -> None:
    points = np.array([[0.5, 100.0, 1e-4], [1.5, -100.0, -1e-4]])
    center = np.array([[1.0, 0.0, 0.0]])
    units, cells = np.ones(3), np.zeros(2, np.int64)
    before, moved = points.copy(), center.copy()
    set_units.py_func(points, cells, moved, units)
    assert units.tolist() == [0.5, LARGEST_UNIT, SMALLEST_UNIT]
    np.testing.assert_allclose(points * units, before)  # the same places in other units
    np.testing.assert_allclose(moved * units, center)


def test_room_for_origins_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    assert empty_origins.py_func(3, 2, 5).shape == (5, 3, 2)
    assert MOST_KEPT >= 6
    monkeypatch.setattr(origins, "MOST_KEPT", 13)
    assert empty_origins.py_func(3, 2, 5).shape == (2, 3, 2)
    assert empty_origins.py_func(30, 2, 5).shape == (1, 30, 2)  # one there has to be
