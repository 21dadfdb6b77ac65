"""Time the frontier on wisconsin against its hardest single target.

The grid has 8 x 8 targets from 0.80 to 0.99 and unit costs. The frontier is timed as a whole, with
the training and cross-validation of its points. The hardest single targets are then searched for
alone, by a fresh `FrugalSelector` with as many threads as the frontier had: those that kept the
frontier busy the longest, and the tightest pair.

    python benchmarks/frontier.py [--time-limit 60] [--jobs 2] [--out FILE]
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer

from frugalsvm import Frontier, FrugalSelector, InfeasibleRatesError, NoSolutionError, frontier

RATES = np.linspace(0.80, 0.99, 8)
LIMIT = 5.0
"""The frontier has to take less than this many times its hardest target."""


def main() -> int:
    """Run the benchmark; 0 if the frontier keeps its limit."""
    options = _options()
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    _warm_up(X, y)
    start = time.perf_counter()
    found = frontier(
        X,
        y,
        min_tprs=RATES,
        min_tnrs=RATES,
        time_limit=options.time_limit,
        n_jobs=options.jobs,
        callback=lambda p: print(f"{p.seconds:7.1f} s  {p.settled:2d}/{p.total}  {p.detail}"),
    )
    whole = time.perf_counter() - start
    singles = [
        _single(X, y, pair, options.time_limit, options.jobs)
        for pair in _hardest(found, options.singles)
    ]
    hardest = max(single["seconds"] for single in singles)
    record = {
        "frontier_seconds": whole,
        "pairs": len(found.points),
        "searched": sum(p.searched for p in found.points),
        "settled": sum(p.status in ("optimal", "infeasible") for p in found.points),
        "efficient": len(found.efficient),
        "singles": singles,
        "hardest_seconds": hardest,
        "ratio": whole / hardest,
        "jobs": options.jobs,
        "time_limit": options.time_limit,
    }
    print(json.dumps(record, indent=2))
    if options.out:
        Path(options.out).write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    return int(record["ratio"] >= LIMIT)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Time the frontier on wisconsin.")
    parser.add_argument("--time-limit", type=float, default=60.0, help="seconds for each target")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--singles", type=int, default=2, help="how many targets to search alone")
    parser.add_argument("--out", help="a JSON file for the figures")
    return parser.parse_args()


def _warm_up(X: object, y: object) -> None:
    """Have everything compiled before the clock starts."""
    frontier(X, y, min_tprs=[0.9, 0.95], min_tnrs=[0.9], time_limit=5, cv=2)


def _hardest(found: Frontier, count: int) -> list[tuple[float, float]]:
    slowest = sorted(found.points, key=lambda p: p.seconds, reverse=True)[:count]
    pairs = [(p.min_tpr, p.min_tnr) for p in slowest] + [(RATES[-1], RATES[-1])]
    return list(dict.fromkeys((float(a), float(b)) for a, b in pairs))


def _single(
    X: object, y: object, pair: tuple[float, float], time_limit: float, jobs: int
) -> dict[str, object]:
    start = time.perf_counter()
    try:
        selector = FrugalSelector(*pair, time_limit=time_limit, n_jobs=jobs).fit(X, y)
        outcome = f"{selector.status_}, cost {selector.cost_:g}, bound {selector.bound_:g}"
    except (InfeasibleRatesError, NoSolutionError) as error:
        outcome = type(error).__name__
    seconds = time.perf_counter() - start
    print(f"TPR >= {pair[0]:.4f}, TNR >= {pair[1]:.4f} alone: {seconds:.1f} s ({outcome})")
    return {"min_tpr": pair[0], "min_tnr": pair[1], "seconds": seconds, "outcome": outcome}


if __name__ == "__main__":
    raise SystemExit(main())
