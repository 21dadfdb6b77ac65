"""The table of limits and interrupts: regimes x limits, resumable, with the worst of each."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fuzz.limits.regimes import REGIMES

LIMITS = (1.0, 5.0, 20.0)
INTERRUPTED_LIMIT = 10.0
PRESSED_AT = (0.3, 0.6)
"""Shares of that limit at which Ctrl-C is pressed."""
PATIENCE = 120.0
"""Seconds beyond the limit after which a process is ended and called hung."""

Record = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """One measurement; `pressed` is None without Ctrl-C."""

    regime: str
    limit: float
    pressed: float | None

    @property
    def key(self) -> str:
        """Its name in the file."""
        pressed = "" if self.pressed is None else f", Ctrl-C at {self.pressed:g} s"
        return f"{self.regime}, limit {self.limit:g} s{pressed}"


def cases(names: Sequence[str], limits: Sequence[float]) -> Iterator[Case]:
    """Yield all measurements of some regimes."""
    for name in names:
        for limit in limits:
            yield Case(name, limit, None)
        for share in PRESSED_AT:
            yield Case(name, INTERRUPTED_LIMIT, share * INTERRUPTED_LIMIT)


def measure_all(
    words: Sequence[str], limits: Sequence[float], path: Path, say: Callable[[str], None]
) -> bool:
    """Measure what the file does not hold yet; print the table; True if the promise is kept."""
    names = [r.name for r in REGIMES if not words or any(word in r.name for word in words)]
    known: dict[str, Record] = json.loads(path.read_text()) if path.exists() else {}
    warmed: set[str] = set()
    for case in cases(names, limits):
        if case.key in known:
            continue
        if case.regime not in warmed:  # kernels are compiled and written to disk
            _measured(Case(case.regime, 3.0, None), patience=300.0)
            warmed.add(case.regime)
        known[case.key] = _measured(case, PATIENCE) | {
            "regime": case.regime,
            "limit": case.limit,
            "pressed": case.pressed,
        }
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(known, indent=1))
        say(f"  {case.key}: {_line(known[case.key])}")
    records = [r for r in known.values() if r["regime"] in names]
    say(table(records))
    return kept(records)


def _measured(case: Case, patience: float) -> Record:
    command = [sys.executable, "-m", "fuzz.limits.child", case.regime, repr(case.limit)]
    command += [] if case.pressed is None else [repr(case.pressed)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=case.limit + patience, check=False
        )
    except subprocess.TimeoutExpired:
        hung = case.limit + patience
        late = None if case.pressed is None else hung - case.pressed
        return {"status": "hung", "value": None, "bound": None, "seconds": hung, "latency": late}
    try:
        told: Record = json.loads(done.stdout.strip().splitlines()[-1])
    except (IndexError, ValueError):
        said = done.stderr.strip()[-300:]
        return {"status": "died", "value": said, "bound": None, "seconds": None, "latency": None}
    return told


def _line(record: Record) -> str:
    if record["seconds"] is None:
        return f"{record['status']}: {record['value']}"
    told = f"{record['seconds']:.2f} s, {record['status']} {record['value']}"
    if record["latency"] is not None:
        told += f", {record['latency']:.2f} s after Ctrl-C"
    return told


def overrun(record: Record) -> float:
    """Return the seconds beyond the limit; infinity if the process died."""
    return float("inf") if record["seconds"] is None else record["seconds"] - record["limit"]


def kept(records: Sequence[Record]) -> bool:
    """Return True if every limit is kept to 10 % and 1 s, and Ctrl-C is heard within 1 s."""
    in_time = all(overrun(r) <= 0.1 * r["limit"] + 1.0 for r in records if r["pressed"] is None)
    heard = all((r["latency"] or 0.0) <= 1.0 for r in records if r["pressed"] is not None)
    return in_time and heard and all(r["seconds"] is not None for r in records)


def table(records: Sequence[Record]) -> str:
    """Return the table: seconds beyond each limit, and from Ctrl-C to the return."""
    limits = sorted({r["limit"] for r in records if r["pressed"] is None})
    head = "".join(f"{f'limit {limit:g} s':>13}" for limit in limits)
    lines = [f"{'seconds beyond the limit':44}{head}{'after Ctrl-C':>14}"]
    for name in dict.fromkeys(r["regime"] for r in records):
        of = [r for r in records if r["regime"] == name]
        cells = [
            "".join(
                f"{overrun(r):13.2f}" for r in of if r["pressed"] is None and r["limit"] == limit
            )
            for limit in limits
        ]
        late = [r["latency"] for r in of if r["latency"] is not None]
        lines.append(f"{name:44}{''.join(c or ' ' * 13 for c in cells)}{_worst(late):>14}")
    beyond = [overrun(r) for r in records if r["pressed"] is None]
    late = [r["latency"] for r in records if r["latency"] is not None]
    if beyond:
        lines.append(
            f"overrun: worst {max(beyond):.2f} s, 95th percentile "
            f"{np.quantile(beyond, 0.95):.2f} s ({len(beyond)} fits); "
            f"Ctrl-C: worst {_worst(late)} s ({len(late)} interrupts)"
        )
    lines.append("promise (10 % + 1 s, Ctrl-C 1 s): " + ("kept" if kept(records) else "BROKEN"))
    return "\n".join(lines)


def _worst(values: Sequence[float]) -> str:
    return f"{max(values):.2f}" if values else "-"
