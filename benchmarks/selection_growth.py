"""Plot how the time of the search grows with samples, features and the size of the optimum.

    python benchmarks/selection_growth.py

Writes docs/growth-selection.png and .svg. The data are normal features of which some are
informative; a point is one search to its certificate (or the limit, drawn hollow).
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from frugalsvm.data.rates import RateTargets
from frugalsvm.data.result import Status
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.search import search
from selection_instances import planted, selection_problem

SAMPLES = (100, 300, 1_000, 3_000, 10_000, 30_000, 100_000)
FEATURES = (10, 30, 100, 300, 1_000, 3_000, 10_000)
SIZES = (1, 2, 3, 4, 5)


def timed(n_samples: int, n_features: int, informative: int, limit: float) -> tuple[float, bool]:
    """Return the seconds of one search, and whether it ended with a certificate."""
    X, y = planted(n_samples, n_features, informative, noise=0.05, seed=1)
    problem = selection_problem(X, y, RateTargets(0.97, 0.97))
    started = time.perf_counter()
    result = search(problem, stop=Stopper(limit), threads=2)
    return time.perf_counter() - started, result.status is Status.OPTIMAL


def panel(
    axes: plt.Axes, label: str, values: tuple[int, ...], points: list[tuple[float, bool]]
) -> None:
    """Draw one curve; hollow points ran into the limit."""
    seconds = [point[0] for point in points]
    axes.plot(values, seconds, color="#1f5a8a", linewidth=1.2)
    for value, (second, certified) in zip(values, points, strict=True):
        axes.plot(
            value, second, "o", color="#1f5a8a", markerfacecolor="#1f5a8a" if certified else "white"
        )
    axes.set_xlabel(label)
    axes.set_yscale("log")
    axes.grid(alpha=0.3)


def main() -> None:
    """Measure, print and plot."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--limit", type=float, default=60.0)
    parser.add_argument("--folder", type=Path, default=Path("docs"))
    options = parser.parse_args()
    timed(100, 10, 3, options.limit)  # compile, once
    sweeps = (
        ("samples (30 features, optimum 2)", SAMPLES, [(n, 30, 2) for n in SAMPLES]),
        ("features (200 samples, optimum 2)", FEATURES, [(200, m, 2) for m in FEATURES]),
        ("size of the optimum (200 x 20)", SIZES, [(200, 20, k) for k in SIZES]),
    )
    figure, all_axes = plt.subplots(1, 3, figsize=(11, 3.4), sharey=True)
    for axes, (label, values, shapes) in zip(all_axes, sweeps, strict=True):
        points = []
        for shape in shapes:
            points.append(timed(*shape, options.limit))
            print(
                label,
                shape,
                f"{points[-1][0]:.3f} s",
                "" if points[-1][1] else "(limit)",
                flush=True,
            )
        panel(axes, label, values, points)
    for axes in all_axes[:2]:
        axes.set_xscale("log")
    all_axes[0].set_ylabel("seconds to the certificate")
    figure.tight_layout()
    plt.rcParams["svg.hashsalt"] = "growth-selection"  # the same picture, byte by byte
    for ending in ("png", "svg"):
        figure.savefig(options.folder / f"growth-selection.{ending}", dpi=130)


if __name__ == "__main__":
    main()
