"""The rooms of the package, from the ground up: a room may use those below it, and no other."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import frugalsvm

ROOT = Path(frugalsvm.__file__).parent

FLOORS = (
    ("version",),
    ("data",),
    ("runtime",),
    ("inputs",),
    ("displays", "margin", "models", "search", "tabular"),
    ("export", "several", "smooth"),
    ("engine", "saved"),
    ("estimators",),
    ("sparse",),
    ("peers", "unseen"),
    ("tradeoff",),
    ("report", "study"),
    ("cli",),
)
STAIRS = {("data/result.py", "displays")}
"""What may be imported from above when it is first used: a result draws its own history."""

FILES = sorted(str(path.relative_to(ROOT)) for path in ROOT.rglob("*.py"))


def floor(room: str) -> int:
    return next(k for k, rooms in enumerate(FLOORS) if room in rooms)


def used_rooms(file: str) -> set[str]:
    """Return the other rooms that a file imports from, wherever in it, but for type checkers."""
    tree = ast.parse((ROOT / file).read_text())
    unseen = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
        for part in ast.walk(node)
    }
    modules = [
        str(node.module).split(".")
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and id(node) not in unseen
    ]
    rooms = {parts[1] for parts in modules if parts[0] == "frugalsvm" and len(parts) > 1}
    return rooms - {_room(file)}


def _room(file: str) -> str:
    return file.split("/")[0].removesuffix(".py")


@pytest.mark.parametrize("file", [file for file in FILES if file != "__init__.py"])
def test_a_file_uses_the_rooms_below_its_own(file: str) -> None:
    for used in used_rooms(file):
        assert floor(used) < floor(_room(file)) or (file, used) in STAIRS, used


def test_every_room_says_what_it_is_for() -> None:
    for room in (name for rooms in FLOORS for name in rooms if name != "version"):
        assert ast.get_docstring(ast.parse((ROOT / room / "__init__.py").read_text())), room


def test_nothing_lies_about() -> None:
    assert {path.name for path in ROOT.glob("*.py")} == {"__init__.py", "version.py"}
