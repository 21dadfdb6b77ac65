"""Print the results of `selection.py` as the tables of docs/benchmarks.md.

python benchmarks/selection_table.py benchmarks/results/selection.json
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

from selection import OURS, Record, certificate_time, interval
from selection_instances import PAPER

FOLDS = (0, 1, 2)


def cell(record: Record | None, limit: float) -> str:
    """Return cost or interval, with the seconds if they were fewer than the limit."""
    if record is None:
        return "not run"
    if record["status"] == "optimal":
        return f"{record['cost']:g}: {record['seconds']:.3g} s"
    return f"{interval(record)}: > {limit:g} s"


def table(results: dict[str, Record], limit: float, columns: list[tuple[str, str]]) -> list[str]:
    """Return rows of instances and folds, with a column for each kind of costs and solver."""
    titles = [f"{solver}, {kind}" for kind, solver in columns]
    lines = ["| instance | fold | " + " | ".join(titles) + " |", "|---" * (len(columns) + 2) + "|"]
    for instance in PAPER:
        for fold in FOLDS:
            found = [results.get(f"{instance.name}|{fold}|{k}|{s}") for k, s in columns]
            if any(record is not None for record in found):
                cells = " | ".join(cell(record, limit) for record in found)
                lines.append(f"| {instance.name} | {fold} | {cells} |")
    return lines


def compared(results: dict[str, Record], limit: float, rival: str) -> list[str]:
    """Return the ratio to a rival, the worst delay, and where its interval is better."""
    ratios, delays, worse = [], [], []
    for key, theirs in results.items():
        ours = results.get(key.rsplit("|", 1)[0] + "|" + OURS)
        if not key.endswith("|" + rival) or ours is None:
            continue
        mine, other = certificate_time(ours, limit), certificate_time(theirs, limit)
        ratios.append(other / max(mine, 1e-4))
        delays.append(mine - other)
        costs = [np.inf if r["cost"] is None else r["cost"] for r in (ours, theirs)]
        bounds = [-np.inf if r["bound"] is None else r["bound"] for r in (ours, theirs)]
        if costs[0] > costs[1] + 1e-6 or bounds[0] < bounds[1] - 1e-6:
            worse.append(key)
    if not ratios:
        return []
    mean = float(np.exp(np.mean(np.log(ratios))))
    return [
        f"{rival}: {mean:.1f} times our time in the geometric mean of {len(ratios)} runs; "
        f"we are at most {max(0.0, *delays):.2f} s later; "
        f"intervals of ours that are worse: {worse or 'none'}"
    ]


def main() -> None:
    """Print the tables."""
    document = json.loads(Path(sys.argv[1]).read_text())
    results, limit = document["results"], document["limit"]
    rivals = [r for r in ("gurobi", "highs", "scip") if any(k.endswith("|" + r) for k in results)]
    print("\n".join(table(results, limit, [("unit", s) for s in (OURS, *rivals)])))
    for rival in rivals:
        print("\n".join(compared(results, limit, rival)))
    print("\n".join(table(results, limit, [(k, OURS) for k in ("unit", "prices", "groups")])))


if __name__ == "__main__":
    main()
