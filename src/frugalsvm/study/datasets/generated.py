"""Nursery and careval, which are complete products of their levels labelled by published rules.

Both come from hierarchical decision models written in DEX (Bohanec and Rajkovic 1990; Olave,
Rajkovic and Bohanec 1989). Every combination of levels occurs once, in the order of the product.
"""

from __future__ import annotations

from itertools import product

from frugalsvm.study.datasets.table import RawTable

NURSERY_LEVELS = {
    "parents": ("usual", "pretentious", "great_pret"),
    "has_nurs": ("proper", "less_proper", "improper", "critical", "very_crit"),
    "form": ("complete", "completed", "incomplete", "foster"),
    "children": ("1", "2", "3", "more"),
    "housing": ("convenient", "less_conv", "critical"),
    "finance": ("convenient", "inconv"),
    "social": ("nonprob", "slightly_prob", "problematic"),
    "health": ("recommended", "priority", "not_recom"),
}

CAREVAL_LEVELS = {
    "buying": ("vhigh", "high", "med", "low"),
    "maint": ("vhigh", "high", "med", "low"),
    "doors": ("2", "3", "4", "5more"),
    "persons": ("2", "4", "more"),
    "lug_boot": ("small", "med", "big"),
    "safety": ("low", "med", "high"),
}

# The decision tables of careval: price from buying and maintenance, comfort from doors, persons
# and boot, technical quality from comfort and safety, the car from price and quality.
_DEAREST = frozenset({("vhigh", "vhigh"), ("vhigh", "high"), ("high", "vhigh")})
_MODERATE = frozenset({("low", "high"), ("med", "med")})
_CHEAP = frozenset({("low", "low"), ("low", "med"), ("med", "low")})
_QUALITY = {
    ("medium", "med"): "fair",
    ("medium", "high"): "good",
    ("high", "med"): "good",
    ("high", "high"): "excellent",
}
_CAR = {
    ("high", "fair"): "unacc",
    ("high", "good"): "acc",
    ("high", "excellent"): "acc",
    ("moderate", "fair"): "acc",
    ("moderate", "good"): "acc",
    ("moderate", "excellent"): "vgood",
    ("low", "fair"): "acc",
    ("low", "good"): "good",
    ("low", "excellent"): "vgood",
}


def nursery() -> RawTable:
    """Return nursery with its two classes: not_recom exactly where health is not_recom."""
    rows = tuple(product(*NURSERY_LEVELS.values()))
    classes = tuple("not_recom" if row[-1] == "not_recom" else "other" for row in rows)
    return RawTable(tuple(NURSERY_LEVELS), rows, classes)


def careval() -> RawTable:
    """Return careval with its four classes."""
    rows = tuple(product(*CAREVAL_LEVELS.values()))
    return RawTable(tuple(CAREVAL_LEVELS), rows, tuple(_car(row) for row in rows))


def _car(row: tuple[str, ...]) -> str:
    buying, maint, doors, persons, boot, safety = row
    comfort = _comfort(doors, persons, boot)
    if comfort == "low" or safety == "low":
        return "unacc"
    return _CAR.get((_price(buying, maint), _QUALITY[comfort, safety]), "unacc")


def _price(buying: str, maint: str) -> str:
    pair = (buying, maint)
    if pair in _DEAREST:
        return "very high"
    if pair in _MODERATE:
        return "moderate"
    return "low" if pair in _CHEAP else "high"


def _comfort(doors: str, persons: str, boot: str) -> str:
    if persons == "2" or (doors, persons, boot) == ("2", "more", "small"):
        return "low"
    if boot == "big":
        return "high"
    if boot == "med" and (doors in ("4", "5more") or (doors, persons) == ("3", "more")):
        return "high"
    return "medium"
