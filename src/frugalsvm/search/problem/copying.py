"""Copying arrays within kernels."""

from __future__ import annotations

from typing import Any

from frugalsvm.runtime.compiled import helper


@helper
def copy_into(source: Any, target: Any) -> None:
    """Write `source` into the first places of `target`.

    A loop, because numba takes seconds to compile the first assignment of one slice to another.
    """
    for i in range(len(source)):
        target[i] = source[i]
