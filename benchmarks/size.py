"""Measure selection and training on large data: seconds, memory, cost and bound, and a greedy.

    python benchmarks/size.py --seed 11 --limit 60 --out size.json

Every case is a process of its own, so that the peak of its memory is its own: data included. The
limit is in seconds that the process computes, for a machine that does other things besides. The
rival is a forward selection with exact thresholds, by what a feature does for its price and
regardless of it, after a univariate test where there are many features; it may take any time.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import subprocess
import sys
import time
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

import answers_rivals
from frugalsvm import FrugalSelector, NoSolutionError, RateSVC, compile_kernels
from frugalsvm.data.problem import SelectionProblem
from frugalsvm.data.rates import RateTargets
from frugalsvm.runtime import stopping
from selection_instances import standardised
from size_data import SELECTION, TRAINING, Data

Record = dict[str, Any]
SCREENED = 1_000  # features that the rival keeps of many


def selected(data: Data, limit: float) -> Record:
    """Return what the selection finds, and what it takes."""
    before, started = time.process_time(), time.perf_counter()
    selector = FrugalSelector(
        min_tpr=data.rate, min_tnr=data.rate, feature_costs=data.prices, time_limit=limit
    )
    try:
        result = selector.fit(data.X, data.y).result_
    except NoSolutionError as error:
        print(error, file=sys.stderr)
        return {"cost": math.inf, "bound": 0.0} | usage(before, started, limit)
    history = [[step.seconds, step.cost, step.bound, step.phase] for step in result.history]
    return {
        "cost": result.cost,
        "bound": result.bound,
        "status": selector.status_,
        "size": len(result.support),
        "history": history,
    } | usage(before, started, limit)


def trained(data: Data, kernel: str, limit: float) -> Record:
    """Return what the training finds, and what it takes."""
    before, started = time.process_time(), time.perf_counter()
    svc = RateSVC(min_tpr=data.rate, min_tnr=data.rate, kernel=kernel, time_limit=limit)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        svc.fit(data.X, data.y)
    return {"cost": svc.objective_, "bound": svc.bound_, "status": svc.status_} | usage(
        before, started, limit
    )


def rival(data: Data) -> Record:
    """Return what a greedy finds: the cheaper of two."""
    prices, kept = data.prices, np.arange(data.X.shape[1])
    if len(kept) > SCREENED:
        kept = screened(data)
    table = data.X[:, kept]
    X = standardised(table if isinstance(table, np.ndarray) else table.toarray())
    nothing = np.zeros(len(kept), dtype=bool)
    budget = RateTargets(data.rate, data.rate).budget(int(data.y.sum()), int((~data.y).sum()))
    costs = type(data)(X, data.y, data.rate, prices[kept]).costs
    problem = SelectionProblem(X, data.y, budget, costs, nothing, nothing)
    found = [answers_rivals.run(name, problem) for name in ("forward", "cost-aware greedy")]
    return {
        "cost": min(one.cost for one in found),
        "seconds": sum(one.seconds for one in found),
    }


def screened(data: Data) -> Any:
    """Return the features that differ most between the classes, for their price."""
    apart = np.abs(data.X.T @ np.where(data.y, 1.0 / data.y.sum(), -1.0 / (~data.y).sum()))
    mean = data.X.mean(axis=0)
    square = (data.X**2).mean(axis=0) - mean**2
    worth = apart / np.sqrt(np.maximum(square, 1e-12)) / np.sqrt(data.prices)
    return np.sort(np.argsort(-worth, kind="stable")[:SCREENED])


def usage(before: float, started: float, limit: float) -> Record:
    """Return seconds, computed ones, those beyond the limit, and the peak of the memory in GB."""
    seconds = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    return {
        "seconds": seconds,
        "overrun": max(0.0, time.process_time() - before - limit),
        "cpu": time.process_time() - before,
        "peak": peak,
    }


def child(name: str, seed: int, limit: float, of_rival: bool) -> Record:
    """Run one case in this process."""
    stopping.time = SimpleNamespace(perf_counter=time.process_time)  # type: ignore[attr-defined]
    if name in TRAINING:
        kernel, make = TRAINING[name]
        return trained(make(seed), kernel, limit)
    data = SELECTION[name](seed)
    record = rival(data) if of_rival else selected(data, limit)
    return record | {"rate": data.rate}


def in_a_process(name: str, seed: int, limit: float, *more: str) -> Record:
    """Run one case in a process of its own."""
    command = [sys.executable, __file__, "--case", name, "--seed", str(seed), "--limit", str(limit)]
    done = subprocess.run([*command, *more], capture_output=True, text=True)
    if done.returncode:
        return {"error": done.stderr.strip().splitlines()[-1]}
    record: Record = json.loads(done.stdout.splitlines()[-1])
    return record


def line(name: str, record: Record) -> str:
    """Return a row of the table that is printed."""
    own, other = record["own"], record.get("rival", {})
    if "error" in own:
        return f"{name:36} {own['error']}"
    text = (
        f"{name:36} [{own['bound']:g}, {own['cost']:g}] {own['seconds']:6.1f} s "
        f"({own['cpu']:.0f} CPU s), overrun {own['overrun']:.1f} s, {own['peak']:.2f} GB"
    )
    return text + (f" | greedy {other['cost']:g} in {other['seconds']:.0f} s" if other else "")


def main() -> None:
    """Run what is not in the file yet."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0, help="10 and above: to measure only")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds for each fit")
    parser.add_argument("--only", nargs="*", help="parts of names")
    parser.add_argument("--out", type=Path, default=Path("size.json"))
    parser.add_argument("--no-rival", action="store_true")
    parser.add_argument("--case", help=argparse.SUPPRESS)
    parser.add_argument("--of-rival", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.case:
        print(json.dumps(child(options.case, options.seed, options.limit, options.of_rival)))
        return
    records: dict[str, Record] = {}
    if options.out.exists():
        records = json.loads(options.out.read_text())
    compile_kernels()
    for name in (*SELECTION, *TRAINING):
        if options.only and not any(part in name for part in options.only):
            continue
        record = records.setdefault(name, {})
        if "own" not in record:
            record["own"] = in_a_process(name, options.seed, options.limit)
        if name in SELECTION and "rival" not in record and not options.no_rival:
            record["rival"] = in_a_process(name, options.seed, options.limit, "--of-rival")
        options.out.write_text(json.dumps(records, indent=1) + "\n")
        print(line(name, record), flush=True)


if __name__ == "__main__":
    main()
