"""Linear algebra on one thread.

The matrices of the heuristics are small, and threads that wait for one another on a busy machine
take several times as long as one alone. The setting is the process's, so it is counted who asks for
it: the first one sets it, the last one puts it back.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController

_lock = threading.Lock()
_users = 0
_setting: Any = None


@cache
def _controller() -> Any:
    """Return what knows the libraries of this process; finding them takes a while."""
    return ThreadpoolController()


@contextmanager
def single_threaded_algebra() -> Iterator[None]:
    """Let BLAS use one thread meanwhile."""
    global _users, _setting
    with _lock:
        if _users == 0:
            _setting = _controller().limit(limits=1, user_api="blas")
        _users += 1
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if _users == 0:
                _setting.restore_original_limits()
