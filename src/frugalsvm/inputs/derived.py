"""Which raw features a derived one comes from, read off the names that scikit-learn gives.

`PolynomialFeatures` names its output by products of powers: ``"age"``, ``"age^2"``,
``"age chol"``. Whoever uses ``"age chol"`` has to measure both.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence


def raw_names(columns: Sequence[str]) -> list[str]:
    """Return the columns that are no product or power of others: the raw features.

    Examples
    --------
    >>> raw_names(["1", "age", "chol", "age^2", "age chol", "chol^2"])
    ['age', 'chol']
    """
    present = set(columns)
    return [name for name in columns if name != "1" and not sources(name, present - {name})]


def sources(column: str, raw: Collection[str]) -> set[str]:
    """Return the raw features that `column` is a product of powers of; empty if it is none.

    Raw names may contain blanks themselves, so that every way to cut the name is tried; the
    first one that works, longest factors first, counts.

    Examples
    --------
    >>> sorted(sources("worst area mean area^2", {"worst area", "mean area"}))
    ['mean area', 'worst area']
    >>> sources("height", {"age"})
    set()
    """
    words = column.split(" ")
    return _cut(words, frozenset(raw)) or set()


def _cut(words: list[str], raw: frozenset[str]) -> set[str] | None:
    if not words:
        return set()
    for end in range(len(words), 0, -1):
        factor = _base(" ".join(words[:end]), raw)
        if factor is not None:
            rest = _cut(words[end:], raw)
            if rest is not None:
                return {factor} | rest
    return None


def _base(term: str, raw: frozenset[str]) -> str | None:
    if term in raw:
        return term
    base, caret, power = term.rpartition("^")
    return base if caret and power.isdigit() and base in raw else None
