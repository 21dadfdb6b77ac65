"""How far the answers of inner cross-validation are from certified optima.

The instances were not used to choose any constant of the trainer: other folds, random ones of the
better features, limits near what an ordinary SVM reaches there, both kernels. Only cells count
whose optimum the exact trainer certifies within the time limit.

    python benchmarks/margin_quality.py --time-limit 2 --out margin-quality.json
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC

from frugalsvm.data.problem import CountLimit, MarginProblem
from frugalsvm.data.result import Status
from frugalsvm.margin import Effort, MarginOptions, train, train_path
from frugalsvm.runtime.stopping import Stopper
from margin_instances import training_fold

COSTS = [2.0**k for k in range(-5, 6)]
CLOSE = 1e-3
"""An objective this close to the optimum, relatively, is good enough."""

EFFORTS = {"default": MarginOptions(), "study": MarginOptions(kicks=3, quick_nodes=10)}


@dataclass(frozen=True)
class Case:
    """Random features of a fold, a kernel, and how generous the limits are."""

    data: str
    fold: int
    columns: tuple[int, ...]
    gamma: float | None
    generosity: float

    @property
    def name(self) -> str:
        """A readable key."""
        kernel = "linear" if self.gamma is None else f"gamma={self.gamma:g}"
        return f"{self.data} fold {self.fold} {list(self.columns)} {kernel} x{self.generosity:g}"

    def problem(self) -> MarginProblem:
        """Return the problem; its limits are an ordinary SVM's errors times the generosity."""
        X, positive = training_fold(self.data, self.fold)
        X = np.ascontiguousarray(X[:, list(self.columns)])
        gram = None if self.gamma is None else rbf_kernel(X, gamma=self.gamma)
        kernel = X @ X.T if gram is None else gram
        svc = SVC(kernel="precomputed", C=1.0, class_weight="balanced").fit(kernel, positive)
        wrong = svc.predict(kernel) != positive
        limits = tuple(
            CountLimit(name, members, int(np.ceil(self.generosity * wrong[members].sum())))
            for name, members in (("tpr", positive), ("tnr", ~positive))
        )
        return MarginProblem(X if gram is None else None, gram, positive, limits, 1.0)


def cases() -> Iterator[Case]:
    """Yield the cases, always the same."""
    rng = np.random.default_rng(2026)
    for fold in range(5, 10):
        for data in ("wisconsin", "votes", "australian", "careval"):
            for gamma in (None, float(rng.choice([0.125, 0.5, 2.0]))):
                columns = rng.choice(_telling(data, fold), int(rng.integers(2, 5)), replace=False)
                chosen = tuple(int(c) for c in np.sort(columns))
                yield Case(data, fold, chosen, gamma, float(rng.choice([1.0, 1.1, 1.3])))


def _telling(data: str, fold: int) -> NDArray[np.int64]:
    """Return the ten features whose class means differ most: on others little can be certified."""
    X, positive = training_fold(data, fold)
    return np.argsort(-np.abs(X[positive].mean(axis=0) - X[~positive].mean(axis=0)))[:10]


def measure(case: Case, time_limit: float) -> dict[str, Any]:
    """Return each effort's relative excess over the certified optima, and its time."""
    problem = case.problem()
    paths, seconds = {}, {}
    for name, options in EFFORTS.items():
        started = time.process_time()
        path = train_path(problem, COSTS, stop=Stopper(), effort=Effort.QUICK, options=options)
        seconds[name] = time.process_time() - started
        paths[name] = [result.objective for result in path]
    best = [train(replace(problem, C=C), stop=Stopper(time_limit)) for C in COSTS]
    certified = [result.status is Status.OPTIMAL for result in best]
    return {
        "samples": len(problem.positive),
        "limits": [limit.max_errors for limit in problem.limits],
        "certified": sum(certified),
        "seconds": seconds,
        "excess": {
            name: [
                objective / max(result.objective, 1e-12) - 1.0
                for objective, result, proven in zip(path, best, certified, strict=True)
                if proven
            ]
            for name, path in paths.items()
        },
    }


def summary(done: dict[str, Any]) -> dict[str, Any]:
    """Return the share of certified cells that each effort comes close to."""
    found: dict[str, Any] = {
        "cells": len(COSTS) * len(done),
        "certified": sum(one["certified"] for one in done.values()),
    }
    for name in EFFORTS:
        excess = np.array([e for one in done.values() for e in one["excess"][name]])
        found[name] = {
            "share within 0.1 %": float((excess <= CLOSE).mean()),
            "largest excess": float(excess.max()),
            "processor seconds of a path": float(
                np.mean([one["seconds"][name] for one in done.values()])
            ),
        }
    return found


def quality(time_limit: float, *, verbose: bool = True) -> dict[str, Any]:
    """Measure all cases and sum up."""
    done: dict[str, Any] = {}
    for case in cases():
        done[case.name] = measure(case, time_limit)
        if verbose:
            one = done[case.name]
            worst = ", ".join(f"{k} {max(v, default=0.0):.2g}" for k, v in one["excess"].items())
            taken = ", ".join(f"{v:.2f}" for v in one["seconds"].values())
            print(
                f"{case.name:<58} {one['certified']:>2} certified, {worst}; {taken} s", flush=True
            )
    return {"summary": summary(done), "cases": done}


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--time-limit", type=float, default=2.0)
    parser.add_argument("--out", type=Path, default=Path("margin-quality.json"))
    asked = parser.parse_args()
    found = quality(asked.time_limit)
    asked.out.write_text(json.dumps(found, indent=1))
    print(json.dumps(found["summary"], indent=1))


if __name__ == "__main__":
    main()
