"""The whole study in a small form: every table, killed runs, clusters, errors."""

from __future__ import annotations

import csv
import io
import os
import pickle
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from frugalsvm.data.exceptions import VerificationError
from frugalsvm.data.rates import RateTargets
from frugalsvm.study import (
    TABLES,
    StudyProgress,
    StudySettings,
    load_dataset,
    run_study,
    runner,
    tasks,
)
from frugalsvm.study.__main__ import main
from frugalsvm.study.errors import StudyError
from frugalsvm.study.formats import FORMATS
from frugalsvm.study.published import paper_cardinality, paper_features, paper_rates, paper_targets
from frugalsvm.study.store import Store
from frugalsvm.study.table import Source
from frugalsvm.study.tables import build_tables
from frugalsvm.study.tasks import Inputs, Task, execute

DATASETS = ["wisconsin"]
RUN_TABLES = ["linear_plain"]


def contents(path: Path) -> dict[str, tuple[Any, ...]]:
    """Everything in a store but the wall times."""
    with Store(path, None) as store:
        return {r.task.key: (_untimed(r.payload), r.made_with) for r in store.all()}


def _untimed(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _untimed(v) for k, v in value.items() if k != "seconds"}
    return [_untimed(v) for v in value] if isinstance(value, list) else value


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory, tiny: StudySettings) -> Path:
    path: Path = tmp_path_factory.mktemp("study") / "s.sqlite"
    run_study(RUN_TABLES, DATASETS, store=path, settings=tiny)
    return path


def test_tables_of_a_tiny_study(undisturbed: Path, tiny: StudySettings, tmp_path: Path) -> None:
    seen: list[StudyProgress] = []
    report = run_study(
        RUN_TABLES, DATASETS, store=undisturbed, settings=tiny, out=tmp_path, progress=seen.append
    )
    assert seen == []  # nothing was repeated
    names = {path.name for path in report.files}
    for table in RUN_TABLES:
        assert {f"{table}.{ending}" for ending in (*FORMATS, "svg")} <= names
    rows = list(csv.DictReader(io.StringIO((tmp_path / "linear_plain.csv").read_text())))
    assert [row["metric"] for row in rows] == ["Acc", "TPR", "TNR", "features", "at least"]
    assert rows[4]["frugal SVM"] == rows[3]["frugal SVM"]  # all are certified
    assert rows[0]["frugal SVM (paper)"] == "0.947"
    assert float(rows[0]["frugal SVM"]) > 0.8
    assert float(rows[1]["for new data"]) > 0.85
    assert float(rows[3]["for new data"]) >= 1
    assert rows[3]["folds"] == "2"
    assert rows[3]["selections certified"] == "2"


def test_every_result_names_what_made_it(undisturbed: Path) -> None:
    with Store(undisturbed, None) as store:
        for result in store.all():
            assert {"python", "frugalsvm", "numpy", "numba"} <= set(result.made_with)
            assert result.seconds > 0
            if result.task.kind == "select":
                outer = result.payload["outer"]
                assert outer["bound"] <= outer["cost"] == len(outer["support"])
                assert {"min_tpr", "min_tnr", "alpha"} <= set(result.payload)


def test_two_processes_give_the_same_store(
    undisturbed: Path, tiny: StudySettings, tmp_path: Path
) -> None:
    run_study(RUN_TABLES, DATASETS, store=tmp_path / "s.sqlite", settings=tiny, jobs=2)
    assert contents(tmp_path / "s.sqlite") == contents(undisturbed)


KILLED_RUN = """
import sys
from pathlib import Path
sys.path.insert(0, {tests!r})
from frugalsvm.study import StudySettings, run_study
run_study({tables!r}, {datasets!r}, store=Path({store!r}), settings=StudySettings(**{settings!r}))
"""


def test_killed_and_started_again_equals_undisturbed(
    undisturbed: Path, tiny: StudySettings, tmp_path: Path
) -> None:
    store = tmp_path / "s.sqlite"
    settings = {k: tuple(v) if isinstance(v, list) else v for k, v in tiny.as_dict().items()}
    script = KILLED_RUN.format(
        tests=str(Path(__file__).parent),
        tables=RUN_TABLES,
        datasets=DATASETS,
        store=str(store),
        settings=settings,
    )
    process = subprocess.Popen([sys.executable, "-c", script])
    deadline = time.monotonic() + 120
    while _stored(store) < 2 and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    before = contents(store)
    assert 2 <= len(before) < len(contents(undisturbed))
    seen: list[StudyProgress] = []
    run_study(RUN_TABLES, DATASETS, store=store, settings=tiny, progress=seen.append)
    assert contents(store) == contents(undisturbed)
    assert len(seen) == len(contents(undisturbed)) - len(before)
    assert seen[-1].left == 0


def _stored(path: Path) -> int:
    if not path.exists():
        return 0
    try:
        return len(contents(path))
    except StudyError:
        return 0


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # a killed worker makes Dask warn, rightly
def test_dask_with_a_killed_worker_gives_the_same_store(
    undisturbed: Path, tiny: StudySettings, tmp_path: Path
) -> None:
    distributed = pytest.importorskip("distributed")
    store = tmp_path / "s.sqlite"
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        victim = next(iter(cluster.workers.values())).pid
        killed: list[int] = []

        def kill_one(_: StudyProgress) -> None:
            if not killed:
                os.kill(victim, signal.SIGKILL)
                killed.append(victim)

        run_study(
            RUN_TABLES,
            DATASETS,
            store=store,
            settings=tiny,
            dask=cluster.scheduler_address,
            progress=kill_one,
        )
    assert killed
    assert contents(store) == contents(undisturbed)


@pytest.mark.filterwarnings("default")
def test_no_scheduler_at_the_address(
    tiny: StudySettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr(runner, "CONNECT_TIMEOUT", 0.5)
    with pytest.raises(StudyError, match=r"Cannot reach a Dask scheduler at tcp://127.0.0.1:9"):
        run_study(
            ["linear_plain"],
            DATASETS,
            store=tmp_path / "s",
            settings=tiny,
            dask="tcp://127.0.0.1:9",
        )


@pytest.mark.slow
@pytest.mark.skipif("FRUGALSVM_DATA" not in os.environ, reason="FRUGALSVM_DATA is not set")
def test_all_tables_of_two_data_sets(tmp_path: Path) -> None:
    few = StudySettings(
        inner_folds=2,
        run_folds=1,
        costs=(1.0,),
        gammas=(0.5,),
        select_limit=5.0,
        train_limit=5.0,
        inner_limit=5.0,
        cardinalities=(1, 34),
    )
    report = run_study(
        None, ["votes", "australian"], store=tmp_path / "s", settings=few, out=tmp_path / "out"
    )
    assert [table.name for table in report.tables] == list(TABLES)
    for table in report.tables:
        assert table.rows, table.name
        for ending in FORMATS:
            assert (tmp_path / "out" / f"{table.name}.{ending}").stat().st_size > 0
    by_name = {table.name: table for table in report.tables}
    assert [row[1:3] for row in by_name["contingency"].rows] == [(306, 77), (23, 284)]
    assert all(row[2] is not None for row in by_name["compare_plain"].rows)


def test_nothing_run_shows_the_papers_figures_and_gaps(tmp_path: Path, tiny: StudySettings) -> None:
    data = {"nursery": load_dataset("nursery")}
    with Store(tmp_path / "s", tiny) as store:
        tables = build_tables(TABLES, Source(store, data))
    markdown = [FORMATS["md"](table) for table in tables]
    assert any("| nursery | features | 19 | 19 | - | 1.000 (0.000) | - |" in t for t in markdown)
    assert all("\\begin{tabular}" in FORMATS["tex"](table) for table in tables)


def test_the_papers_figures_are_complete() -> None:
    assert len(paper_rates()) == 246
    assert len(paper_features()) == 20
    assert sorted(paper_cardinality()) == list(range(1, 35))
    assert len(paper_targets()) == 5


def test_an_error_in_a_worker_names_its_task(
    tiny: StudySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise VerificationError("it did not hold", report=Path("x"))

    monkeypatch.setattr(runner, "execute", fail)
    data = load_dataset("wisconsin")
    with pytest.raises(StudyError, match=r"svm\|wisconsin\|\|\|001: it did not hold") as caught:
        runner.run_task(Task("svm", "wisconsin", 1), data, tiny, Inputs())
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_a_rival_with_as_many_features_at_other_thresholds_is_not_run_again(
    tiny: StudySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = load_dataset("wisconsin")
    task = Task("rival", "wisconsin", 0, "hoeffding", "anova")
    assert task.twin == Task("rival", "wisconsin", 0, "plain", "anova")
    targets = RateTargets(0.9, 0.9)
    selection = execute(task.selection, data, tiny, Inputs(targets=targets))
    r = len(selection["outer"]["support"])
    run = execute(task, data, tiny, Inputs(selection=selection))
    assert run["max_features"] == r
    other = {**run, "max_features": r + 1}
    assert execute(task, data, tiny, Inputs(selection=selection, twin=other)) == run
    monkeypatch.setattr(tasks, "run_rival", None)
    assert execute(task, data, tiny, Inputs(selection=selection, twin=run)) == run


def test_unknown_names_are_listed(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"Every table must be one of data, linear_plain.*Got x"):
        run_study(["x"], store=tmp_path / "s")
    with pytest.raises(ValueError, match=r"Every data set must be one of wisconsin.*Got iris"):
        run_study(None, ["iris"], store=tmp_path / "s")
    with pytest.raises(StudyError, match="None of these tables has a row"):
        run_study(["contingency"], ["votes"], store=tmp_path / "s")


def test_command_writes_the_data_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--tables", "data", "--datasets", "careval", "--store", str(tmp_path / "s")]
    assert main([*arguments, "--out", str(tmp_path / "out")]) == 0
    assert "data.md" in capsys.readouterr().out
    assert "1728" in (tmp_path / "out" / "data.md").read_text()
    assert main([*arguments, "--out", str(tmp_path / "out"), "--seed", "5"]) == 1
    assert "other settings" in capsys.readouterr().err
