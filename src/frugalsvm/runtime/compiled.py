"""How kernels are compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from frugalsvm.runtime.kernel_stamps import stamped
from frugalsvm.runtime.numba_parts import CFunc, event, njit, sigutils


def _kept(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Return a decorator whose kernels are kept on disk."""
    compiled = njit(cache=True, nogil=True, error_model="numpy", no_cfunc_wrapper=True, **options)
    return lambda function: stamped(compiled(function), function.__code__.co_filename)


kernel = _kept()
"""For functions that Python calls."""

helper = _kept(no_cpython_wrapper=True)
"""For functions that only other kernels call: without a way to call them from Python, which saves
a quarter of the time to compile. They raise nothing: callers of a pointer would not see it."""

without_nan = _kept(no_cpython_wrapper=True, fastmath={"nnan", "nsz"})
"""For helpers whose numbers are never NaN, so that a minimum is found several at a time."""

inlined = njit(inline="always", error_model="numpy")
"""For large functions that are called in one place: they are compiled as a part of it only. What is
called otherwise is optimised and translated again within each of its callers, theirs, and so on."""


class _AnnouncedPointer(CFunc):
    """Tells listeners that it is compiled, as numba's kernels do, unless it is read from disk."""

    def _compile_uncached(self) -> Any:
        with event.trigger_event("numba:compile", data={"dispatcher": self}):
            return super()._compile_uncached()  # type: ignore[misc]  # numba tells no types


def behind_a_pointer(function: Callable[..., Any], signature: Any) -> CFunc:
    """Return a function compiled for one signature, to be handed to compiled code, and kept."""
    parsed = sigutils.normalize_signature(signature)
    pointer = _AnnouncedPointer(function, parsed, {}, {"error_model": "numpy"})
    pointer.enable_caching()
    stamped(pointer, function.__code__.co_filename).compile()
    return pointer


@njit(inline="always")
def variable(start: int) -> int:
    """Return the start of a variable as a number like any other.

    A function is compiled twice for an argument that is first a literal and then changes.
    """
    return int(np.int64(start))
