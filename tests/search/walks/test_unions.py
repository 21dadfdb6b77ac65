"""Unions of similar features rule out what single supports would, and nothing else."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from frugalsvm.data.costs import CostModel
from frugalsvm.data.problem import SelectionProblem
from frugalsvm.data.rates import ErrorBudget
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.search import search
from frugalsvm.search.options import SearchOptions
from frugalsvm.search.oracles.batch import Judged
from frugalsvm.search.problem.catalogue import catalogue
from frugalsvm.search.problem.reduction import Ints, reduce_problem
from frugalsvm.search.tactics import enumeration
from frugalsvm.search.verdict import INFEASIBLE, UNDECIDED
from frugalsvm.search.walks.maximal_supports import MaximalSupports
from frugalsvm.search.walks.stages import support_count
from frugalsvm.search.walks.unions import Unions
from reference_selection import random_problem


def priced_problem(seed: int, kind: str) -> SelectionProblem:
    """Return 60 samples of nine features, some of them alike, with unit costs, prices or groups."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((60, 9))
    X[:, 5:] = X[:, :4] + 0.3 * rng.standard_normal((60, 4))
    positive = X[:, :4].sum(axis=1) + 0.5 * rng.standard_normal(60) > 0
    prices = np.ones(9) if kind == "unit" else rng.integers(1, 9, 9).astype(float)
    costs = CostModel.per_feature(prices)
    if kind == "groups":
        groups = tuple((int(g),) for g in rng.integers(0, 4, 9))
        costs = CostModel(np.where(rng.random(9) < 0.5, 0.0, prices), groups, np.arange(1.0, 5.0))
    nothing = np.zeros(9, np.bool_)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    return SelectionProblem(X, positive, ErrorBudget(2, 1), costs, nothing, nothing)


@pytest.mark.parametrize("kind", ["unit", "prices", "groups"])
@pytest.mark.parametrize("seed", range(6))
def test_every_affordable_support_is_within_what_was_judged(seed: int, kind: str) -> None:
    core = reduce_problem(priced_problem(seed, kind))
    features = catalogue(core)
    rng = np.random.default_rng(seed)
    limit = 0.5 * core.costs.cost(range(core.n_features))
    unions = Unions(core, features, limit)
    ruled_out: list[set[int]] = []

    def judge(rows: Ints, sizes: Ints, affordable: bool) -> object:
        verdicts = np.full(len(rows), UNDECIDED)
        for r in range(len(rows)):
            union = set(rows[r, : sizes[r]].tolist())
            assert len(union) == sizes[r]
            assert affordable == (core.costs.cost(union) <= limit)
            if affordable or rng.random() < 0.4:
                verdicts[r] = INFEASIBLE
                ruled_out.append(union)
        batch = Judged(rows, sizes, verdicts, np.zeros(rows.shape))
        return lambda: batch

    for _ in unions.walk(judge, lambda: False):  # type: ignore[arg-type]  # a lambda is enough
        pass
    assert unions.over
    for size in range(1, len(core.priced) + 1):
        for support in combinations(core.priced.tolist(), size):
            if core.costs.cost(support) <= limit:
                assert any(set(support) <= union for union in ruled_out), support


@pytest.mark.parametrize("first", range(0, 120, 40))
def test_unions_do_not_change_an_optimum(first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(enumeration, "FEW_SUPPORTS", 1)
    for seed in range(first, first + 40):
        kind = ("unit", "prices", "groups", "other")[seed % 4]
        problem = random_problem(seed) if kind == "other" else priced_problem(seed, kind)
        options = SearchOptions(cover=False)
        with_unions = search(problem, stop=Stopper(), options=options)
        without = search(problem, stop=Stopper(), options=SearchOptions(unions=False))
        assert with_unions.status is without.status, seed
        assert with_unions.cost == pytest.approx(without.cost), seed


def test_a_stopped_walk_is_not_over() -> None:
    core = reduce_problem(priced_problem(0, "unit"))
    unions = Unions(core, catalogue(core), 4.0)
    assert list(unions.walk(None, lambda: True)) == []  # type: ignore[arg-type]  # not called
    assert not unions.over


def test_supports_of_equal_prices_are_counted_without_a_walk() -> None:
    for kind in ("unit", "prices"):
        core = reduce_problem(priced_problem(1, kind))
        features = catalogue(core)
        for goal in (1.0, 2.0, 4.0, 7.5, 9.0, 100.0):
            limit = features.limit(goal - 1)
            walked = MaximalSupports(features, limit).count(10_000)
            assert support_count(features, goal, 10_000) == walked
            assert support_count(features, goal, 3) == min(3, walked)
