"""What the package uses of numba. Nobody else imports it.

numba cannot be imported by two threads at once: each finds modules that the other has half made.
All of it comes in while this file is imported, which Python lets one thread do at a time.
"""

from __future__ import annotations

from numba import njit, typeof, types
from numba.core import event, sigutils
from numba.core.ccallback import CFunc

__all__ = ["CFunc", "event", "njit", "sigutils", "typeof", "types"]
