"""What large arrays take, and what the machine has."""

from __future__ import annotations

import math
from pathlib import Path

from frugalsvm.data.exceptions import OutOfMemoryError

MEMINFO = Path("/proc/meminfo")
GROUP = Path("/sys/fs/cgroup")

COPIES = 3
"""Copies of a table beside the user's own: filled in or standardised, turned, and a part of it."""


def free_memory() -> float:
    """Return the bytes that can still be used, infinity where the system does not say."""
    return min(_of_machine(), _of_group())


def require_kernel_matrix(n_samples: int, copies: int, owner: str) -> None:
    """Raise :class:`OutOfMemoryError` if so many kernel matrices do not fit, before any work.

    Parameters
    ----------
    n_samples : int
        Rows of the matrix.
    copies : int
        How many matrices of that size are held at a time.
    owner : str
        The estimator that the user has called.
    """
    needed, free = 8.0 * copies * n_samples**2, free_memory()
    if needed <= free:
        return
    fitting = int(math.sqrt(free / (8.0 * copies)))
    held = "one is" if copies == 1 else f"{copies} are"
    raise OutOfMemoryError(
        f"{owner} needs {_gigabytes(needed)} of memory for {n_samples:,} samples: a kernel matrix "
        f"has an entry for every pair of samples, and {held} held. This machine has "
        f"{_gigabytes(free)} left. Use kernel='linear', which needs no such matrix, or train on a "
        f"sample of at most {_down(fitting):,} rows.",
        needed=needed,
        free=free,
    )


def require_table(n_samples: int, n_features: int, owner: str) -> None:
    """Raise :class:`OutOfMemoryError` if the dense copies of a table do not fit, before any work.

    Parameters
    ----------
    n_samples, n_features : int
        Size of the table.
    owner : str
        The estimator that the user has called.
    """
    needed, free = 8.0 * COPIES * n_samples * n_features, free_memory()
    if needed <= free:
        return
    numbers = free / (8.0 * COPIES)
    raise OutOfMemoryError(
        f"{owner} needs {_gigabytes(needed)} of memory for {n_samples:,} samples of "
        f"{n_features:,} features: {COPIES} copies of the table filled in are held. This machine "
        f"has {_gigabytes(free)} left. Use at most {_down(int(numbers / n_features)):,} of the "
        f"samples or {_down(int(numbers / n_samples)):,} of the features, or select features with "
        "FrugalSelector first, which takes a sparse table as it is.",
        needed=needed,
        free=free,
    )


def _of_machine() -> float:
    try:
        lines = MEMINFO.read_text(encoding="ascii").splitlines()
    except OSError:
        return math.inf
    found = (line.split()[1] for line in lines if line.startswith("MemAvailable:"))
    return 1024.0 * float(next(found, "inf"))


def _of_group() -> float:
    """Return what a container's limit leaves; what it caches can be given up."""
    try:
        limit = (GROUP / "memory.max").read_text(encoding="ascii").strip()
        used = float((GROUP / "memory.current").read_text(encoding="ascii"))
        stat = (GROUP / "memory.stat").read_text(encoding="ascii").splitlines()
    except (OSError, ValueError):
        return math.inf
    if limit == "max":
        return math.inf
    cached = sum(float(line.split()[1]) for line in stat if line.startswith("inactive_file "))
    return max(0.0, float(limit) - used + cached)


def _gigabytes(size: float) -> str:
    return f"{size / 1e9:.3g} GB"


def _down(number: int) -> int:
    """Return the number with two digits, rounded down."""
    unit: int = 10 ** max(0, len(str(number)) - 2)
    return number // unit * unit
