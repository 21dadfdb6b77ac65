"""Rates on unseen samples: cost of the panel against how often both held-out rates are reached.

For every data set, two pairs of targets (comfortable: 0.05 below the balanced rate that all columns
reach in cross-validation; hard: 0.015 below), and many splits into 60 % to learn from and 40 % held
out. Even splits have unit prices, odd ones whole prices from 1 to 10. Every method proposes panels;
one rule then chooses among them (the cheapest whose cross-validated rates exceed the targets by a
margin, in standard errors), so that a method is a curve: its cost and its success for each margin.
The classifier on a panel is chosen by the same rule too: by ours, among linear SVMs, a logistic
regression and, where these lack the margin, radial SVMs. Rivals are measured with the same
machines, with the linear ones, and with linear SVMs alone.

    python benchmarks/unseen.py --set test --splits 50 [--store FILE] [--out FILE] [--figure FILE]

Results are added to the store as they come; a stopped run goes on. One thread.
"""

from __future__ import annotations

import argparse
import json
import os
import time
import warnings
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from sklearn.model_selection import train_test_split

from frugalsvm import FrugalSVC, FrugalSVCCV, InfeasibleRatesError, NoSolutionError
from frugalsvm.data.costs import CostModel
from frugalsvm.data.losses import HINGE, LOGISTIC
from frugalsvm.data.problem import SelectionProblem
from frugalsvm.data.rates import ErrorBudget, RateTargets
from frugalsvm.inputs.standardize import Standardizer
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.unseen.folds import make_folds
from frugalsvm.unseen.linear_or_radial import machine_for
from frugalsvm.unseen.proposals import propose
from frugalsvm.unseen.scoring import Machines, panel_columns
from frugalsvm.unseen.threshold import Reserve, best_cut
from unseen_data import DEVELOP, TEST, Data, load
from unseen_rivals import rival_paths
from unseen_table import LINEAR, SVM_ALONE, write_results

BELOW = {"comfortable": 0.05, "hard": 0.015}
CS = (0.1, 1.0, 10.0)
TRAINING_LIMIT = 10.0  # seconds for FrugalSVC, whose training may otherwise take its minute
FOREVER = Stopper(None)


def main() -> None:
    """Run what the store does not hold yet, then write the results."""
    options = _options()
    store = Path(options.store or f"build/unseen-{options.set}.jsonl")
    store.parent.mkdir(parents=True, exist_ok=True)
    done = {(c["dataset"], c["targets"], c["split"]) for c in read_store(store)}
    names = options.datasets or (TEST if options.set == "test" else DEVELOP)
    for split in range(options.splits):
        for name in names:
            for kind in BELOW:
                if (name, kind, split) not in done:
                    record = cell(load(name), kind, split)
                    with store.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(record) + "\n")
                    print(name, kind, split, f"{record['seconds']:.1f} s", flush=True)
    if options.out:
        write_results(read_store(store), Path(options.out), options.figure)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Rates on unseen samples.")
    parser.add_argument("--set", choices=["test", "develop"], default="test")
    parser.add_argument("--splits", type=int, default=50)
    parser.add_argument("--datasets", nargs="*")
    parser.add_argument("--store", help="where results are kept as they come")
    parser.add_argument("--out", help="a JSON file for the figures")
    parser.add_argument("--figure", help="a picture of the curves")
    return parser.parse_args()


def read_store(store: Path) -> list[dict[str, Any]]:
    """Return the cells measured so far."""
    if not store.exists():
        return []
    return [json.loads(line) for line in store.read_text(encoding="utf-8").splitlines()]


@cache
def balanced_rate(name: str) -> float:
    """Return the rate that both classes reach with an SVM of all features, in cross-validation."""
    data = load(name)
    folds = make_folds(5, 2, data.y, None, 0, "benchmark")
    scores = Machines(CS, losses=(HINGE,)).scores(data.X, data.y, folds.splits, FOREVER)
    truth = data.y[folds.asked]
    # Equal standard errors, so that the margin of the worse rate is what is maximised.
    even = Reserve(RateTargets(0.5, 0.5), len(data.y), len(data.y))
    cuts = [best_cut(row, truth, even) for row in scores]
    return max(min(cut.tpr, cut.tnr) for cut in cuts)


def cell(data: Data, kind: str, split: int) -> dict[str, Any]:
    """Return what every method does for one split and one pair of targets."""
    start = time.process_time()
    rate = round(balanced_rate(data.name) - BELOW[kind], 3)
    targets = RateTargets(rate, rate)
    scored = _scored(data.name, split)
    prices, learn, new = scored.prices, scored.learn, scored.new
    curves = _curves(scored, data.y, targets)
    everything = curves["all features" + LINEAR][0][0]
    return {
        "dataset": data.name,
        "targets": kind,
        "split": split,
        "rate": rate,
        "n_positive": int(data.y[learn].sum()),
        "n_negative": int((~data.y[learn]).sum()),
        "curves": curves,
        "FrugalSVC": _training_rates(data, targets, prices, learn, new, everything),
        "FrugalSVCCV": _expected_rates(data, targets, prices, learn, new),
        "seconds": time.process_time() - start,
    }


@dataclass(frozen=True)
class Scored:
    """Panels of every method on one split, with decision values: all but the targets.

    The values of a panel are pairs, for each part of the machine: of the samples learned from,
    asked about in cross-validation, and of the new ones; each settings by samples.
    """

    prices: Any
    learn: Any
    new: Any
    asked: Any
    paths: dict[str, list[tuple[int, ...]]]
    share: dict[tuple[int, ...], float]
    values: dict[tuple[int, ...], Any]


@lru_cache(maxsize=1)  # both targets of a split, one after the other
def _scored(name: str, split: int) -> Scored:
    data = load(name)
    prices = np.ones(data.X.shape[1]) if split % 2 == 0 else data.prices
    learn, new = train_test_split(
        np.arange(len(data.y)), test_size=0.4, stratify=data.y, random_state=split
    )
    paths, costs = _paths(data, prices, learn)
    folds = make_folds(5, 3, data.y[learn], None, split, "benchmark")
    splits = [(learn[some], learn[others]) for some, others in folds.splits]
    everything = costs.cost(paths["all features"][0])
    share, values = {}, {}
    machine = machine_for(Machines(CS, kernel="auto"), len(learn))
    for support in {support for path in paths.values() for support in path}:
        panel = panel_columns(data.X, support)
        share[support] = costs.cost(support) / everything
        values[support] = [
            (
                part.scores(panel, data.y, splits, FOREVER),
                part.scores(panel, data.y, [(learn, new)], FOREVER),
            )
            for part in machine.parts
        ]
    return Scored(prices, learn, new, learn[folds.asked], paths, share, values)


def _paths(data, prices, learn) -> tuple[dict[str, list[tuple[int, ...]]], CostModel]:
    """Return the panels that every method proposes, and what features cost."""
    X, positive = data.X[learn], data.y[learn]
    scaler = Standardizer.fit(X)
    problem = SelectionProblem(
        X=scaler.transform(X),
        positive=positive,
        budget=ErrorBudget(0, 0),
        costs=CostModel.per_feature(prices),
        include=np.zeros(len(prices), dtype=bool),
        exclude=scaler.constant,
    )
    paths = {"ours": propose(problem, max_cost=None, stop=Stopper(60.0))}
    allowed = np.flatnonzero(~scaler.constant)
    for name, path in rival_paths(problem.X[:, allowed], positive, prices[allowed]).items():
        paths[name] = [tuple(int(allowed[k]) for k in support) for support in path]
    paths["all features"] = [tuple(allowed.tolist())]
    return paths, problem.costs


def _curves(scored: Scored, y, targets) -> dict[str, list[list[list[float]]]]:
    """Return cost, margin and held-out rates of all panels of every method, with each machine.

    Once with the linear machines and the radial ones, once with the linear ones (SVMs and a
    logistic regression), and once with linear SVMs alone.
    """
    reserve = Reserve.of(targets, y[scored.learn])
    curves = {}
    for what, parts, losses in (
        ("", 2, (HINGE, LOGISTIC)),
        (LINEAR, 1, (HINGE, LOGISTIC)),
        (SVM_ALONE, 1, (HINGE,)),
    ):
        settings = len(Machines(CS, losses=losses).settings)  # SVMs come first
        known = {}
        for support, values in scored.values.items():
            known[support] = []
            for asked, new in values[:parts]:
                cuts = [best_cut(row, y[scored.asked], reserve) for row in asked[:settings]]
                k = int(np.argmax([cut.margin for cut in cuts]))
                rates = _rates(new[k] > cuts[k].threshold, y[scored.new])
                known[support].append([scored.share[support], cuts[k].margin, *rates])
        for name, path in scored.paths.items():
            curves[name + what] = [known[support] for support in path]
    return curves


def _rates(said, truth) -> tuple[float, float]:
    return float(said[truth].mean()), float((~said)[~truth].mean())


def _training_rates(data, targets, prices, learn, new, everything) -> dict[str, Any]:
    """Return what FrugalSVC gives; all features where no panel meets the targets in training."""
    start = time.process_time()
    clf = FrugalSVC(
        targets.min_tpr, targets.min_tnr, feature_costs=prices, time_limit=TRAINING_LIMIT
    )
    try:
        clf.fit(data.X[learn], data.y[learn])
    except (InfeasibleRatesError, NoSolutionError):
        seconds = time.process_time() - start
        return {"cost": 1.0, "held_out": everything[2:], "seconds": seconds, "answer": False}
    return {
        "cost": clf.cost_ / prices.sum(),
        "held_out": _rates(clf.predict(data.X[new]), data.y[new]),
        "seconds": time.process_time() - start,
        "answer": True,
    }


def _expected_rates(data, targets, prices, learn, new) -> dict[str, Any]:
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # small classes, targets out of reach
        clf = FrugalSVCCV(targets.min_tpr, targets.min_tnr, feature_costs=prices)
        clf.fit(data.X[learn], data.y[learn])
    return {
        "cost": clf.cost_ / prices.sum(),
        "held_out": _rates(clf.predict(data.X[new]), data.y[new]),
        "expected": [clf.cv_tpr_, clf.cv_tnr_],
        "seconds": time.process_time() - start,
    }


if __name__ == "__main__":
    main()
