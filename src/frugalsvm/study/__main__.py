"""``python -m frugalsvm.study``: the study without the command-line tool's extras."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from frugalsvm.data.exceptions import FrugalSVMError
from frugalsvm.study.datasets import DATASETS
from frugalsvm.study.plan import METHODS, TABLES
from frugalsvm.study.run import DEFAULT_STORE, run_study
from frugalsvm.study.runner import StudyProgress


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m frugalsvm.study", description="Run the paper's experiment."
    )
    parser.add_argument("--tables", nargs="+", choices=TABLES, metavar="TABLE", help="default: all")
    parser.add_argument("--datasets", nargs="+", choices=tuple(DATASETS), metavar="DATASET")
    parser.add_argument(
        "--methods",
        nargs="+",
        choices=METHODS,
        metavar="METHOD",
        help="to run alone: rivals of the compare tables, new-data; other cells stay as they are",
    )
    parser.add_argument("--quick", action="store_true", help="one outer fold, three values of C")
    parser.add_argument("--store", type=Path, default=DEFAULT_STORE, help="where results are kept")
    parser.add_argument("--out", type=Path, default=Path("results"), help="folder for the tables")
    parser.add_argument("--jobs", type=int, default=1, help="processes on this machine")
    parser.add_argument("--dask", metavar="ADDRESS", help="Dask scheduler to run on instead")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--time-limit", type=float, help="seconds for each outer problem")
    return parser


def _show(progress: StudyProgress) -> None:
    left = "?" if progress.left != progress.left else f"{progress.left / 60:.1f} min"
    sys.stderr.write(f"{progress.done}/{progress.total}, {left} left: {progress.last}\n")
    sys.stderr.flush()


def main(arguments: list[str] | None = None) -> int:
    """Run the study as the arguments say; return the exit code."""
    options = vars(_parser().parse_args(arguments))
    try:
        report = run_study(**options, progress=_show)
    except (FrugalSVMError, ValueError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.write("\n".join(str(path) for path in report.files) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
