"""Boxes of directions on a stack: the faces of a cube, cut in halves."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugalsvm.runtime.compiled import helper, kernel
from frugalsvm.search.problem.copying import copy_into
from frugalsvm.search.problem.reduction import Floats, Ints


class Boxes(NamedTuple):
    """A stack of boxes.

    Attributes
    ----------
    centers, radii : ndarray of shape (n_boxes, d)
        The middle of each box, and half its length along each feature.
    depths : ndarray of int64 of shape (n_boxes,)
        How often each was cut.
    """

    centers: Floats
    radii: Floats
    depths: Ints


@kernel
def open_faces(d: int, room: int) -> tuple[Boxes, int]:
    """Return a stack with the faces of the cube and room for more; and how many they are."""
    boxes = Boxes(
        np.zeros((2 * d + room, d)), np.zeros((2 * d + room, d)), np.zeros(2 * d + room, np.int64)
    )
    for k in range(d):
        for side in range(2):
            face = 2 * k + side
            boxes.radii[face, :] = 1.0
            boxes.radii[face, k] = 0.0
            boxes.centers[face, k] = 1.0 - 2.0 * side
    return boxes, 2 * d


@helper
def widest(lengths: Floats) -> int:
    """Return the feature with the largest of some lengths, the first of equals."""
    best = 0
    for k in range(len(lengths)):
        if lengths[k] > lengths[best]:
            best = k
    return best


@helper
def push_halves(
    boxes: Boxes, size: int, center: Floats, radius: Floats, along: int, depth: int
) -> int:
    """Put the two halves of a box, cut along a feature, on the stack; return its new size."""
    half = 0.5 * radius[along]
    for side in range(2):
        copy_into(center, boxes.centers[size])
        copy_into(radius, boxes.radii[size])
        boxes.centers[size, along] += half * (2.0 * side - 1.0)
        boxes.radii[size, along] = half
        boxes.depths[size] = depth
        size += 1
    return size
