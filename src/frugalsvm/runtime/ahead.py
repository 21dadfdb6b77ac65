"""Compiling ahead, in a process of its own, while this one compiles or does something else.

numba compiles one kernel at a time, on one core. Kernels are kept on disk, so another process can
compile those of the next step meanwhile: whoever needs them waits for it and then loads them. It
compiles what would be compiled anyway. If it cannot, or is ended early, its work is done here.
"""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from frugalsvm.runtime.stopping import Stopper
from frugalsvm.runtime.watch import LOOK

_running: subprocess.Popen[bytes] | None = None
_begun = threading.Lock()
"""Held for good by the first process: what one could not do another will not, either."""


@contextmanager
def compiled_ahead(module: str, missing: Callable[[], bool]) -> Iterator[None]:
    """Run a module that compiles in another process, unless nothing is missing; end it at the end.

    Parameters
    ----------
    module : str
        What ``python -m`` runs.
    missing : callable
        Returns whether there is something to compile; asked where another process would help.
    """
    global _running
    if not (_can_help() and missing() and _begun.acquire(blocking=False)):
        yield
        return
    _running = _process(module)
    try:
        yield
    finally:
        process, _running = _running, None
        if process is not None:
            process.kill()
            process.wait()


def missing(kernel: Any) -> bool:
    """Return whether a kernel still has to be compiled, and can be kept on disk then."""
    kept: Any = getattr(getattr(kernel, "_cache", None), "_cache_file", None)
    return kept is not None and not kernel.signatures and not kept._load_index()


def is_running() -> bool:
    """Return whether another process is compiling for this one."""
    process = _running
    return process is not None and process.poll() is None


def wait_for_other(stop: Stopper, tell: Callable[[bool], None]) -> None:
    """Wait until the other process has ended, if there is one, or for an interrupt.

    Not for the time limit: to compile here what it has begun would take longer.

    Parameters
    ----------
    stop : Stopper
        Interrupts; its clock stands still, as it does while this process compiles.
    tell : callable
        Called with True before waiting and with False after it.
    """
    stop.clock.pause()
    tell(True)
    while is_running() and not stop.interrupted:
        time.sleep(LOOK)
    stop.clock.resume()
    tell(False)


def _can_help() -> bool:
    """Return whether there is a second core and an interpreter to start, and this is no worker."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    interpreter = Path(sys.executable or "").name.lower().startswith("python")
    worker = multiprocessing.current_process().name != "MainProcess"
    return (cores or 1) > 1 and interpreter and not hasattr(sys, "frozen") and not worker


def _process(module: str) -> subprocess.Popen[bytes] | None:
    """Start an interpreter that finds what this one finds; None if the system refuses."""
    places = os.pathsep.join(str(place) or str(Path.cwd()) for place in sys.path)
    try:
        return subprocess.Popen(
            [sys.executable, "-P", "-m", module],
            env={**os.environ, "PYTHONPATH": places},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for this process, which ends the other
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
    except OSError:
        return None
