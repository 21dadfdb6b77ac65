"""``frugalsvm study``: the paper's experiment."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from frugalsvm.cli.console import emit_json, note, out, warn
from frugalsvm.cli.exits import ExitCode
from frugalsvm.cli.progress import ProgressLine
from frugalsvm.study.run import run_study
from frugalsvm.study.runner import StudyProgress


def run_study_command(
    parameters: dict[str, Any], *, store: Path, as_json: bool, quiet: bool
) -> ExitCode:
    """Run the study, or go on with it; return the exit code."""
    with ProgressLine("loading the data sets", quiet=quiet) as line:
        try:
            report = run_study(
                **parameters, store=store, progress=lambda progress: line.say(_words(progress))
            )
        except KeyboardInterrupt:
            warn(f"Interrupted. What was finished is kept in {store}; run it again to go on.")
            return ExitCode.INTERRUPTED
    files = [str(path) for path in report.files]
    if as_json:
        emit_json({"tasks": report.tasks, "seconds": report.seconds, "files": files})
    else:
        out().print("\n".join(files), markup=False, soft_wrap=True)
    note(f"{report.tasks} results, {report.seconds:.0f} s in this run.", quiet=quiet)
    return ExitCode.OK


def _words(progress: StudyProgress) -> str:
    left = "" if math.isnan(progress.left) else f", {progress.left / 60:.1f} min left"
    return f"{progress.done} of {progress.total}{left}: {progress.last}"
