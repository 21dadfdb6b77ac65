"""Work that takes long only once, for which nobody has to wait who is told to stop."""

from __future__ import annotations

import threading
from collections.abc import Callable

LOOK = 0.05  # seconds between two looks at the clock


class InBackground:
    """Something that is done once in a process, such as compiling a large kernel.

    Examples
    --------
    >>> greeting = InBackground()
    >>> greeting.ready(lambda: print("hello"), give_up=lambda: False)
    hello
    True
    >>> greeting.ready(lambda: print("hello"), give_up=lambda: False)
    True
    """

    def __init__(self) -> None:
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()

    def ready(self, work: Callable[[], object], give_up: Callable[[], bool]) -> bool:
        """Wait for the work, which the first call begins; False if `give_up` was true before.

        The work goes on without anybody who waits, but does not keep the process alive.
        """
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=work, daemon=True)
                self._thread.start()
        while self._thread.is_alive():
            if give_up():
                return False
            self._thread.join(LOOK)
        return True
