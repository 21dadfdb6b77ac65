"""Time the exact search for supports against Gurobi, HiGHS and SCIP on the paper's P1.

    python benchmarks/selection.py --limit 60 --folds 0 1 2 --rivals gurobi highs scip

Every run gets the same problem, time limit and threads, one after the other in one process.
The table grows as the runs end and is written to a JSON file, from which an interrupted run
resumes (runs that are in the file are not repeated; delete it to start anew).
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from first_use import first_and_later, shown
from frugalsvm.data.problem import SelectionProblem
from frugalsvm.data.rates import ErrorBudget, RateTargets
from frugalsvm.data.result import SelectionResult
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.search import search
from selection_instances import (
    COSTS,
    NURSERY,
    PAPER,
    WIDE,
    paper_problem,
    planted,
    selection_problem,
)

OURS = "frugalsvm"
Record = dict[str, Any]


def cases(options: argparse.Namespace) -> Iterator[tuple[str, int, str, bool]]:
    """Yield instance name, fold, costs, and whether the rivals can take it."""
    for kind in options.costs:
        for instance in PAPER:
            if kind == "groups" and instance.data != "wisconsin":
                continue
            for fold in options.folds:
                yield instance.name, fold, kind, True
    if "unit" in options.costs:
        for instance in (*WIDE, NURSERY):
            yield instance.name, 0, "unit", False
        yield "synthetic 200x50000", 0, "unit", False
        yield "synthetic 200000x50", 0, "unit", False


def make_problem(name: str, fold: int, kind: str) -> SelectionProblem:
    """Return the problem of a case."""
    if name == "synthetic 200x50000":
        X, y = planted(200, 50_000, informative=2, noise=0.0)
        return selection_problem(X, y, ErrorBudget(2, 2))
    if name == "synthetic 200000x50":
        X, y = planted(200_000, 50, informative=2, noise=0.1)
        return selection_problem(X, y, RateTargets(0.95, 0.95))
    instance = next(i for i in (*PAPER, *WIDE, NURSERY) if i.name == name)
    return paper_problem(instance, fold, kind)


def run_ours(problem: SelectionProblem, options: argparse.Namespace) -> SelectionResult:
    """Search."""
    return search(problem, stop=Stopper(options.limit), threads=options.threads)


def run_rival(name: str, problem: SelectionProblem, options: argparse.Namespace) -> SelectionResult:
    """Solve P1 as written."""
    from frugalsvm.models import ModelOptions, get_solver

    return get_solver(name).solve_selection(
        problem, stop=Stopper(options.limit), options=ModelOptions(threads=options.threads)
    )


def measure(solver: str, problem: SelectionProblem, options: argparse.Namespace) -> Record:
    """Run one solver; return its interval, time and memory as plain data."""
    started = time.perf_counter()
    result = run_ours(problem, options) if solver == OURS else run_rival(solver, problem, options)
    seconds = time.perf_counter() - started
    return {
        "status": result.status.value,
        "cost": result.cost if math.isfinite(result.cost) else None,
        "bound": result.bound if math.isfinite(result.bound) else None,
        "seconds": round(seconds, 4),
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "support": list(result.support),
        "budget": [problem.budget.pos, problem.budget.neg],
        "shape": list(problem.X.shape),
    }


def certificate_time(record: Record, limit: float) -> float:
    """Return the seconds to the certificate; the limit without one."""
    return min(record["seconds"], limit) if record["status"] == "optimal" else limit


def interval(record: Record) -> str:
    """Return cost or [bound, cost]."""
    if record["status"] == "optimal":
        return f"{record['cost']:g}"
    shown = ["-" if record[end] is None else f"{record[end]:g}" for end in ("bound", "cost")]
    return f"[{shown[0]},{shown[1]}]"


def line(case: str, solver: str, record: Record, ours: Record | None, limit: float) -> str:
    """Return a line of the table, with the ratio to our time."""
    ratio = ""
    if ours is not None and solver != OURS:
        mine = max(certificate_time(ours, limit), 1e-4)
        ratio = f"{certificate_time(record, limit) / mine:10.1f}x"
    return f"{case:44s} {solver:10s} {interval(record):>12s} {record['seconds']:9.3f} s {ratio}"


def summary(results: dict[str, Record], options: argparse.Namespace) -> list[str]:
    """Return the geometric means of the ratios over what both solvers ran."""
    lines = []
    for kind in options.costs:
        for rival in options.rivals:
            ratios = [
                certificate_time(results[key], options.limit)
                / max(
                    certificate_time(results[key.rsplit("|", 1)[0] + "|" + OURS], options.limit),
                    1e-4,
                )
                for key in results
                if key.endswith(f"|{kind}|{rival}")
                and key.rsplit("|", 1)[0] + "|" + OURS in results
            ]
            if ratios:
                mean = float(np.exp(np.mean(np.log(ratios))))
                lines.append(f"{kind}: {rival} takes {mean:.1f} times as long ({len(ratios)} runs)")
    for kind in ("prices", "groups"):
        pairs = [
            certificate_time(results[key], options.limit)
            / max(
                certificate_time(results[key.replace(f"|{kind}|", "|unit|")], options.limit), 1e-3
            )
            for key in results
            if key.endswith(f"|{kind}|{OURS}") and key.replace(f"|{kind}|", "|unit|") in results
        ]
        if pairs:
            mean = float(np.exp(np.mean(np.log(pairs))))
            lines.append(f"{kind}: {mean:.2f} times our time with unit costs ({len(pairs)} runs)")
    return lines


def parse() -> argparse.Namespace:
    """Return the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--limit", type=float, default=60.0, help="seconds for each run")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--folds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--costs", nargs="+", choices=COSTS, default=list(COSTS))
    parser.add_argument(
        "--instances", nargs="+", default=[], help="only names that hold one of these"
    )
    parser.add_argument("--rivals", nargs="*", default=["gurobi", "highs", "scip"])
    parser.add_argument("--rival-costs", nargs="*", choices=COSTS, default=["unit"])
    parser.add_argument("--output", type=Path, default=Path("benchmarks/selection.json"))
    return parser.parse_args()


def warm_up(threads: int) -> None:
    """Compile the kernels, or load them: no run is to pay for that."""
    for instance in PAPER:
        search(paper_problem(instance, 1), stop=Stopper(1.0), threads=threads)


def main() -> None:
    """Run what is missing, print the table, write the JSON."""
    options = parse()
    document: dict[str, Any] = {"results": {}}
    if options.output.exists():
        document = json.loads(options.output.read_text())
    document |= {"limit": options.limit, "threads": options.threads}
    results: dict[str, Record] = document["results"]
    if "first_use" not in document:
        document["first_use"] = first_and_later()
    for title, figures in zip(("first use", "later process"), document["first_use"], strict=True):
        print(shown(title, figures), flush=True)
    warm_up(options.threads)
    for name, fold, kind, rivals_too in cases(options):
        if options.instances and not any(part in name for part in options.instances):
            continue
        problem = None
        rivals = options.rivals if rivals_too and kind in options.rival_costs else []
        for solver in (OURS, *rivals):
            key = f"{name}|{fold}|{kind}|{solver}"
            if key not in results:
                problem = problem or make_problem(name, fold, kind)
                results[key] = measure(solver, problem, options)
                options.output.write_text(json.dumps(document, indent=1) + "\n")
            ours = results.get(f"{name}|{fold}|{kind}|{OURS}")
            title = f"{name} fold {fold} {kind}"
            print(line(title, solver, results[key], ours, options.limit), flush=True)
    print("\n".join(summary(results, options)))


if __name__ == "__main__":
    main()
