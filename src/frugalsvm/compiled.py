"""How kernels are compiled."""

from __future__ import annotations

import numpy as np
from numba import njit

kernel = njit(cache=True, nogil=True, error_model="numpy", no_cfunc_wrapper=True)
"""For functions that Python calls."""

_FOR_KERNELS = {
    "cache": True,
    "nogil": True,
    "error_model": "numpy",
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
}

helper = njit(**_FOR_KERNELS)
"""For functions that only other kernels call: without a way to call them from Python, which saves
a quarter of the time to compile. They raise nothing: callers of a pointer would not see it."""

without_nan = njit(**_FOR_KERNELS, fastmath={"nnan", "nsz"})
"""For helpers whose numbers are never NaN, so that a minimum is found several at a time."""

inlined = njit(inline="always", error_model="numpy")
"""For large functions that are called in one place: they are compiled as a part of it only. What is
called otherwise is optimised and translated again within each of its callers, theirs, and so on."""


@njit(inline="always")
def variable(start: int) -> int:
    """Return the start of a variable as a number like any other.

    A function is compiled twice for an argument that is first a literal and then changes.
    """
    return int(np.int64(start))
