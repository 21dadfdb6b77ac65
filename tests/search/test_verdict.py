"""What an oracle knows: one type, on a support or on all features."""

from __future__ import annotations

import numpy as np
import pytest

from frugalsvm.search.verdict import FEASIBLE, INFEASIBLE, OPEN, RULED_OUT, UNDECIDED, Verdict


def test_a_verdict_on_a_support_is_one_on_all_features() -> None:
    verdict = Verdict(FEASIBLE, np.array([1.0, -2.0])).on(np.array([3, 1]), 5)
    assert verdict.feasible
    np.testing.assert_array_equal(verdict.direction, [0.0, -2.0, 0.0, 1.0, 0.0])
    assert RULED_OUT.on(np.array([0]), 5) is RULED_OUT
    assert (RULED_OUT.infeasible, RULED_OUT.decided, OPEN.decided) == (True, True, False)


@pytest.mark.parametrize("code", [FEASIBLE, INFEASIBLE, UNDECIDED])
def test_a_code_says_one_thing(code: int) -> None:
    verdict = Verdict(code)
    assert verdict.feasible == (code == FEASIBLE)
    assert verdict.infeasible == (code == INFEASIBLE)
    assert verdict.decided == (verdict.feasible or verdict.infeasible)
