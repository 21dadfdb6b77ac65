"""Hinge, logistic loss and distance-weighted discrimination under rate constraints.

For each data set and loss: the optimum without rates against scikit-learn's LogisticRegression or
Clarabel's second-order cones, then rates that bind, with the proven gap and the seconds.

python benchmarks/losses.py --out benchmarks/results/losses.json --page docs/losses.md
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import clarabel
import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.datasets import load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

from frugalsvm import RateSVC
from frugalsvm.data.losses import LOSSES
from frugalsvm.study import load_dataset
from unseen_data import load

RATES = {
    "breast cancer": ((0.97, 0.97), (0.98, 0.98)),
    "wine, 0": ((0.99, 0.99),),
    "wine, 1": ((0.99, 0.99),),
    "wine, 2": ((0.99, 0.99),),
    "votes": ((0.96, 0.96), (0.97, 0.97)),
    "ionosphere": ((0.95, 0.8), (0.95, 0.85)),
}
C = 1.0
BEGIN, END = "<!-- measured -->", "<!-- end -->"

Matrix = NDArray[np.float64]
Flags = NDArray[np.bool_]


def problems() -> Iterator[tuple[str, Matrix, Flags]]:
    """Yield the data sets, standardised."""
    for name in RATES:
        if name.startswith("wine"):
            X, labels = load_wine(return_X_y=True)
            y = labels == int(name[-1])
        elif name == "breast cancer":
            data = load_dataset("wisconsin")
            X, y = data.X, data.y
        else:
            found = load(name)
            X, y = found.X, found.y
        yield name, (X - X.mean(axis=0)) / X.std(axis=0), y


def reference(loss: str, X: Matrix, y: Flags) -> float:
    """Return the least objective without rates, by others' software."""
    sign = np.where(y, 1.0, -1.0)
    if loss == "dwd":
        return _dwd_by_cones(X, sign)
    if loss == "logistic":
        model = LogisticRegression(C=C / 2, tol=1e-12, solver="newton-cholesky").fit(X, y)
    else:
        model = SVC(C=C / 2, kernel="linear", tol=1e-9).fit(X, y)
    u = sign * model.decision_function(X)
    losses = np.logaddexp(0.0, -u) if loss == "logistic" else np.maximum(0.0, 1.0 - u)
    return float((model.coef_**2).sum()) + C * float(losses.sum())


def _dwd_by_cones(X: Matrix, sign: Matrix) -> float:
    """Minimise w'w + C sum (p + xi) with r = y f(x) + xi, 4 p r >= 1, xi >= 0."""
    n, d = X.shape
    margin = sparse.csc_matrix(np.hstack([X, np.ones((n, 1))]) * sign[:, None])
    one, nothing = sparse.identity(n, format="csc"), sparse.csc_matrix((n, n))
    r = sparse.hstack([margin, one, nothing]).tocsr()
    p = sparse.hstack([sparse.csc_matrix((n, d + 1)), nothing, one]).tocsr()
    xi = sparse.hstack([sparse.csc_matrix((n, d + 1)), one, nothing])
    blank = sparse.csr_matrix((1, d + 1 + 2 * n))
    cones = [sparse.vstack([p[i] + r[i], p[i] - r[i], blank]) for i in range(n)]
    A = -sparse.vstack([xi, *cones]).tocsc()
    rhs = np.concatenate([np.zeros(n), np.tile([0.0, 0.0, 1.0], n)])
    P = sparse.diags(np.concatenate([np.full(d, 2.0), np.zeros(1 + 2 * n)])).tocsc()
    q = np.concatenate([np.zeros(d + 1), np.full(2 * n, C)])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    kinds = [clarabel.NonnegativeConeT(n), *(clarabel.SecondOrderConeT(3) for _ in range(n))]
    return float(clarabel.DefaultSolver(P, q, A, rhs, kinds, settings).solve().obj_val)


def measure(name: str, X: Matrix, y: Flags, loss: str, limit: float) -> list[dict[str, Any]]:
    """Return the records of one data set and loss."""
    free = RateSVC(0.0, 0.0, C=C, loss=loss, standardize=False).fit(X, y)
    known = reference(loss, X, y)
    records = []
    for tpr, tnr in RATES[name]:
        begun = time.perf_counter()
        clf = RateSVC(tpr, tnr, C=C, loss=loss, standardize=False, time_limit=limit).fit(X, y)
        seconds = time.perf_counter() - begun
        counted = np.where(y, 1.0, -1.0) * clf.decision_function(X) >= 1.0 - 1e-6
        records.append(
            {
                "data": name,
                "samples": len(y),
                "features": X.shape[1],
                "loss": loss,
                "rates": [tpr, tnr],
                "counted": [float(counted[y].mean()), float(counted[~y].mean())],
                "predicted": [clf.train_tpr_, clf.train_tnr_],
                "without rates": free.objective_,
                "difference": abs(free.objective_ - known) / known,
                "objective": clf.objective_,
                "bound": clf.bound_,
                "gap": clf.result_.gap,
                "status": clf.status_,
                "seconds": seconds,
            }
        )
        print(table(records[-1:])[-1], flush=True)
    return records


def table(records: list[dict[str, Any]]) -> list[str]:
    """Return the records as a table."""
    lines = [
        "| data | loss | asked TPR, TNR | counted correct | predicted right | without rates "
        "(others' optimum) | with rates | proven gap | seconds |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for r in records:
        same = f"{r['without rates']:.4f} ({r['difference']:.0e})"
        asked, counted, right = (
            ", ".join(f"{rate:.{digits}f}" for rate in r[key])
            for key, digits in (("rates", 2), ("counted", 3), ("predicted", 3))
        )
        lines.append(
            f"| {r['data']} ({r['samples']} x {r['features']}) | {r['loss']} | {asked} | {counted} "
            f"| {right} | {same} | {r['objective']:.4f} | {100 * r['gap']:.3f} % "
            f"| {r['seconds']:.1f} |"
        )
    return lines


def main() -> None:
    """Measure, write the records, and put the table into the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=float, default=30.0, help="seconds for each training")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--page", type=Path)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    records = [
        record
        for name, X, y in problems()
        for loss in LOSSES
        for record in measure(name, X, y, loss, arguments.limit)
    ]
    if arguments.out is not None:
        arguments.out.write_text(json.dumps(records, indent=1) + "\n")
    if arguments.page is not None:
        page = arguments.page.read_text()
        before, after = page.split(BEGIN)[0], page.split(END)[1]
        lines = "\n".join(table(records))
        arguments.page.write_text(f"{before}{BEGIN}\n{lines}\n{END}{after}")


if __name__ == "__main__":
    main()
