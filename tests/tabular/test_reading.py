"""Reading files: what is clear is read exactly, what is not is an error that says so."""

from __future__ import annotations

import gzip
import hashlib
import pathlib
import resource
import sys
import time

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frugalsvm.data.exceptions import DataError
from frugalsvm.tabular.dialect import Dialect
from frugalsvm.tabular.inspection import inspect_table
from frugalsvm.tabular.reading import file_sha256, read_header, read_table
from frugalsvm.tabular.table import Content, Table


@pytest.fixture
def write(tmp_path):
    def write(content, name="data.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def values(table, name):
    column = table[name]
    return [None if gone else v for v, gone in zip(column.values, column.missing, strict=True)]


@pytest.mark.parametrize(
    "content",
    [
        "a,b,c\n1,x,true\n,y,false\n2.5,NA,TRUE\n",
        "a;b;c\n1;x;true\n;y;false\n2.5;NA;TRUE\n",
        "a\tb\tc\n1\tx\ttrue\n\ty\tfalse\n2.5\tNA\tTRUE\n",
        "\ufeffa,b,c\r\n1,x,true\r\n,y,false\r\n2.5,NA,TRUE",
        '"a" ,"b", c\n 1 ,"x",true\n\n"",y , false\n2.5,NA,TRUE\n\n',
    ],
)
def test_the_same_table_in_many_clothes(write, content):
    table = read_table(write(content))
    assert table.names == ("a", "b", "c")
    assert values(table, "a") == [1.0, None, 2.5]
    assert values(table, "b") == ["x", "y", None]
    assert values(table, "c") == [1.0, 0.0, 1.0]
    contents = [table[name].content for name in table.names]
    assert contents == [Content.NUMBER, Content.TEXT, Content.BOOLEAN]


def test_numbers_are_read_to_the_last_bit(write):
    rng = np.random.default_rng(0)
    numbers = np.concatenate(
        [rng.normal(size=500) * 10.0 ** rng.integers(-300, 300, 500), [5e-324]]
    )
    table = read_table(write("x,y\n" + "".join(f"{float(v)!r},1\n" for v in numbers)))
    assert table["x"].values.tobytes() == numbers.tobytes()


def test_parquet_and_frames_read_alike(tmp_path):
    frame = pd.DataFrame(
        {
            "n": [1, 2, 3],
            "f": [0.1, None, 2.0],
            "b": [True, False, None],
            "t": ["x", None, " y "],
            "c": pd.Categorical(["u", "v", None]),
            "d": pd.to_datetime(["2020-01-01", "2020-01-02", None]),
        }
    )
    frame.to_parquet(tmp_path / "data.parquet")
    expected = {
        "n": (Content.NUMBER, [1.0, 2.0, 3.0]),
        "f": (Content.NUMBER, [0.1, None, 2.0]),
        "b": (Content.BOOLEAN, [1.0, 0.0, None]),
        "t": (Content.TEXT, ["x", None, "y"]),
        "c": (Content.TEXT, ["u", "v", None]),
    }
    for table in (read_table(tmp_path / "data.parquet"), Table.from_frame(frame)):
        for name, (content, cells) in expected.items():
            assert table[name].content is content
            assert values(table, name) == cells
        assert table["d"].content is Content.DATE
        assert table["d"].n_missing == 1


def test_gzip(tmp_path):
    path = tmp_path / "data.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n1,x\n"))
    assert values(read_table(path), "a") == [1.0]
    path.write_bytes(gzip.compress(b"a,b\n1,x\n" * 1000)[:-20])
    with pytest.raises(DataError, match="cannot be read"):
        read_table(path)


def test_only_the_asked_columns_are_read(write):
    path = write("a,b,c\n1,x,5\n2,y,6\n")
    table = read_table(path, ["c", "a"])
    assert table.names == ("c", "a")
    with pytest.raises(DataError, match=r"lacks the column 'z'. It has 'a', 'b', 'c'"):
        read_table(path, ["a", "z"])


def test_numbers_stay_text_where_they_are_levels(write):
    path = write("grade,x\n1,1\n02,2\n")
    assert values(read_table(path, as_text=["grade"]), "grade") == ["1", "02"]
    assert values(read_table(path), "grade") == [1.0, 2.0]


def test_decimal_comma(write):
    path = write("a;b\n1,5;x\n-2,25;y\n3;1,2\n")
    table = read_table(path, dialect=Dialect(decimal=","))
    assert values(table, "a") == [1.5, -2.25, 3.0]
    assert values(table, "b") == ["x", "y", "1,2"]


def test_thousands_are_not_read_as_decimals_where_a_comma_is_the_decimal_mark(write):
    path = write("a;b;c\n1.234;1.234,5;1,5\n12;721,88;2\n")
    table = read_table(path, dialect=Dialect(decimal=","))
    assert values(table, "a") == ["1.234", "12"]
    assert values(table, "b") == ["1.234,5", "721,88"]
    assert values(table, "c") == [1.5, 2.0]
    assert values(read_table(path), "a") == [1.234, 12.0]


def test_missing_markers(write):
    path = write("a,b\n?,?\n1,None\nNA,x\n")
    plain = read_table(path)
    assert values(plain, "a") == ["?", "1", None]
    assert values(plain, "b") == ["?", "None", "x"]
    table = read_table(path, dialect=Dialect(missing=("?", "NA")))
    assert values(table, "a") == [None, 1.0, None]
    assert values(table, "b") == [None, "None", "x"]


def test_other_encodings(write):
    path = write("a,b\n1,Größe\n".encode("latin-1"))
    with pytest.raises(DataError, match="save it as UTF-8, or name its --encoding"):
        read_table(path)
    assert values(read_table(path, dialect=Dialect(encoding="latin-1")), "b") == ["Größe"]


def test_names_of_rows_are_left_out(tmp_path: pathlib.Path) -> None:
    """As pandas and R write a table unless they are told not to."""
    path = tmp_path / "table.csv"
    pd.DataFrame({"a": [1.5, 2.5], "b": [3, 4]}, index=["x", "y"]).to_csv(path)
    table = read_table(path)
    assert (table.names, table.row_names) == (("a", "b"), True)
    assert table["a"].values.tolist() == [1.5, 2.5]
    assert "first column has no name" in inspect_table(table).warnings[0]
    excel = tmp_path / "table.xlsx"
    pd.DataFrame({"a": [1.5, 2.5], "b": [3, 4]}).to_excel(excel)
    assert read_table(excel).names == ("a", "b")
    pd.DataFrame({"a": [1.5]}).to_csv(path, index=False)
    assert not read_table(path).row_names


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b" \n\n", "is empty"),
        (b"\na,b\n1,2\n", "begins with an empty line"),
        (b"a,b\n", "has a header but no rows"),
        (b"a,b,a\n1,2,3\n", "more than one column called 'a'"),
        (b"a,,c\n1,2,3\n", "Column 2 of the table has no name"),
        (b",,c\n1,2,3\n", "Column 2 of the table has no name"),
        (b"a,b\n1,2\n1,2,3\n", "line 3 has 3 cells where the header has 2: '1,2,3'"),
        (b"a,b\n1,2\n1\n", "line 3 has 1 cells where the header has 2"),
        (b'a,b\n1,"2\n3,4\n', "quotation mark is opened in the last row and never closed"),
        (b'a,b\n1,"2', "quotation mark is opened in the last row and never closed"),
        (b'a,b\n1,2\n"3,4\n5,6\n', "quotation mark is opened in the last row and never closed"),
        (b'a,b\n1,"2\n' + b"3,4\n" * 50_000, "line 2 cannot be read: .* quotation mark left open"),
        (b'a,b\n"1\n\n2",3\n4\n', "line 5 has 1 cells where the header has 2: '4'"),
        ("a,b\n1,2\n".encode("utf-16"), "not text in this encoding"),
        (b"a,b\n1,\xff\n", "not text in this encoding"),
        (b"\x89PNG\r\n\x1a\n\0\0\0", "not text in this encoding"),
    ],
)
def test_bad_files(write, content, message):
    with pytest.raises(DataError, match=message):
        read_table(write(content))


def test_files_that_are_none(tmp_path, write):
    with pytest.raises(DataError, match="No such file"):
        read_table(tmp_path / "absent.csv")
    with pytest.raises(DataError, match="Is a directory"):
        read_table(tmp_path)
    with pytest.raises(DataError, match="cannot be read"):
        read_table(write("a,b\n1,2\n", "data.parquet"))


def test_header_of_a_huge_file_is_read_at_once(tmp_path):
    path = tmp_path / "huge.csv"
    with path.open("wb") as stream:
        stream.write(b"a,b\n1,2\n")
        stream.truncate(2**30)  # sparse: a gibibyte that takes no space
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    started = time.perf_counter()
    assert read_header(path) == ["a", "b"]
    assert time.perf_counter() - started < 2
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000  # KiB


def test_hash_is_that_of_sha256sum(write):
    assert file_sha256(write(b"a\n1\n")) == hashlib.sha256(b"a\n1\n").hexdigest()


CELLS = st.one_of(
    st.sampled_from(
        ["", "NA", "nan", "inf", "+1", "1_0", "\u0663", "0x1", "1e400", ".5", "5.", "true", "FALSE"]
    ),
    st.floats().map(repr),
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=4),
)


@given(st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=20))
def test_cells_are_read_as_arrow_reads_them(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("cells") / "data.csv"
    frame = pd.DataFrame(rows, columns=["a", "b", "c"])
    frame.to_csv(path, index=False, quoting=1)
    options = pyarrow.csv.ConvertOptions(column_types=dict.fromkeys("abc", pa.string()))
    parse = pyarrow.csv.ParseOptions(newlines_in_values=True)
    arrow = pyarrow.csv.read_csv(path, convert_options=options, parse_options=parse)
    table = read_table(path)
    for name in "abc":
        texts = [cell.strip() for cell in arrow.column(name).to_pylist()]
        missing = [cell in Dialect().missing for cell in texts]
        if table[name].content is Content.TEXT:
            assert values(table, name) == [
                None if gone else cell for cell, gone in zip(texts, missing, strict=True)
            ]
        present = pa.array([c for c, gone in zip(texts, missing, strict=True) if not gone])
        try:
            numbers = present.cast(pa.float64()).to_numpy(zero_copy_only=False)
        except pa.ArrowInvalid:
            assert table[name].content is not Content.NUMBER
        else:
            assert table[name].content is Content.NUMBER
            found = table[name].values[~np.array(missing)]
            np.testing.assert_array_equal(found, numbers)


def test_a_column_that_turns_out_text_late_is_text_from_the_beginning(write):
    cells = [str(k) for k in range(20_000)] + ["x"]
    path = write("a,b\n" + "".join(f"0{cell},1\n" for cell in cells))
    table = read_table(path)
    assert values(table, "a") == [f"0{cell}" for cell in cells]
    assert table["b"].content is Content.NUMBER
    assert table.n_rows == 20_001


def test_parquet_without_pyarrow_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(DataError, match=r"needs the package pyarrow.*frugalsvm\[parquet\]"):
        read_table(tmp_path / "data.parquet")
