"""Boxes of directions: the faces cover the cube, and two halves make the whole."""

from __future__ import annotations

import numpy as np
import pytest

from frugalsvm.runtime.compiled import kernel
from frugalsvm.search.oracles.direction_boxes import Boxes, open_faces, push_halves, widest
from frugalsvm.search.problem.reduction import Floats


@kernel
def halved(boxes: Boxes, size: int, center: Floats, radius: Floats, along: int) -> int:
    return int(push_halves(boxes, size, center, radius, along, 5))


def holds(boxes: Boxes, place: int, w: np.ndarray) -> bool:
    return bool(np.all(np.abs(w - boxes.centers[place]) <= boxes.radii[place] + 1e-12))


@pytest.mark.parametrize("d", [1, 2, 5])
def test_every_direction_is_on_just_one_face(d: int) -> None:
    boxes, size = open_faces(d, 3)
    assert size == 2 * d
    assert len(boxes.depths) == size + 3
    rng = np.random.default_rng(d)
    for _ in range(100):
        w = rng.standard_normal(d)
        w /= np.abs(w).max()
        assert sum(holds(boxes, place, w) for place in range(size)) == 1
    for place in range(size):
        assert np.abs(boxes.centers[place]).max() == 1.0
        assert boxes.depths[place] == 0


@pytest.mark.parametrize("seed", range(10))
def test_two_halves_make_the_box(seed: int) -> None:
    rng = np.random.default_rng(seed)
    d = int(rng.integers(2, 5))
    along = int(rng.integers(d))
    center, radius = rng.standard_normal(d), rng.uniform(0.1, 1.0, d)
    boxes, size = open_faces(d, 2)
    before = boxes.centers[:size].copy()
    assert halved(boxes, size, center, radius, along) == size + 2
    np.testing.assert_array_equal(boxes.centers[:size], before)
    assert boxes.depths[size:].tolist() == [5, 5]
    for _ in range(50):
        w = center + radius * rng.uniform(-1.0, 1.0, d)
        assert sum(holds(boxes, size + half, w) for half in range(2)) == 1
        w[along] = center[along] + radius[along] * rng.choice([-1.1, 1.1])
        assert not any(holds(boxes, size + half, w) for half in range(2))
    volumes = np.prod(2.0 * boxes.radii[size:], axis=1)
    assert volumes.sum() == pytest.approx(np.prod(2.0 * radius))


def test_it_is_cut_along_the_first_of_the_longest() -> None:
    assert widest.py_func(np.array([0.5, 2.0, 2.0, 1.0])) == 1
    assert widest.py_func(np.zeros(3)) == 0
