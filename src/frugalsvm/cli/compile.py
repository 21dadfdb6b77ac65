"""``frugalsvm compile``: all kernels, once after an installation."""

from __future__ import annotations

from frugalsvm.cli.console import out
from frugalsvm.cli.exits import ExitCode
from frugalsvm.cli.progress import ProgressLine
from frugalsvm.estimators.compile import compile_kernels


def run_compile(*, quiet: bool) -> ExitCode:
    """Compile, and say how long it took."""
    with ProgressLine("compiling", quiet=quiet) as line:
        seconds = compile_kernels(line.say)
    if not quiet:
        out().print(f"All kernels are compiled and kept on disk ({seconds:.0f} s).")
    return ExitCode.OK
