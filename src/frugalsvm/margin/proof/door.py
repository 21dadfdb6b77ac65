"""The one door: every node that leaves the tree, and every infeasibility, passes here by its rule.

Each rule's calls, successes, work and seconds are counted. Where an answer is known
(:attr:`MarginOptions.witness`), what a rule claims is compared with it: a proof that rules out the
answer raises an error that names the rule.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass

from frugalsvm.data.exceptions import VerificationError
from frugalsvm.margin.arrays import Ints
from frugalsvm.margin.proof.tree import HARD, Tree
from frugalsvm.margin.slots import (
    ASKED,
    CLOSED,
    FALSE_RULE,
    N_DONE,
    N_OPEN,
    TO_PROVE,
    WITNESS,
    WORK,
)
from frugalsvm.margin.tuning import WITNESS_MARGIN
from frugalsvm.runtime.compiled import helper, inlined

LIMITS, PACKING, CONFLICT, NEW_PACKING, OPTIMUM, SPLIT, GIVEN_UP = range(7)
"""The rules by which a node leaves the tree, in the order of :data:`RULES`."""

OPEN = -1
"""No rule has closed the node."""

RULES = (
    "limits",  # the rows that may be wrong use up more than a limit
    "packing",  # the known conflicts need more wrong rows than the limits allow
    "conflict",  # the rows that must hold are a conflict: their SVM reaches the cutoff
    "new packing",  # so do the known conflicts together with those found at the node
    "optimum",  # the node's own SVM keeps the limits: nothing in it is better
    "split",  # replaced by its children, which cover it
    "given up",  # neither solved nor split: its bound counts
)

RAY = "ray"
"""The check of a conflict's ray, on which a claim of infeasibility rests."""


@inlined
def ask(tree: Tree, rule: int, work: int) -> None:
    """Count that a rule was tried on a node, and its work."""
    tree.tally[rule, ASKED] += 1
    tree.tally[rule, WORK] += work


@helper
def close(tree: Tree, rule: int) -> None:
    """Take the top node off the stack, by a rule."""
    top = tree.counts[N_OPEN] - 1
    claim = tree.numbers[TO_PROVE]
    if rule == OPTIMUM:
        claim = tree.bound[top]
    if rule < SPLIT and tree.numbers[WITNESS] < claim * (1.0 - WITNESS_MARGIN):
        ruled_out = True
        for i in range(len(tree.witness)):
            if tree.witness[i] and tree.decided[top, i] == HARD:
                ruled_out = False
        if ruled_out:
            tree.counts[FALSE_RULE] = rule
    tree.tally[rule, CLOSED] += 1
    tree.counts[N_OPEN] -= 1
    tree.counts[N_DONE] += 1


@dataclass
class Tally:
    """What one rule did: tried, ruled out; its work, in thousands of operations; its seconds.

    The seconds of compiled work are measured for all rules together, and shared out by their work.
    """

    asked: int = 0
    ruled_out: int = 0
    work: int = 0
    seconds: float = 0.0


class Door:
    """Counts what the rules of a training did.

    Attributes
    ----------
    tallies : dict of str to Tally
        By the name of the rule.
    """

    def __init__(self) -> None:
        self.tallies: dict[str, Tally] = {}

    def take(self, tree: Tree, seconds: float) -> None:
        """Take the counts of compiled work out of a tree; raise an error if a rule was wrong."""
        if tree.counts[FALSE_RULE] >= 0:
            rule = RULES[int(tree.counts[FALSE_RULE])]
            raise VerificationError(
                f"The rule {rule!r} of the trainer has closed a node that holds a known answer. "
                "This is a bug in frugalsvm: please report it."
            )
        self._add(tree.tally, seconds)
        tree.tally[:] = 0

    def ask(self, rule: str, judge: Callable[[], bool]) -> bool:
        """Return a rule's word, counted."""
        started = time.perf_counter()
        said = judge()
        tally = self.tallies.setdefault(rule, Tally())
        tally.asked += 1
        tally.ruled_out += said
        tally.seconds += time.perf_counter() - started
        return said

    def summary(self) -> dict[str, dict[str, float]]:
        """Return the tallies of the rules that were tried, as plain data."""
        return {rule: asdict(tally) for rule, tally in self.tallies.items() if tally.asked}

    def _add(self, counts: Ints, seconds: float) -> None:
        whole = math.fsum(counts[:, WORK])
        for rule, (asked, closed, work) in zip(RULES, counts.tolist(), strict=True):
            tally = self.tallies.setdefault(rule, Tally())
            tally.asked += asked
            tally.ruled_out += closed
            tally.work += work
            tally.seconds += seconds * work / whole if whole > 0 else 0.0
