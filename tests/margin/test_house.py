"""The trainer's house: which room may use which, where numbers live, and a test for every file."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import frugalsvm.margin

HOUSE = Path(frugalsvm.margin.__file__).parent
TESTS = Path(__file__).parent
FILES = sorted(
    str(path.relative_to(HOUSE)) for path in HOUSE.rglob("*.py") if path.name != "__init__.py"
)

DECLARATIONS = ("tuning.py", "slots.py", "arrays.py", "solver/codes.py")
"""Files without a function: this file reads them."""

LAYERS = (
    ("tuning.py", "slots.py", "arrays.py"),
    ("options.py", "watch.py", "job.py"),
    ("rows",),
    ("solver",),
    ("classifiers",),
    ("conflicts.py",),
    ("heuristic", "proof"),
    ("keeper.py", "feasibility.py", "smoothed.py"),
    ("trainer.py",),
    ("path.py", "attain.py"),
)
"""From the ground up: a room may use its own files and those of the layers below it."""


def imports(file: str) -> set[str]:
    """Return the files of the house that a file imports."""
    found = re.findall(
        r"^ *from frugalsvm\.margin\.([\w.]+) import", (HOUSE / file).read_text(), re.M
    )
    return {name.replace(".", "/") + ".py" for name in found}


def layer(file: str) -> int:
    room = file.split("/")[0]
    return next(k for k, rooms in enumerate(LAYERS) if room in rooms)


@pytest.mark.parametrize("file", FILES)
def test_a_file_uses_its_own_room_and_the_layers_below(file: str) -> None:
    for used in imports(file):
        same_room = file.split("/")[0] == used.split("/")[0]
        ground = layer(file) == layer(used) <= 1  # the files of the ground floor stand alone
        assert same_room or ground or layer(used) < layer(file), used


def test_there_are_no_cycles() -> None:
    done: set[str] = set()

    def visit(file: str, above: tuple[str, ...]) -> None:
        assert file not in above, " -> ".join((*above, file))
        if file not in done:
            for used in imports(file):
                visit(used, (*above, file))
            done.add(file)

    for file in FILES:
        visit(file, ())
    assert done == set(FILES)


@pytest.mark.parametrize("file", [f for f in FILES if f not in DECLARATIONS])
def test_every_file_has_a_test_of_its_own(file: str) -> None:
    path = Path(file)
    test = TESTS / path.parent / f"test_{path.name}"
    module = "frugalsvm.margin." + file[:-3].replace("/", ".")
    assert f"from {module} import" in test.read_text()


@pytest.mark.parametrize("file", [f for f in FILES if f not in ("tuning.py", "slots.py")])
def test_numbers_live_in_tuning_and_places_in_slots(file: str) -> None:
    text = (HOUSE / file).read_text()
    assert not re.search(r"\.(numbers|counts|state|halt|beta|tally)\[\d", text)
    small = re.findall(r"(?<![\w.])\d+(?:\.\d+)?e-?\d+", re.sub(r'"""(.|\n)*?"""|#.*', "", text))
    assert small == []  # tolerances
    for node in ast.parse(text).body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
            assert not isinstance(node.value.value, float)


def test_every_number_says_what_it_is_for() -> None:
    for file in ("tuning.py", "slots.py"):
        body = ast.parse((HOUSE / file).read_text()).body
        for this, following in zip(body, [*body[1:], None], strict=True):
            if isinstance(this, ast.Assign):
                assert isinstance(following, ast.Expr), ast.unparse(this)
    names = [
        name.id
        for node in ast.parse((HOUSE / "tuning.py").read_text()).body
        if isinstance(node, ast.Assign)
        for name in ast.walk(node)
        if isinstance(name, ast.Name)
    ]
    assert len(names) == len(set(names))
    whole = "".join((HOUSE / file).read_text() for file in FILES if file != "tuning.py")
    unused = [name for name in names if not re.search(rf"\b{name}\b", whole)]
    assert unused == []


LONGEST, MOST_ARGUMENTS = 60, 8


@pytest.mark.parametrize("file", FILES)
def test_functions_are_short_and_take_few_arguments(file: str) -> None:
    for node in ast.walk(ast.parse((HOUSE / file).read_text())):
        if isinstance(node, ast.FunctionDef):
            arguments = node.args.args + node.args.kwonlyargs
            assert len([a for a in arguments if a.arg != "self"]) <= MOST_ARGUMENTS, node.name
            assert node.end_lineno - node.body[0].lineno < LONGEST, node.name
