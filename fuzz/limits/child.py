"""One measurement: ``python -m fuzz.limits.child REGIME LIMIT [SECONDS TO CTRL-C]`` prints JSON."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from typing import Any

from fuzz.limits.regimes import REGIMES


def main() -> None:
    """Fit within a limit, perhaps interrupt it, and say how long it took."""
    name, limit = sys.argv[1], float(sys.argv[2])
    pressed: list[float] = []
    signal.signal(signal.SIGINT, signal.default_int_handler)
    fit = next(regime for regime in REGIMES if regime.name == name).prepare()

    def press() -> None:
        pressed.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(float(sys.argv[3]) if len(sys.argv) > 3 else 1e9, press)
    timer.daemon = True
    start = time.perf_counter()
    if len(sys.argv) > 3:
        timer.start()
    told: dict[str, Any]
    try:
        told = fit(limit)
    except BaseException as error:  # noqa: BLE001 - what is raised is part of the answer
        told = {"status": type(error).__name__, "value": str(error)[:300], "bound": None}
    end = time.perf_counter()
    timer.cancel()
    told |= {"seconds": end - start, "cpu": time.process_time()}
    told["latency"] = end - pressed[0] if pressed else None
    print(json.dumps(told), flush=True)
    os._exit(0)  # threads that do not end must not hold the measurement up


if __name__ == "__main__":
    main()
