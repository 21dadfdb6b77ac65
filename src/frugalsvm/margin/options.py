"""How hard the trainer works, and which of its accelerators are on."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from frugalsvm.data.result import MarginResult


class Effort(StrEnum):
    """How much work an answer is worth."""

    EXACT = "exact"  # until the gap is closed or the stopper says stop
    QUICK = "quick"  # heuristic and a short proof with a node budget: repeatable, for inner loops


@dataclass(frozen=True)
class MarginOptions:
    """Switches and budgets of the trainer; the optimum depends on none of them.

    Attributes
    ----------
    merge : bool
        Merge identical samples into weighted rows.
    heuristic : bool
        Look for a good classifier before the branch and bound.
    polish : bool
        Improve what the heuristic found by exchanging one excluded sample at a time.
    pool : bool
        Keep conflicts for the whole tree instead of using each only where it was found.
    packing : bool
        Prune by disjoint conflicts that together exceed a limit.
    shrink : bool
        Make conflicts irreducible before they are used.
    ladder : bool
        If the proof takes long, prove weaker bounds in between, for the gap at a time limit.
    kicks : int
        How many disturbed restarts the heuristic makes.
    quick_kicks, quick_nodes : int
        Restarts and nodes of the branch and bound under ``Effort.QUICK``.
    quick_work : int
        Work (about microseconds) under ``Effort.QUICK`` after which neither starts anew.
    node_limit : int or None
        Nodes of the branch and bound under ``Effort.EXACT``; None: no limit.
    witness : MarginResult or None
        A known answer to the problem. A proof that rules it out raises ``VerificationError``, which
        names the rule; for tests and for hunting a wrong bound.
    """

    merge: bool = True
    heuristic: bool = True
    polish: bool = True
    pool: bool = True
    packing: bool = True
    shrink: bool = True
    ladder: bool = True
    kicks: int = 10
    quick_kicks: int = 4
    quick_nodes: int = 20
    quick_work: int = 60_000
    node_limit: int | None = None
    witness: MarginResult | None = field(default=None, compare=False, repr=False)
