"""The budgets of a training."""

from __future__ import annotations

import math

from frugalsvm.margin.job import Job
from frugalsvm.margin.options import Effort, MarginOptions
from margin_instances import job


def test_quick_work_is_limited_and_exact_work_where_it_is_asked_for() -> None:
    assert isinstance(job(), Job)
    assert (job().most_nodes, job().most_work) == (math.inf, math.inf)
    assert job(options=MarginOptions(node_limit=7)).most_nodes == 7
    quick = job(effort=Effort.QUICK, options=MarginOptions(quick_nodes=3, quick_work=9))
    assert (quick.most_nodes, quick.most_work) == (3, 9)
