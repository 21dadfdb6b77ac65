"""Which tactics the search may use, and how much work the heuristics may do."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SearchOptions:
    """Switches of the search; none of them changes an optimum, only the time to prove it.

    Attributes
    ----------
    scan : bool
        The exact scan of single features.
    heuristic : bool
        Good supports by trimmed fits and exchanges of features; off: no improvement either.
    improvement : bool
        Eliminations and exchanges on a share of the time, where a proof would be long.
    cells : bool
        The bound from samples that coincide on a support.
    sieve : bool
        That bound for many supports at a time, before anything else looks at them.
    conflicts : bool
        Small sets of samples that cannot all be right, packed and branched on.
    cuts : bool
        Branch and cut over the samples that a support gives up.
    directions : bool
        Branch and bound over the directions of a hyperplane.
    enumeration : bool
        Deciding all the supports just below the best cost.
    errors : bool
        The exact search over the samples that a support gives up.
    unions : bool
        Judging unions of similar features, which rule out all their subsets, before supports.
    merged : bool
        The few supports that pass the sieve under large budgets, one by one, before covers.
    cover : bool
        Feature covers: every proven infeasible set asks for a feature outside of it.
    ties : bool
        The preference for slack among supports of equal cost.
    effort : int
        Multiplies the iteration budgets of the heuristics.
    witnesses : tuple of supports or None
        For hunting wrong proofs. Supports (original features) that are known to be feasible:
        whatever is ruled out is compared with them and with the answers found on the way. An empty
        tuple: with those alone. None: nothing is compared.
    """

    scan: bool = True
    heuristic: bool = True
    improvement: bool = True
    cells: bool = True
    sieve: bool = True
    conflicts: bool = True
    cuts: bool = True
    directions: bool = True
    enumeration: bool = True
    errors: bool = True
    unions: bool = True
    merged: bool = True
    cover: bool = True
    ties: bool = True
    effort: int = 1
    witnesses: tuple[tuple[int, ...], ...] | None = None

    def allow(self, tactic: str) -> bool:
        """Return True unless a tactic, by its name, is switched off."""
        return all(getattr(self, switch) for switch in SILENCED if tactic in SILENCED[switch])


SILENCED: dict[str, tuple[str, ...]] = {
    "scan": ("scan",),
    "heuristic": ("heuristic", "improvement"),
    "improvement": ("improvement",),
    "cells": ("cells", "sieve", "cover cells"),
    "sieve": ("sieve",),
    "conflicts": ("conflicts", "errors"),
    "errors": ("errors",),
    "cuts": ("error cuts",),
    "directions": ("directions",),
    "enumeration": ("enumeration",),
    "unions": ("unions",),
    "merged": ("merged supports",),
    "cover": ("cover",),
    "ties": ("ties",),
}
"""The tallies of each switch: where all of them are zero, turning it off changes nothing."""
