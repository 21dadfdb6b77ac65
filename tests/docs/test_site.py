"""The documentation holds every public name, and its links lead somewhere."""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import pytest
from api_pages import RETURNED, page
from check_links import broken_links
from optional_pages import rest, settle

import frugalsvm

DOCS = Path(__file__).parents[2] / "docs"


def test_the_reference_lists_every_public_name_once() -> None:
    listed = re.findall(r"^   (\w+)$", page(), re.M)
    assert sorted(listed) == sorted(frugalsvm.__all__)


def test_the_reference_finds_what_the_functions_return() -> None:
    for module, names in RETURNED.items():
        home = import_module(f"frugalsvm.{module}")
        for name in names:
            assert inspect.isclass(getattr(home, name)), f"{module}.{name}"
            assert getattr(frugalsvm, module.split(".")[0]) is import_module(
                f"frugalsvm.{module.split('.')[0]}"
            ), f"{module}: a public function hides the module"


def test_a_new_page_finds_its_place(tmp_path: Path) -> None:
    (tmp_path / "guide").mkdir()
    (tmp_path / "index.md").write_text("Developers <developers>\n")
    (tmp_path / "guide" / "index.md").write_text("/losses?\n")
    (tmp_path / "developers.md").write_text("/tour?\nrest?\n")
    for name in ("losses", "brand-new"):
        (tmp_path / f"{name}.md").write_text("# A page\n")
    assert rest(tmp_path) == ["brand-new"]
    env = SimpleNamespace(note_reread=lambda: None)
    app = SimpleNamespace(srcdir=tmp_path, env=env)
    for page_name, expected in (("developers", "/brand-new\n"), ("guide/index", "/losses\n")):
        source = [(tmp_path / f"{page_name}.md").read_text()]
        settle(app, page_name, source)
        assert source == [expected]


def test_pages_link_to_pages_that_exist() -> None:
    for source in [*DOCS.glob("*.md"), *DOCS.glob("guide/*.md")]:
        text = source.read_text(encoding="utf-8")
        for target in re.findall(r"\]\((?!https?://|#)([^)#]+)(?:#[^)]*)?\)", text):
            assert (source.parent / target).exists(), f"{source.name}: {target}"
        for name in re.findall(r"\{doc\}`/gallery/(\w+)`", text):
            assert (DOCS.parent / "examples" / f"{name}.py").exists(), f"{source.name}: {name}"
        for name in re.findall(r"\{(?:class|func)\}`frugalsvm\.(\w+)`", text):
            assert name in frugalsvm.__all__, f"{source.name}: {name}"


@pytest.mark.parametrize(
    ("link", "is_broken"),
    [
        ("other.html", False),
        ("other.html#place", False),
        ("#here", False),
        ("https://example.org/absent", False),
        ("absent.html", True),
        ("other.html#absent", True),
        ("#absent", True),
        ("images/absent.png", True),
    ],
)
def test_the_link_check_tells_good_from_broken(tmp_path: Path, link: str, is_broken: bool) -> None:
    (tmp_path / "index.html").write_text(f'<p id="here"><a href="{link}">x</a></p>')
    (tmp_path / "other.html").write_text('<p id="place">y</p>')
    assert [target for _, target in broken_links(tmp_path)] == ([link] if is_broken else [])


def test_code_of_the_first_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    start = (DOCS / "guide" / "start.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", start, re.S)
    assert len(blocks) == 3
    exec(compile("\n".join(blocks), "start.md", "exec"), {})
    assert (tmp_path / "panel.json").exists()
