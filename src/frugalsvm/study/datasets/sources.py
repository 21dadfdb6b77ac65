"""Where a published table comes from: the user's folder, the cache, or the internet.

Whatever the source, the table's checksum is compared before it is used. Nothing that exists is
ever overwritten: a bad file is reported, and the user decides.
"""

from __future__ import annotations

import gzip
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from frugalsvm.study.datasets.downloads import Fetch
from frugalsvm.study.datasets.table import (
    RawTable,
    canonical,
    checksum,
    parse_csv,
    read_text,
    to_csv,
)
from frugalsvm.study.errors import DatasetError

DATA_VARIABLE = "FRUGALSVM_DATA"
CACHE_VARIABLE = "FRUGALSVM_CACHE"


@dataclass(frozen=True)
class Published:
    """A published table: how its files look and what it must contain.

    Attributes
    ----------
    filename : str
        Its file in the folder ``FRUGALSVM_DATA``.
    sha256 : str
        Checksum of its canonical form.
    fetch : callable
        Downloads it.
    categorical : tuple of str
        Its categorical variables.
    drop : tuple of str
        Columns of the file that are no features.
    sort_rows : bool
        True where published copies differ in the order of their rows.
    """

    filename: str
    sha256: str
    fetch: Fetch
    categorical: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    sort_rows: bool = False

    @property
    def stem(self) -> str:
        """File name without its endings."""
        return self.filename.split(".", maxsplit=1)[0]


def obtain(published: Published) -> RawTable:
    """Return the table from the user's folder, else from the cache, else from the internet."""
    folder = os.environ.get(DATA_VARIABLE)
    if folder:
        path = Path(folder) / published.filename
        if path.exists():
            return _read(published, path, "Replace it by the original, or unset FRUGALSVM_DATA.")
    cached = cache_folder() / f"{published.stem}.csv.gz"
    if cached.exists():
        return _read(published, cached, "Delete it to download it again.")
    table = _reduce(published, published.fetch())
    if checksum(table) != published.sha256:
        raise DatasetError(
            f"The downloaded copy of {published.stem} is not the data set of the paper: its "
            f"SHA-256 is {checksum(table)}, expected {published.sha256}. Nothing was cached. Set "
            f"{DATA_VARIABLE} to a folder with the original {published.filename}."
        )
    write_atomically(cached, gzip.compress(to_csv(table).encode(), mtime=0))
    return table


def cache_folder() -> Path:
    """Return where downloads are kept: ``FRUGALSVM_CACHE``, else the user's cache folder."""
    if chosen := os.environ.get(CACHE_VARIABLE):
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "frugalsvm"


def _read(published: Published, path: Path, remedy: str) -> RawTable:
    try:
        table = _reduce(published, parse_csv(read_text(path), drop=published.drop))
        found = checksum(table)
    except DatasetError as error:
        raise DatasetError(f"{path} is damaged: {error} {remedy}") from error
    if found != published.sha256:
        raise DatasetError(
            f"{path} is not the data set of the paper: the SHA-256 of its contents is {found}, "
            f"expected {published.sha256}. {remedy}"
        )
    return table


def _reduce(published: Published, table: RawTable) -> RawTable:
    return canonical(table, published.categorical, sort_rows=published.sort_rows)


def write_atomically(path: Path, data: bytes) -> None:
    """Write a whole file or none: a reader never sees a part of it."""
    temporary: Path | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            temporary = Path(file.name)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
        raise DatasetError(
            f"Cannot write {path}: {error}. Free some space, or set {CACHE_VARIABLE} to a folder "
            "that can be written."
        ) from error
