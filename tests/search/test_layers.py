"""The rooms of the search: who may import whom, and who may rule out, offer, or raise the bound."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

import frugalsvm.search

ROOT = Path(frugalsvm.search.__file__).parent
PREFIX = "frugalsvm.search."

ALLOWED = {
    "tuning": set(),
    "options": set(),
    "verdict": set(),
    "knowledge": {"tuning"},
    "problem": {"tuning"},
    "regime": {"problem", "tuning"},
    "door": {"problem", "verdict"},
    "oracles": {"problem", "tuning", "options", "verdict", "regime", "door"},
    "walks": {"problem", "tuning", "verdict"},
    "state": {"problem", "options", "verdict", "regime", "door", "oracles"},
    "heuristics": {"problem", "tuning", "verdict", "walks", "state"},
    "tactics": {
        *("problem", "tuning", "options", "verdict", "regime", "knowledge"),
        *("oracles", "walks", "state", "heuristics"),
    },
    "driver": {"problem", "tuning", "knowledge", "state", "heuristics", "tactics"},
    "": {"options", "knowledge", "driver", "problem", "state", "heuristics"},
}
"""The rooms, and the other rooms that each may import; "" is the package itself."""


@cache
def modules() -> dict[str, ast.Module]:
    """Return the files of the search by their dotted names below it."""
    return {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix("__init__").rstrip("."):
        ast.parse(path.read_text())
        for path in sorted(ROOT.rglob("*.py"))
    }  # fmt: skip


def imports(tree: ast.Module) -> set[str]:
    """Return the modules of the search that a file imports, wherever in it."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            if node.module == "frugalsvm.search":
                found |= {alias.name for alias in node.names}
            elif node.module.startswith(PREFIX):
                module = node.module.removeprefix(PREFIX)
                found |= {module} | {
                    f"{module}.{alias.name}"
                    for alias in node.names
                    if (ROOT / module.replace(".", "/") / f"{alias.name}.py").exists()
                }
    return found


def room(module: str) -> str:
    return module.split(".")[0]


def calls(tree: ast.Module) -> set[str]:
    """Return the names of the methods that are called."""
    return {
        node.func.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    }


@pytest.mark.parametrize("module", modules())
def test_rooms_import_only_what_they_may(module: str) -> None:
    mine = room(module)
    others = {room(other) for other in imports(modules()[module])} - {mine}
    assert others <= ALLOWED[mine], module


def test_no_module_imports_itself_in_a_circle() -> None:
    trees = modules()
    left = {name: imports(tree) & set(trees) for name, tree in trees.items()}
    while left:
        free = {name for name, needed in left.items() if not needed & set(left)}
        assert free, f"circles among {sorted(left)}"
        left = {name: needed for name, needed in left.items() if name not in free}


@pytest.mark.parametrize("module", modules())
def test_only_who_may_rules_out_or_raises_the_bound(module: str) -> None:
    called = calls(modules()[module])
    mine = room(module)
    if mine not in ("oracles", "tactics", "door"):
        assert not called & {"rule_out", "rule_out_rows", "ask"}, module
    if mine not in ("tactics", "driver"):
        assert not called & {"raise_bound", "prove_infeasible"}, module
    if mine in ("walks", "problem", "oracles"):
        assert "offer" not in called, module


@pytest.mark.parametrize("module", [name for name in modules() if name])
def test_every_module_is_imported_by_a_test_of_its_own(module: str) -> None:
    path = Path(*module.split("."))
    if (ROOT / path).is_dir():
        return  # a package with nothing but its docstring
    test = Path(__file__).parent / path.parent / f"test_{path.name}.py"
    assert test.exists(), f"{module} has no {test.name}"
    assert module in imports(ast.parse(test.read_text())), test
