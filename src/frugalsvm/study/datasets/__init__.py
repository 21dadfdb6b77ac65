"""The seven data sets of the paper's Table 1, prepared as in the paper."""

from __future__ import annotations

from frugalsvm.study.datasets.catalogue import DATASETS, load_dataset
from frugalsvm.study.datasets.coding import Dataset

__all__ = ["DATASETS", "Dataset", "load_dataset"]
