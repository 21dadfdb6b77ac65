"""Fixtures and settings shared by all tests."""

from __future__ import annotations

import math
import os
import signal
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import frugalsvm
from frugalsvm import stopping


def _forget_stale_kernels() -> None:
    """Delete compiled kernels that are older than any kernel's source.

    numba looks only at the file of the function itself, so that a kernel which calls another
    file's would go on with the other's old code after an edit.
    """
    library = Path(frugalsvm.__file__).parent
    packages = [library / "search", library / "margin"]
    sources = [library / "compiled.py", *(file for p in packages for file in p.rglob("*.py"))]
    edited = max(source.stat().st_mtime for source in sources)
    places = [*packages, Path(__file__).parent]
    compiled = [file for place in places for file in place.rglob("__pycache__/*.nb*")]
    with suppress(FileNotFoundError):  # another test process is at it
        if any(kernel.stat().st_mtime < edited for kernel in compiled):
            for kernel in compiled:
                kernel.unlink()


_forget_stale_kernels()

# Tests come across all kernels, one after the other: no time limit of theirs pays for compiling.
stopping.COMPILATION.left = math.inf

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # Shells start background jobs so, and children inherit it: no test of Ctrl-C could pass.
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile(
    "repeatable",
    deadline=None,
    derandomize=True,
    max_examples=40,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("repeatable")


@pytest.fixture(scope="session")
def paper_data() -> Path:
    """Return the folder with the paper's data sets; skip the test where it is not to be had."""
    folder = os.environ.get("FRUGALSVM_DATA")
    if not folder:
        pytest.skip("the environment variable FRUGALSVM_DATA names no folder with the data sets")
    return Path(folder)
