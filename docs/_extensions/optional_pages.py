"""Toctrees that know which pages there are.

An entry that ends with a question mark is left out while there is no such page. The entry
``rest?`` stands for all pages of ``docs/`` that no other entry names, so that a page which is added
needs no further step.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

OPTIONAL = re.compile(r"^/?([a-z/-]+)\?\n", re.MULTILINE)
ENTRY = re.compile(r"^/?([a-z-]+)\??$|<([a-z-]+)>$", re.MULTILINE)


def rest(source: Path) -> list[str]:
    """Return the pages at the top of the documentation that no toctree names."""
    listing = [source / "index.md", source / "developers.md", source / "guide" / "index.md"]
    named = {
        plain or titled
        for page in listing
        for plain, titled in ENTRY.findall(page.read_text(encoding="utf-8"))
    }
    return sorted({page.stem for page in source.glob("*.md")} - named - {"index"})


def settle(app: Any, docname: str, source: list[str]) -> None:
    """Keep the entries whose page exists, without the mark."""

    def entry(found: re.Match[str]) -> str:
        if found[1] == "rest":
            return "".join(f"/{name}\n" for name in rest(Path(app.srcdir)))
        exists = Path(app.srcdir, f"{found[1]}.md").exists()
        return f"/{found[1]}\n" if exists else ""

    source[0], found = OPTIONAL.subn(entry, source[0])
    if found:
        app.env.note_reread()  # what it lists may change without it


def setup(app: Any) -> dict[str, bool]:
    """Look at every page as it is read."""
    app.connect("source-read", settle)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
