"""All values of C share what is found."""

from __future__ import annotations

from dataclasses import replace

import pytest

from frugalsvm.margin.options import Effort
from frugalsvm.margin.path import train_path
from frugalsvm.margin.trainer import train
from margin_instances import check_answer, job, overlapping_problem


def test_a_path_is_never_worse_than_single_quick_trainings() -> None:
    problem = overlapping_problem(6, n=60)
    quick = job(effort=Effort.QUICK)
    Cs = [2.0, 0.1]
    for C, result in zip(Cs, train_path(problem, Cs, quick), strict=True):
        here = replace(problem, C=C)
        check_answer(here, result)
        assert result.objective <= train(here, quick).objective * (1.0 + 1e-9)
        assert result.bound <= train(here, job()).objective * (1.0 + 1e-9)
    assert train_path(problem, [], quick) == pytest.approx([])
