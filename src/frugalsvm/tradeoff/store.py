"""The store: results on disk as they come, so that interrupted work goes on where it ended.

One JSON object a line: a header that says for which data and settings, then one line a search.
A last line that was cut off by a crash is dropped; everything else must be as it was written.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from frugalsvm.data.exceptions import DataError
from frugalsvm.data.problem import SelectionProblem
from frugalsvm.data.rates import ErrorBudget
from frugalsvm.data.result import SelectionResult, Status, StopReason

FORMAT = "frugalsvm frontier store 1"


@dataclass(frozen=True)
class StoredSearch:
    """One search of an earlier run.

    Attributes
    ----------
    budget : ErrorBudget
        What was searched for.
    limit : float
        Seconds that the search was given.
    result : SelectionResult
        What it found.
    """

    budget: ErrorBudget
    limit: float
    result: SelectionResult


def fingerprint(problem: SelectionProblem, solver: str) -> str:
    """Return a hash of everything that the searches depend on but the budgets."""
    digest = hashlib.sha256(FORMAT.encode())
    parts = (
        problem.X,
        problem.positive,
        problem.include,
        problem.exclude,
        problem.costs.feature,
        problem.costs.group,
    )
    for part in parts:
        digest.update(repr((part.shape, str(part.dtype))).encode())
        digest.update(np.ascontiguousarray(part).tobytes())
    digest.update(repr((problem.costs.groups_of, problem.max_weight, solver)).encode())
    return digest.hexdigest()


class Store:
    """A store on disk; :meth:`open` reads what is there, :meth:`append` adds to it.

    Parameters
    ----------
    path : Path
        The file.
    mark : str
        The :func:`fingerprint` of the work.
    n_features : int
        Length of the weights.
    """

    def __init__(self, path: Path, mark: str, n_features: int) -> None:
        self.path = path
        self.mark = mark
        self.n_features = n_features

    def open(self) -> list[StoredSearch]:
        """Return the searches of earlier runs; make the file if there is none.

        Raises
        ------
        DataError
            If the file is no store, or one of other data or settings.
        """
        if not self.path.exists() or self.path.stat().st_size == 0:
            self._add({"format": FORMAT, "work": self.mark})
            return []
        lines = list(self._lines())
        header = lines[0] if lines else {}
        if header.get("format") != FORMAT:
            raise DataError(f"{self.path} is no store of a frontier: name another file.")
        if header.get("work") != self.mark:
            raise DataError(
                f"{self.path} belongs to other data, prices or settings: name another file, or "
                "delete it to begin anew."
            )
        return [self._search(line, number) for number, line in enumerate(lines[1:], start=2)]

    def append(self, budget: ErrorBudget, limit: float, result: SelectionResult) -> None:
        """Add a search, durably."""
        used = np.flatnonzero(result.weights)
        self._add(
            {
                "pos": budget.pos,
                "neg": budget.neg,
                "limit": _written(limit),
                "status": str(result.status),
                "stop": str(result.stop_reason),
                "support": list(result.support),
                "weights": {str(k): float(result.weights[k]) for k in used},
                "intercept": result.intercept,
                "cost": _written(result.cost),
                "bound": _written(result.bound),
                "seconds": result.seconds,
                "solver": result.solver,
                "version": result.solver_version,
            }
        )

    def _add(self, record: dict[str, Any]) -> None:
        with self.path.open("a", encoding="utf-8", newline="\n") as stream:
            stream.write(json.dumps(record, allow_nan=False) + "\n")
            stream.flush()
            os.fsync(stream.fileno())

    def _lines(self) -> Iterator[dict[str, Any]]:
        """Yield the records; cut off a last line without its end."""
        raw = self.path.read_bytes()
        whole = raw[: raw.rfind(b"\n") + 1]
        if len(whole) < len(raw):
            with self.path.open("r+b") as stream:
                stream.truncate(len(whole))
        for number, line in enumerate(whole.split(b"\n")[:-1], start=1):
            try:
                record = json.loads(line, parse_constant=_no_constant)
            except (ValueError, RecursionError) as error:
                raise self._damaged(number) from error
            if not isinstance(record, dict):
                raise self._damaged(number)
            yield record

    def _search(self, line: dict[str, Any], number: int) -> StoredSearch:
        try:
            weights = np.zeros(self.n_features)
            for key, value in line["weights"].items():
                weights[int(key)] = float(value)
            result = SelectionResult(
                status=Status(line["status"]),
                support=tuple(int(k) for k in line["support"]),
                weights=weights,
                intercept=float(line["intercept"]),
                cost=_read(line["cost"]),
                bound=_read(line["bound"]),
                seconds=float(line["seconds"]),
                solver=str(line["solver"]),
                solver_version=str(line["version"]),
                stop_reason=StopReason(line["stop"]),
            )
            budget = ErrorBudget(int(line["pos"]), int(line["neg"]))
            return StoredSearch(budget, _read(line["limit"]), result)
        except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
            raise self._damaged(number) from error

    def _damaged(self, number: int) -> DataError:
        return DataError(
            f"Line {number} of {self.path} is damaged: delete that line, or the file to begin anew."
        )


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


def _written(value: float) -> float | None:
    """Return a number as JSON has it; None is infinity."""
    return None if math.isinf(value) else float(value)


def _read(value: float | None) -> float:
    return math.inf if value is None else float(value)
