"""Whether one support is feasible: the oracles, from the cheapest to the surest."""

from __future__ import annotations

from frugalsvm.search.state import UNDECIDED, SearchState, Verdict


def decide(state: SearchState, support: tuple[int, ...], effort: int = 1) -> Verdict:
    """Judge a core support (the free features are added); more effort leaves less undecided."""
    return UNDECIDED
