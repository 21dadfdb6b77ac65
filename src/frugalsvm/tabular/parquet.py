"""Reading Parquet files; pyarrow does it, and is needed for nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from frugalsvm.data.exceptions import DataError
from frugalsvm.tabular.table import Column, Content, Table


def is_parquet(path: Path) -> bool:
    """Return True if the name says that it is a Parquet file."""
    return path.suffix.lower() in (".parquet", ".pq")


def parquet_header(path: Path) -> list[str]:
    """Return the names of a Parquet file's columns."""
    with _pyarrow(path) as pa:
        return list(pa.parquet.read_schema(path).names)


def read_parquet(path: Path, columns: Sequence[str]) -> Table:
    """Read some columns of a Parquet file."""
    with _pyarrow(path) as pa:
        arrow = pa.parquet.read_table(path, columns=list(columns))
        return Table.of(_column(pa, name, arrow.column(name)) for name in columns)


@contextmanager
def _pyarrow(path: Path) -> Iterator[Any]:
    """Give pyarrow, and turn what it raises into a DataError that names the file."""
    try:
        import pyarrow as pa
        import pyarrow.compute
        import pyarrow.parquet
    except ImportError as error:
        raise DataError(
            f"{path}: reading Parquet files needs the package pyarrow. Install it with pip install "
            "'frugalsvm[parquet]', or save the table as CSV."
        ) from error
    try:
        yield pa
    except pa.ArrowException as error:
        raise DataError(f"{path} cannot be read: {error}") from error


def _column(pa: Any, name: str, values: Any) -> Column:
    kind = values.type
    if pa.types.is_dictionary(kind):
        values = pa.compute.cast(values, kind.value_type)
        kind = values.type
    gone = pa.compute.is_null(values, nan_is_null=pa.types.is_floating(kind)).to_numpy(
        zero_copy_only=False
    )
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        numbers = pa.compute.cast(values, pa.float64(), safe=False).to_numpy(zero_copy_only=False)
        return Column(name, Content.NUMBER, numbers, gone)
    if pa.types.is_boolean(kind):
        flags = pa.compute.cast(values, pa.float64()).to_numpy(zero_copy_only=False)
        return Column(name, Content.BOOLEAN, flags, gone)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        texts = (
            pa.compute.utf8_trim_whitespace(values).to_numpy(zero_copy_only=False).astype(object)
        )
        return Column(name, Content.TEXT, texts, gone)
    content = Content.DATE if pa.types.is_temporal(kind) else Content.OTHER
    objects = np.empty(len(values), dtype=object)
    objects[:] = values.to_pylist()
    return Column(name, content, objects, gone)
