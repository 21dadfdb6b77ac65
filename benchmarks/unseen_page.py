"""The tables of docs/unseen.md, from the JSON files of the benchmarks.

python benchmarks/unseen_page.py results/unseen.json results/unseen-certificate.json
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from unseen_mapie import THRESHOLDS
from unseen_table import KINDS

KEY = "as they are (cost, success, shortfall)"


def overall(record: dict[str, Any]) -> list[str]:
    """Return the estimators as they are, over all data sets."""
    lines = ["| targets | method | cost | success | shortfall |", "|---|---|---|---|---|"]
    for kind, found in record.items():
        for name, (cost, success, short) in found[KEY].items():
            lines.append(f"| {kind} | {name} | {cost:.3f} | {success:.2f} | {short:.3f} |")
    return lines


def equal_success(record: dict[str, Any], which: str) -> list[str]:
    """Return our cost over the best rival's at equal success, for rivals of one kind."""
    lines = [
        "| targets | success | best rival | ours / rival | 95 % interval |",
        "|---|---|---|---|---|",
    ]
    for kind, found in record.items():
        for row in found["at equal success"][which]:
            low, high = row["interval"]
            lines.append(
                f"| {kind} | {row['success']:.2f} | {row['best rival']} | {row['ratio']:.2f} | "
                f"{low:.2f} to {high:.2f} |"
            )
    return lines


def by_data_set(record: dict[str, Any]) -> list[str]:
    """Return cost and success by data set, for the estimators and for the best rival's margin 1."""
    lines = [
        "| targets | data | rate | FrugalSVC | FrugalSVCCV | cost-aware greedy, margin 1 | "
        "all features | seconds, FrugalSVC / CV |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for kind, found in record.items():
        for name, row in found["by data set"].items():
            plain = row[KEY]
            greedy = row["margins 0, 0.5, 1, 1.5 (cost, success)"]["cost-aware greedy"][2]
            cells = [plain["FrugalSVC"], plain["FrugalSVCCV"], greedy, plain["all features"]]
            shown = " | ".join(f"{cost:.3f}, {success:.2f}" for cost, success, *_ in cells)
            seconds = "{:.2f} / {:.1f}".format(*row["seconds"])
            lines.append(f"| {kind} | {name} | {row['rate']:g} | {shown} | {seconds} |")
    return lines


def bias(record: dict[str, Any]) -> list[str]:
    """Return expected minus held-out rates."""
    lines = ["| targets | cells | TPR | TNR | standard errors |", "|---|---|---|---|---|"]
    for kind, found in record.items():
        row = found["expected minus held out"]
        errors = ", ".join(f"{e:.3f}" for e in row["error"])
        lines.append(
            f"| {kind} | {row['cells']} | {row['tpr']:+.3f} | {row['tnr']:+.3f} | {errors} |"
        )
    return lines


def certificates(table: list[dict[str, Any]]) -> list[str]:
    """Return how often certificates are wrong, and how often they are had."""
    lines = [
        "| population | both rates | N | draws | certified and wrong | certified | mean cost | "
        "at face value and wrong | "
        + " | ".join(f"{name}: certified, wrong" for name in THRESHOLDS)
        + " |",
        "|---|---|---|---|---|---|---|---|" + "---|" * len(THRESHOLDS),
    ]
    for row in table:
        cost = row["cost if certified"]
        rivals = [
            f"{r['certified']:.2f}, {r['certified and wrong']:.3f}" if r else "not run"
            for r in row["rivals"].values()
        ]
        lines.append(
            f"| {row['population']} | {row['rate']:g} | {row['n']} | {row['draws']} | "
            f"{row['certified and wrong']:.3f} | {row['certified']:.2f} | "
            f"{'' if cost is None else f'{cost:.1f}'} | {row['at face value and wrong']:.2f} | "
            + " | ".join(rivals)
            + " |"
        )
    return lines


def main() -> None:
    """Print the tables."""
    record, table = (json.loads(Path(name).read_text(encoding="utf-8")) for name in sys.argv[1:3])
    for lines in (
        overall(record),
        *(equal_success(record, kind) for kind in KINDS),
        by_data_set(record),
        bias(record),
        certificates(table),
    ):
        print("\n".join(lines), end="\n\n")


if __name__ == "__main__":
    main()
