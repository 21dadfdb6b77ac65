"""Linear algebra on one thread.

Matrices here are small, or long and narrow: threads gain nothing on them, and those that wait for
one another on a busy machine take up to thirty times as long as one alone (1,000,000 x 20, squared:
0.06 s on one thread, 0.08 s on two of an idle machine, up to 9 s beside another process on a busy
one). The setting is the process's, so it is counted who asks for it: the first one sets it, the
last one puts it back.

Since its version 3.8 threadpoolctl lets one thread alone set it, until that says it is done. Here
the first and the last to ask may be different threads, so that it is said for them.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from threadpoolctl import OpenBLASController, ThreadpoolController

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
                _belongs_to_nobody()
                _setting.restore_original_limits()
                _belongs_to_nobody()


def _belongs_to_nobody() -> None:
    """Let any thread set how many are used."""
    clear = getattr(OpenBLASController, "clear_controlling_thread", None)
    if clear is not None:
        clear(force=True)
