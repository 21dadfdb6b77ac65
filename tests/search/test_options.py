"""The switches: each silences what it names, and nothing else."""

from __future__ import annotations

from dataclasses import fields

import pytest

from frugalsvm.search.options import SILENCED, SearchOptions

SWITCHES = [field.name for field in fields(SearchOptions) if field.type == "bool"]


@pytest.mark.parametrize("switch", SWITCHES)
def test_a_switch_silences_its_own_tallies(switch: str) -> None:
    off = SearchOptions(**{switch: False})
    known = {name for names in SILENCED.values() for name in names}
    for name in known:
        assert off.allow(name) == (name not in SILENCED[switch])
        assert SearchOptions().allow(name)
    assert off.allow("something else")


def test_every_switch_has_its_tallies() -> None:
    assert set(SILENCED) == set(SWITCHES)
    assert all(getattr(SearchOptions(), switch) for switch in SWITCHES)  # all on by default
