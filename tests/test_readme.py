"""What the README shows works as shown."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def block(language: str, containing: str) -> str:
    """Return the README's code block of this language that contains this text."""
    found = [b for b in re.findall(rf"```{language}\n(.*?)```", README, re.S) if containing in b]
    assert len(found) == 1
    return str(found[0])


def run(command: list[str], folder: Path) -> str:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, env=os.environ | {"PATH": path}
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_python_example(tmp_path: Path) -> None:
    code = block("python", "FrugalSVC") + block("python", "panel_.predict")
    shown = run([sys.executable, "-c", code], tmp_path)
    assert "2.0 2.0 optimal" in shown


def test_the_command_line_example(tmp_path: Path) -> None:
    pytest.importorskip("typer")
    lines = block("sh", "frugalsvm fit").strip().splitlines()
    assert len(lines) == 5
    for line in lines:
        run(["sh", "-c", line], tmp_path)
    assert (tmp_path / "panel.html").stat().st_size > 10_000
    assert len((tmp_path / "predictions.csv").read_text().splitlines()) == 570


def test_the_first_commands_exist() -> None:
    targets = re.findall(r"^make ([a-z-]+)", block("sh", "make demo"), re.M)
    makefile = (ROOT / "Makefile").read_text()
    assert targets == ["demo", "test"]
    assert all(re.search(rf"^{target}:", makefile, re.M) for target in targets)


def test_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\((?!https?://)([^)]+)\)", README):
        assert (ROOT / target).exists(), target
