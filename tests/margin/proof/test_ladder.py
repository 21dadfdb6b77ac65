"""Weaker bounds in between."""

from __future__ import annotations

from types import SimpleNamespace

from frugalsvm.margin.proof.branch_and_bound import Search
from frugalsvm.margin.proof.ladder import prove
from frugalsvm.runtime.stopping import Stopper
from margin_instances import job


class Scripted:
    """A proof that ends after some turns of work."""

    def __init__(self, turns: int) -> None:
        self.turns, self.nodes, self.bound, self.best, self.cutoff = turns, 0, 1.0, None, 9.0
        self.goal = SimpleNamespace(tolerance=1e-4)
        self.asked: list[float] = []

    @property
    def open(self) -> int:
        return max(0, self.turns)

    def run(self, stop, nodes, work) -> bool:
        self.asked.append(work)
        self.turns -= 1
        self.bound = self.cutoff if self.turns == 0 else self.bound
        return self.turns == 0


def test_turns_grow_until_the_proof_is_done() -> None:
    assert callable(Search.run)
    proof = Scripted(4)
    assert prove(proof, job()) == (True, 9.0)
    assert proof.asked == sorted(proof.asked)
    assert len(proof.asked) == 4


def test_without_time_the_bound_is_what_is_known() -> None:
    proof = Scripted(4)
    assert prove(proof, job(Stopper(0.0))) == (False, 1.0)
