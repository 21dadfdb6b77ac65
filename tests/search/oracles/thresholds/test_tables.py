"""What thresholds get wrong in each cell, against counting at every place."""

from __future__ import annotations

import numpy as np
import pytest

from frugalsvm.runtime.compiled import kernel
from frugalsvm.search.oracles.thresholds.tables import (
    CLOSE,
    EXCESS,
    MANY,
    best_multiplier,
    empty_tables,
    least_losses,
    tabulate,
)
from frugalsvm.search.problem.reduction import Floats, Ints


@kernel
def tabulated(
    cells: Ints, number: int, scores: Floats, n_pos: int, weight: Ints
) -> tuple[Ints, Ints, Floats, Floats, Floats]:
    """Return a table's places of each cell, their number, values, and both kinds of errors."""
    tables = empty_tables(cells, number)
    tabulate(tables, scores + 1.0, n_pos, weight)  # what was there before does not matter
    tabulate(tables, scores, n_pos, weight)
    return tables.first, tables.counts, tables.values, tables.lost, tables.wrong


@kernel
def least(
    cells: Ints, number: int, scores: Floats, n_pos: int, weight: Ints, multiplier: float
) -> tuple[float, float, Floats, Ints]:
    tables = empty_tables(cells, number)
    tabulate(tables, scores, n_pos, weight)
    losses, places = np.empty(number), np.empty(number, np.int64)
    total, lost = least_losses(tables, multiplier, losses, places)
    return total, lost, losses, places


@kernel
def best(
    cells: Ints, number: int, scores: Floats, n_pos: int, weight: Ints, budgets: Ints, start: float
) -> tuple[float, float, float]:
    """Return the excess, its multiplier, and the sum of the losses that are filled in."""
    tables = empty_tables(cells, number)
    tabulate(tables, scores, n_pos, weight)
    losses, places = np.empty(number), np.empty(number, np.int64)
    excess, multiplier = best_multiplier(tables, start, budgets, 60, losses, places)
    return excess, multiplier, losses.sum()


def drawn(seed: int, n: int = 60) -> tuple[np.ndarray, int, np.ndarray, int, np.ndarray]:
    """Return cells, scores (some equal, some far away), how many are positive, and weights."""
    rng = np.random.default_rng(seed)
    scores = np.round(rng.standard_normal(n), int(rng.integers(1, 4)))
    scores[rng.random(n) < 0.1] *= 1e4
    number = int(rng.integers(1, 6))
    cells = np.unique(rng.integers(0, number, n), return_inverse=True)[1].astype(np.int64)
    return cells, int(cells.max()) + 1, scores, int(rng.integers(0, n + 1)), rng.integers(1, 4, n)


def by_counting(seed: int, n: int = 60) -> list[list[tuple[float, float]]]:
    """Return for each cell the errors of a threshold at each place, from the lowest on."""
    cells, number, scores, n_pos, weight = drawn(seed, n)
    positive = np.arange(n) < n_pos
    found = []
    for c in range(number):
        own = cells == c
        places = [*np.unique(scores[own]), np.inf]
        lost = [weight[own & positive & (scores < t)].sum() for t in places]
        wrong = [weight[own & ~positive & (scores >= t)].sum() for t in places]
        found.append([(float(p), float(q)) for p, q in zip(lost, wrong, strict=True)])
    return found


@pytest.mark.parametrize("seed", range(20))
def test_errors_are_those_counted_at_every_place(seed: int) -> None:
    arguments = drawn(seed)
    first, counts, values, lost, wrong = tabulated(*arguments)
    for c, expected in enumerate(by_counting(seed)):
        own = arguments[2][arguments[0] == c]
        assert first[c + 1] - first[c] == len(own)
        np.testing.assert_array_equal(values[first[c] :][: counts[c]], np.unique(own))
        at = first[c] + c
        assert counts[c] + 1 == len(expected)
        found = list(zip(lost[at:], wrong[at:], strict=True))[: counts[c] + 1]
        assert found == expected


def test_large_cells_are_sorted_in_several_rounds() -> None:
    n = 3 * MANY
    scores = np.concatenate((np.zeros(n // 2), np.random.default_rng(0).standard_normal(n // 2)))
    scores[n // 2 :] *= 1e-9  # all but one in the same bucket
    scores[0] = 1e9
    weight = np.ones(n, np.int64)
    first, counts, values, _, _ = tabulated(np.zeros(n, np.int64), 1, scores, n // 2, weight)
    np.testing.assert_array_equal(values[: counts[0]], np.unique(scores))
    assert first.tolist() == [0, n]


@pytest.mark.parametrize("multiplier", [0.0, 0.3, 1.0, 7.0])
@pytest.mark.parametrize("seed", range(10))
def test_the_least_loss_of_a_cell_is_that_of_its_best_threshold(
    seed: int, multiplier: float
) -> None:
    total, lost, losses, places = least(*drawn(seed), multiplier)
    for c, errors in enumerate(by_counting(seed)):
        at = [multiplier * p + q for p, q in errors]
        assert losses[c] == pytest.approx(min(at))
        assert at[places[c]] == pytest.approx(min(at))
        assert all(other > losses[c] for other in at[: places[c]])
    assert total == pytest.approx(losses.sum())
    expected = sum(errors[places[c]][0] for c, errors in enumerate(by_counting(seed)))
    assert lost == expected


@pytest.mark.parametrize("start", [0.01, 0.5, 20.0])
@pytest.mark.parametrize("seed", range(12))
def test_the_excess_is_about_the_largest_that_a_multiplier_shows(seed: int, start: float) -> None:
    arguments, errors = drawn(seed), by_counting(seed)
    multipliers = np.concatenate(([0.0], np.geomspace(1e-3, 1e3, 4_000)))
    for budgets in ((0, 0), (3, 2), (1, 9), (12, 1)):
        excess, multiplier, total = best(*arguments, np.array(budgets), start)
        shown = sum(
            (np.multiply.outer(multipliers, [p for p, _ in cell]) + [q for _, q in cell]).min(
                axis=1
            )
            for cell in errors
        )
        largest = float(np.max(shown - multipliers * budgets[0] - budgets[1]))
        # Never more than is true, nearly all of it, and enough where anything exceeds.
        assert excess <= largest + 0.05
        assert excess == pytest.approx(total - multiplier * budgets[0] - budgets[1])
        assert excess >= min(largest - 2 * CLOSE - 0.05, EXCESS)
