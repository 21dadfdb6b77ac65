"""Every closed node is counted by its rule, and compared with a known answer."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from frugalsvm.data.exceptions import VerificationError
from frugalsvm.data.result import Status
from frugalsvm.margin import MarginOptions, train
from frugalsvm.margin.proof.door import (
    CONFLICT,
    OPTIMUM,
    PACKING,
    RULES,
    SPLIT,
    Door,
    close,
)
from frugalsvm.margin.proof.tree import HARD, N_RULES, UNDECIDED, make_tree
from frugalsvm.margin.slots import ASKED, CLOSED, FALSE_RULE, WITNESS, WORK
from frugalsvm.runtime.stopping import Stopper
from margin_instances import overlapping_problem, tiny_problem


def test_there_is_a_count_for_every_rule() -> None:
    assert len(RULES) == N_RULES


@pytest.mark.parametrize("seed", range(4))
def test_all_nodes_are_accounted_for(seed: int) -> None:
    problem = overlapping_problem(seed, n=60, budgets=(4, 4))
    options = MarginOptions(heuristic=False)  # which begins the proof anew for a better answer
    result = train(problem, stop=Stopper(), options=options)
    rules = result.details["rules"]
    assert result.status is Status.OPTIMAL
    assert sum(tally["ruled_out"] for tally in rules.values()) == result.details["nodes"]
    assert all(t["ruled_out"] <= t["asked"] and t["seconds"] >= 0.0 for t in rules.values())
    assert rules["conflict"]["work"] > 0


def test_an_infeasibility_rests_on_rays_that_are_counted() -> None:
    seeds = (s for s in range(100) if train(tiny_problem(s), stop=Stopper()).bound == math.inf)
    result = train(tiny_problem(next(seeds)), stop=Stopper())
    ray = result.details["rules"]["ray"]
    assert ray["asked"] == ray["ruled_out"] == result.details["conflicts"] > 0


def test_switching_a_rule_off_shows_in_its_count() -> None:
    problem = overlapping_problem(1, n=60, budgets=(4, 4))
    with_it = train(problem, stop=Stopper()).details["rules"]
    without = train(problem, stop=Stopper(), options=MarginOptions(packing=False)).details["rules"]
    assert with_it["new packing"]["ruled_out"] + with_it["packing"]["ruled_out"] > 0
    assert "new packing" not in without


def witnessed(cutoff: float, rule: int, wrong: list[bool], objective: float = 1.0) -> bool:
    """Close a node by a rule; return whether the door objects."""
    tree = make_tree(np.array([HARD, UNDECIDED], dtype=np.int8), cutoff, 0.0)
    tree.witness[:], tree.numbers[WITNESS] = wrong, objective
    tree.bound[0] = 0.5
    tree.tally[rule, ASKED], tree.tally[rule, WORK] = 1, 5
    close.py_func(tree, rule)
    assert tree.tally[rule, CLOSED] == 1
    door = Door()
    if tree.counts[FALSE_RULE] == rule:
        with pytest.raises(VerificationError, match=f"rule '{RULES[rule]}'"):
            door.take(tree, 2.0)
        return True
    door.take(tree, 2.0)
    assert door.summary()[RULES[rule]] == {"asked": 1, "ruled_out": 1, "work": 5, "seconds": 2.0}
    return False


def test_a_rule_that_rules_out_a_known_answer_is_named() -> None:
    assert witnessed(2.0, PACKING, [False, True])
    assert witnessed(math.inf, CONFLICT, [False, True])
    assert not witnessed(2.0, PACKING, [True, True])  # the node says that the first row holds
    assert not witnessed(0.9, PACKING, [False, True])  # the answer is no better than the cutoff
    assert not witnessed(2.0, SPLIT, [False, True])  # the children cover the node
    assert not witnessed(2.0, OPTIMUM, [False, True])  # it claims its bound alone
    assert witnessed(2.0, OPTIMUM, [False, True], objective=0.2)


@pytest.mark.parametrize("seed", range(30))
def test_true_proofs_pass_with_their_own_answer_as_witness(seed: int) -> None:
    problem = tiny_problem(seed)
    result = train(problem, stop=Stopper())
    if result.has_answer:
        for heuristic in (True, False):
            options = MarginOptions(witness=result, heuristic=heuristic)
            again = train(problem, stop=Stopper(), options=options)
            assert again.objective == pytest.approx(result.objective, rel=1e-3)


def test_an_answer_too_good_to_be_true_is_an_error() -> None:
    problem = overlapping_problem(2, n=60, budgets=(4, 4))
    result = train(problem, stop=Stopper())
    liar = replace(result, objective=0.5 * result.objective)
    with pytest.raises(VerificationError, match="has closed a node that holds a known answer"):
        train(problem, stop=Stopper(), options=MarginOptions(witness=liar))
