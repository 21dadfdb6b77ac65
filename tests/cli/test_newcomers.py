"""What newcomers try: several classes as one, workbooks, wrong options, telling columns."""

from __future__ import annotations

import datetime
import json
import subprocess
import sys
import time

import pandas as pd
import pytest
from cli_tools import frugalsvm, patients, read_rows, write_rows

import frugalsvm as package
from frugalsvm import load_model
from frugalsvm.cli.render import coding_sentence
from frugalsvm.data.exceptions import DataError
from frugalsvm.runtime.stopping import COMPILATION
from frugalsvm.tabular.dialect import Dialect
from frugalsvm.tabular.inspection import inspect_table
from frugalsvm.tabular.reading import read_table
from frugalsvm.tabular.variables import Kind, Variable

RATES = ("--min-tpr", 0.7, "--min-tnr", 0.7, "--time-limit", 20)


def graded(n=160):
    """Patients in three grades instead of two classes."""
    rows = patients(n, gaps=False)
    for k, row in enumerate(rows):
        row["grade"] = "0" if row["diagnosis"] == "well" else str(1 + k % 2)
        del row["diagnosis"]
    return rows


def test_several_classes_as_one(tmp_path):
    table = write_rows(tmp_path / "data.csv", graded())
    asked = ("fit", table, "--target", "grade", "--exclude", "id", *RATES)
    alone = frugalsvm(*asked, "--positive", 1)
    assert alone.code == 2
    assert "repeat --positive" in " ".join(alone.err.split())
    said = frugalsvm(
        *asked, "--positive", 1, "--positive", 2, "--model", tmp_path / "m.json", "--json"
    )
    assert said.code == 0, said.err
    assert (said.json["positive"], said.json["negative"]) == ("1 or 2", "0")
    assert load_model(tmp_path / "m.json").positive_levels == ("1", "2")
    held_out = write_rows(tmp_path / "new.csv", graded(90))
    certified = frugalsvm("certify", tmp_path / "m.json", held_out, "--json")
    assert certified.code in (0, 7), certified.err
    everything = frugalsvm(*asked, *("--positive", 0, "--positive", 1, "--positive", 2))
    assert everything.code == 2
    assert "none is left" in " ".join(everything.err.split())


def test_workbooks(tmp_path):
    rows = patients(gaps=False)
    frame = pd.DataFrame(rows)
    frame["smoker"] = frame["smoker"] == "true"
    frame.to_excel(tmp_path / "data.xlsx", index=False)
    asked = ("--target", "diagnosis", "--positive", "ill", "--exclude", "id", *RATES)
    book = frugalsvm("fit", tmp_path / "data.xlsx", *asked, "--json")
    text = frugalsvm("fit", write_rows(tmp_path / "data.csv", rows), *asked, "--json")
    assert book.code == 0, book.err
    assert book.json["measure"] == text.json["measure"]
    assert book.json["cost"] == text.json["cost"]


def test_workbooks_hold_what_they_hold(tmp_path):
    day = datetime.datetime(2024, 5, 17)
    frame = pd.DataFrame(
        {
            "code": [1, 2, None],
            "when": [day, None, day + datetime.timedelta(days=1)],
            "text": ["a ", "NA", "b"],
        }
    )
    path = tmp_path / "book.xlsx"
    with pd.ExcelWriter(path) as book:
        frame.to_excel(book, sheet_name="first", index=False)
        frame.to_excel(book, sheet_name="second", index=False)
    with pytest.raises(DataError, match="2 sheets, 'first', 'second': say which with --sheet"):
        read_table(path)
    with pytest.raises(DataError, match=r"no sheet 'third'\. It has 'first', 'second'"):
        read_table(path, dialect=Dialect(sheet="third"))
    table = read_table(path, as_text=["code"], dialect=Dialect(sheet="second"))
    assert table["code"].as_text().tolist() == ["1", "2", None]
    assert table["text"].as_text().tolist() == ["a", None, "b"]
    assert inspect_table(table, None, ["code"]).columns[1].n_distinct == 2
    path.write_bytes(b"not a workbook")
    with pytest.raises(DataError, match="is not an Excel workbook"):
        read_table(path)
    with pytest.raises(DataError, match=r"Save the table as CSV, Parquet or \.xlsx"):
        read_table(tmp_path / "old.xls")


def test_dates_of_parquet_files_are_counted(tmp_path):
    frame = pd.DataFrame({"when": pd.date_range("2024-01-01", periods=5), "x": range(5)})
    frame.to_parquet(tmp_path / "data.parquet")
    found = inspect_table(read_table(tmp_path / "data.parquet"), None)
    assert [column.n_distinct for column in found.columns] == [5, 5]


def test_a_column_that_tells_the_class_is_pointed_out_by_fit(tmp_path):
    rows = [row | {"outcome": int(row["diagnosis"] == "ill")} for row in patients()]
    said = frugalsvm(
        *("fit", write_rows(tmp_path / "d.csv", rows), "--target", "diagnosis"),
        *("--positive", "ill", "--exclude", "id", *RATES),
    )
    assert "'outcome' alone tells the class in every row" in " ".join(said.err.split())


@pytest.mark.parametrize(
    "arguments",
    [
        ("fit", "d.csv", "--json", "--min-tpr", "high"),
        ("fit", "d.csv", "--json", "--no-such-option"),
        ("fit", "--json"),
        ("nonsense", "--json"),
        ("fit", "d.csv", "--target", "y", "--min-tpr", 2, "--min-tnr", 1, "--json"),
    ],
)
def test_wrong_options_are_json_too(arguments):
    said = frugalsvm(*arguments)
    assert said.code == 2
    assert said.json["error"]["exit_code"] == 2
    assert said.json["error"]["type"] == "UsageError"
    assert said.json["error"]["message"]
    assert said.err


def test_version():
    said = frugalsvm("--version")
    assert (said.code, said.out) == (0, f"frugalsvm {package.__version__}\n")


def test_help_does_not_wait_for_scikit_learn():
    script = (
        "import sys, time; from typer.testing import CliRunner; from frugalsvm.cli.app import app;"
        "assert CliRunner().invoke(app, ['fit', '--help']).exit_code == 0;"
        "slow = {'sklearn', 'scipy', 'numpy', 'numba', 'pandas', 'pyarrow'} & set(sys.modules);"
        "assert not slow, slow; print(time.process_time())"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < 1.0


def test_public_names_are_what_they_were():
    assert set(package.__all__) <= set(dir(package))
    for name in package.__all__:
        assert getattr(package, name).__name__ == name
        assert callable(getattr(package, name))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = package.nothing


def test_check_knows_the_default_cost(tmp_path):
    table = write_rows(tmp_path / "data.csv", patients())
    (tmp_path / "costs.csv").write_text("feature;cost\nage;0,5\n")
    asked = ("check", table, "--target", "diagnosis", "--exclude", "id")
    prices = ("--costs", tmp_path / "costs.csv", "--decimal", ",")
    assert frugalsvm(*asked, *prices).code == 2
    assert frugalsvm(*asked, *prices, "--default-cost", 1).code == 0


def test_title_author_and_currency(tmp_path, monkeypatch):
    monkeypatch.setattr(COMPILATION, "left", 1e6)  # boundless, it would leave the report no time
    said = frugalsvm(
        *("fit", write_rows(tmp_path / "d.csv", patients()), "--target", "diagnosis"),
        *("--positive", "ill", "--exclude", "id", *RATES, "--folds", 0, "--trade-off", 2),
        *("--report", tmp_path / "r.html", "--title", "Own <title>", "--author", "A. & B."),
        *("--currency", "€"),
    )
    assert said.code == 0, said.err
    page = (tmp_path / "r.html").read_text()
    assert "<title>Own &lt;title&gt;</title>" in page
    assert "A. &amp; B." in page
    assert "Cost in €" in page


def test_levels_stand_under_their_variable(tmp_path):
    rows = graded()
    said = frugalsvm(
        *("fit", write_rows(tmp_path / "d.csv", rows), "--target", "grade", "--positive", 1),
        *("--positive", 2, "--exclude", "id", "--include", "colour", *RATES, "--folds", 0),
        *("--report", tmp_path / "r.html", "--trade-off", 2, "--json"),
    )
    assert said.code == 0, said.err
    page = (tmp_path / "r.html").read_text()
    assert "variable: colour" not in page
    assert "colour=red" not in page
    assert "is red" in page
    assert "colour" in said.json["measure"]
    assert json.loads(said.out)["panel"]


def test_predictions_without_an_output_file_go_to_stdout(tmp_path):
    table = write_rows(tmp_path / "d.csv", patients(gaps=False))
    frugalsvm(
        *("fit", table, "--target", "diagnosis", "--positive", "ill", "--exclude", "id", *RATES),
        *("--model", tmp_path / "m.json"),
    )
    begun = time.perf_counter()
    said = frugalsvm("predict", tmp_path / "m.json", table, "--keep", "id")
    assert time.perf_counter() - begun < 5
    (tmp_path / "out.csv").write_text(said.out)
    assert len(read_rows(tmp_path / "out.csv")) == len(patients())


def test_check_without_a_target_says_that_the_class_is_not_named(tmp_path):
    """It used to count the class among the "columns to decide from"."""
    table = write_rows(tmp_path / "data.csv", patients(60, gaps=False))
    said = frugalsvm("check", table, "--exclude", "id")
    assert "none of them taken for the class: name it with --target" in " ".join(said.out.split())
    said = frugalsvm("check", table, "--exclude", "id", "--target", "diagnosis")
    assert "columns to decide from" in said.out


def test_check_shows_large_numbers_as_people_write_them(tmp_path):
    rows = [{"amount": 49830.1 - k, "c": "yn"[k % 2]} for k in range(40)]
    said = frugalsvm("check", write_rows(tmp_path / "data.csv", rows), "--target", "c")
    assert "49791.1 to 49830.1" in said.out


def test_levels_that_a_panel_does_not_tell_apart_are_said_to_count_alike():
    """It used to say that they were compared with the first, though the formula had no weight."""
    variable = Variable("pain", Kind.CATEGORICAL, ("atypical", "none", "typical"), "none")
    assert coding_sentence(variable) == "pain: none, typical are compared with atypical."
    assert coding_sentence(variable, ["none"]) == (
        "pain: none is compared with the other levels, which count alike: atypical, typical."
    )
