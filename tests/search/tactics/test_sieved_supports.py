"""Supports that pass the sieve, in batches: none is lost, none comes twice, the free ones join."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from frugalsvm.runtime.stopping import Stopper
from frugalsvm.search.options import SearchOptions
from frugalsvm.search.problem.catalogue import catalogue
from frugalsvm.search.problem.reduction import reduce_problem
from frugalsvm.search.state import SearchState
from frugalsvm.search.tactics.sieved_supports import Sifted
from frugalsvm.search.tuning import BATCH, SLOW_BATCH
from frugalsvm.search.walks.maximal_supports import MaximalSupports
from reference_oracles import core_of, fits_by_cells
from reference_selection import large_budgets


def drawn(state: SearchState, limit: float, threads: int) -> list[tuple[int, ...]]:
    """Draw all supports; check that every batch is small and the end is the end."""
    features = catalogue(state.core)
    found: list[tuple[int, ...]] = []
    with ThreadPoolExecutor(threads) as pool:
        sifted = Sifted(state, MaximalSupports(features, limit), pool)
        while (batch := sifted.draw()) is not None:
            rows, sizes = batch
            assert len(rows) == len(sizes) <= sifted.size
            found += [tuple(row[:size].tolist()) for row, size in zip(rows, sizes, strict=True)]
        assert sifted.over
        assert sifted.draw() is None
    return found


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("seed", range(20))
def test_what_passes_is_what_the_walk_shows_and_the_cells_allow(seed: int, threads: int) -> None:
    core = core_of(seed)
    if not len(core.priced):
        return
    limit = float(core.cost(tuple(core.priced.tolist())) // 2)
    plain = SearchState(core, Stopper(60.0), SearchOptions(sieve=False), threads=threads)
    everything = drawn(plain, limit, threads)
    assert plain.door.tallies == {}
    state = SearchState(core, Stopper(60.0), threads=threads)
    passing = drawn(state, limit, threads)
    assert len(set(passing)) == len(passing)
    assert [s for s in everything if s in set(passing)] == passing  # in the order of the walk
    gone = set(everything) - set(passing)
    for support in everything:
        assert set(core.free.tolist()) <= set(support)
        assert support not in gone or not fits_by_cells(core, support)
    if state.sieve is not None:
        assert state.door.tallies["sieve"].ruled_out == len(gone)


def test_batches_are_smaller_where_judging_takes_long() -> None:
    for core, size in ((core_of(0), BATCH), (reduce_problem(large_budgets(0)), SLOW_BATCH)):
        with ThreadPoolExecutor(1) as pool:
            walk = MaximalSupports(catalogue(core), 1.0)
            assert Sifted(SearchState(core, Stopper(60.0)), walk, pool).size == size
