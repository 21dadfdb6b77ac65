"""numba is imported by one thread at a time."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import frugalsvm

TWO_THREADS = """
import threading
from sklearn.datasets import make_classification
from frugalsvm import FrugalSelector, RateSVC
X, y = make_classification(60, 4, n_informative=2, n_redundant=0, random_state=0)
together = threading.Barrier(2)
failed = []
def fit(model):
    together.wait()
    try:
        model.fit(X, y)
    except BaseException as error:
        failed.append(repr(error))
models = FrugalSelector(0.6, 0.6, time_limit=30), RateSVC(0.6, 0.6, time_limit=30)
threads = [threading.Thread(target=fit, args=(model,)) for model in models]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert not failed, failed
"""


def test_two_threads_may_make_the_first_fits_of_a_process() -> None:
    subprocess.run([sys.executable, "-c", TWO_THREADS], check=True, timeout=300)


def test_numba_is_imported_in_one_file() -> None:
    sources = Path(frugalsvm.__file__).parent.rglob("*.py")
    pattern = re.compile(r"^\s*(?:from|import) numba\b", re.MULTILINE)
    assert [p.name for p in sources if pattern.search(p.read_text())] == ["numba_parts.py"]
