"""Nodes in compiled code: its work is counted, so that it can be cut anywhere."""

from __future__ import annotations

from frugalsvm.margin import MarginOptions, train
from frugalsvm.margin.proof.explore import explore
from frugalsvm.runtime.stopping import Stopper
from margin_instances import overlapping_problem


def test_a_tree_cut_at_any_node_has_a_bound_below_the_optimum() -> None:
    assert explore.py_func.__name__ == "explore"
    problem = overlapping_problem(5, n=80, budgets=(6, 6))
    optimum = train(problem, stop=Stopper())
    nodes = optimum.details["nodes"]
    assert nodes > 10
    bounds = []
    for limit in (1, nodes // 4, nodes // 2, nodes):
        cut = train(problem, stop=Stopper(), options=MarginOptions(node_limit=limit))
        assert cut.details["nodes"] <= limit
        assert cut.bound <= optimum.objective * (1.0 + 1e-9)
        bounds.append(cut.bound)
    assert bounds == sorted(bounds)
