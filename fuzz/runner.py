"""Runs many seeds, counts what became of them, and keeps what went wrong."""

from __future__ import annotations

import collections
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from fuzz.instances import Failure, Verdict
from fuzz.reproducers import write_reproducer
from fuzz.workers import Job, in_processes

SHOWN = 3
"""Failures of a kind that are told as they come."""
PAUSE = 30.0
"""Seconds between two lines about the progress."""


@dataclass
class Summary:
    """What a run came to."""

    name: str
    instances: int = 0
    seconds: float = 0.0
    outcomes: collections.Counter[str] = field(default_factory=collections.Counter)
    failures: collections.Counter[str] = field(default_factory=collections.Counter)
    files: list[Path] = field(default_factory=list)

    def told(self) -> str:
        """Return the summary as lines."""
        counts = ", ".join(f"{n} {what}" for what, n in self.outcomes.most_common())
        lines = [f"{self.name}: {self.instances} instances in {self.seconds:.0f} s: {counts}"]
        lines += [f"  FAILED {n} times: {kind}" for kind, n in self.failures.most_common()]
        lines.append("  no failures" if not self.failures else f"  files in {self.files[0].parent}")
        return "\n".join(lines)


def run(
    job: Job, seeds: Iterable[int], processes: int, folder: Path, say: Callable[[str], None]
) -> Summary:
    """Check all seeds, in this process if one is enough; write a file for every failure."""
    summary = Summary(job.name)
    start = told = time.perf_counter()
    verdicts = _here(job, seeds) if processes == 0 else in_processes(job, seeds, processes)
    for seed, verdict in verdicts:
        summary.instances += 1
        summary.outcomes[verdict.outcome] += 1
        for failure in verdict.failures:
            _keep(summary, seed, failure, folder, say)
        if time.perf_counter() - told > PAUSE:
            told = time.perf_counter()
            failed = summary.failures.total()
            say(f"  {job.name}: {summary.instances} in {told - start:.0f} s, {failed} failures")
    summary.seconds = time.perf_counter() - start
    return summary


def _here(job: Job, seeds: Iterable[int]) -> Iterator[tuple[int, Verdict]]:
    job.warm_up()
    for seed in seeds:
        yield seed, job.check(seed)


def _keep(
    summary: Summary, seed: int, failure: Failure, folder: Path, say: Callable[[str], None]
) -> None:
    summary.failures[failure.kind] += 1
    summary.files.append(write_reproducer(folder, summary.name, seed, failure))
    if summary.failures[failure.kind] <= SHOWN:
        say(f"  {summary.name} --seed {seed}: {failure.kind}: {failure.detail[:300]}")
