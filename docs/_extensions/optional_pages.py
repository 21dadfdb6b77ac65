"""Entries of a toctree that end with a question mark are left out while there is no such page."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

OPTIONAL = re.compile(r"^/?([a-z/-]+)\?\n", re.MULTILINE)


def settle(app: Any, docname: str, source: list[str]) -> None:
    """Keep the entries whose page exists, without the mark."""

    def entry(found: re.Match[str]) -> str:
        exists = Path(app.srcdir, f"{found[1]}.md").exists()
        return f"/{found[1]}\n" if exists else ""

    source[0] = OPTIONAL.sub(entry, source[0])


def setup(app: Any) -> dict[str, bool]:
    """Look at every page as it is read."""
    app.connect("source-read", settle)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
