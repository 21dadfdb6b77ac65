"""Compare the answers of the search with what a user would try instead, at the same time.

    python benchmarks/answers.py --set measure --limit 30 --out answers.json

The search runs once for each case; what it had after a second, after each rival's time and at the
end is read from its history. An interrupted run resumes from the file.
"""

from __future__ import annotations

import argparse
import json
import math
from dataclasses import asdict
from pathlib import Path
from typing import Any

import answers_rivals
from answers_data import Case, cases, problem_of
from frugalsvm import compile_kernels
from frugalsvm.data.result import Progress
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.search import search

LEAST = 1.0  # seconds that a rival's time is taken for, if it was shorter
Record = dict[str, Any]


def cost_after(history: tuple[Progress, ...], seconds: float) -> float:
    """Return the cost of the best answer that was known at a time."""
    return min((step.cost for step in history if step.seconds <= seconds), default=math.inf)


def run(case: Case, limit: float, rivals: dict[str, Record], threads: int) -> Record:
    """Run the search on a case, and the rivals that were not run yet."""
    problem = problem_of(case)
    for name in answers_rivals.RIVALS:
        if name not in rivals:
            rivals[name] = asdict(answers_rivals.run(name, problem))
    result = search(problem, stop=Stopper(limit), threads=threads)
    record: Record = {
        "samples": len(problem.positive),
        "features": problem.n_features,
        "budgets": [problem.budget.pos, problem.budget.neg],
        "cost": result.cost,
        "bound": result.bound,
        "status": result.status.value,
        "seconds": result.seconds,
        "rivals": rivals,
        "after": {
            name: cost_after(result.history, max(LEAST, rival["seconds"]))
            for name, rival in rivals.items()
        },
        "history": [[step.seconds, step.cost, step.bound, step.phase] for step in result.history],
    }
    return record


def dearer(record: Record) -> list[str]:
    """Return the rivals that were cheaper after their own time."""
    return [
        name
        for name, rival in record["rivals"].items()
        if rival["cost"] < record["after"][name] * (1 - 1e-12)
    ]


def line(name: str, record: Record) -> str:
    """Return a row of the table that is printed."""
    rivals = "  ".join(f"{r['cost']:g} ({r['seconds']:.1f} s)" for r in record["rivals"].values())
    beaten = " <- dearer than " + ", ".join(dearer(record)) if dearer(record) else ""
    size = f"{record['samples']}x{record['features']}"
    early = cost_after_pairs(record["history"], LEAST)
    return (
        f"{name:50} {size:>12}  {early:g} at 1 s, [{record['bound']:g}, {record['cost']:g}] "
        f"at {record['seconds']:.1f} s  | {rivals}{beaten}"
    )


def cost_after_pairs(history: list[list[Any]], seconds: float) -> float:
    """Return the best cost at a time, from a stored history."""
    return min((step[1] for step in history if step[0] <= seconds), default=math.inf)


def summary(records: dict[str, Record]) -> str:
    """Return how often a rival was cheaper, and by how much the search is cheaper at the end."""
    lost = sum(bool(dearer(r)) for r in records.values())
    logs = []
    for record in records.values():
        best = min(rival["cost"] for rival in record["rivals"].values())
        known = record["status"] == "optimal" and best == record["cost"]
        if math.isfinite(best) and math.isfinite(record["cost"]) and not known:
            logs.append(math.log(record["cost"] / best))
    mean = math.exp(sum(logs) / len(logs)) if logs else math.nan
    optimal = sum(record["status"] == "optimal" for record in records.values())
    gaps = [1 - r["bound"] / r["cost"] for r in records.values() if r["status"] == "feasible"]
    gap = sum(gaps) / len(gaps) if gaps else 0.0
    return (
        f"{len(records)} cases: dearer than a rival after its time in {lost}; at the end "
        f"{mean:.3f} times the cheapest rival in the geometric mean of {len(logs)}; "
        f"{optimal} proven, mean gap of the others {gap:.2f}"
    )


def main() -> None:
    """Run what is not in the file yet."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--set", choices=("develop", "measure"), default="develop")
    parser.add_argument("--only", nargs="*", help="parts of names")
    parser.add_argument("--limit", type=float, default=30.0, help="seconds for each search")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("answers.json"))
    parser.add_argument("--rivals-from", type=Path, help="a file with what the rivals had")
    options = parser.parse_args()
    records: dict[str, Record] = {}
    if options.out.exists():
        records = json.loads(options.out.read_text())
    known = json.loads(options.rivals_from.read_text()) if options.rivals_from else {}
    compile_kernels()
    for case in cases(options.set):
        if options.only and not any(part in case.name for part in options.only):
            continue
        if case.name not in records:
            rivals = known.get(case.name, {}).get("rivals", {})
            records[case.name] = run(case, options.limit, rivals, options.threads)
            options.out.write_text(json.dumps(records, indent=1))
        print(line(case.name, records[case.name]), flush=True)
    print(summary(records))


if __name__ == "__main__":
    main()
