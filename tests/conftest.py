"""Fixtures and settings shared by all tests."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

sys.path.insert(0, str(Path(__file__).parent))  # for the reference implementations beside this file

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
