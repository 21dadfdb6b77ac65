"""What a release needs is said in one place, and everything else agrees with it."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_every_extra_that_is_named_exists() -> None:
    extras = PROJECT["optional-dependencies"]
    places = [*ROOT.glob("src/**/*.py"), *ROOT.glob("docs/**/*.md"), ROOT / "README.md"]
    named = {
        extra
        for place in places
        for inner in re.findall(r"(?:frugalsvm|'\.)\[([a-z,]+)\]", place.read_text("utf-8"))
        for extra in inner.split(",")
    }
    assert {"parquet", "plot", "excel", "report", "cli"} <= named <= set(extras)


def test_light_installations_stay_light() -> None:
    extras = PROJECT["optional-dependencies"]
    heavy = re.compile("pyarrow|matplotlib|polars|dask|onnx")
    light = [*PROJECT["dependencies"], *extras["cli"], *extras["report"]]
    assert not [requirement for requirement in light if heavy.match(requirement)]


def test_the_version_stands_in_pyproject_alone() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", PROJECT["version"])
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert not re.search(r"^version:", citation, re.M)
    sources = ROOT.glob("src/frugalsvm/**/*.py")
    assert not [s for s in sources if f'"{PROJECT["version"]}"' in s.read_text("utf-8")]


def test_the_workflow_tests_the_versions_that_are_promised() -> None:
    promised = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
    tests = (ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8")
    (matrix,) = re.findall(r"python: \[(.*)\]", tests)
    assert [version.strip(' "') for version in matrix.split(",")] == promised
    assert PROJECT["requires-python"] == f">={promised[0]}"


def test_workflows_call_targets_that_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for workflow in (ROOT / ".github" / "workflows").glob("*.yml"):
        for target in re.findall(r"run: make ([a-z-]+)", workflow.read_text(encoding="utf-8")):
            assert re.search(rf"^{target}:", makefile, re.M), target
