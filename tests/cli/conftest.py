"""Fixtures of the command line's tests."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from cli_tools import COSTS, frugalsvm, patients, write_rows  # needs the path above

FIT = ("--target", "diagnosis", "--positive", "ill", "--exclude", "id", "--min-tpr", 0.9)
TRAINING = ("--rates", "training")
LIMITS = ("--min-tnr", 0.9, "--time-limit", 30)


@pytest.fixture(scope="session")
def clinic(tmp_path_factory):
    """A folder with a table, a price list, and a model fitted to them by the command line."""
    folder = tmp_path_factory.mktemp("clinic")
    write_rows(folder / "data.csv", patients())
    (folder / "costs.csv").write_text(COSTS)
    result = frugalsvm(
        "fit",
        folder / "data.csv",
        *FIT,
        *LIMITS,
        *TRAINING,
        "--costs",
        folder / "costs.csv",
        "--model",
        folder / "model.json",
        "--json",
    )
    assert result.code == 0, result.err
    (folder / "fit.json").write_text(result.out)
    return folder
