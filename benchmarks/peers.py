"""Time and cost of the paper's peers at leukemia's width: 72 samples, 7129 features."""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

from frugalsvm.peers import BudgetSVC, HoldOutSVC, KernelPenalizedSVC, SparseSVC
from frugalsvm.study import load_dataset

METHODS: dict[str, Any] = {
    "HoldOutSVC, one at a time": HoldOutSVC(time_limit=None),
    "HoldOutSVC, a tenth at a time": HoldOutSVC(step=0.1),
    "HoldOutSVC, at most 2": HoldOutSVC(2, step=0.1),
    "HoldOutSVC, Gaussian kernel": HoldOutSVC(step=0.1, kernel="rbf"),
    "KernelPenalizedSVC": KernelPenalizedSVC(),
    "KernelPenalizedSVC, penalty 0.001": KernelPenalizedSVC(0.001),
    "KernelPenalizedSVC, at most 2": KernelPenalizedSVC(max_features=2),
    "BudgetSVC, budget 1": BudgetSVC(1),
    "BudgetSVC, budget 2": BudgetSVC(2),
    "SparseSVC, Chan, at most 2": SparseSVC(2),
    "SparseSVC, Ghaddar, at most 2": SparseSVC(2, method="ghaddar"),
}


def measured(estimator: Any, X: np.ndarray, y: np.ndarray) -> dict[str, Any]:
    """Return what a fit took and what it found; every feature costs 1."""
    wall, work = time.perf_counter(), time.process_time()
    estimator.fit(X, y)
    row = {
        "seconds": round(time.perf_counter() - wall, 1),
        "cpu_seconds": round(time.process_time() - work, 1),
        "cost": int(estimator.get_support().sum()),
        "training_accuracy": round(float(estimator.score(X, y)), 4),
    }
    for name in ("status_", "loss_", "bound_", "stop_reason_"):
        if hasattr(estimator, name):
            row[name.rstrip("_")] = getattr(estimator, name)
    return row


def main() -> None:
    """Measure all methods and write a JSON file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results/peers.json"))
    out = parser.parse_args().out
    data = load_dataset("leukemia")
    rows = {}
    for name, estimator in METHODS.items():
        rows[name] = measured(estimator, data.X, data.y)
        print(f"{name}: {rows[name]}", flush=True)
    shape = {"samples": data.n_samples, "features": data.n_features}
    out.write_text(json.dumps({"data": shape, "methods": rows}, indent=2) + "\n")


if __name__ == "__main__":
    main()
