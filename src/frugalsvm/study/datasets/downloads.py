"""Fetching the published copies and bringing them into one shape."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from http.client import HTTPException
from urllib.request import urlopen

import numpy as np

from frugalsvm.study.datasets.table import RawTable
from frugalsvm.study.errors import DatasetError

UCI = "https://archive.ics.uci.edu"
URLS = {
    "votes": f"{UCI}/ml/machine-learning-databases/voting-records/house-votes-84.data",
    "australian": f"{UCI}/ml/machine-learning-databases/statlog/australian/australian.dat",
    "gastrointestinal": (
        f"{UCI}/static/public/408/gastrointestinal+lesions+in+regular+colonoscopy.zip"
    ),
}
OPENML_LEUKEMIA = 1104
TIMEOUT = 60.0
MAX_BYTES = 100_000_000

VOTES_COLUMNS = (
    "handicapped-infants",
    "water-project-cost-sharing",
    "adoption-of-the-budget-resolution",
    "physician-fee-freeze",
    "el-salvador-aid",
    "religious-groups-in-schools",
    "anti-satellite-test-ban",
    "aid-to-nicaraguan-contras",
    "mx-missile",
    "immigration",
    "synfuels-corporation-cutback",
    "education-spending",
    "superfund-right-to-sue",
    "crime",
    "duty-free-exports",
    "export-administration-act-south-africa",
)
AUSTRALIAN_COLUMNS = tuple(f"A{k}" for k in range(1, 15))
GASTRO_HEADER_ROWS = 3  # lesion, class, light


def fetch_votes() -> RawTable:
    """Return UCI's votes: the class first, then the sixteen votes."""
    rows = [line.split(",") for line in _lines("votes")]
    return _table(
        "votes", VOTES_COLUMNS, [tuple(row[1:]) for row in rows], [row[0] for row in rows]
    )


def fetch_australian() -> RawTable:
    """Return UCI's Australian: fourteen variables and the class, separated by blanks."""
    rows = [line.split() for line in _lines("australian")]
    return _table(
        "australian", AUSTRALIAN_COLUMNS, [tuple(row[:-1]) for row in rows], [r[-1] for r in rows]
    )


def fetch_gastrointestinal(light: str, columns: tuple[str, ...]) -> RawTable:
    """Return one light of UCI's lesions, whose file holds one feature a row.

    Light 1 is taken as white light, light 2 as narrow-band imaging.
    """
    lines = [line.split(",") for line in _lines("gastrointestinal", member="data.txt")]
    wanted = {"wl": "1", "nbi": "2"}[light]
    if len(lines) != GASTRO_HEADER_ROWS + len(columns):
        raise _changed("gastrointestinal")
    lesions, lights = lines[0], lines[2]
    chosen = [j for j, cell in enumerate(lights) if cell.strip() == wanted]
    try:
        rows = [tuple(line[j] for line in lines[GASTRO_HEADER_ROWS:]) for j in chosen]
    except IndexError as error:
        raise _changed("gastrointestinal") from error
    classes = [lesions[j].strip().rsplit("_", 1)[0] for j in chosen]
    return _table("gastrointestinal", columns, rows, classes)


def fetch_leukemia() -> RawTable:
    """Return OpenML's copy of Golub's leukemia data."""
    # OpenML is needed by this one data set only; importing it costs a second.
    from sklearn.datasets import fetch_openml

    try:
        bunch = fetch_openml(data_id=OPENML_LEUKEMIA, as_frame=False, parser="liac-arff")
    except (OSError, ValueError) as error:
        raise _unreachable("leukemia", f"OpenML data set {OPENML_LEUKEMIA}", error) from error
    rows = [tuple(repr(float(v)) for v in row) for row in np.asarray(bunch.data)]
    return _table("leukemia", tuple(bunch.feature_names), rows, [str(c) for c in bunch.target])


def _lines(name: str, *, member: str | None = None) -> list[str]:
    data = _download(name, URLS[name])
    if member is not None:
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                data = archive.read(member)
        except (zipfile.BadZipFile, KeyError) as error:
            raise _changed(name) from error
    return [line for line in data.decode("utf-8", errors="replace").splitlines() if line.strip()]


def _download(name: str, url: str) -> bytes:
    try:
        with urlopen(url, timeout=TIMEOUT) as answer:
            data: bytes = answer.read(MAX_BYTES + 1)
    except (OSError, HTTPException) as error:
        raise _unreachable(name, url, error) from error
    if len(data) > MAX_BYTES:
        raise _changed(name)
    return data


def _table(
    name: str, columns: tuple[str, ...], rows: list[tuple[str, ...]], classes: list[str]
) -> RawTable:
    if any(len(row) != len(columns) for row in rows):
        raise _changed(name)
    return RawTable(columns, tuple(rows), tuple(classes))


def _changed(name: str) -> DatasetError:
    return DatasetError(
        f"The downloaded copy of {name} does not have the expected shape: the server answered "
        "with something else. Nothing was cached."
    )


def _unreachable(name: str, where: str, error: BaseException) -> DatasetError:
    return DatasetError(
        f"Cannot download {name} from {where}: {error}. Connect to the internet and try again, "
        "or set the environment variable FRUGALSVM_DATA to a folder that holds the data files."
    )


Fetch = Callable[[], RawTable]
