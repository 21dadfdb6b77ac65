"""How often FrugalSVCCV's certificate is wrong, and how often it is had.

Samples are drawn from populations whose true rates can be computed: a large simulated one, and real
data sets drawn with replacement. Four tenths are set aside. One of the target pairs cannot be had.
For every cell: the share of draws in which a certified classifier misses a target on the population
(at most 1 - confidence is promised), the share that is certified, and the cost of the panel. Taking
the held-out rates at face value is shown beside it, and so is MAPIE's controller on an SVM of all
features, where it is installed.

    python benchmarks/unseen_certificate.py [--draws 400] [--store FILE] [--out FILE]

Results are added to the store as they come; a stopped run goes on. One thread. The expectation by
cross-validation, which has no part in the certificate, is left out.
"""

from __future__ import annotations

import argparse
import json
import os
from collections import defaultdict
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from sklearn.datasets import load_digits

from frugalsvm.data.costs import CostModel
from frugalsvm.data.problem import SelectionProblem
from frugalsvm.data.rates import ErrorBudget, RateTargets
from frugalsvm.inputs.labels import read_labels
from frugalsvm.inputs.standardize import Standardizer
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.unseen.fitting import Fitter
from frugalsvm.unseen.holdout import Calibration, set_aside
from frugalsvm.unseen.procedure import Procedure, Samples
from frugalsvm.unseen.scoring import Machines
from unseen_mapie import AVAILABLE, THRESHOLDS, controlled

CONFIDENCE = 0.9
SIZES = (200, 500, 1250, 3000)
TARGETS = {"simulated": (0.76, 0.81), "digits": (0.75, 0.85)}
"""For each population a pair that can be had, and one that cannot (both rates alike)."""


def population(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return samples that stand for all there are."""
    if name == "digits":
        X, y = load_digits(return_X_y=True)
        return X[:, 2:62:3], y % 2 == 0  # every third pixel: even digits or odd
    rng = np.random.default_rng(0)
    y = rng.random(60_000) < 0.45
    X = rng.normal(size=(60_000, 12))
    X[y, :6] += np.array([1.1, 0.9, 0.7, 0.5, 0.4, 0.3])
    return X, y


def draw(name: str, rate: float, n: int, seed: int) -> dict[str, Any]:
    """Return what one sample of size `n` leads to."""
    X, y = population(name)
    rows = np.random.default_rng(seed).choice(len(y), n, replace=True)
    learn, aside = set_aside(0.4, y[rows], None, seed, "benchmark")
    found = _fitter(X[rows], y[rows], learn, aside, RateTargets(rate, rate)).certified(
        Stopper(60.0)
    )
    classifier, certificate = found
    said = classifier.scores(X) > 0
    holds = bool(said[y].mean() >= rate and (~said)[~y].mean() >= rate)
    seen = certificate.held_out
    parts = [(X[rows[part]], y[rows[part]]) for part in (learn, aside)]
    rivals = controlled(*parts, (X, y), rate, CONFIDENCE) if AVAILABLE else {}
    return {
        "population": name,
        "rate": rate,
        "n": n,
        "seed": seed,
        "certified": certificate.certified,
        "holds": holds,
        "face value": bool(seen.tpr >= rate and seen.tnr >= rate),
        "cost": classifier.candidate.cost,
        **rivals,
    }


def _fitter(X, y, learn, aside, targets) -> Fitter:
    labels = read_labels(y[learn], True, "benchmark")
    scaler = Standardizer.fit(X[learn])
    d = X.shape[1]
    problem = SelectionProblem(
        X=scaler.transform(X[learn]),
        positive=y[learn],
        budget=ErrorBudget(0, 0),
        costs=CostModel.per_feature(np.ones(d)),
        include=np.zeros(d, dtype=bool),
        exclude=scaler.constant,
    )
    procedure = Procedure(
        targets=targets,
        margin=1.0,
        max_cost=None,
        machine=Machines((1.0,)),
        cv=5,
        n_repeats=1,
        seed=0,
        owner="benchmark",
    )
    held_out = Calibration(X[aside], y[aside])
    return Fitter(procedure, Samples(X[learn], problem, None), labels, held_out, CONFIDENCE, 1)


def summary(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the shares of every cell."""
    cells: dict[tuple[Any, ...], list[dict[str, Any]]] = defaultdict(list)
    for record in records:
        cells[record["population"], record["rate"], record["n"]].append(record)
    table = []
    for (name, rate, n), some in sorted(cells.items()):
        certified = np.array([r["certified"] for r in some])
        holds = np.array([r["holds"] for r in some])
        face = np.array([r["face value"] for r in some])
        cost = np.array([r["cost"] for r in some])
        table.append(
            {
                "population": name,
                "rate": rate,
                "n": n,
                "draws": len(some),
                "certified and wrong": float((certified & ~holds).mean()),
                "two standard errors": float(2 * np.sqrt(0.1 * 0.9 / len(some))),
                "certified": float(certified.mean()),
                "cost if certified": float(cost[certified].mean()) if certified.any() else None,
                "at face value and wrong": float((face & ~holds).mean()),
                "rivals": {
                    name: _rival([r[name] for r in some if name in r]) for name in THRESHOLDS
                },
            }
        )
    return table


def _rival(some: list[dict[str, bool]]) -> dict[str, float]:
    """Return how often a rival certified, and how often wrongly; nothing if it was not run."""
    if not some:
        return {}
    certified = np.array([r["certified"] for r in some])
    holds = np.array([r["holds"] for r in some])
    return {
        "draws": len(some),
        "certified": float(certified.mean()),
        "certified and wrong": float((certified & ~holds).mean()),
    }


def main() -> None:
    """Run what the store does not hold yet, then write the shares."""
    parser = argparse.ArgumentParser(description="Certificates on held-out samples.")
    parser.add_argument("--draws", type=int, default=400)
    parser.add_argument("--store", default="build/unseen-certificate.jsonl")
    parser.add_argument("--out")
    options = parser.parse_args()
    store = Path(options.store)
    store.parent.mkdir(parents=True, exist_ok=True)
    lines = store.read_text(encoding="utf-8").splitlines() if store.exists() else []
    records = [json.loads(line) for line in lines]
    done = {(r["population"], r["rate"], r["n"], r["seed"]) for r in records}
    for seed in range(options.draws):
        for name, rates in TARGETS.items():
            for rate in rates:
                for n in SIZES:
                    if (name, rate, n, seed) not in done:
                        records.append(draw(name, rate, n, seed))
                        with store.open("a", encoding="utf-8") as file:
                            file.write(json.dumps(records[-1]) + "\n")
    table = summary(records)
    for row in table:
        print(row)
    if options.out:
        Path(options.out).write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
