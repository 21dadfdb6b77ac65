"""The results on disk: one SQLite file, one writer, one transaction for each result.

A result is there as a whole or not at all, whenever the process is killed. The file remembers the
settings that its results were made with and refuses to mix them with others.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from frugalsvm.study.errors import StoreError
from frugalsvm.study.settings import StudySettings
from frugalsvm.study.tasks import Payload, Task

SCHEMA_VERSION = 1
LEFT_ALONE = "It was left as it is; name another file."

_SCHEMA = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE results (
    key TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    dataset TEXT NOT NULL,
    targets TEXT NOT NULL,
    method TEXT NOT NULL,
    fold INTEGER NOT NULL,
    payload TEXT NOT NULL,
    seconds REAL NOT NULL,
    made_with TEXT NOT NULL
);
"""


@dataclass(frozen=True)
class StoredResult:
    """A finished task, what it gave, how long it took, and what software made it."""

    task: Task
    payload: Payload
    seconds: float
    made_with: dict[str, Any]


class Store:
    """Results of a study in a file.

    Parameters
    ----------
    path : Path
        The file; made if it does not exist.
    settings : StudySettings or None
        The settings of the run; None: read what is there, whatever its settings.

    Raises
    ------
    StoreError
        If the file is no store, is of a newer version, or was made with other settings.
    """

    def __init__(self, path: Path, settings: StudySettings | None) -> None:
        self.path = path
        if settings is None and not path.exists():
            raise StoreError(f"There is no store {path}.")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.is_file() and not _looks_like_a_database(path):
                raise StoreError(f"{path} cannot be read as a store of results. {LEFT_ALONE}")
            self._db = sqlite3.connect(path, timeout=5.0)
        except (OSError, sqlite3.Error) as error:
            raise StoreError(f"Cannot open the store {path}: {error}") from error
        try:
            self._prepare(settings)
        except BaseException:
            self._db.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def _prepare(self, settings: StudySettings | None) -> None:
        try:
            version = int(self._db.execute("PRAGMA user_version").fetchone()[0])
            tables = self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        except sqlite3.Error as error:
            raise StoreError(
                f"{self.path} cannot be read as a store of results: {error}. {LEFT_ALONE}"
            ) from error
        if version > SCHEMA_VERSION:
            raise StoreError(
                f"{self.path} was written by a newer version of frugalsvm (its schema is "
                f"{version}, this version knows {SCHEMA_VERSION}). Upgrade frugalsvm, or name "
                "another file. Nothing was changed."
            )
        if version == 0 and tables:
            raise StoreError(f"{self.path} is a database of something else. Name another file.")
        if version == 0:
            if settings is None:
                raise StoreError(f"{self.path} is empty.")
            self._create(settings)
        elif settings is not None:
            self._check(settings)

    def _create(self, settings: StudySettings) -> None:
        with self._writing():
            self._db.executescript(
                f"BEGIN IMMEDIATE; {_SCHEMA} PRAGMA user_version = {SCHEMA_VERSION};"
                f"INSERT INTO meta VALUES ('settings', {_quoted(_dump(settings.as_dict()))});"
                "COMMIT;"
            )

    def _check(self, settings: StudySettings) -> None:
        stored = self.settings
        current = json.loads(_dump(settings.as_dict()))
        if stored != current:
            names = sorted(k for k in stored | current if stored.get(k) != current.get(k))
            changes = ", ".join(f"{k}: {stored.get(k)} there, {current.get(k)} now" for k in names)
            raise StoreError(
                f"{self.path} holds results of other settings ({changes}). Use the same settings, "
                "or name another file. Nothing was changed."
            )

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of the results, as plain values."""
        row = self._db.execute("SELECT value FROM meta WHERE name = 'settings'").fetchone()
        values: dict[str, Any] = json.loads(row[0])
        return values

    def put(self, result: StoredResult) -> None:
        """Write one result, durably, or raise a StoreError and leave the file as it was."""
        task = result.task
        row = (
            task.key,
            task.kind,
            task.dataset,
            task.targets,
            task.method,
            task.fold,
            _dump(result.payload),
            result.seconds,
            _dump(result.made_with),
        )
        with self._writing(), self._db:
            self._db.execute("INSERT OR IGNORE INTO results VALUES (?,?,?,?,?,?,?,?,?)", row)

    def get(self, task: Task) -> StoredResult | None:
        """Return the result of a task, or None."""
        found = self._rows("WHERE key = ?", (task.key,))
        return next(found, None)

    def keys(self) -> set[str]:
        """Return the keys of all finished tasks."""
        return {row[0] for row in self._db.execute("SELECT key FROM results")}

    def find(self, kind: str, dataset: str, targets: str = "", method: str = "") -> list[Payload]:
        """Return the payloads of a kind of task on a data set, by fold."""
        where = "WHERE kind = ? AND dataset = ? AND targets = ? AND method = ?"
        return [r.payload for r in self._rows(where, (kind, dataset, targets, method))]

    def all(self) -> list[StoredResult]:
        """Return every result."""
        return list(self._rows("", ()))

    def _rows(self, where: str, values: tuple[str, ...]) -> Iterator[StoredResult]:
        columns = "kind, dataset, fold, targets, method, payload, seconds, made_with"
        query = f"SELECT {columns} FROM results {where} ORDER BY key"
        for *names, payload, seconds, made_with in self._db.execute(query, values):
            yield StoredResult(Task(*names), json.loads(payload), seconds, json.loads(made_with))

    def _writing(self) -> _Writing:
        return _Writing(self.path)


class _Writing:
    """Turns the database's errors into one that says what to do."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, sqlite3.Error):
            raise StoreError(
                f"Cannot write to the store {self._path}: {error}. What was stored before is "
                "intact; free some space or close the other run, and start again to go on."
            ) from error


def _looks_like_a_database(path: Path) -> bool:
    """Return True for an empty file or one with SQLite's mark, which tiny files may lack."""
    with path.open("rb") as file:
        return file.read(16) in (b"", b"SQLite format 3\0")


def _dump(values: Any) -> str:
    return json.dumps(values, sort_keys=True, allow_nan=True)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
