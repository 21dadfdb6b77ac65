"""Reading files of tables without guessing: what is unclear is an error that says so."""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from frugalsvm.data.exceptions import DataError
from frugalsvm.tabular.csv_file import csv_header, not_text, read_csv
from frugalsvm.tabular.dialect import Dialect
from frugalsvm.tabular.excel import excel_header, is_excel, read_excel
from frugalsvm.tabular.parquet import is_parquet, parquet_header, read_parquet
from frugalsvm.tabular.table import Table, check_names, require


def read_header(path: Path, dialect: Dialect | None = None) -> list[str]:
    """Return the names of a file's columns without reading its rows.

    A first column without a name is left out: it is how pandas and R write the names of the rows.
    """
    names, _ = _read_names(path, dialect or Dialect())
    return names


def _read_names(path: Path, dialect: Dialect) -> tuple[list[str], bool]:
    """Return the names of a file's columns, and whether a first one without a name is left out."""
    with _explained(path):
        if is_parquet(path):
            names = parquet_header(path)
        elif is_excel(path):
            names = excel_header(path, dialect)
        else:
            names = csv_header(path, dialect)[0]
        unnamed = len(names) > 1 and not names[0]
        names = names[unnamed:]
        check_names(names, first=1 + unnamed)
        return names, unnamed


def read_table(
    path: Path,
    columns: Sequence[str] | None = None,
    as_text: Collection[str] = (),
    dialect: Dialect | None = None,
) -> Table:
    """Read a CSV (also .csv.gz), Parquet or Excel file.

    Parameters
    ----------
    path : Path
        The file; Parquet if it is called .parquet or .pq, Excel if .xlsx, CSV otherwise.
    columns : sequence of str or None
        The columns to read; None: all.
    as_text : collection of str
        Columns of a CSV file that stay text even if every cell is a number.
    dialect : Dialect or None
        How to read the cells of a CSV file; None: the defaults.
    """
    dialect = dialect or Dialect()
    names, unnamed = _read_names(path, dialect)
    if columns is None:
        columns = names
    require(columns, names)
    with _explained(path):
        if is_parquet(path):
            table = read_parquet(path, columns)
        elif is_excel(path):
            table = read_excel(path, columns, as_text, dialect)
        else:
            table = read_csv(path, columns, as_text, dialect)
    if table.n_rows == 0:
        raise DataError(f"{path} has a header but no rows.")
    return replace(table, row_names=unnamed)


def file_sha256(path: Path) -> str:
    """Return the SHA-256 of a file's bytes, as ``sha256sum`` prints it."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Turn what the libraries below raise on a bad file into a DataError that names it."""
    try:
        yield
    except UnicodeError as error:
        raise DataError(not_text(path)) from error
    except (OSError, EOFError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise DataError(f"{path} cannot be read: {reason}.") from error
    except csv.Error as error:
        raise DataError(f"{path} is not a CSV file: {error}.") from error
