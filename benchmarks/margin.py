"""How fast rate-constrained SVMs are trained, beside SCIP and CPLEX's free edition.

Every solver gets the same rows (identical samples merged), the same time limit and gap, and one
thread. Results are written as they come, so a run that was stopped can be resumed.

    python benchmarks/margin.py --rivals scip cplex --time-limit 60 --out margin.json
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics.pairwise import rbf_kernel

from frugalsvm.data.problem import MarginProblem
from frugalsvm.margin import train, train_grid, train_path
from frugalsvm.runtime.stopping import Stopper
from margin_instances import (
    WISCONSIN,
    Instance,
    large_instances,
    linear_instances,
    radial_instances,
    training_fold,
)
from margin_quality import quality
from margin_rivals import cplex_p2, scip_p2

RIVALS: dict[str, Callable[..., dict[str, Any]]] = {"scip": scip_p2, "cplex": cplex_p2}
GRID = [2.0**k for k in range(-5, 6)]
PARTS = ["linear", "radial", "path", "grid", "large", "quality"]
LARGE_LIMIT = 45.0  # a minute at most, whatever the time limit of the others
QUALITY_LIMIT = 2.0
"""Seconds for each certified optimum that the quality of inner loops is held against."""


def ours(instance: Instance, time_limit: float) -> dict[str, Any]:
    """Train once; wall and processor time, without compilation."""
    problem = instance.problem()
    wall, processor = time.perf_counter(), time.process_time()
    result = train(problem, stop=Stopper(time_limit), tolerance=instance.tolerance)
    return {
        "status": str(result.status),
        "objective": result.objective,
        "bound": result.bound,
        "gap": result.gap,
        "seconds": time.perf_counter() - wall,
        "processor_seconds": time.process_time() - processor,
        "nodes": result.details["nodes"],
        "peak_megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def c_path() -> dict[str, Any]:
    """Train the eleven values of C for the linear kernel at the quality of inner loops."""
    problem = WISCONSIN.problem()
    wall, processor = time.perf_counter(), time.process_time()
    results = train_path(problem, GRID, stop=Stopper())
    return {
        "seconds": time.perf_counter() - wall,
        "processor_seconds": time.process_time() - processor,
        "objectives": [result.objective for result in results],
    }


def radial_grid() -> dict[str, Any]:
    """Train the 121 cells of (C, gamma) at the quality of inner loops."""
    X, positive = training_fold("wisconsin")
    X = X[:, list(WISCONSIN.columns)]
    limits = WISCONSIN.problem().limits
    wall, processor = time.perf_counter(), time.process_time()
    grams = (rbf_kernel(X, gamma=gamma) for gamma in GRID)
    problem = MarginProblem(None, None, positive, limits, 1.0)
    paths = train_grid(problem, grams, GRID, stop=Stopper())
    cells = {
        f"{gamma:g} {C:g}": result.objective
        for gamma, path in zip(GRID, paths, strict=True)
        for C, result in zip(GRID, path, strict=True)
    }
    return {
        "seconds": time.perf_counter() - wall,
        "processor_seconds": time.process_time() - processor,
        "objectives": cells,
    }


def line(name: str, found: dict[str, Any], known: float | None) -> str:
    """Return a row of the table."""
    goal = "" if known is None else f" known {known:.6g}"
    return (
        f"{name:<42} {found.get('status', ''):<10} {found.get('objective', math.nan):>12.6g} "
        f"gap {found.get('gap', math.nan):>8.2g} {found['seconds']:>8.3f} s{goal}"
    )


def ratios(done: dict[str, Any]) -> None:
    """Print how many times slower the rivals were, a lower bound where time ran out."""
    for rival in RIVALS:
        pairs = [
            (done[key]["seconds"], done[f"{key} | {rival}"]["seconds"])
            for key in done
            if f"{key} | {rival}" in done
            and "seconds" in done[f"{key} | {rival}"]
            and done[key]["status"] == "optimal"
        ]
        if pairs:
            mean = math.exp(np.mean([math.log(theirs / mine) for mine, theirs in pairs]))
            print(f"{rival}: {mean:.1f} times slower in the geometric mean of {len(pairs)}")


def main() -> None:
    """Run what is asked for and not yet in the file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rivals", nargs="*", choices=sorted(RIVALS), default=[])
    parser.add_argument("--parts", nargs="*", default=PARTS)
    parser.add_argument("--only", default="", help="instances whose name holds this text")
    parser.add_argument("--time-limit", type=float, default=60.0)
    parser.add_argument("--out", type=Path, default=Path("margin-benchmark.json"))
    asked = parser.parse_args()
    done: dict[str, Any] = json.loads(asked.out.read_text()) if asked.out.exists() else {}

    def once(key: str, run: Callable[[], dict[str, Any]], known: float | None = None) -> None:
        if asked.only in key and key not in done:
            done[key] = run()
            asked.out.write_text(json.dumps(done, indent=1))
        if key in done and "seconds" in done[key]:
            print(line(key, done[key], known), flush=True)
        elif key in done and "status" in done[key]:
            print(f"{key:<42} {done[key]['status']}", flush=True)

    warm_up()
    makers = {"linear": linear_instances, "radial": radial_instances, "large": large_instances}
    for part, maker in makers.items():
        for instance in maker() if part in asked.parts else ():
            limit = LARGE_LIMIT if part == "large" else asked.time_limit
            once(instance.name, lambda i=instance, t=limit: ours(i, t), instance.known)
            for rival in asked.rivals if part == "linear" else ():
                solve = RIVALS[rival]
                once(
                    f"{instance.name} | {rival}",
                    lambda i=instance, s=solve: s(i.problem(), asked.time_limit, i.tolerance),
                )
    if "path" in asked.parts:
        once("C path of 11 values, linear", c_path)
    if "grid" in asked.parts:
        once("grid of 121 cells, radial", radial_grid)
    if "quality" in asked.parts:
        once("quality of inner loops", lambda: quality(QUALITY_LIMIT))
        print(json.dumps(done.get("quality of inner loops", {}).get("summary"), indent=1))
    ratios(done)


def warm_up() -> None:
    """Compile, so that no instance pays for it."""
    train(WISCONSIN.problem(), stop=Stopper())


if __name__ == "__main__":
    main()
