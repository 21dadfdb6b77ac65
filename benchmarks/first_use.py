"""Time the first selection of a new installation, and that of a later process.

    python benchmarks/first_use.py
    python benchmarks/first_use.py --training

Both select measurements of scikit-learn's breast-cancer data, each in a process of its own: the
first with an empty cache of compiled kernels, the second with what the first left there. With
training they fit a FrugalSVC, whose training kernels another process compiles meanwhile. CPU
seconds are those of all threads, imports included: they depend less on what else the machine is
doing, and the larger of the two is about what an idle machine with two cores takes.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile

SCRIPT = """
import json, os, time
begin = time.perf_counter()
from sklearn.datasets import load_breast_cancer
from frugalsvm import {estimator}
imported = time.perf_counter()
model = {estimator}(min_tpr=0.967, min_tnr=0.918).fit(*load_breast_cancer(return_X_y=True))
fitted = time.perf_counter()
print(json.dumps({{
    "imports": round(imported - begin, 2),
    "fit": round(fitted - imported, 2),
    "cpu": round(time.process_time(), 2),
    "ahead": round(sum(os.times()[2:4]), 2),
}}))
"""

Figures = dict[str, object]


def first_and_later(estimator: str = "FrugalSelector") -> tuple[Figures, Figures]:
    """Return the figures of the first process and of the next one."""
    script = SCRIPT.format(estimator=estimator)
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
        first, later = (
            subprocess.run(
                [sys.executable, "-c", script], env=environment, check=True, capture_output=True
            ).stdout
            for _ in range(2)
        )
    return json.loads(first), json.loads(later)


def shown(title: str, figures: Figures) -> str:
    """Return a line about a process."""
    times = f"imports {figures['imports']} s, fit {figures['fit']} s"
    return f"{title}: {times} ({figures['cpu']} s of CPU, {figures['ahead']} s ahead)"


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--training", action="store_true", help="fit a FrugalSVC")
    training = parser.parse_args().training
    first, later = first_and_later("FrugalSVC" if training else "FrugalSelector")
    print(shown("first use of an installation", first))
    print(shown("a later process", later))


if __name__ == "__main__":
    main()
