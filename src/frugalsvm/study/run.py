"""The study by one call: load, run what is missing, write tables and figures."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from frugalsvm.study.datasets import DATASETS, Dataset, load_dataset
from frugalsvm.study.earlier import filled
from frugalsvm.study.errors import StudyError
from frugalsvm.study.figures import draw
from frugalsvm.study.folds import outer_splits
from frugalsvm.study.formats import FORMATS
from frugalsvm.study.plan import METHODS, TABLES, datasets_of, tasks_of
from frugalsvm.study.runner import OnProgress, Runner, made_with
from frugalsvm.study.settings import StudySettings
from frugalsvm.study.store import Store
from frugalsvm.study.table import Source, Table
from frugalsvm.study.tables import build_tables

DEFAULT_STORE = Path("frugalsvm-study.sqlite")


@dataclass(frozen=True)
class StudyReport:
    """What a run of the study left.

    Attributes
    ----------
    tables : tuple of Table
        The tables.
    files : tuple of Path
        The files written.
    tasks : int
        How many tasks the tables rest on.
    seconds : float
        Wall time of this run.
    """

    tables: tuple[Table, ...]
    files: tuple[Path, ...]
    tasks: int
    seconds: float


def run_study(
    tables: Iterable[str] | None = None,
    datasets: Iterable[str] | None = None,
    *,
    quick: bool = False,
    store: Path | str = DEFAULT_STORE,
    out: Path | str | None = None,
    jobs: int = 1,
    dask: str | None = None,
    seed: int = 0,
    time_limit: float | None = None,
    progress: OnProgress | None = None,
    settings: StudySettings | None = None,
    methods: Iterable[str] | None = None,
) -> StudyReport:
    """Run the paper's experiment, or what is missing of it, and write its tables.

    A run that was interrupted, even killed, goes on where it stopped when it is called again with
    the same store.

    Parameters
    ----------
    tables : iterable of str or None
        Names out of ``TABLES``; None: all.
    datasets : iterable of str or None
        Names out of ``DATASETS``; None: all.
    quick : bool, default=False
        One outer fold, three inner ones, three values of C and of gamma.
    store : path, default="frugalsvm-study.sqlite"
        Where results are kept.
    out : path or None, default=None
        Folder for the tables (CSV, Markdown, LaTeX) and figures (SVG); None: write none.
    jobs : int, default=1
        Processes on this machine; each uses one thread.
    dask : str or None, default=None
        Address of a Dask scheduler to run on instead.
    seed : int, default=0
        Seed of the folds and of everything random.
    time_limit : float or None, default=None
        Seconds for each selection and each training on an outer training set; None: 60, or 10 if
        `quick`.
    progress : callable or None, default=None
        Called with a :class:`StudyProgress` after every task.
    settings : StudySettings or None, default=None
        All settings; `quick`, `seed` and `time_limit` are ignored then.
    methods : iterable of str or None, default=None
        Run these alone, and what they build on: rivals of the tables "compare_plain" and
        "compare_hoeffding", or "new-data", the column for new data of all tables of rates; cells
        for which the store has nothing keep what the tables in `out` say.

    Returns
    -------
    StudyReport
        The tables and the files written.
    """
    started = time.perf_counter()
    wanted = _names(tables, TABLES, "table")
    names = _names(datasets, DATASETS, "data set")
    chosen = settings or _settings(quick, seed, time_limit)
    data = _load(wanted, names)
    folds = {name: len(outer_splits(d.y, chosen)) for name, d in data.items()}
    alone = None if methods is None else _names(methods, METHODS, "method")
    tasks = tasks_of(wanted, data, folds, chosen, alone)
    with Store(Path(store), chosen) as results:
        Runner(results, data, chosen, jobs, dask, progress).run(tasks)
        made = build_tables(wanted, Source(results, data))
    if alone is not None and out is not None:
        made = [filled(table, Path(out) / f"{table.name}.csv") for table in made]
    seconds = time.perf_counter() - started
    files = () if out is None else write_tables(made, Path(out), chosen, seconds)
    return StudyReport(tuple(made), tuple(files), len(tasks), seconds)


def _settings(quick: bool, seed: int, time_limit: float | None) -> StudySettings:
    if quick:
        return StudySettings.quick(seed, 10.0 if time_limit is None else time_limit)
    plain = StudySettings(seed=seed)
    if time_limit is None:
        return plain
    return dataclasses.replace(plain, select_limit=time_limit, train_limit=time_limit)


def _names(asked: Iterable[str] | None, known: Iterable[str], what: str) -> tuple[str, ...]:
    known = tuple(known)
    if asked is None:
        return known
    asked = tuple(asked)
    unknown = [name for name in asked if name not in known]
    if unknown or not asked:
        raise ValueError(
            f"Every {what} must be one of {', '.join(known)}. Got {', '.join(unknown) or 'none'}."
        )
    return asked


def _load(tables: Iterable[str], names: Iterable[str]) -> dict[str, Dataset]:
    needed = {name for table in tables for name in datasets_of(table, names)}
    if not needed:
        raise StudyError("None of these tables has a row for any of these data sets.")
    return {name: load_dataset(name) for name in DATASETS if name in needed}


def write_tables(
    tables: Iterable[Table], folder: Path, settings: StudySettings, seconds: float
) -> list[Path]:
    """Write every table in every format, the figures, and what they were made with."""
    files = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for table in tables:
            for ending, write in FORMATS.items():
                path = folder / f"{table.name}.{ending}"
                path.write_text(write(table), encoding="utf-8")
                files.append(path)
            picture = draw(table, folder)
            files += [] if picture is None else [picture]
        path = folder / "made_with.md"
        path.write_text(_made_with(settings, seconds), encoding="utf-8")
    except OSError as error:
        raise StudyError(f"Cannot write the tables to {folder}: {error}") from error
    return [*files, path]


def _made_with(settings: StudySettings, seconds: float) -> str:
    lines = ["# What made these figures", ""]
    lines += [f"- {name} {version}" for name, version in made_with().items()]
    lines += ["", f"Wall time of the last run: {seconds:.0f} s.", "", "Settings:", ""]
    lines += [f"- {name}: {value}" for name, value in settings.as_dict().items()]
    return "\n".join(lines) + "\n"
