"""A tiny study: two data sets that need no files, few folds, few parameters."""

from __future__ import annotations

import pytest

from frugalsvm.study import StudySettings


@pytest.fixture(scope="session")
def tiny() -> StudySettings:
    return StudySettings(
        outer_folds=3,
        inner_folds=2,
        run_folds=2,
        costs=(0.1, 1.0),
        gammas=(0.5,),
        select_limit=20.0,
        train_limit=20.0,
        inner_limit=20.0,
        cardinalities=(1, 2),
    )
