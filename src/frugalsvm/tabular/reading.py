"""Reading CSV and Parquet files without guessing: what is unclear is an error that says so."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import itertools
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet

from frugalsvm.exceptions import DataError
from frugalsvm.tabular.dialect import Dialect
from frugalsvm.tabular.excel import excel_header, is_excel, read_excel
from frugalsvm.tabular.table import Column, Content, Table, check_names, require

DELIMITERS = (",", ";", "\t", "|")
_HEADER_LIMIT = 16 * 2**20


def read_header(path: Path, dialect: Dialect | None = None) -> list[str]:
    """Return the names of a file's columns without reading its rows."""
    with _explained(path):
        if is_parquet(path):
            names = list(pyarrow.parquet.read_schema(path).names)
        elif is_excel(path):
            names = excel_header(path, dialect or Dialect())
        else:
            names = _csv_header(path, dialect or Dialect())[0]
        check_names(names)
        return names


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
    names = read_header(path, dialect)
    if columns is None:
        columns = names
    require(columns, names)
    with _explained(path):
        if is_parquet(path):
            table = _read_parquet(path, columns)
        elif is_excel(path):
            table = read_excel(path, columns, as_text, dialect or Dialect())
        else:
            table = _read_csv(path, names, columns, as_text, dialect or Dialect())
    if table.n_rows == 0:
        raise DataError(f"{path} has a header but no rows.")
    return table


def is_parquet(path: Path) -> bool:
    """Return True if the name says that it is a Parquet file."""
    return path.suffix.lower() in (".parquet", ".pq")


def file_sha256(path: Path) -> str:
    """Return the SHA-256 of a file's bytes, as ``sha256sum`` prints it."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def open_text(path: Path, encoding: str = "utf-8") -> TextIO:
    """Open a text file for reading, unpacked if it is called .gz and without a byte order mark."""
    if encoding.lower().replace("_", "-") in ("utf-8", "utf8"):
        encoding = "utf-8-sig"
    if path.suffix.lower() == ".gz":
        return io.TextIOWrapper(gzip.open(path, "rb"), encoding=encoding, newline="")
    return path.open(encoding=encoding, newline="")


def delimiter_of(first_line: str) -> str:
    """Return the delimiter that a header line uses most often outside quotes.

    Examples
    --------
    >>> delimiter_of('age;"height, cm";weight')
    ';'
    """
    bare = "".join(first_line.split('"')[::2])
    return max(DELIMITERS, key=bare.count)


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Turn what the libraries below raise on a bad file into a DataError that names it."""
    try:
        yield
    except UnicodeError as error:
        raise DataError(_not_text(path)) from error
    except (OSError, EOFError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise DataError(f"{path} cannot be read: {reason}.") from error
    except csv.Error as error:
        raise DataError(f"{path} is not a CSV file: {error}.") from error
    except pa.ArrowException as error:
        if "invalid UTF8" in str(error):
            raise DataError(_not_text(path)) from error
        raise DataError(f"{path} cannot be read: {error}") from error


def _not_text(path: Path) -> str:
    return f"{path} is not text in this encoding: save it as UTF-8, or name its --encoding."


def _csv_header(path: Path, dialect: Dialect) -> tuple[list[str], str]:
    """Return the column names and the delimiter of a CSV file."""
    with open_text(path, dialect.encoding) as stream:
        first = stream.readline(_HEADER_LIMIT)
        if "\0" in first:
            raise DataError(_not_text(path))
        if len(first) == _HEADER_LIMIT:
            raise DataError(f"{path} is not a CSV file: its first line does not end.")
        if not first.strip():
            empty = not stream.read(_HEADER_LIMIT).strip()
            what = "is empty: it has not even a header" if empty else "begins with an empty line"
            raise DataError(f"{path} {what}. The first line must name the columns.")
        delimiter = delimiter_of(first)
        # A quoted name may run on into the next lines.
        names = next(csv.reader(itertools.chain([first], stream), delimiter=delimiter))
    return [name.strip() for name in names], delimiter


def _read_csv(
    path: Path,
    names: Sequence[str],
    columns: Sequence[str],
    as_text: Collection[str],
    dialect: Dialect,
) -> Table:
    delimiter = _csv_header(path, dialect)[1]
    arrow = _arrow_csv(path, names, columns, delimiter, dialect)
    _refuse_open_quote(path, arrow)
    keep = set(as_text)
    return Table.of(
        _typed(name, arrow.column(name), dialect, stay_text=name in keep) for name in columns
    )


def _arrow_csv(
    path: Path, names: Sequence[str], columns: Sequence[str], delimiter: str, dialect: Dialect
) -> Any:
    options = {
        # The header is read by its own code: skip it here, quoted line breaks included.
        "read_options": pyarrow.csv.ReadOptions(
            column_names=list(names), skip_rows_after_names=1, encoding=dialect.encoding
        ),
        "convert_options": pyarrow.csv.ConvertOptions(
            include_columns=list(columns),
            column_types=dict.fromkeys(names, pa.string()),
            strings_can_be_null=False,
        ),
    }
    parse = {"delimiter": delimiter, "newlines_in_values": True}
    try:
        return pyarrow.csv.read_csv(
            path, parse_options=pyarrow.csv.ParseOptions(**parse), **options
        )
    except pa.ArrowInvalid as error:
        if "Expected" not in str(error):
            raise
        raise DataError(_uneven_row(path, parse, options)) from error


def _uneven_row(path: Path, parse: dict[str, Any], options: dict[str, Any]) -> str:
    """Read the file once more, slowly, to tell which row has too many or too few cells."""
    uneven: list[Any] = []

    def note(row: Any) -> str:
        uneven.append(row)
        return "skip"

    options["read_options"].use_threads = False
    pyarrow.csv.read_csv(
        path,
        parse_options=pyarrow.csv.ParseOptions(**parse, invalid_row_handler=note),
        **options,
    )
    row = uneven[0]
    where = f"line {row.number}" if row.number else "a line"
    return (
        f"{path}: {where} has {row.actual_columns} cells where the header has "
        f"{row.expected_columns}: {row.text[:60]!r}."
    )


def _refuse_open_quote(path: Path, arrow: Any) -> None:
    """Raise if the last cell swallowed lines: a quotation mark that is never closed."""
    if arrow.num_rows == 0 or path.suffix.lower() == ".gz":
        return
    last = arrow.column(arrow.num_columns - 1)[-1].as_py()
    if last is None or "\n" not in last:
        return
    with path.open("rb") as stream:
        stream.seek(max(0, path.stat().st_size - 64))
        tail = stream.read().rstrip()
    if not tail.endswith(b'"'):
        raise DataError(f"{path}: a quotation mark is opened in the last row and never closed.")


def _typed(name: str, texts: Any, dialect: Dialect, *, stay_text: bool) -> Column:
    """Return a column of numbers or truth values if every cell is one, of text otherwise."""
    texts = pc.utf8_trim_whitespace(texts)
    missing = pc.is_in(texts, value_set=pa.array(dialect.missing, pa.string()))
    gone = missing.to_numpy(zero_copy_only=False)
    if not stay_text:
        present = pc.filter(texts, pc.invert(missing))
        numbers, content = _numbers(present, dialect.decimal)
        if numbers is not None:
            values = np.full(len(gone), np.nan)
            values[~gone] = numbers
            return Column(name, content, values, np.isnan(values))
    objects = texts.to_numpy(zero_copy_only=False).astype(object)
    objects[gone] = None
    return Column(name, Content.TEXT, objects, gone)


def _numbers(present: Any, decimal: str) -> tuple[Any, Content]:
    """Return the cells as numbers, or None if one of them is neither number nor truth value."""
    lowered = pc.utf8_lower(present)
    truth = pc.is_in(lowered, value_set=pa.array(["true", "false"]))
    if len(present) and pc.all(truth).as_py():
        flags = pc.equal(lowered, "true").to_numpy(zero_copy_only=False)
        return flags.astype(np.float64), Content.BOOLEAN
    if decimal == ",":
        present = pc.replace_substring(present, ",", ".")
    try:
        numbers = pc.cast(present, pa.float64())
    except pa.ArrowInvalid:
        return None, Content.TEXT
    return numbers.to_numpy(zero_copy_only=False), Content.NUMBER


def _read_parquet(path: Path, columns: Sequence[str]) -> Table:
    arrow = pyarrow.parquet.read_table(path, columns=list(columns))
    return Table.of(_from_arrow(name, arrow.column(name)) for name in columns)


def _from_arrow(name: str, values: Any) -> Column:
    kind = values.type
    if pa.types.is_dictionary(kind):
        values = pc.cast(values, kind.value_type)
        kind = values.type
    gone = pc.is_null(values, nan_is_null=pa.types.is_floating(kind)).to_numpy(zero_copy_only=False)
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        numbers = pc.cast(values, pa.float64(), safe=False).to_numpy(zero_copy_only=False)
        return Column(name, Content.NUMBER, numbers, gone)
    if pa.types.is_boolean(kind):
        flags = pc.cast(values, pa.float64()).to_numpy(zero_copy_only=False)
        return Column(name, Content.BOOLEAN, flags, gone)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        texts = pc.utf8_trim_whitespace(values).to_numpy(zero_copy_only=False).astype(object)
        return Column(name, Content.TEXT, texts, gone)
    content = Content.DATE if pa.types.is_temporal(kind) else Content.OTHER
    objects = np.empty(len(values), dtype=object)
    objects[:] = values.to_pylist()
    return Column(name, content, objects, gone)
