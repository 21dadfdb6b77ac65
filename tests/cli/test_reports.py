"""fit --report, frontier and study through the command line."""

from __future__ import annotations

import csv
import json
import signal
from dataclasses import replace
from types import SimpleNamespace

import pytest
from cli_tools import frugalsvm, patients, write_rows
from page_statements import check
from report_samples import sample_frontier

import frugalsvm.cli.fit as cli_fit
import frugalsvm.report as frugalsvm_report
from frugalsvm import FrugalSVC, load_model
from frugalsvm.cli.frontier import _meaning
from frugalsvm.cli.render import preparation_sentences
from frugalsvm.cli.reporting import preparation_notes
from frugalsvm.data.binomial import rate_interval
from frugalsvm.data.rates import RateCounts
from frugalsvm.runtime.stopping import COMPILATION
from frugalsvm.saved.model import PanelFeature
from frugalsvm.tabular.preparation import Preparation
from frugalsvm.tabular.variables import Kind, Variable

TRAINING = ("--rates", "training")
DATA = ("--target", "diagnosis", "--positive", "ill", "--exclude", "id")


@pytest.fixture(scope="module")
def evil_table(tmp_path_factory):
    """A table whose column names are not to be trusted."""
    rows = [
        {("<script>alert(1)</script>" if k == "chol" else k): v for k, v in row.items()}
        for row in patients()
    ]
    return write_rows(tmp_path_factory.mktemp("evil") / "data.csv", rows)


def test_fit_report_shows_unseen_rates(evil_table, tmp_path, monkeypatch):
    # The boundless allowance of other tests would leave the report's own work next to no time.
    monkeypatch.setattr(COMPILATION, "left", 1e6)
    said = frugalsvm(
        *("fit", evil_table, *DATA, "--min-tpr", 0.8, "--min-tnr", 0.8, *TRAINING, "--folds", 3),
        *("--report", tmp_path / "report.html", "--json", "--time-limit", 60, "--trade-off", 2),
    )
    assert said.code == 0, said.err
    page = (tmp_path / "report.html").read_text()
    assert "<script>alert(1)</script>" not in page
    assert "age: 7 missing in training, filled with the median" in page
    assert "learned from all rows together" in page
    assert "What other targets would cost" in page
    facts = said.json["cross_validated"]["tpr"]
    assert facts["n"] == sum(row["diagnosis"] == "ill" for row in patients())
    assert (facts["low"], facts["high"]) == rate_interval(facts["right"], facts["n"])
    assert said.json["report"] == str(tmp_path / "report.html")


def test_a_report_says_of_levels_what_the_terminal_says(clinic):
    """The page compared every level with the first, also those that count like it."""
    model = load_model(clinic / "model.json")
    variable = Variable("colour", Kind.CATEGORICAL, ("blue", "red", "white"))
    preparation = Preparation((variable,), ())
    red = PanelFeature("colour=red", "colour", "red", 1.0, ())
    panel = replace(model.panel, features=(red,), groups=())
    model = replace(model, preparation=preparation, panel=panel)
    data = SimpleNamespace(preparation=preparation)
    assert preparation_notes(data, model) == tuple(preparation_sentences(model))
    assert "which count alike: blue, white" in preparation_notes(data, model)[0]


def test_a_report_in_training_has_targets_below_those_asked_for(clinic, tmp_path, monkeypatch):
    """Round rates from 0.8 on alone: for a noisy table all but one cell were open."""
    monkeypatch.setattr(COMPILATION, "left", 1e6)
    said = frugalsvm(
        *("fit", clinic / "data.csv", *DATA, "--min-tpr", 0.7, "--min-tnr", 0.65, *TRAINING),
        *("--report", tmp_path / "r.html", "--folds", 0, "--trade-off", 2, "--time-limit", 20),
    )
    assert said.code == 0, said.err
    shown = check((tmp_path / "r.html").read_text())
    assert shown.data["tpr"][:4] == ["55%", "60%", "65%", "70%"]
    assert shown.data["tnr"][:4] == ["50%", "55%", "60%", "65%"]


@pytest.mark.parametrize(
    ("options", "fits"),
    [((), 15.0), (("--folds", 0), 15.0), (("--folds", 0, "--trade-off", 0), 20.0)],
)
def test_the_time_limit_is_for_fit_and_report_together(
    evil_table, tmp_path, monkeypatch, options, fits
):
    """The report used to take the limit a second time."""
    given: list[tuple[float, float]] = []
    fit, write = FrugalSVC.fit, cli_fit.write_fit_report

    def watched_fit(self, *args, **kwargs):
        given.append((self.time_limit, 0.0))
        return fit(self, *args, **kwargs)

    def watched_write(about, estimator, frame, data, model, extras, **kwargs):
        given.append((0.0, extras.time_limit))
        return write(about, estimator, frame, data, model, extras, **kwargs)

    monkeypatch.setattr(FrugalSVC, "fit", watched_fit)
    monkeypatch.setattr(cli_fit, "write_fit_report", watched_write)
    said = frugalsvm(
        *("fit", evil_table, *DATA, "--min-tpr", 0.8, "--min-tnr", 0.8, *TRAINING, *options),
        *("--report", tmp_path / "report.html", "--time-limit", 20, "--quiet"),
    )
    assert said.code == 0, said.err
    assert given[0][0] == fits
    assert 0.0 < given[1][1] <= 20.0


def test_fit_shows_unseen_rates_in_its_table(evil_table, tmp_path):
    said = frugalsvm(
        *("fit", evil_table, *DATA, "--min-tpr", 0.8, "--min-tnr", 0.8, *TRAINING, "--folds", 2),
        *("--report", tmp_path / "report.html", "--time-limit", 20, "--trade-off", 0),
    )
    assert "What other targets would cost" not in (tmp_path / "report.html").read_text()
    assert "cross-validated" in said.out
    assert max(len(line) for line in said.out.splitlines()) <= 80


def test_ctrl_c_during_the_cross_validation_keeps_model_and_report(
    evil_table, tmp_path, monkeypatch
):
    describe = frugalsvm_report.fit_section

    def press_ctrl_c(*args, cv, **options):
        if cv is not None:
            signal.raise_signal(signal.SIGINT)
        return describe(*args, cv=cv, **options)

    monkeypatch.setattr(frugalsvm_report, "fit_section", press_ctrl_c)
    before = signal.getsignal(signal.SIGINT)
    said = frugalsvm(
        *(
            "fit",
            evil_table,
            *DATA,
            "--min-tpr",
            0.8,
            "--min-tnr",
            0.8,
            *TRAINING,
            "--time-limit",
            20,
        ),
        *("--model", tmp_path / "m.json", "--report", tmp_path / "report.html", "--json"),
    )
    assert said.code == 130
    assert said.json["interrupted"] is True
    assert said.json["cross_validated"] is None
    assert (tmp_path / "report.html").exists()
    assert load_model(tmp_path / "m.json").cost == said.json["cost"]
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize("saved", [True, False])
def test_ctrl_c_while_the_report_is_written_says_what_is_on_disk(
    evil_table, tmp_path, monkeypatch, saved
):
    def press_ctrl_c(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(frugalsvm_report, "write_report", press_ctrl_c)
    model = ("--model", tmp_path / "m.json") if saved else ()
    said = frugalsvm(
        *(
            "fit",
            evil_table,
            *DATA,
            "--min-tpr",
            0.8,
            "--min-tnr",
            0.8,
            *TRAINING,
            "--time-limit",
            20,
        ),
        *(*model, "--report", tmp_path / "report.html", "--folds", 0, "--trade-off", 0),
    )
    assert said.code == 130
    words = " ".join(said.err.split())
    assert ("the model is in" in words) is saved
    assert ("nothing was written" in words) is not saved
    assert (tmp_path / "m.json").exists() is saved
    assert not (tmp_path / "report.html").exists()


def test_frontier(clinic, tmp_path):
    out = tmp_path / "points.csv"
    said = frugalsvm(
        *("frontier", clinic / "data.csv", *DATA, "--costs", clinic / "costs.csv"),
        *("--min-tprs", "0.7,0.9", "--min-tnrs", "0.7:0.9:2", "--folds", 3, "--out", out),
        *("--report", tmp_path / "frontier.html", "--json"),
    )
    assert said.code == 0, said.err
    assert said.json["complete"] is True
    points = said.json["points"]
    fitted = json.loads((clinic / "fit.json").read_text())
    tightest = next(p for p in points if (p["min_tpr"], p["min_tnr"]) == (0.9, 0.9))
    assert tightest["cost"] == pytest.approx(fitted["cost"])
    with out.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 4
    assert {row["status"] for row in rows} == {"optimal"}
    assert (tmp_path / "frontier.html").stat().st_size > 5000
    words = frugalsvm(
        *("frontier", clinic / "data.csv", *DATA, "--min-tprs", "0.7", "--min-tnrs", "0.7"),
        *("--folds", 0),
    )
    assert words.code == 0, words.err
    assert "panel" in words.out


def test_frontier_on_new_data(clinic, tmp_path):
    """Beside a fit for new data the command knew training rates only, and did not say so."""
    asked = ("frontier", clinic / "data.csv", *DATA, "--min-tprs", "0.6,0.99", "--min-tnrs", "0.6")
    said = frugalsvm(*asked, "--rates", "unseen", "--report", tmp_path / "r.html")
    assert said.code == 0, said.err
    assert "expected on new data" in said.out
    assert "proven" not in said.out
    page = (tmp_path / "r.html").read_text()
    assert "What other targets would cost on new data" in page
    check(page)
    in_training = frugalsvm(*asked, "--folds", 0)
    assert "The targets are met on the training data" in " ".join(in_training.out.split())


@pytest.mark.parametrize(
    "option", [("--solver", "scip"), ("--correction", "hoeffding"), ("--folds", 0)]
)
def test_frontier_on_new_data_names_options_that_have_no_place(clinic, option):
    said = frugalsvm("frontier", clinic / "data.csv", *DATA, "--rates", "unseen", *option)
    assert said.code == 2
    assert said.err.startswith(f"Error: {option[0]}")
    assert "--rates" in said.err


@pytest.mark.parametrize("grid", ["", "a", "0.8:0.9", "0.8:0.9:x", "0.8,1.1", "-1", "0.5:0.6:0"])
def test_frontier_grids_that_are_none(clinic, grid):
    said = frugalsvm("frontier", clinic / "data.csv", *DATA, "--min-tprs", grid)
    assert said.code == 2
    assert "--min-tprs must be" in said.err


def test_grids_in_percent_are_answered_with_the_option_and_the_share(clinic):
    said = frugalsvm("frontier", clinic / "data.csv", *DATA, "--min-tnrs", "80,90")
    assert said.code == 2
    assert "--min-tnrs must be one rate or more, in the range 0 to 1. Got '80,90'." in said.err
    assert "Write 0.8 for 80 %." in said.err


def test_a_frontier_counts_the_pairs_that_are_not_in_its_table():
    """They were left out in silence; without time it said that no panel would do."""
    found = sample_frontier()
    without = sum(not p.has_answer for p in found.points)
    assert f"{without} of {len(found.points)} pairs" in _meaning(found)
    counts = RateCounts(212, 212, 357, 357)
    points = [replace(p, cross_validated=counts if p.has_answer else None) for p in found.points]
    unseen = replace(found, points=tuple(points), rates="cv")
    assert f"For {without} of {len(points)} pairs none lets one expect" in _meaning(unseen)
    points = [replace(p, cross_validated=None, efficient=False) for p in points]
    cut = replace(unseen, points=tuple(points), complete=False)
    assert "raise --total-time-limit" in _meaning(cut)


def test_study_names_its_tables(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = frugalsvm("study", "--table", "nope")
    assert said.code == 2
    assert "linear_plain" in said.err


def test_study_interrupted_says_how_to_go_on(tmp_path, monkeypatch):
    def stop(**_):
        raise KeyboardInterrupt

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("frugalsvm.cli.study.run_study", stop)
    said = frugalsvm("study", "--quick")
    assert said.code == 130
    assert "run it again to go on" in said.err


def test_demo(monkeypatch):
    monkeypatch.setattr("frugalsvm.cli.demo.run_demo", list)
    said = frugalsvm("demo")
    assert said.code == 0
    assert "benign from malignant" in said.out
