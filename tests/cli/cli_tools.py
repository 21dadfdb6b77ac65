"""What the tests of the command line share: data on disk, and a way to run commands."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from typer.testing import CliRunner

from frugalsvm.cli.app import app

COSTS = """feature,cost,group,group_cost
age,0.5,,
chol,7.27,blood,2.10
glucose,7.27,blood,
colour,3,blood,2.1
smoker,0.5,,
"""


@dataclass(frozen=True)
class Outcome:
    """What a command said and how it ended."""

    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)


def frugalsvm(*arguments) -> Outcome:
    """Run a command in this process."""
    result = CliRunner(env={"COLUMNS": "80", "TERM": "dumb"}).invoke(
        app, [str(argument) for argument in arguments]
    )
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Outcome(result.exit_code, result.stdout, result.stderr)


def patients(n: int = 120, seed: int = 3, gaps: bool = True) -> list[dict[str, object]]:
    """Rows with numbers, a truth value, levels and gaps; age, chol and colour tell the class."""
    rng = np.random.default_rng(seed)
    rows: list[dict[str, object]] = []
    for k in range(n):
        age, chol = round(rng.normal(55, 10), 1), round(rng.normal(5, 1), 2)
        colour = str(rng.choice(["blue", "red", "white"]))
        signal = 1.6 * (age - 55) / 10 + 1.4 * (chol - 5) + 2.5 * (colour == "red") - 0.8
        rows.append(
            {
                "id": f"P{k:04d}",
                "age": "" if gaps and k % 17 == 3 else age,
                "chol": chol,
                "glucose": round(rng.normal(6, 1.5), 2),
                "colour": "NA" if gaps and k % 23 == 5 else colour,
                "smoker": str(rng.choice(["true", "false"])),
                "diagnosis": "ill" if signal + 0.1 * rng.normal() > 0 else "well",
            }
        )
    return rows


def write_rows(path: Path, rows: list[dict[str, object]], columns: list[str] | None = None) -> Path:
    """Write rows (or some columns of them) as CSV."""
    names = columns or list(rows[0])
    with path.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, names, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
    return path


def read_rows(path: Path) -> list[dict[str, str]]:
    """Read a CSV file."""
    with path.open(newline="") as stream:
        return list(csv.DictReader(stream))
