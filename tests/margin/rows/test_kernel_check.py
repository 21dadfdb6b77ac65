"""Which matrices are those of a kernel."""

from __future__ import annotations

import numpy as np
import pytest

from frugalsvm.margin.rows.kernel_check import check_kernel
from frugalsvm.runtime.stopping import Stopper


@pytest.mark.parametrize("n", [3, 300])
def test_semidefinite_matrices_pass_and_others_do_not(n: int) -> None:
    X = np.random.default_rng(0).normal(size=(n, 2))
    gram = X @ X.T
    assert check_kernel(gram, Stopper())
    with pytest.raises(ValueError, match="not positive semidefinite"):
        check_kernel(gram - 1e-3 * np.eye(n), Stopper())
    gram[0, 1] += 1.0
    with pytest.raises(ValueError, match="not symmetric"):
        check_kernel(gram, Stopper())
    assert not check_kernel(gram, Stopper(0.0))  # no time: nothing is said
