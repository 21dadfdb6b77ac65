"""The tables of docs/answers.md, from the JSON file of the benchmark.

python benchmarks/answers_page.py results/answers.json
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from answers import LEAST, cost_after_pairs, dearer, summary

Record = dict[str, Any]
HEAD = (
    "| case | samples x features | errors allowed | RFE | L1 path | forward | greedy | "
    "ours at 1 s | ours at the end |",
    "|---|---|---|---|---|---|---|---|---|",
)


def family(name: str) -> str:
    """Return what kind of data a case is of: its name without seed, class, rates and costs."""
    data = name.rsplit(", ", 2)[0].split(", seed")[0]
    return "digits" if data.startswith("digits") else data.removesuffix(", small")


def geometric(ratios: Iterable[float]) -> str:
    """Return a geometric mean for a table."""
    logs = [math.log(ratio) for ratio in ratios]
    return f"{math.exp(sum(logs) / len(logs)):.2f}" if logs else ""


def cheapest(record: Record) -> float:
    """Return what the cheapest rival costs."""
    return float(min(rival["cost"] for rival in record["rivals"].values()))


def by_family(records: dict[str, Record]) -> list[str]:
    """Return a line for each kind of data."""
    kinds: dict[str, list[Record]] = {}
    for name, record in records.items():
        kinds.setdefault(family(name), []).append(record)
    lines = [
        "| data | cases | dearer than a rival after its time | cost at the end / cheapest rival's "
        "| proven | mean gap of the others |",
        "|---|---|---|---|---|---|",
    ]
    for kind, found in kinds.items():
        open_ones = [1 - r["bound"] / r["cost"] for r in found if r["status"] != "optimal"]
        gap = f"{sum(open_ones) / len(open_ones):.2f}" if open_ones else ""
        lost = sum(bool(dearer(record)) for record in found)
        mean = geometric(record["cost"] / cheapest(record) for record in found)
        lines.append(
            f"| {kind} | {len(found)} | {lost} | {mean} | {len(found) - len(open_ones)} | {gap} |"
        )
    return lines


def case_by_case(records: dict[str, Record]) -> list[str]:
    """Return a line for each case."""
    lines = list(HEAD)
    for name, record in records.items():
        rivals = " | ".join(
            f"{rival['cost']:g} ({rival['seconds']:.1f} s)" for rival in record["rivals"].values()
        )
        end = f"{record['cost']:g}"
        if record["status"] != "optimal":
            end = f"[{record['bound']:g}, {end}]"
        early = cost_after_pairs(record["history"], LEAST)
        budgets = "{} + {}".format(*record["budgets"])
        lines.append(
            f"| {name} | {record['samples']} x {record['features']} | {budgets} | {rivals} | "
            f"{early:g} | {end} ({record['seconds']:.1f} s) |"
        )
    return lines


def main() -> None:
    """Print the tables."""
    records: dict[str, Record] = json.loads(Path(sys.argv[1]).read_text())
    for part in ([summary(records)], by_family(records), case_by_case(records)):
        print("\n".join(part), end="\n\n")


if __name__ == "__main__":
    main()
