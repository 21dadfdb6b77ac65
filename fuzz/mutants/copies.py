"""A copy of the package with one bug, and with the compiled kernels that the bug leaves valid."""

from __future__ import annotations

import shutil
from pathlib import Path

import frugalsvm
from fuzz.mutants.catalogue import Mutant


class Copies:
    """One place for the copy: compiled kernels know their sources by path.

    A warm set of kernels is compiled once from the package as it is. For every mutant it is copied;
    the library compiles those again that the changed source has a part in.
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
        """Make the copy equal to the package."""
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
