"""The store: durable, resumable, and not to be fooled."""

from __future__ import annotations

import dataclasses
import sqlite3
from pathlib import Path

import pytest

from frugalsvm.study import StudySettings
from frugalsvm.study.errors import StoreError
from frugalsvm.study.store import SCHEMA_VERSION, Store, StoredResult
from frugalsvm.study.tasks import Task

TASK = Task("svm", "votes", 3)
RESULT = StoredResult(TASK, {"C": 1.0, "counts": [1, 2, 3, 4]}, 0.5, {"numpy": "2"})


def test_what_is_put_is_there_after_reopening(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    with Store(path, StudySettings()) as store:
        store.put(RESULT)
        store.put(RESULT)
    with Store(path, StudySettings()) as store:
        assert store.all() == [RESULT]
        assert store.get(TASK) == RESULT
        assert store.get(Task("svm", "votes", 4)) is None
        assert store.find("svm", "votes") == [RESULT.payload]
        assert store.keys() == {TASK.key}


def test_other_settings_are_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    Store(path, StudySettings()).close()
    with pytest.raises(StoreError, match=r"seed: 0 there, 1 now"):
        Store(path, dataclasses.replace(StudySettings(), seed=1))
    Store(path, None).close()


def test_a_newer_store_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    with Store(path, StudySettings()) as store:
        store.put(RESULT)
    with sqlite3.connect(path) as db:
        db.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    db.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match="newer version"):
        Store(path, StudySettings())
    assert path.read_bytes() == before


@pytest.mark.parametrize("content", [b"not a database, but long enough to be read" * 40, b"x"])
def test_a_file_of_something_else_is_refused_and_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "s.sqlite"
    path.write_bytes(content)
    with pytest.raises(StoreError, match="cannot be read as a store"):
        Store(path, StudySettings())
    assert path.read_bytes() == content


def test_a_database_of_something_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE recipes (name TEXT)")
    db.commit()
    db.close()
    with pytest.raises(StoreError, match="something else"):
        Store(path, StudySettings())


def test_missing_and_unwritable(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="There is no store"):
        Store(tmp_path / "none.sqlite", None)
    with pytest.raises(StoreError, match="Cannot open"):
        Store(tmp_path, StudySettings())


def test_a_full_disk_keeps_what_was_stored(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    with Store(path, StudySettings()) as store:
        store.put(RESULT)
        pages = store._db.execute("PRAGMA page_count").fetchone()[0]
        store._db.execute(f"PRAGMA max_page_count = {pages}")
        big = StoredResult(Task("svm", "votes", 4), {"x": "y" * 100_000}, 0.0, {})
        with pytest.raises(StoreError, match=r"full.*What was stored before is intact"):
            store.put(big)
    with Store(path, StudySettings()) as store:
        assert store.all() == [RESULT]
