"""What a second thread or a second worker is worth: one hard support, a long search, a frontier.

    python benchmarks/workers.py supports
    python benchmarks/workers.py support search frontier
    python benchmarks/workers.py support search frontier --backend dask

`supports` decides hard supports of 4, 5 and 6 features on one thread, and prints boxes and CPU
seconds. The other parts run with 1 and 2 threads, or with 1 and 2 worker processes of one thread
each, print the seconds of the wall with their ratio, and compare the answers. Beside it stands how
many kernels (of the frontier: searches) were under way at a time, on average: 2.0 at best, also on
a busy machine, where the wall says little. Compile first (any run does).
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import numpy as np
from joblib import parallel_config

from frugalsvm import frontier
from frugalsvm.data.costs import CostModel
from frugalsvm.data.problem import SelectionProblem
from frugalsvm.data.rates import ErrorBudget
from frugalsvm.runtime.elsewhere import Workers
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.search import search
from frugalsvm.search.oracles.split_directions import SplitDirections
from frugalsvm.search.problem.reduction import reduce_problem
from frugalsvm.search.state import SearchState

LIMIT, WARM = 3_600.0, 8.0
Outcome = tuple[Any, float]  # an answer, and the seconds that kernels were running


def _problem(X: np.ndarray, positive: np.ndarray, budget: tuple[int, int]) -> SelectionProblem:
    nothing = np.zeros(X.shape[1], dtype=bool)
    costs = CostModel.per_feature(np.ones(X.shape[1]))
    return SelectionProblem(X, positive, ErrorBudget(*budget), costs, nothing, nothing)


def hard_support(d: int, budget: tuple[int, int], skewed: bool = False) -> SelectionProblem:
    """Return 768 samples, 500 of them positive, on correlated features with much noise.

    The best errors known with six features are 149 in one class where the other keeps its budget.
    """
    rng = np.random.default_rng(0)
    X = rng.standard_normal((768, d)) @ (np.eye(d) + 0.3 * rng.standard_normal((d, d)))
    if skewed:
        X[:, ::2] = np.exp(0.8 * X[:, ::2])
    w = rng.uniform(0.4, 1.0, d) * rng.choice([-1, 1], d)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    score = X @ w
    score = score / score.std() + 1.6 * rng.standard_normal(768)
    positive = np.zeros(768, dtype=bool)
    positive[np.argsort(-score)[:500]] = True
    return _problem(X, positive, budget)


SUPPORTS = ((4, (127, 81)), (5, (120, 76)), (6, (125, 80)))


def enumeration(n_features: int = 25) -> SelectionProblem:
    """Return 300 samples that 5 of the features tell apart: all sets of 4 are to be ruled out."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, n_features))
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    score = X[:, :5].sum(axis=1) / np.sqrt(5) + 0.7 * rng.standard_normal(300)
    return _problem(X, score > np.median(score), (25, 25))


def supports() -> None:
    """Print what hard supports take on one thread."""
    for skewed in (False, True):
        for d, budget in SUPPORTS:
            problem = hard_support(d, budget, skewed)
            decide(hard_support(2, (100, 64)), Stopper(LIMIT))  # compiled, if need be
            started = time.process_time()
            code, boxes, _ = decide(problem, Stopper(LIMIT))
            seconds = time.process_time() - started
            kind = "skewed" if skewed else "normal"
            print(f"{kind} d={d} {budget}: {code:+d}, {boxes:,} boxes, {seconds:.2f} CPU s")


def decide(
    problem: SelectionProblem, stop: Stopper, threads: int = 1, workers: Workers | None = None
) -> tuple[int, int, float]:
    """Decide a problem's whole support; return the verdict, boxes, and seconds of the kernels."""
    state = SearchState(reduce_problem(problem), stop, threads=threads, workers=workers)
    chosen = np.arange(problem.n_features)
    boxes = SplitDirections(state.oracles.on_support(chosen, state.options))
    verdict = boxes.judge(10**15, state.hands)
    state.dismiss_hands()
    return verdict.code, boxes.opened, boxes.seconds


def run_support(threads: int, workers: Workers | None) -> Outcome:
    """Decide one hard support of six features."""
    problem = hard_support(6, (125, 80))
    code, boxes, busy = decide(problem, Stopper(LIMIT), threads, workers)
    return (code, boxes), busy


def run_search(threads: int, workers: Workers | None) -> Outcome:
    """Run one long search."""
    result = search(enumeration(), stop=Stopper(LIMIT), threads=threads, workers=workers)
    busy = sum(tally["seconds"] for tally in result.details["oracles"].values())
    return (result.status, result.support, result.bound, result.weights.tolist()), busy


def run_frontier(threads: int, workers: Workers | None) -> Outcome:
    """Find a trade-off of nine pairs."""
    given = enumeration(16)
    rates = (0.77, 0.8, 0.83)
    with nullcontext() if workers is None else parallel_config(backend=workers.backend):
        found = frontier(
            given.X, given.positive, min_tprs=rates, min_tnrs=rates, cv=None, n_jobs=threads,
            time_limit=LIMIT,
        )  # fmt: skip
    busy = sum(point.seconds for point in found.points)
    return [(p.status, p.cost, p.bound) for p in found.points], busy


@contextmanager
def fleet(count: int) -> Iterator[Workers | None]:
    """Start so many worker processes of one thread each."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=count, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster),
        parallel_config(backend="dask"),
    ):
        yield Workers.asked_for(None)


PARTS: dict[str, Callable[[int, Workers | None], Outcome]] = {
    "support": run_support,
    "search": run_search,
    "frontier": run_frontier,
}


def compare(name: str, kind: str, runs: list[tuple[Any, float, float]]) -> None:
    """Print what two of a kind are worth against one."""
    (one, alone, _), (two, together, busy) = runs
    verdict = "same answer" if one == two else "ANOTHER ANSWER"
    print(
        f"{name}, {kind}: {alone:.1f} s with one, {together:.1f} s with two: "
        f"{alone / together:.2f} times; {busy / together:.2f} at a time; {verdict}",
        flush=True,
    )


def timed(part: Callable[[int, Workers | None], Outcome], threads: int, workers: Any) -> Any:
    """Return the answer, the seconds of the wall, and those of the kernels."""
    started = time.perf_counter()
    answer, busy = part(threads, workers)
    return answer, time.perf_counter() - started, busy


def main() -> None:
    """Run the parts that are asked for."""
    parser = argparse.ArgumentParser(description="What a second thread or worker is worth.")
    parser.add_argument("parts", nargs="+", choices=["supports", *PARTS])
    parser.add_argument("--backend", choices=["threads", "dask"], default="threads")
    asked = parser.parse_args()
    for name in asked.parts:
        if name == "supports":
            supports()
            continue
        part, runs = PARTS[name], []
        for count in (1, 2):
            if asked.backend == "threads":
                runs.append(timed(part, count, None))
                continue
            with fleet(count) as workers:
                search(enumeration(), stop=Stopper(WARM), workers=workers)  # they load the kernels
                runs.append(timed(part, 2, workers))
        compare(name, asked.backend, runs)


if __name__ == "__main__":
    main()
