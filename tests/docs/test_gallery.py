"""The gallery's examples run as they are, and draw something."""

from __future__ import annotations

import runpy
import warnings
from collections.abc import Iterator
from pathlib import Path

import matplotlib as mpl
import pytest

mpl.use("Agg")

import matplotlib.pyplot as plt

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("plot_*.py"))
LONG = {"plot_cluster", "plot_frontier", "plot_alternatives", "plot_credit", "plot_kernels"}
"""Examples that take more than a few seconds: run by ``make docs`` and ``make test-slow``."""


@pytest.fixture(autouse=True)
def _no_figures_left() -> Iterator[None]:
    plt.close("all")
    yield
    plt.close("all")


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, marks=[pytest.mark.slow] if path.stem in LONG else [], id=path.stem)
        for path in EXAMPLES
    ],
)
def test_example_runs_and_draws(path: Path) -> None:
    with warnings.catch_warnings():
        # A slow machine may reach a time limit, and Agg shows no figures.
        warnings.simplefilter("ignore", UserWarning)
        warnings.simplefilter("ignore", ResourceWarning)
        runpy.run_path(str(path), run_name="__main__")
    assert plt.get_fignums()


def test_there_are_examples_for_what_the_guide_promises() -> None:
    assert len(EXAMPLES) >= 8
    assert {path.stem for path in EXAMPLES} >= LONG
