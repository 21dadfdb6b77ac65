"""Time the first selection of a new installation, and that of a later process.

    python benchmarks/first_use.py

Both select measurements of scikit-learn's breast-cancer data, each in a process of its own: the
first with an empty cache of compiled kernels, the second with what the first left there.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile

SCRIPT = """
import json, time
begin = time.perf_counter()
from sklearn.datasets import load_breast_cancer
from frugalsvm import FrugalSelector
imported = time.perf_counter()
selector = FrugalSelector(min_tpr=0.967, min_tnr=0.918).fit(*load_breast_cancer(return_X_y=True))
fitted = time.perf_counter()
print(json.dumps({
    "imports": round(imported - begin, 2),
    "fit": round(fitted - imported, 2),
    "features": selector.get_support(indices=True).tolist(),
    "status": selector.result_.status.value,
}))
"""

Figures = dict[str, object]


def first_and_later() -> tuple[Figures, Figures]:
    """Return the figures of the first process and of the next one."""
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
        first, later = (
            subprocess.run(
                [sys.executable, "-c", SCRIPT], env=environment, check=True, capture_output=True
            ).stdout
            for _ in range(2)
        )
    return json.loads(first), json.loads(later)


def shown(title: str, figures: Figures) -> str:
    """Return a line about a process."""
    return f"{title}: imports {figures['imports']} s, selection {figures['fit']} s"


def main() -> None:
    """Print the figures."""
    first, later = first_and_later()
    print(shown("first use of an installation", first))
    print(shown("a later process", later))


if __name__ == "__main__":
    main()
