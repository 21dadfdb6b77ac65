"""The data sets: Table 1, coding, generated tables, and every way in which a source can fail."""

from __future__ import annotations

import csv
import errno
import gzip
import io
import os
import zipfile
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from frugalsvm.study import DATASETS, load_dataset
from frugalsvm.study.datasets import catalogue, downloads, sources
from frugalsvm.study.datasets.coding import encode
from frugalsvm.study.datasets.table import RawTable, parse_csv, read_text
from frugalsvm.study.errors import DatasetError

needs_data = pytest.mark.skipif(
    "FRUGALSVM_DATA" not in os.environ, reason="FRUGALSVM_DATA does not name the data folder"
)


def published(name: str) -> list[list[str]]:
    text = read_text(Path(os.environ["FRUGALSVM_DATA"]) / name)
    return list(csv.reader(io.StringIO(text)))


@needs_data
@pytest.mark.parametrize("name", DATASETS)
def test_table_1(name: str) -> None:
    data = load_dataset(name)
    facts = DATASETS[name]
    assert (data.n_samples, data.n_features, data.n_positive) == (
        facts.n_samples,
        facts.n_features,
        facts.n_positive,
    )
    assert data.X.dtype == np.float64
    assert data.y.dtype == np.bool_
    assert np.isfinite(data.X).all()
    assert len(data.feature_names) == len(data.groups) == data.n_features
    assert len(set(data.feature_names)) == data.n_features


@needs_data
@pytest.mark.parametrize(
    ("name", "file"), [("careval", "careval.csv"), ("nursery", "nursery.csv.gz")]
)
def test_generated_data_equal_the_published_cell_by_cell(name: str, file: str) -> None:
    header, *rows = published(file)
    generated = getattr(catalogue.generated, name)()
    assert generated.columns == tuple(header[:-1])
    assert generated.rows == tuple(tuple(row[:-1]) for row in rows)
    classes = [row[-1] for row in rows]
    if name == "nursery":
        classes = [label if label == "not_recom" else "other" for label in classes]
    assert generated.classes == tuple(classes)


@needs_data
def test_wisconsin_equals_the_published_cell_by_cell() -> None:
    header, *rows = published("wisconsin.csv")
    data = load_dataset("wisconsin")
    assert list(data.feature_names) == header[:-1]
    np.testing.assert_array_equal(data.X, np.array([row[:-1] for row in rows], dtype=float))
    np.testing.assert_array_equal(data.y, [row[-1] == "benign" for row in rows])


@needs_data
def test_australian_a8_gives_the_papers_contingency_table() -> None:
    data = load_dataset("australian")
    a8 = data.X[:, data.feature_names.index("A8=1")] == 1
    counts = [[int((~a8 & side).sum()), int((a8 & side).sum())] for side in (data.y, ~data.y)]
    assert counts == [[306, 77], [23, 284]]


@needs_data
def test_both_lights_load_and_differ() -> None:
    white, narrow = (load_dataset("gastrointestinal", light=light) for light in ("wl", "nbi"))
    assert white.X.shape == narrow.X.shape
    assert not np.array_equal(white.X, narrow.X)
    np.testing.assert_array_equal(white.y, narrow.y)


def test_dummies_share_the_group_of_their_variable() -> None:
    data = load_dataset("careval")
    names = np.array(data.feature_names)
    assert set(names[np.array(data.groups) == "safety"]) == {"safety=low", "safety=med"}
    assert data.reference_levels["safety"] == "high"
    assert load_dataset("nursery").reference_levels["health"] == "recommended"


def test_missing_numbers_become_the_median() -> None:
    table = RawTable(
        ("a", "b"), (("1", "x"), ("?", "y"), ("4", "x"), ("3", "z")), ("p", "p", "p", "n")
    )
    data = encode("small", table, categorical=("b",), positive=("p",))
    np.testing.assert_array_equal(data.X[:, 0], [1, 3, 4, 3])
    assert data.feature_names == ("a", "b=y", "b=z")
    assert data.groups == ("a", "b", "b")
    assert (data.positive_label, data.negative_label) == ("p", "n")


def test_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"wisconsin, votes.*Got 'iris'"):
        load_dataset("iris")


@pytest.fixture
def no_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Neither a data folder nor a cache; return the folder the cache would be in."""
    monkeypatch.delenv("FRUGALSVM_DATA", raising=False)
    monkeypatch.setenv("FRUGALSVM_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def serve(monkeypatch: pytest.MonkeyPatch, name: str, path: Path, data: bytes) -> None:
    path.write_bytes(data)
    monkeypatch.setitem(downloads.URLS, name, path.as_uri())


def votes_as_uci_has_them(folder: str) -> bytes:
    table = parse_csv(read_text(Path(folder) / "votes.csv"))
    lines = [",".join((label, *row)) for row, label in zip(table.rows, table.classes, strict=True)]
    return "\n".join(lines).encode()


@needs_data
def test_download_is_checked_and_cached(
    data_folder: str, monkeypatch: pytest.MonkeyPatch, no_folder: Path, tmp_path: Path
) -> None:
    serve(monkeypatch, "votes", tmp_path / "votes.data", votes_as_uci_has_them(data_folder))
    first = load_dataset("votes")
    serve(monkeypatch, "votes", tmp_path / "votes.data", b"gone")
    second = load_dataset("votes")
    assert [p.name for p in no_folder.iterdir()] == ["votes.csv.gz"]
    monkeypatch.setenv("FRUGALSVM_DATA", data_folder)
    for copy in (second, load_dataset("votes")):
        np.testing.assert_array_equal(first.X, copy.X)
        np.testing.assert_array_equal(first.y, copy.y)


@pytest.fixture
def data_folder() -> str:
    return os.environ["FRUGALSVM_DATA"]


@needs_data
def test_australian_and_lesions_are_read_from_ucis_layout(
    data_folder: str, monkeypatch: pytest.MonkeyPatch, no_folder: Path, tmp_path: Path
) -> None:
    table = parse_csv(read_text(Path(data_folder) / "australian.csv"))
    text = "\n".join(
        " ".join((*row, label)) for row, label in zip(table.rows, table.classes, strict=True)
    )
    serve(monkeypatch, "australian", tmp_path / "australian.dat", text.encode())
    assert load_dataset("australian").n_positive == 383

    lights = [
        parse_csv(read_text(Path(data_folder) / f"gastrointestinal_{light}.csv.gz"))
        for light in ("wl", "nbi")
    ]
    columns = [row for light in lights for row in light.rows]
    lines = [[row[0] for row in columns], ["3"] * 152, ["1"] * 76 + ["2"] * 76]
    lines += [[row[k] for row in columns] for k in range(1, 699)]
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("data.txt", "\n".join(",".join(line) for line in lines))
    serve(monkeypatch, "gastrointestinal", tmp_path / "lesions.zip", buffer.getvalue())
    assert load_dataset("gastrointestinal", light="nbi").n_positive == 55
    assert load_dataset("gastrointestinal").n_features == 698


@needs_data
def test_leukemia_does_not_depend_on_the_order_of_the_published_rows(
    data_folder: str, monkeypatch: pytest.MonkeyPatch, no_folder: Path
) -> None:
    table = parse_csv(read_text(Path(data_folder) / "leukemia.csv.gz"), drop=("patient", "set"))
    order = np.random.default_rng(0).permutation(len(table.rows))
    bunch = SimpleNamespace(
        data=np.array(table.rows, dtype=float)[order],
        target=np.array(table.classes)[order],
        feature_names=list(table.columns),
    )
    monkeypatch.setattr("sklearn.datasets.fetch_openml", lambda **_: bunch)
    downloaded = load_dataset("leukemia")
    monkeypatch.setenv("FRUGALSVM_DATA", data_folder)
    np.testing.assert_array_equal(downloaded.X, load_dataset("leukemia").X)


def test_offline_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, no_folder: Path, tmp_path: Path
) -> None:
    monkeypatch.setitem(downloads.URLS, "votes", (tmp_path / "nothing").as_uri())
    with pytest.raises(DatasetError, match="set the environment variable FRUGALSVM_DATA"):
        load_dataset("votes")
    assert not no_folder.exists()


def test_openml_out_of_reach_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, no_folder: Path
) -> None:
    def refuse(**_: object) -> None:
        raise OSError("no route to host")

    monkeypatch.setattr("sklearn.datasets.fetch_openml", refuse)
    with pytest.raises(DatasetError, match=r"leukemia.*no route to host.*FRUGALSVM_DATA"):
        load_dataset("leukemia")


def test_wrong_download_is_not_cached(
    monkeypatch: pytest.MonkeyPatch, no_folder: Path, tmp_path: Path
) -> None:
    line = ",".join(["democrat", *["y"] * 16])
    serve(monkeypatch, "votes", tmp_path / "votes.data", "\n".join([line] * 435).encode())
    with pytest.raises(DatasetError, match="not the data set of the paper: its SHA-256 is"):
        load_dataset("votes")
    serve(monkeypatch, "votes", tmp_path / "votes.data", b"<html>moved</html>")
    with pytest.raises(DatasetError, match="expected shape"):
        load_dataset("votes")
    assert not no_folder.exists()


@pytest.mark.parametrize(
    "damage", [b"", b"\x1f\x8bnonsense", gzip.compress(b"a,class\n1,2\n", mtime=0)]
)
def test_damaged_cache_is_reported_and_kept(no_folder: Path, damage: bytes) -> None:
    no_folder.mkdir()
    cached = no_folder / "votes.csv.gz"
    cached.write_bytes(damage)
    with pytest.raises(DatasetError, match="Delete it to download it again"):
        load_dataset("votes")
    assert cached.read_bytes() == damage


def test_changed_file_in_the_data_folder_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("FRUGALSVM_DATA", str(tmp_path))
    header = ",".join([*(f"A{k}" for k in range(1, 15)), "class"])
    (tmp_path / "australian.csv").write_text(f"{header}\n" + ",".join(["1"] * 15) + "\n")
    with pytest.raises(DatasetError, match=r"not the data set of the paper.*FRUGALSVM_DATA"):
        load_dataset("australian")


def test_full_disk_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    target = tmp_path / "cache" / "votes.csv.gz"
    target.parent.mkdir()
    target.write_bytes(b"old")

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(DatasetError, match=r"No space left on device.*FRUGALSVM_CACHE"):
        sources.write_atomically(target, b"new")
    assert [p.name for p in target.parent.iterdir()] == ["votes.csv.gz"]
    assert target.read_bytes() == b"old"
