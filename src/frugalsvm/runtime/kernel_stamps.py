"""When kernels kept on disk are out of date: if any source that they were compiled from changed.

numba looks at the file that a kernel is in and at no other, but what a kernel calls, and the
constants that it reads, are compiled into it: after an upgrade that changes a helper alone, the
kernels of the version before would go on being used. Their stamp is therefore made of all sources
of the package that the kernel's file imports, directly or through others.
"""

from __future__ import annotations

import hashlib
import re
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

PACKAGE = Path(__file__).parents[1]
IMPORT = re.compile(r"^\s*from frugalsvm((?:\.\w+)*) import (\([^)]*\)|[^(\n]*)", re.MULTILINE)

T = TypeVar("T")


def stamped(kernel: T, file: str) -> T:
    """Return a dispatcher whose kernels on disk are used only if no source of theirs changed.

    Without a cache (compiling is switched off, or there is no place for one) nothing is done.
    """
    kept: Any = getattr(getattr(kernel, "_cache", None), "_cache_file", None)
    if kept is not None:
        kept._source_stamp = stamp_of(Path(file))
    return kernel


@cache
def stamp_of(file: Path) -> str:
    """Return what tells one state of a file, and of all that it imports, from another."""
    found: set[Path] = set()
    fresh = {file}
    while fresh:
        found |= fresh
        fresh = {name for source in fresh for name in imported(source)} - found
    return hashlib.sha256("".join(_digest(source) for source in sorted(found)).encode()).hexdigest()


@cache
def imported(file: Path) -> frozenset[Path]:
    """Return the package's files that a file imports from; names may be modules, too."""
    found = set[Path]()
    for module, names in IMPORT.findall(file.read_text(encoding="utf-8")):
        folder = PACKAGE.joinpath(*module.split(".")[1:])
        candidates = [folder.with_suffix(".py"), folder / "__init__.py"]
        candidates += [folder / f"{name}.py" for name in re.findall(r"\w+", names)]
        found |= {path for path in candidates if path.is_file()}
    return frozenset(found)


@cache
def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()
