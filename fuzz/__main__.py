"""The command: ``python -m fuzz [all | selection | training | ...] [--seed 5] [--count 1000]``."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

COUNTS = {
    "selection": 20_000,
    "judges": 10_000,
    "training": 10_000,
    "frontier": 300,
    "metamorphic": 500,
    "large-training": 200,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is asked for; return 1 if anything failed."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    options = _parser().parse_args(arguments)
    if options.what == "limits":
        return _measure_limits(options)
    if options.what == "mutants":
        return _try_mutants(options)
    return _run_jobs(options)


def _say(text: str) -> None:
    print(text, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__)
    parser.add_argument(
        "what", choices=["all", *COUNTS, "limits", "mutants"], nargs="?", default="all"
    )
    for name, count in COUNTS.items():
        parser.add_argument(f"--{name}", type=int, default=count, metavar="N", help="how many")
    parser.add_argument("--count", type=int, help="how many of what is asked for")
    parser.add_argument("--first", type=int, default=0, metavar="SEED", help="the first seed")
    parser.add_argument("--seed", type=int, help="one seed alone, in this process")
    parser.add_argument("--limits", type=float, nargs="+", help="seconds to measure")
    parser.add_argument("--regimes", nargs="+", default=[], help="parts of regimes' names")
    parser.add_argument("--oracles", nargs="+", default=[], help="parts of mutants' names")
    parser.add_argument("--processes", type=int, default=2, help="0: this one")
    parser.add_argument("--folder", type=Path, default=Path("build/fuzz"))
    return parser


def _measure_limits(options: argparse.Namespace) -> int:
    from fuzz.limits.table import LIMITS, measure_all

    path = options.folder / "limits.json"
    return int(not measure_all(options.regimes, options.limits or LIMITS, path, _say))


def _try_mutants(options: argparse.Namespace) -> int:
    from fuzz.mutants.run import run_mutants

    return int(not run_mutants(options.oracles, options.folder.absolute(), _say))


def _run_jobs(options: argparse.Namespace) -> int:
    from fuzz.jobs import JOBS
    from fuzz.runner import run

    failed = False
    summaries = []
    for name in COUNTS if options.what == "all" else [options.what]:
        if options.seed is not None:
            seeds, processes = range(options.seed, options.seed + 1), 0
        else:
            usual = vars(options)[name.replace("-", "_")]
            count = usual if options.count is None else options.count
            seeds, processes = range(options.first, options.first + count), options.processes
        summary = run(JOBS[name], seeds, processes, options.folder, _say)
        summaries.append(summary)
        failed = failed or bool(summary.failures)
    _say("\n".join(["", *(s.told() for s in summaries)]))
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
