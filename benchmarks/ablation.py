"""Switch each tactic off, and see what that costs.

    python benchmarks/ablation.py --limit 10

One thread; CPU seconds, not those of the wall; a limit for each run. First every candidate is run
with all tactics: what is trivial (below 0.05 s) or not certified within the limit is left out, and
of the rest one is chosen for each kind, data set and costs, the one that takes longest. Then every
switch is turned off where the tallies of the first run say that it would act. The JSON file grows
as the runs end, and an interrupted run resumes.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from pathlib import Path
from typing import Any

import numpy as np

from ablation_instances import Case, candidates
from frugalsvm.data.result import SelectionResult
from frugalsvm.runtime.stopping import Clock, Stopper
from frugalsvm.search import SearchOptions, search
from frugalsvm.search.options import SILENCED

TRIVIAL = 0.05  # seconds
LONG = 6.0  # seconds: what takes longer leaves too little room below the limit
ALL = "all tactics"
Record = dict[str, Any]


class ProcessorClock(Clock):
    """The process's CPU seconds; the runs compile nothing."""

    def now(self) -> float:
        """Return the seconds."""
        return time.process_time()

    def pause(self) -> None:
        """Go on."""

    def resume(self) -> None:
        """Go on."""


def measure(case: Case, options: SearchOptions, limit: float) -> Record:
    """Run a search; return its interval, time and tallies as plain data."""
    problem = case.problem()
    started = time.process_time()
    result = search(problem, stop=Stopper(limit, ProcessorClock()), options=options)
    seconds = time.process_time() - started
    return {
        "status": result.status.value,
        "cost": result.cost if math.isfinite(result.cost) else None,
        "bound": result.bound if math.isfinite(result.bound) else None,
        "seconds": round(seconds, 4),
        "oracles": tallies(result, "oracles"),
        "tactics": tallies(result, "tactics"),
    }


def tallies(result: SelectionResult, kind: str) -> dict[str, list[float]]:
    """Return asked, ruled out, found and seconds of each oracle or tactic."""
    return {
        name: [tally["asked"], tally["ruled_out"], tally["found"], round(tally["seconds"], 4)]
        for name, tally in result.details[kind].items()
    }


def settled(record: Record) -> bool:
    """Return True if the run ended with a proof."""
    return record["status"] in ("optimal", "infeasible")


def acts(switch: str, record: Record) -> bool:
    """Return True if what the switch turns off did anything in a run."""
    known = record["oracles"] | record["tactics"]
    return any(sum(known.get(name, [0, 0])[:2]) > 0 for name in SILENCED[switch])


def chosen(runs: dict[str, Record], switch: str | None = None) -> list[Case]:
    """Return the cases that are neither trivial nor hopeless, one of each kind, data and costs.

    With a switch: of those in which it would act.
    """
    found: dict[tuple[str, str, str], Case] = {}

    def seconds(case: Case) -> float:
        return float(runs[f"{case.name}|{ALL}"]["seconds"])

    for case in candidates():
        run = runs.get(f"{case.name}|{ALL}")
        if run is None or not settled(run) or not TRIVIAL <= run["seconds"] <= LONG:
            continue
        if switch is None or acts(switch, run):
            key = (case.kind, case.data, case.costs)
            if key not in found or seconds(case) > seconds(found[key]):
                found[key] = case
    return list(found.values())


def gains(runs: dict[str, Record], label: str) -> tuple[int, float, list[str], list[str]]:
    """Return of a label: cases, geometric mean of time ratios, data by 20 %, certificates lost."""
    ratios: dict[str, list[float]] = {}
    lost = []
    for key, record in runs.items():
        name, which = key.split("|")
        if which == label:
            before = runs[f"{name}|{ALL}"]
            ratio = max(record["seconds"], 0.01) / max(before["seconds"], 0.01)
            ratios.setdefault(name.split()[0], []).append(ratio)
            if not settled(record):
                lost.append(name)
    means = {data: float(np.exp(np.mean(np.log(each)))) for data, each in ratios.items()}
    every = [ratio for each in ratios.values() for ratio in each]
    slower = [f"{data} {mean:.2f}" for data, mean in means.items() if mean >= 1.2]
    return len(every), float(np.exp(np.mean(np.log(every)))), slower, lost


def table(runs: dict[str, Record]) -> str:
    """Return a line of Markdown for each switch."""
    lines = ["| | runs | time without it | data sets slower by 20 % | certificates lost |"]
    lines.append("|---|---|---|---|---|")
    for label in dict.fromkeys(key.split("|")[1] for key in runs):
        if label.startswith("without"):
            count, mean, slower, lost = gains(runs, label)
            cells = f"{count} | {mean:.2f} | {', '.join(slower)} | {', '.join(lost)}"
            lines.append(f"| {label} | {cells} |")
    return "\n".join(lines)


def warm_up() -> None:
    """Compile the kernels, or load them: no run is to pay for that."""
    for case in candidates():
        if case.part in (0, 9) and case.kind != "generated":
            search(case.problem(), stop=Stopper(0.3))
    large = Case("folds", "australian", (0.816, 0.935), "prices", 9)
    search(large.problem(), stop=Stopper(20.0, ProcessorClock()))


def main() -> None:
    """Run what is missing, and write the JSON."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--limit", type=float, default=10.0, help="CPU seconds for each run")
    parser.add_argument("--label", default=ALL, help="key of the runs with all tactics")
    parser.add_argument("--table", action="store_true", help="print the table, run nothing")
    parser.add_argument("--switches", nargs="*", default=list(SILENCED))
    parser.add_argument("--output", type=Path, default=Path("benchmarks/results/ablation.json"))
    options = parser.parse_args()
    document: dict[str, Any] = {"limit": options.limit, "runs": {}}
    if options.output.exists():
        document = json.loads(options.output.read_text())
    runs: dict[str, Record] = document["runs"]

    if options.table:
        print(table(runs))
        return

    def run(case: Case, label: str, switches: SearchOptions) -> None:
        key = f"{case.name}|{label}"
        if key not in runs:
            runs[key] = measure(case, switches, options.limit) | {"kind": case.kind}
            options.output.write_text(json.dumps(document, indent=0) + "\n")
            print(f"{key:60s} {runs[key]['status']:10s} {runs[key]['seconds']:8.2f} s", flush=True)

    warm_up()
    for case in candidates() if options.label == ALL else chosen(runs):
        run(case, options.label, SearchOptions())
    for switch in options.switches:
        for case in chosen(runs, switch):
            run(case, f"without {switch}", SearchOptions(**{switch: False}))


if __name__ == "__main__":
    np.seterr(all="raise", under="ignore")
    main()
