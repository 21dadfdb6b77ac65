"""Check that every internal link of a built site leads to a page, and to a place on it.

Run by ``make docs``: ``python docs/check_links.py docs/_build/html``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LINKS = {"a": "href", "link": "href", "img": "src", "script": "src", "source": "src"}


class Page(HTMLParser):
    """The links that a page has, and the places on it that links may name."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.places: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the links and the names of an element."""
        given = dict(attrs)
        self.places |= {value for key in ("id", "name") if (value := given.get(key))}
        target = given.get(LINKS.get(tag, ""))
        if target:
            self.links.append(target)


def broken_links(site: Path) -> Iterator[tuple[Path, str]]:
    """Yield the page and the target of every internal link that leads nowhere."""
    found = [path for path in site.rglob("*.html") if "_static" not in path.parts]
    pages = {path.resolve(): Page(path) for path in found}
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if target.is_dir():
                target /= "index.html"
            known = pages.get(target)
            missing_place = parts.fragment and known and unquote(parts.fragment) not in known.places
            if not target.exists() or missing_place:
                yield path.relative_to(site.resolve()), link


def main() -> int:
    """Print what is broken, and return 1 if anything is."""
    site = Path(sys.argv[1])
    if not (site / "index.html").exists():
        print(f"{site} holds no site: it has no index.html. Run make docs first.")
        return 1
    broken = sorted(set(broken_links(site)))
    for page, link in broken:
        print(f"{page}: {link} leads nowhere")
    print(f"{len(list(site.rglob('*.html')))} pages, {len(broken)} broken internal links")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
