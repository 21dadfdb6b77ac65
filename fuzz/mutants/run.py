"""Runs a slice of the fuzzer on every mutant: caught, or not."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from fuzz.mutants.catalogue import MUTANTS, Mutant
from fuzz.mutants.copies import Copies

SLICES = {"judges": 1_500, "selection": 1_500, "metamorphic": 30, "training": 800, "frontier": 60}
"""Seeds from 0 that a mutant is given, until the first that fails."""
PATIENCE = 900.0


def run_mutants(words: Sequence[str], folder: Path, say: Callable[[str], None]) -> bool:
    """Try all mutants, or those whose oracle has one of the words in its name."""
    copies = Copies(folder / "mutants")
    chosen = [m for m in MUTANTS if not words or any(word in m.oracle for word in words)]
    check_texts(copies, chosen)
    copies.restore()
    known = control(copies, folder / "mutants" / "control.json", say)
    caught = {}
    for mutant in chosen:
        copies.restore()
        copies.apply(mutant)
        start = time.perf_counter()
        how = _caught(copies, mutant, known)
        caught[mutant.oracle] = how
        told = f"caught by {how}" if how else "NOT CAUGHT"
        say(f"  {mutant.oracle}: {told} ({time.perf_counter() - start:.0f} s)")
    (folder / "mutants.json").write_text(json.dumps(caught, indent=1))
    missed = [oracle for oracle, how in caught.items() if how is None]
    say(f"mutants: {len(caught) - len(missed)} of {len(caught)} caught")
    for oracle in missed:
        say(f"  not caught: {oracle}")
    return not missed


def check_texts(copies: Copies, mutants: Sequence[Mutant]) -> None:
    """Complain at once about all substitutions that no longer fit."""
    complaints = []
    for mutant in mutants:
        copies.restore()
        try:
            copies.apply(mutant)
        except LookupError as error:
            complaints.append(str(error))
    if complaints:
        raise LookupError("\n".join(complaints))


def control(copies: Copies, path: Path, say: Callable[[str], None]) -> dict[str, list[int]]:
    """Run all slices on the package as it is; return the seeds that fail without a mutant."""
    if path.exists() and copies.warm.exists():
        stored = json.loads(path.read_text())
        if stored["stamp"] == _stamp(copies):
            return dict(stored["failing"])
    shutil.rmtree(copies.warm, ignore_errors=True)
    copies.restore()
    failing = {}
    for job, count in SLICES.items():
        failing[job] = [seed for seed, _ in _run(copies, job, count, [], first_only=False)]
        say(f"  without a mutant: {job}, {count} seeds, {len(failing[job])} fail")
    copies.keep_warm()
    path.write_text(json.dumps({"stamp": _stamp(copies), "failing": failing}))
    return failing


def _stamp(copies: Copies) -> list[Any]:
    """Return what tells one state of the package from another."""
    folders = (copies.original, Path(__file__).parents[1])
    sources = sorted(path for folder in folders for path in folder.rglob("*.py"))
    return [len(sources), max(path.stat().st_mtime for path in sources), SLICES]


def _caught(copies: Copies, mutant: Mutant, known: dict[str, list[int]]) -> str | None:
    """Return how a mutant was caught, None if it was not."""
    for job in mutant.jobs:
        if job.endswith(".py"):
            if _tests_fail(copies, job):
                return job
            continue
        found = _run(copies, job, SLICES[job], known[job], first_only=True)
        if found:
            seed, kind = found[0]
            return f"{job} --seed {seed}: {kind}"
    return None


def _tests_fail(copies: Copies, file: str) -> bool:
    """Run a file of tests with the copy; return True if one fails."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", file],
        cwd=Path(__file__).parents[2],
        env={**os.environ, **copies.environment},
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )
    return done.returncode == 1


def _run(
    copies: Copies, job: str, count: int, skipped: Sequence[int], *, first_only: bool
) -> list[tuple[int, str]]:
    """Check seeds in a process that uses the copy; return the failing ones with their kinds."""
    request = {"job": job, "count": count, "skipped": list(skipped), "first_only": first_only}
    try:
        done = subprocess.run(
            [sys.executable, "-m", "fuzz.mutants.child"],
            input=json.dumps(request),
            env={**os.environ, **copies.environment},
            capture_output=True,
            text=True,
            timeout=PATIENCE if first_only else None,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return [(-1, "it takes for ever")]
    if done.returncode != 0:
        return [(-1, f"the process ended: {done.stderr.strip()[-200:]}")]
    return [(seed, kind) for seed, kind in json.loads(done.stdout.strip().splitlines()[-1])]
