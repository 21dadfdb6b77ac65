"""Every mistake ends with a sentence that names it and the documented exit code."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from cli_tools import COSTS, frugalsvm, patients, write_rows

from frugalsvm.cli.exits import ExitCode, exit_code, explanation
from frugalsvm.data.exceptions import (
    DataError,
    InfeasibleRatesError,
    NoSolutionError,
    SolverError,
    UnsupportedModelError,
    VerificationError,
)

RATES = ("--min-tpr", 0.85, "--min-tnr", 0.85)


@pytest.fixture
def table(tmp_path):
    return write_rows(tmp_path / "data.csv", patients(60))


def fit(path, *options, target="diagnosis", positive="ill", rates=RATES):
    named = ["--target", target, "--exclude", "id"]
    if positive is not None:
        named += ["--positive", positive]
    return frugalsvm("fit", path, *named, *rates, *options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": "class"}, "lacks the column 'class'. It has 'id', 'age'"),
        ({"positive": "sick"}, "has no class 'sick'. It has"),
        ({"positive": None}, "Say --positive with one of"),
        ({"positive": "Ill"}, "--positive Ill: the target 'diagnosis' has no class 'Ill'"),
        ({"positive": "Ill"}, "Did you mean 'ill'?"),
        ({"target": "smoker", "positive": "yes"}, "has no class 'yes'"),
    ],
)
def test_target(table, options, message):
    said = fit(table, **options)
    assert said.code == 2
    assert message in said.err
    assert said.out == ""


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--exclude", "wage"], "lacks the column 'wage'"),
        (["--exclude", "diagnosis"], "cannot be excluded"),
        (["--include", "wage"], "--include wage: the table has no such column"),
        (["--include", "agee"], "Did you mean 'age'?"),
        (["--include", "id"], "--include id and --exclude id contradict each other"),
        (["--categorical", "wage"], "lacks the column 'wage'"),
        (["--costs", "absent.csv"], "absent.csv cannot be read: No such file"),
        (["--model", "no/folder/m.json"], "there is no folder no/folder"),
        (["--model", "."], "is a folder; name a file"),
        (["--model", "a.html", "--report", "a.html"], "Two outputs have the same name"),
        (["--gamma", "big"], "--gamma must be 'scale', 'auto' or a number"),
        (["--decimal", ";"], "--decimal must be '.' or ','"),
        (["--encoding", "klingon"], "--encoding 'klingon' is not known"),
        (["--alpha", "2", "--rates", "training"], "--alpha must be"),
        (["--correction", "hoeffding"], "say --rates training"),
        (["--solver", "highs"], "say --rates training"),
        (["--rates", "training", "--hold-out", "0.3"], "say --rates unseen"),
        (["--hold-out", "0.3"], "too few to certify"),
        (["--confidence", "0.9"], "--confidence 0.9 is that of a certificate"),
    ],
)
def test_options(table, tmp_path, monkeypatch, options, message):
    monkeypatch.chdir(tmp_path)
    said = fit(table, *options)
    assert said.code == 2
    assert message in said.err
    assert [path.name for path in tmp_path.iterdir()] == ["data.csv"]


@pytest.mark.parametrize(
    "options",
    [
        ["--min-tpr", "1.5"],
        ["--min-tnr", "-0.1"],
        ["--min-tpr", "high"],
        ["--kernel", "magic"],
        ["--solver", "magic"],
        ["--correction", "magic"],
        ["--C", "0"],
        ["--time-limit", "-1"],
        ["--hold-out", "1"],
        ["--confidence", "1"],
        ["--rates", "future"],
        ["--unknown"],
    ],
)
def test_usage(table, options):
    said = frugalsvm("fit", table, "--target", "diagnosis", "--positive", "ill", *RATES, *options)
    assert said.code == 2
    assert options[0].lstrip("-") in said.err


def test_rates_in_percent_are_answered_with_the_share(table):
    said = frugalsvm(
        *("fit", table, "--target", "diagnosis", "--positive", "ill"),
        *("--min-tpr", 0.85, "--min-tnr", 80),
    )
    assert said.code == 2
    assert "Got 80. Write 0.8 for 80 %." in " ".join(said.err.replace("│", " ").split())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--min-tpr", "95%"], "'--min-tpr': must be a number. Got '95%'. Write 0.95 for 95%."),
        (["--min-tpr=0,95"], "must be a number. Got '0,95'. Write 0.95, with a decimal point."),
        (["--max-levels", "many"], "'--max-levels': must be a whole number. Got 'many'."),
        (["--hold-out", "30"], "must be at least 0 and below 1. Got 30. Write 0.3 for 30 %."),
        (["--confidence", "95"], "must be between 0 and 1. Got 95. Write 0.95 for 95 %."),
        (["--default-cost", "-1"], "'--default-cost': must be a number >= 0. Got -1."),
        (["--kernel", "gauss"], "'--kernel': 'gauss' is not one of 'auto', 'linear'"),
    ],
)
def test_wrong_values_of_options_are_repeated_with_the_rule_and_the_remedy(table, options, message):
    said = frugalsvm("fit", table, "--target", "diagnosis", "--positive", "ill", *RATES, *options)
    assert said.code == 2
    assert message in " ".join(said.err.replace("│", " ").split())


def test_rates_are_required(table):
    said = frugalsvm("fit", table, "--target", "diagnosis", "--positive", "ill")
    assert said.code == 2
    assert "--min-tpr" in said.err


@pytest.mark.parametrize(
    ("costs", "message"),
    [
        (COSTS + "wage,1,,\n", "names 'wage', which the table does not have"),
        (COSTS.replace("age,0.5,,\n", ""), "no price for 'age'"),
        (COSTS.replace("7.27,blood,2.10", "-1,blood,2.10"), "line 3: 'cost' must be a number >= 0"),
        (COSTS + "diagnosis,1,,\n", "names 'diagnosis'"),
        (COSTS.replace("age,", "agee,"), "names 'agee', .* Did you mean 'age'?"),
    ],
)
def test_price_lists(table, tmp_path, costs, message):
    (tmp_path / "costs.csv").write_text(costs)
    said = fit(table, "--costs", tmp_path / "costs.csv")
    assert said.code == 2
    assert all(part in said.err for part in message.split(" .* "))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"diagnosis": ""}, "Column 'diagnosis', row 5: the class is missing (1 rows in all)"),
        ({"diagnosis": "unsure"}, "has 3 classes"),
        ({"age": "old"}, "Column 'age' mixes numbers"),
        ({"age": "1,5"}, "decimal comma"),
        ({"age": "inf"}, "Column 'age', row 5: the number is infinite"),
    ],
)
def test_cells(tmp_path, change, message):
    rows = patients(60)
    rows[4] |= change
    said = fit(write_rows(tmp_path / "data.csv", rows))
    assert said.code == 2
    assert message in said.err


def test_one_class(tmp_path):
    rows = [row | {"diagnosis": "ill"} for row in patients(30)]
    said = fit(write_rows(tmp_path / "data.csv", rows))
    assert said.code == 2
    assert "one class only, 'ill' (30 rows)" in said.err


def test_identifiers_are_refused(tmp_path):
    rows = patients(120)
    write_rows(tmp_path / "data.csv", rows)
    said = frugalsvm(
        "fit", tmp_path / "data.csv", "--target", "diagnosis", "--positive", "ill", *RATES
    )
    assert said.code == 2
    assert "looks like an identifier: leave it out with --exclude id" in said.err


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peak memory needs Linux")
def test_missing_target_in_a_huge_file_fails_fast_and_small(tmp_path):
    """In a process of its own, with less memory than the file has bytes."""
    path = tmp_path / "huge.csv"
    with path.open("wb") as stream:
        stream.write(b"a,b\n1,2\n")
        stream.truncate(2**30)
    code = (
        "import re, sys\n"
        "from pathlib import Path\n"
        "sys.argv = ['frugalsvm', 'fit', sys.argv[1], '--target', 'nope', '--positive', 'x',\n"
        "            '--min-tpr', '0.9', '--min-tnr', '0.9']\n"
        "from frugalsvm.cli import main\n"
        "try:\n"
        "    main()\n"
        "finally:\n"
        # Not getrusage: its peak is inherited from the process that started this one.
        "    print(re.search(r'VmHWM:\\s+(\\d+)', Path('/proc/self/status').read_text())[1])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert "lacks the column 'nope'" in done.stderr
    assert int(done.stdout) < 600_000  # KiB


def test_infeasible_rates(tmp_path):
    rng = np.random.default_rng(0)
    rows = [{"x": int(v), "y": str(w)} for v, w in rng.integers(0, 2, (60, 2))]
    said = frugalsvm(
        "fit",
        write_rows(tmp_path / "d.csv", rows),
        *("--target", "y", "--positive", "1", "--min-tpr", 0.99, "--min-tnr", 0.99),
        *("--model", tmp_path / "m.json", "--json", "--rates", "training"),
    )
    assert said.code == 3
    assert "both rates" in said.err
    assert said.json["error"]["exit_code"] == 3
    assert said.json["error"]["type"] == "InfeasibleRatesError"
    assert not (tmp_path / "m.json").exists()


def test_solver_that_cannot(table):
    said = fit(table, "--solver", "highs", "--rates", "training")
    assert said.code == 5
    assert "HiGHS" in said.err or "highs" in said.err


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (DataError("x"), 2),
        (FileNotFoundError(2, "No such file or directory", "a.csv"), 2),
        (
            InfeasibleRatesError(
                "x",
                proven=True,
                n_positive=1,
                n_negative=1,
                min_tpr=1,
                min_tnr=1,
                best_tpr=0,
                best_tnr=0,
            ),
            3,
        ),
        (NoSolutionError("x", bound=0), 4),
        (NoSolutionError("x", bound=0, interrupted=True), 130),
        (SolverError("x"), 5),
        (UnsupportedModelError("x"), 5),
        (VerificationError("x"), 6),
        (KeyboardInterrupt(), 130),
        (MemoryError(), 1),
    ],
)
def test_exit_codes(error, code):
    assert exit_code(error) == code
    assert explanation(error)


def test_exit_codes_are_documented():
    said = frugalsvm("--help").out
    assert all(f"{int(code)} " in said for code in ExitCode)


# predict, show, certify


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"colour": "green"},
            "Column 'colour', row 2: the level 'green' was not there in training",
        ),
        ({"colour": ""}, "Column 'colour', row 2: the value is missing"),
        ({"chol": ""}, "Column 'chol', row 2: the value is missing"),
        ({"chol": "NaN"}, "Column 'chol', row 2: the value is missing"),
        ({"chol": "high"}, "Column 'chol', row 2: 'high' is not a number"),
        ({"chol": "1e999"}, "Column 'chol', row 2: the number is infinite or too large"),
        ({"chol": "5,2"}, "row 2: '5,2' is not a number. If it has a decimal comma, say --decimal"),
    ],
)
def test_predict_names_row_and_column(clinic, tmp_path, change, message):
    rows = patients(5, gaps=False)
    rows[1] |= change
    write_rows(tmp_path / "new.csv", rows)
    out = tmp_path / "out.csv"
    said = frugalsvm("predict", clinic / "model.json", tmp_path / "new.csv", "--out", out)
    assert said.code == 2
    assert message in said.err
    assert not out.exists()


def test_predict_without_a_needed_column(clinic, tmp_path):
    write_rows(tmp_path / "new.csv", patients(5, gaps=False), ["id", "age", "smoker"])
    said = frugalsvm("predict", clinic / "model.json", tmp_path / "new.csv")
    assert said.code == 2
    assert "lacks the column" in said.err
    assert "'chol'" in said.err


@pytest.mark.parametrize("command", ["show", "predict", "certify"])
@pytest.mark.parametrize("content", ["", "{", '{"format": "other"}', "[" * 10_000])
def test_damaged_models(clinic, tmp_path, command, content):
    (tmp_path / "m.json").write_text(content)
    data = [] if command == "show" else [clinic / "data.csv"]
    said = frugalsvm(command, tmp_path / "m.json", *data)
    assert said.code == 2
    assert "is no usable model file" in said.err
    assert said.out == ""


def test_keep_must_exist_and_not_clash(clinic, tmp_path):
    write_rows(tmp_path / "new.csv", [row | {"score": 1} for row in patients(5, gaps=False)])
    asked = ("predict", clinic / "model.json", tmp_path / "new.csv", "--keep")
    assert "lacks the column 'nope'" in frugalsvm(*asked, "nope").err
    assert "has a column of this name already" in frugalsvm(*asked, "score").err


def test_certify_needs_labels(clinic, tmp_path):
    rows = patients(20, gaps=False)
    write_rows(tmp_path / "new.csv", rows, ["age", "chol", "colour", "smoker", "glucose"])
    said = frugalsvm("certify", clinic / "model.json", tmp_path / "new.csv")
    assert said.code == 2
    assert "lacks the column 'diagnosis'" in said.err
    rows[3]["diagnosis"] = "unsure"
    write_rows(tmp_path / "new.csv", rows)
    said = frugalsvm("certify", clinic / "model.json", tmp_path / "new.csv")
    assert said.code == 2
    assert "must be 'ill' or 'well'. Got ['unsure']" in said.err


def test_errors_as_json_go_to_stdout_and_in_words_to_stderr(clinic):
    said = frugalsvm("show", clinic / "costs.csv", "--json")
    assert said.code == 2
    error = json.loads(said.out)["error"]
    assert error["message"] in said.err.replace("\n", " ")
    assert error["type"] == "ModelFileError"


def test_documentation_knows_every_command_and_exit_code():
    page = (Path(__file__).parents[2] / "docs" / "command-line.md").read_text()
    commands = [name for name in re.findall(r"│ (\w+) +", frugalsvm("--help").out) if name]
    assert len(commands) >= 8
    for name in commands:
        assert f"frugalsvm {name}" in page
    for code in ExitCode:
        assert f"| {int(code)} |" in page


def test_a_misspelt_column_is_recognised(clinic):
    said = frugalsvm("check", clinic / "data.csv", "--target", "Diagnosis")
    assert said.code == 2
    assert "Did you mean 'diagnosis'?" in " ".join(said.err.split())
    assert "Did you mean" not in frugalsvm("check", clinic / "data.csv", "--target", "zz").err
