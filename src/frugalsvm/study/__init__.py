"""The paper's experiment: its data sets, nested protocol, rivals and every table of Section 4."""

from __future__ import annotations

from frugalsvm.study.datasets import DATASETS, Dataset, load_dataset

__all__ = ["DATASETS", "Dataset", "load_dataset"]
