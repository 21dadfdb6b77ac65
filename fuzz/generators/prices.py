"""Prices: equal, priced in cents, zero, tiny, huge, computed, and in traps of equal sums."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Rng = np.random.Generator
Prices = list[float]


def random_prices(rng: Rng, d: int) -> Prices:
    """Return `d` prices of one kind, sometimes in another unit."""
    prices = KINDS[rng.integers(len(KINDS))](rng, d)
    if rng.random() < 0.25:
        unit = float(rng.choice([1e-10, 1e-6, 1e-3, 1e3, 1e6, 1e10, 2.0**-40, 2.0**40, 1e-90]))
        prices = [p * unit for p in prices]
    if rng.random() < 0.08:
        prices = [p + 1e10 for p in prices]
    return prices


def random_groups(rng: Rng, d: int) -> tuple[list[tuple[int, ...]], Prices]:
    """Return overlapping groups and their prices."""
    n_groups = int(rng.integers(1, 4))
    touched = [tuple(int(g) for g in np.flatnonzero(rng.random(n_groups) < 0.5)) for _ in range(d)]
    used = sorted({g for groups in touched for g in groups})
    number = {g: i for i, g in enumerate(used)}
    renumbered = [tuple(number[g] for g in groups) for groups in touched]
    return renumbered, random_prices(rng, len(used)) if used else []


def _listed(prices: NDArray[Any]) -> Prices:
    return [float(p) for p in prices]


def _equal(rng: Rng, d: int) -> Prices:
    return [float(rng.choice([1.0, 1.0, 0.1, 3.0]))] * d


def _whole(rng: Rng, d: int) -> Prices:
    return _listed(rng.integers(0, 21, d))


def _few(rng: Rng, d: int) -> Prices:
    return _listed(rng.integers(1, 4, d))


def _cents(rng: Rng, d: int) -> Prices:
    return _listed(np.round(10 ** rng.uniform(-1, 1, d), 2))


def _free(rng: Rng, d: int) -> Prices:
    return [0.0] * d


def _some_free(rng: Rng, d: int) -> Prices:
    return _listed(np.where(rng.random(d) < 0.5, 0.0, rng.integers(1, 9, d)))


def _computed(rng: Rng, d: int) -> Prices:
    """Multiples of 0.1, each computed in its own way: 0.1 + 0.2, 0.3, 3 * 0.1, 2.1 - 1.8."""
    ways: tuple[Callable[[int], float], ...] = (
        lambda k: k / 10,
        lambda k: k * 0.1,
        lambda k: sum([0.1] * k),
        lambda k: (k + 18) / 10 - 1.8,
        lambda k: (k / 3) * 0.3,
    )
    return [abs(ways[rng.integers(len(ways))](int(rng.integers(1, 25)))) for _ in range(d)]


def _sum_trap(rng: Rng, d: int) -> Prices:
    """One price is the sum of the others, or a little more, or a little less."""
    prices = _listed(np.round(rng.uniform(0.5, 8, d), 2))
    others = [p for p in prices[1:] if rng.random() < 0.7]
    off = rng.choice([0.0, 1e-9, -1e-9, 1e-12, -1e-12, 1e-6, 1e-15])
    prices[0] = abs(sum(others) * (1 + off)) or 1.0
    return [prices[k] for k in rng.permutation(d)]


def _wide_range(rng: Rng, d: int) -> Prices:
    return _listed(10.0 ** rng.integers(-9, 10, d))


def _one_huge(rng: Rng, d: int) -> Prices:
    prices = rng.integers(1, 9, d).astype(float)
    prices[rng.integers(d)] = rng.choice([1e10, 1e13, 1e15])
    return _listed(prices)


KINDS: tuple[Callable[[Rng, int], Prices], ...] = (
    _equal, _whole, _few, _cents, _free, _some_free, _computed, _sum_trap, _sum_trap,
    _wide_range, _one_huge,
)  # fmt: skip
