"""Fixtures and settings shared by all tests."""

from __future__ import annotations

import math
import os
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from frugalsvm.runtime import stopping

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
