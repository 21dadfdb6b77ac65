"""Kernels kept on disk are used only if nothing that was compiled into them has changed."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from frugalsvm.margin.solver import compiled as pointer
from frugalsvm.runtime import kernel_stamps
from frugalsvm.search.oracles import batch_kernels

BATCH = Path(batch_kernels.__file__)


def test_imports_are_found_as_python_sees_them() -> None:
    for path in kernel_stamps.PACKAGE.rglob("*.py"):
        assert kernel_stamps.imported(path) == _imported(path), path
    assert len(kernel_stamps.imported(BATCH)) >= 10


def _imported(path: Path) -> set[Path]:
    found = set[Path]()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "frugalsvm":
            folder = kernel_stamps.PACKAGE.joinpath(*str(node.module).split(".")[1:])
            modules = [folder / f"{name.name}.py" for name in node.names]
            found |= {folder.with_suffix(".py"), folder / "__init__.py", *modules}
    return {path for path in found if path.is_file()}


def test_numba_is_told() -> None:
    kept = batch_kernels.by_cells._cache._cache_file
    assert kept._source_stamp == kernel_stamps.stamp_of(BATCH)
    kept = pointer.solver()._cache._cache_file
    assert kept._source_stamp == kernel_stamps.stamp_of(Path(pointer.__file__))


def test_nobody_compiles_without_a_stamp() -> None:
    for path in kernel_stamps.PACKAGE.rglob("*.py"):
        if path.name != "compiled.py" or path.parent.name != "runtime":
            assert "cache=True" not in path.read_text(), path


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "inner").mkdir()
    files = {
        "kernel.py": "from frugalsvm.inner import helper\n",
        "inner/__init__.py": "",
        "inner/helper.py": "from frugalsvm.constants import (\n    A,\n    B,\n)\n",
        "constants.py": "A = 1\nB = 2\n",
        "other.py": "from frugalsvm.kernel import f\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(kernel_stamps, "PACKAGE", tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("changed", "stale"),
    [
        ("kernel.py", True),
        ("inner/helper.py", True),
        ("inner/__init__.py", True),
        ("constants.py", True),
        ("other.py", False),
    ],
)
def test_a_stamp_follows_the_sources(package: Path, changed: str, stale: bool) -> None:
    before = kernel_stamps.stamp_of(package / "kernel.py")
    with (package / changed).open("a") as file:
        file.write("# changed\n")
    for remembered in (kernel_stamps.stamp_of, kernel_stamps.imported, kernel_stamps._digest):
        remembered.cache_clear()
    assert (kernel_stamps.stamp_of(package / "kernel.py") != before) == stale
