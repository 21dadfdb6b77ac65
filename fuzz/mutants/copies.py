"""A copy of the package with one bug, and with the compiled kernels that the bug leaves valid."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import frugalsvm
from fuzz.mutants.catalogue import Mutant


class Copies:
    """One place for the copy: compiled kernels know their sources by path and time.

    A warm set of kernels is compiled once from the package as it is. For every mutant it is copied,
    and the sources that import the changed one are marked as new, so that only what they hold is
    compiled again.
    """

    def __init__(self, folder: Path) -> None:
        self.package = folder / "source" / "frugalsvm"
        self.cache = folder / "kernels"
        self.warm = folder / "warm-kernels"
        self.original = Path(frugalsvm.__file__).parent

    @property
    def environment(self) -> dict[str, str]:
        """Variables of a process that is to use the copy."""
        return {
            "PYTHONPATH": f"{self.package.parent}:{Path(__file__).parents[2]}",
            "NUMBA_CACHE_DIR": str(self.cache),
            "PYTHONDONTWRITEBYTECODE": "1",
        }

    def restore(self) -> None:
        """Make the copy equal to the package, times included."""
        shutil.rmtree(self.package, ignore_errors=True)
        shutil.copytree(self.original, self.package, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.rmtree(self.cache, ignore_errors=True)
        if self.warm.exists():
            shutil.copytree(self.warm, self.cache)

    def keep_warm(self) -> None:
        """Keep the kernels that are compiled now for all mutants."""
        shutil.rmtree(self.warm, ignore_errors=True)
        shutil.copytree(self.cache, self.warm)

    def apply(self, mutant: Mutant) -> None:
        """Put the bug in; complain if its text is not found exactly once."""
        path = self.package / mutant.file
        if not path.exists():
            raise LookupError(f"{mutant.oracle}: no file {mutant.file}; adapt the catalogue")
        text = path.read_text()
        if text.count(mutant.old) != 1:
            raise LookupError(
                f"{mutant.oracle}: {text.count(mutant.old)} times in {mutant.file}, must be once: "
                f"{mutant.old!r}; adapt fuzz/mutants/catalogue.py"
            )
        path.write_text(text.replace(mutant.old, mutant.new))
        for dependent in self._dependents(mutant.file):
            (self.package / dependent).touch()

    def _dependents(self, file: str) -> set[str]:
        """Return the files that import a file, directly or through others."""
        imports = {
            str(path.relative_to(self.package)): _imported(path.read_text())
            for path in self.package.rglob("*.py")
        }
        found, fresh = set[str](), {file}
        while fresh:
            found |= fresh
            fresh = {name for name, uses in imports.items() if uses & found} - found
        return found - {file}


def _imported(text: str) -> set[str]:
    """Return the files that a source imports from the package."""
    names = re.findall(r"from frugalsvm\.([\w.]+) import", text)
    return {name.replace(".", "/") + ".py" for name in names}
