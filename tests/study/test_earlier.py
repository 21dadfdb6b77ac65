"""Runs of single rivals: what they need, and tables that keep what was there."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from frugalsvm.study import StudyProgress, StudySettings, run_study
from frugalsvm.study.earlier import filled
from frugalsvm.study.formats import to_csv
from frugalsvm.study.plan import tasks_of
from frugalsvm.study.store import Store
from frugalsvm.study.summary import Spread
from frugalsvm.study.table import Table

PEERS = ("hosvm", "kp_svm", "cost_milp")
HEADS = ("dataset", "metric", "old", "new")


def test_empty_cells_keep_what_an_earlier_file_says(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    before = (("votes", "Acc", Spread(0.9, 0.1), None), ("votes", "features", 7, None))
    path.write_text(to_csv(Table("t", "", HEADS, before)), encoding="utf-8")
    now = (
        ("votes", "Acc", None, Spread(0.8, 0.2)),
        ("votes", "features", None, 3),
        ("careval", "Acc", None, None),
    )
    kept = filled(Table("t", "", HEADS, now), path)
    assert kept.rows[0] == ("votes", "Acc", Spread(0.9, 0.1), Spread(0.8, 0.2))
    assert isinstance(kept.rows[1][2], Spread)
    assert kept.rows[1][2].mean == 7
    assert kept.rows[2] == now[2]
    assert filled(kept, tmp_path / "none.csv") == kept


def test_plain_numbers_of_an_earlier_file_stay_plain(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    before = (("votes", "Acc", Spread(0.9, 0.1), 10), ("votes", "TPR", Spread(0.8, 0.1), 2.5))
    path.write_text(to_csv(Table("t", "", HEADS, before)), encoding="utf-8")
    now = (("votes", "Acc", None, None), ("votes", "TPR", None, None))
    assert filled(Table("t", "", HEADS, now), path).rows == before


def test_single_rivals_need_no_inner_selections() -> None:
    tasks = tasks_of(["compare_plain"], ["votes"], {"votes": 10}, StudySettings(), PEERS)
    kinds = [task.kind for task in tasks]
    assert {kind: kinds.count(kind) for kind in kinds} == {"svm": 10, "panel": 10, "rival": 30}
    assert {task.method for task in tasks if task.kind == "rival"} == set(PEERS)


def test_a_run_of_single_rivals_fills_their_columns_and_goes_on(
    tmp_path: Path, tiny: StudySettings
) -> None:
    out, store = tmp_path / "out", tmp_path / "s.sqlite"
    out.mkdir()
    (out / "compare_plain.csv").write_text(
        "dataset,metric,SVM,anova,anova std\nwisconsin,Acc,,0.5,0.25\n", encoding="utf-8"
    )
    seen: list[StudyProgress] = []

    def run(methods: tuple[str, ...]) -> list[dict[str, str]]:
        run_study(
            ["compare_plain"],
            ["wisconsin"],
            store=store,
            settings=tiny,
            out=out,
            methods=methods,
            progress=seen.append,
        )
        with (out / "compare_plain.csv").open(encoding="utf-8") as file:
            return list(csv.DictReader(file))

    rows = run(("hosvm",))
    assert (rows[0]["anova"], rows[0]["anova std"]) == ("0.5", "0.25")
    assert float(rows[0]["hosvm"]) > 0.8
    assert rows[0]["cost_milp"] == ""
    first = len(seen)
    rows = run(PEERS)
    assert len(seen) - first == 4  # two rivals on two folds, nothing again
    assert float(rows[0]["cost_milp"]) > 0.8
    assert float(rows[3]["kp_svm"]) <= float(rows[3]["frugal SVM"] or 30)
    assert rows[0]["anova"] == "0.5"
    with Store(store, None) as results:
        assert not results.find("select", "wisconsin", "plain")


def test_the_column_for_new_data_needs_no_selection_and_serves_both_thresholds() -> None:
    tables = ["linear_plain", "linear_hoeffding", "compare_plain", "radial_plain"]
    tasks = tasks_of(tables, ["votes"], {"votes": 10}, StudySettings(), ["new-data"])
    kinds = [(task.kind, task.method) for task in tasks]
    counts = {kind: kinds.count(kind) for kind in kinds}
    assert counts == {("svm", ""): 10, ("unseen", "linear"): 10, ("unseen", "radial"): 10}


def test_the_column_for_new_data_joins_tables_that_are_there(
    tmp_path: Path, tiny: StudySettings
) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "linear_hoeffding.csv").write_text(
        "dataset,metric,frugal SVM,frugal SVM std\nwisconsin,TPR,0.5,0.25\n", encoding="utf-8"
    )
    report = run_study(
        ["linear_hoeffding"],
        ["wisconsin"],
        store=tmp_path / "s.sqlite",
        settings=tiny,
        out=out,
        methods=["new-data"],
    )
    (table,) = report.tables
    rows = {row[1]: dict(zip(table.columns, row, strict=True)) for row in table.rows}
    assert rows["TPR"]["frugal SVM"] == Spread(0.5, 0.25)
    assert rows["TPR"]["for new data"].mean > 0.8
    assert 1 <= rows["features"]["for new data"].mean <= 30
    asked = rows["TPR"]["SVM"].mean - 0.025
    assert f"wisconsin TPR {asked:.4f}" in table.notes[-1]


def test_an_unknown_rival_is_refused() -> None:
    with pytest.raises(ValueError, match=r"Every method must be one of .*hosvm.* Got nobody"):
        run_study(["compare_plain"], ["wisconsin"], methods=["nobody"])
