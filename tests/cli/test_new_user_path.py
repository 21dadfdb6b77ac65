"""A new user's path, on tables of all kinds: every mistake is answered with the option to use.

The user knows the target, the rates and the prices, and follows what the messages say.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from cli_tools import frugalsvm, read_rows
from page_statements import check as check_page
from sklearn.datasets import load_diabetes, load_wine

from frugalsvm import load_model

SHORT = ("--rates", "training", "--time-limit", "12", "--trade-off", "2", "--folds", "2")


def wine(folder: Path) -> tuple[Path, list[str]]:
    """Three classes, two of them wanted; semicolons, decimal commas, identifiers, dates, gaps."""
    rng = np.random.default_rng(0)
    data = load_wine(as_frame=True)
    frame = data.data.rename(columns=lambda name: name.replace("/", " to "))
    frame.insert(0, "bottle", [f"B{k:05d}" for k in range(len(frame))])
    frame.insert(1, "tasted", pd.date_range("2024-01-01", periods=len(frame)).strftime("%d.%m.%Y"))
    frame["region"] = rng.choice(["north", "south", "coast"], len(frame))
    frame.loc[rng.choice(len(frame), 9, False), "alcohol"] = np.nan
    frame["grower"] = data.target.map({0: "Barolo", 1: "Grignolino", 2: "Barbera"})
    path = folder / "wine.csv"
    frame.to_csv(path, sep=";", decimal=",", index=False)
    names = [n for n in frame.columns if n not in ("bottle", "tasted", "grower")]
    rows = [f"{n};{'1,5' if n == 'region' else f'{2 + k},25'};;" for k, n in enumerate(names)]
    rows[0] = f"{names[0]};3;lab;2,1"
    rows[1] = f"{names[1]};4;lab;2,0999999999999996"
    (folder / "prices.csv").write_text("feature;cost;group;group_cost\n" + "\n".join(rows) + "\n")
    rates = ["--min-tpr", "0.85", "--min-tnr", "0.85"]
    return path, ["--target", "grower", "--costs", str(folder / "prices.csv"), *rates]


def diabetes(folder: Path) -> tuple[Path, list[str]]:
    """A workbook with text, truth values and gaps."""
    rng = np.random.default_rng(1)
    data = load_diabetes(as_frame=True, scaled=False)
    frame = data.data.copy()
    frame["sex"] = frame["sex"].map({1.0: "f", 2.0: "m"})
    frame["smoker"] = rng.random(len(frame)) < 0.3
    frame.loc[rng.choice(len(frame), 15, False), "bmi"] = None
    frame["when"] = pd.date_range("2023-05-01", periods=len(frame))
    frame["progress"] = np.where(data.target > 140, "fast", "slow")
    path = folder / "diabetes.xlsx"
    frame.to_excel(path, index=False)
    return path, ["--target", "progress", "--min-tpr", "0.65", "--min-tnr", "0.65"]


def machines(folder: Path) -> tuple[Path, list[str]]:
    """Parquet: sensors, codes stored as text, a time stamp, an identifier, odd prices."""
    rng = np.random.default_rng(2)
    n = 260
    heat, shake = rng.normal(70, 8, n), rng.gamma(2, 1.5, n)
    code = rng.choice(["1", "2", "3"], n)
    fails = (heat - 70) / 8 + 0.6 * (shake - 3) + 1.2 * (code == "2") + rng.normal(0, 0.4, n) > 0.8
    frame = pd.DataFrame(
        {
            "machine": [f"M-{k}" for k in range(n)],
            "at": pd.date_range("2025-01-01", periods=n, freq="h"),
            "heat": heat.round(1),
            "vibration": shake.round(2),
            "noise": rng.normal(60, 5, n).round(),
            "firmware": code,
            "state": np.where(fails, "fails", "runs"),
        }
    )
    path = folder / "machines.parquet"
    frame.to_parquet(path)
    (folder / "costs.csv").write_text("feature,cost\nheat,0.1\nvibration,120.55\n")
    costs = ["--costs", str(folder / "costs.csv"), "--default-cost", "7"]
    return path, ["--target", "state", *costs, "--min-tpr", "0.8", "--min-tnr", "0.8"]


POSITIVE = {wine: ["Barolo", "Barbera"], diabetes: ["fast"], machines: ["fails"]}
TABLES = [wine, diabetes, machines]


def follow_advice(command: list[str], positive: list[str]) -> list[str]:
    """Run `fit` and do what its messages say until it works; return the options that were added."""
    added: list[str] = []
    for _ in range(9):
        said = frugalsvm(*command, *added)
        if said.code == 0:
            return added
        words = " ".join(said.err.split())
        assert said.code == 2, words
        if "Say --positive" in words or "repeat --positive" in words:
            added += [part for label in positive for part in ("--positive", label)]
            continue
        advice = re.search(r"--(exclude|decimal|categorical) ('[^']*'|[\w.=+-]+)", words)
        assert advice is not None, words
        added += shlex.split(advice[0])
    raise AssertionError(f"still wrong after {added}: {words}")


@pytest.mark.parametrize("make", TABLES)
def test_from_a_table_of_ones_own_to_a_decision(make, tmp_path):
    path, asked = make(tmp_path)
    looked = frugalsvm("check", path, "--target", asked[1])
    assert "Problem" in looked.out  # identifiers, dates: named with the option that settles them
    model, report = tmp_path / "model.json", tmp_path / "report.html"
    command = ["fit", str(path), *asked, *SHORT]
    added = follow_advice(command, POSITIVE[make])
    fitted = frugalsvm(*command, *added, "--model", model, "--report", report, "--json")
    assert fitted.code == 0, fitted.err
    check_page(report.read_text())
    shown = frugalsvm("show", model)
    assert "By hand" in shown.out
    assert f"cost {fitted.json['cost']:g}"[:6] in shown.out

    loaded = load_model(model)
    reading = ["--decimal", ","] if "--decimal" in added else []
    out = tmp_path / "predictions.csv"
    predicted = frugalsvm("predict", model, path, *reading, "--impute", "--out", out, "--json")
    assert predicted.code == 0, predicted.err
    assert predicted.json["out_of_range"] == []
    said = [row["prediction"] for row in read_rows(out)]
    right = sum(word == str(loaded.positive_label) for word in said)
    assert 0 < right < len(said)

    certified = frugalsvm("certify", model, path, *reading, "--impute")
    assert certified.code == 2
    assert "very data of the training" in " ".join(certified.err.split())

    cheap = asked[: asked.index("--min-tpr")]
    page = tmp_path / "frontier.html"
    frontier = frugalsvm(
        *("frontier", path, *cheap, *added, "--min-tprs", "0.6:0.8:3", "--min-tnrs", "0.6:0.8:3"),
        *("--total-time-limit", 3, "--folds", 0, "--report", page, "--json"),
    )
    assert frontier.code == 0, frontier.err
    check_page(page.read_text())


def test_no_wait_is_silent_for_long(tmp_path):
    path, asked = machines(tmp_path)
    command = [sys.executable, "-m", "frugalsvm.cli", "fit", str(path), *asked, "--positive"]
    command += ["fails", "--exclude", "machine", "--exclude", "at", "--categorical", "firmware"]
    command += ["--min-tpr", "0.93", "--min-tnr", "0.93", "--time-limit", "9"]
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stderr is not None
        first = process.stderr.readline()  # importing comes before the first word
        moments, lines = [time.perf_counter()], [first]
        for line in process.stderr:
            moments.append(time.perf_counter())
            lines.append(line)
    assert process.returncode in (0, 3, 4), lines
    assert max(np.diff(moments), default=0.0) < 8.0, lines  # 5 s, and what a busy machine adds
