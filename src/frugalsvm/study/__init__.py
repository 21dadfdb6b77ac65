"""The paper's experiment: its data sets, nested protocol, rivals and every table of Section 4."""

from __future__ import annotations

from frugalsvm.study.datasets import DATASETS, Dataset, load_dataset
from frugalsvm.study.plan import TABLES
from frugalsvm.study.run import StudyReport, run_study
from frugalsvm.study.runner import StudyProgress
from frugalsvm.study.settings import StudySettings

__all__ = [
    "DATASETS",
    "TABLES",
    "Dataset",
    "StudyProgress",
    "StudyReport",
    "StudySettings",
    "load_dataset",
    "run_study",
]
