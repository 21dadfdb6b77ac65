"""Whether a fit took longer than it may, on a machine that has other things to do."""

from __future__ import annotations

import time


class Clock:
    """Started with a fit; tells wall time and the time of this process."""

    def __init__(self) -> None:
        self._wall, self._cpu = time.perf_counter(), time.process_time()

    def overran(self, limit: float) -> str | None:
        """Return what to complain about: a limit exceeded by more than 10 % and a second.

        Time in which the process had to wait for a processor does not count.
        """
        wall, cpu = time.perf_counter() - self._wall, time.process_time() - self._cpu
        late = wall > 1.1 * limit + 1.0 and cpu > limit
        return f"{wall:.1f} s ({cpu:.1f} s of work) of {limit:g} s" if late else None
