"""The open nodes."""

from __future__ import annotations

import numpy as np

from frugalsvm.margin.classifiers.drafts import make_draft
from frugalsvm.margin.proof.tree import FREE, HARD, UNDECIDED, enlarged, make_tree, push
from frugalsvm.margin.slots import N_OPEN, OBJECTIVE, TO_PROVE


def test_a_tree_keeps_its_nodes_when_it_grows() -> None:
    root = np.array([UNDECIDED, UNDECIDED, HARD], dtype=np.int8)
    tree = make_tree(root, 5.0, 0.1, room=(2, 2))
    child = np.array([FREE, UNDECIDED, HARD], dtype=np.int8)
    push.py_func(tree, child, 1, 2.5)
    larger = enlarged(tree)
    assert larger.counts[N_OPEN] == 2
    assert larger.numbers[TO_PROVE] == 5.0
    np.testing.assert_array_equal(larger.decided[:2], [root, child])
    assert larger.bound[:2].tolist() == [0.0, 2.5]
    assert len(larger.level) == len(larger.start) == 4
    assert make_draft(3).numbers[OBJECTIVE] == np.inf
