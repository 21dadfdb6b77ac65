"""Training of many samples: time limits, Ctrl-C, memory, and an answer in any case."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import make_classification

from frugalsvm import NoSolutionError, RateSVC
from frugalsvm.data.exceptions import OutOfMemoryError
from frugalsvm.data.result import StopReason
from frugalsvm.inputs.svm_kernels import Kernel
from frugalsvm.margin import train
from frugalsvm.margin.classifiers.shifted import cheap_answer
from frugalsvm.margin.rows.kernel_check import check_kernel
from frugalsvm.margin.rows.sample import sampled
from frugalsvm.margin.watch import Watch, watched
from frugalsvm.runtime.stopping import Stopper
from margin_instances import check_answer, overlapping_problem


def data(n: int, d: int = 5) -> tuple[np.ndarray, np.ndarray]:
    return make_classification(
        n_samples=n,
        n_features=d,
        n_informative=3,
        n_redundant=0,
        class_sep=0.7,
        flip_y=0.05,
        random_state=0,
    )


@pytest.fixture(scope="module", autouse=True)
def compiled() -> None:
    for kernel in ("linear", "rbf"):
        RateSVC(0.7, 0.7, kernel=kernel).fit(*data(60))


@pytest.mark.parametrize(("kernel", "n"), [("linear", 60_000), ("rbf", 4_000), ("rbf", 20_000)])
def test_a_single_call_of_the_heuristic_outlasted_the_time_limit(kernel: str, n: int) -> None:
    X, y = data(n)
    limit = 2.0
    start = time.perf_counter()
    clf = RateSVC(0.62, 0.62, kernel=kernel, time_limit=limit).fit(X, y)
    assert time.perf_counter() - start <= 1.1 * limit + 1
    assert clf.status_ == "feasible"
    assert min(clf.train_tpr_, clf.train_tnr_) >= 0.62
    assert clf.result_.stop_reason is StopReason.TIME_LIMIT


CHILD = """
import time
from sklearn.datasets import make_classification
from frugalsvm import RateSVC
X, y = make_classification(
    n_samples={n}, n_features=5, n_informative=3, n_redundant=0, class_sep=0.7, flip_y=0.05,
    random_state=0,
)
RateSVC(0.7, 0.7, kernel={kernel!r}).fit(X[:60], y[:60])
print("ready", flush=True)
clf = RateSVC(0.62, 0.62, kernel={kernel!r}, time_limit=None).fit(X, y)
print("kept", clf.status_, clf.result_.stop_reason.value, time.time(), flush=True)
"""


@pytest.mark.parametrize(("kernel", "n"), [("linear", 60_000), ("rbf", 4_000)])
def test_an_interrupt_was_not_heard_within_compiled_work(kernel: str, n: int) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", CHILD.format(n=n, kernel=kernel)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    )
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith("ready"):
            break
    time.sleep(4)  # within the heuristic's first call
    sent = time.time()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    kept = re.search(r"^kept feasible interrupted (\d+\.\d+)$", out, re.MULTILINE)
    assert kept, out
    assert float(kept[1]) - sent <= 2.5  # the second promised, and what a busy machine adds


MEMORY = """
import resource
from sklearn.datasets import make_classification
from frugalsvm import RateSVC
X, y = make_classification(n_samples=3000, n_features=5, random_state=0)
RateSVC(0.7, 0.7, kernel="rbf").fit(X[:300], y[:300])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
RateSVC(0.9, 0.9, kernel="rbf", time_limit=5).fit(X, y)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="kilobytes on Linux, bytes elsewhere")
def test_five_kernel_matrices_were_held() -> None:
    run = subprocess.run(
        [sys.executable, "-c", MEMORY], capture_output=True, text=True, check=True, timeout=120
    )
    matrix = 8 * 3000**2 / 1024
    assert int(run.stdout) < 2.5 * matrix  # one, and room for blocks of it and the free rows


def test_a_kernel_matrix_too_large_ended_in_a_bare_memory_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("frugalsvm.runtime.memory.free_memory", lambda: 2e9)
    X, y = data(50_000, d=3)
    start = time.perf_counter()
    with pytest.raises(
        OutOfMemoryError,
        match=r"RateSVC needs 40 GB .* 50,000 samples.* 2 GB left.*'linear'.*at most 11,000 rows",
    ) as error:
        RateSVC(0.7, 0.7, kernel="sigmoid").fit(X, y)
    assert time.perf_counter() - start < 2.0  # before any work
    assert isinstance(error.value, MemoryError)
    assert (error.value.needed, error.value.free) == (4e10, 2e9)
    RateSVC(0.7, 0.7, kernel="rbf", time_limit=2.0).fit(X[:500], y[:500])


def test_containers_and_machines_tell_their_memory(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from frugalsvm.runtime import memory

    monkeypatch.setattr(memory, "MEMINFO", tmp_path / "meminfo")
    monkeypatch.setattr(memory, "GROUP", tmp_path)
    assert memory.free_memory() == np.inf  # neither says anything
    (tmp_path / "meminfo").write_text("MemTotal: 9 kB\nMemAvailable:  2000 kB\n", encoding="ascii")
    assert memory.free_memory() == 2000 * 1024
    (tmp_path / "memory.max").write_text("1000000\n", encoding="ascii")
    (tmp_path / "memory.current").write_text("700000\n", encoding="ascii")
    (tmp_path / "memory.stat").write_text("inactive_file 100000\n", encoding="ascii")
    assert memory.free_memory() == 400_000
    (tmp_path / "memory.max").write_text("max\n", encoding="ascii")
    assert memory.free_memory() == 2000 * 1024


@pytest.mark.parametrize("kind", ["rbf", "laplacian", "poly", "cosine", "sigmoid"])
def test_a_kernel_matrix_by_blocks_is_the_matrix(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("frugalsvm.inputs.svm_kernels.BLOCK", 100)
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(37, 3)) + 2.0
    Z[30:] = Z[:7]
    kernel = Kernel(kind, 0.3, 3.0, 1.0)
    gram = kernel.gram(Z, Stopper())
    assert gram is not None
    np.testing.assert_allclose(gram, kernel.matrix(Z, Z), rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(gram, gram.T)
    np.testing.assert_array_equal(gram[30:], gram[:7])
    dual = rng.normal(size=37)
    np.testing.assert_allclose(kernel.scores(Z, Z, dual), gram @ dual)
    assert kernel.gram(Z, Stopper(0.0)) is None
    if kernel.semidefinite:
        assert np.linalg.eigvalsh(gram)[0] > -1e-9


def test_a_radial_kernel_far_from_the_origin_keeps_its_digits() -> None:
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(20, 3))
    kernel = Kernel("rbf", 0.5, 3.0, 0.0)
    np.testing.assert_allclose(kernel.matrix(Z + 1e6, Z + 1e6), kernel.matrix(Z, Z), atol=1e-8)


def test_a_constant_classifier_of_a_kernel_predicts() -> None:
    X, y = data(30)
    clf = RateSVC(1.0, 0.0, kernel="rbf", C=1e-6).fit(X, y)
    assert (clf.predict(X) == 1).all()


def test_no_time_for_a_given_matrix_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = data(200)
    with pytest.raises(NoSolutionError, match="before the kernel matrix of 200 samples"):
        RateSVC(0.7, 0.7, kernel="precomputed", time_limit=1e-9).fit(X @ X.T, y)


def test_the_check_of_a_kernel_ends_when_told_to() -> None:
    gram = np.eye(600)
    assert check_kernel(gram, Stopper())
    assert not check_kernel(gram, Stopper(0.0))
    gram[599, 598] = gram[598, 599] = 1.1
    with pytest.raises(ValueError, match="not positive semidefinite"):
        check_kernel(gram, Stopper())


def test_a_cheap_answer_keeps_the_limits() -> None:
    found = 0
    for seed in range(20):
        problem = overlapping_problem(seed, n=60, d=3, budgets=(6, 6))
        answer = cheap_answer(problem, Stopper())
        found += answer is not None
        if answer is not None:
            for limit in problem.limits:
                assert (limit.members & ~answer.counted).sum() <= limit.max_errors
            best = train(problem, stop=Stopper())
            assert answer.objective >= best.objective * (1 - 1e-4)
    assert found >= 15


def test_a_sample_is_no_easier_than_the_data() -> None:
    problem = overlapping_problem(0, n=400, budgets=(30, 50))
    part, rows = sampled(problem, 100, seed=0)
    assert len(rows) == len(part.positive) == 100
    for limit, whole in zip(part.limits, problem.limits, strict=True):
        assert limit.max_errors / limit.members.sum() <= whole.max_errors / whole.members.sum()


def test_many_rows_start_from_a_sample() -> None:
    problem = overlapping_problem(0, n=3000, d=4, budgets=(200, 200), C=0.1)
    result = train(problem, stop=Stopper(3.0))
    check_answer(problem, result)
    harder = replace(problem, limits=tuple(replace(li, max_errors=0) for li in problem.limits))
    assert not train(harder, stop=Stopper(1.0)).has_answer


def test_work_that_fails_fails_where_it_was_asked_for() -> None:
    def fail(_: Watch) -> int:
        raise ZeroDivisionError("within")

    with pytest.raises(ZeroDivisionError, match="within"):
        watched(fail, Stopper())


def test_a_watch_halts_and_goes_on_with_the_next_piece() -> None:
    def work(watch: Watch) -> list[int]:
        seen = []
        for limit in (0.0, 60.0, 0.05):
            watch.obey(Stopper(limit))
            time.sleep(0.2)
            seen.append(int(watch.halt[0]))
        return seen

    assert watched(work, Stopper()) == [1, 0, 1]
