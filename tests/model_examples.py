"""Models made by hand, for tests that should not wait for a search."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from frugalsvm.data.rates import RateTargets
from frugalsvm.inputs.standardize import Standardizer
from frugalsvm.inputs.svm_kernels import Kernel
from frugalsvm.saved.decision import Decision
from frugalsvm.saved.model import (
    FrugalModel,
    HeldOutRates,
    Origin,
    Panel,
    PanelFeature,
    PanelGroup,
    StepOutcome,
    UnseenRates,
)
from frugalsvm.tabular.preparation import CodedColumn, Preparation
from frugalsvm.tabular.variables import Kind, Variable
from frugalsvm.tradeoff import RateCounts


def example_model(kernel: str = "linear") -> FrugalModel:
    """A panel of a number, a truth value and two levels of one variable, in two groups."""
    variables = (
        Variable("age", Kind.NUMERIC, (), 54.9, 10),
        Variable("smoker", Kind.BOOLEAN, (), 1.0, 0),
        Variable("colour", Kind.CATEGORICAL, ("blue", "red", "white", "yellow"), "red", 3),
    )
    columns = (
        CodedColumn("age", "age"),
        CodedColumn("smoker", "smoker"),
        CodedColumn("colour=red", "colour", "red"),
        CodedColumn("colour=yellow", "colour", "yellow"),
    )
    features = (
        PanelFeature("age", "age", None, 0.1, ()),
        PanelFeature("smoker", "smoker", None, 2.0, ("blood",)),
        PanelFeature("colour=red", "colour", "red", 0.0, ("blood", "variable: colour")),
        PanelFeature("colour=yellow", "colour", "yellow", 0.0, ("blood", "variable: colour")),
    )
    groups = (PanelGroup("blood", 2.1), PanelGroup("variable: colour", 3.0, "colour"))
    panel = Panel(features, groups, 9, 41.7)
    return FrugalModel(
        preparation=Preparation(variables, columns),
        panel=panel,
        decision=_decision(kernel),
        classes=("ill", "well"),
        positive=0,
        targets=RateTargets(0.95, 0.9, "hoeffding", 0.05),
        parameters={"C": 1.0, "max_weight": 100.0},
        selection=StepOutcome("feasible", panel.cost, 5.0, "time limit", "search", "0.1.0", 59.9),
        training=StepOutcome("optimal", 31.25, 31.25, "completed", "margin", "0.1.0", 0.25),
        train_tpr=0.97,
        train_tnr=1 / 3,
        origin=Origin(
            created="2026-01-01T00:00:00+00:00",
            versions={"frugalsvm": "0.1.0"},
            n_positive=91,
            n_negative=69,
            target="diagnosis",
            file="data.csv",
            sha256="0" * 64,
        ),
        missing_markers=("", "NA"),
        unseen=UnseenRates(
            threshold=-0.125,
            margin=1.0,
            expected=RateCounts(85, 91, 66, 69),
            held_out=HeldOutRates(True, 0.95, RateCounts(57, 60, 40, 41), (3, 5, 8)),
        ),
    )


def example_rows() -> dict[str, list[object]]:
    """Rows that the example model can decide on."""
    return {
        "age": [41.0, 55.5, 70.25, 63.0],
        "smoker": [True, False, True, True],
        "colour": ["blue", "red", "white", "yellow"],
    }


def _decision(kernel: str) -> Decision:
    rng = np.random.default_rng(5)
    scaler = Standardizer(
        np.array([54.3, 0.4, 0.1, 1 / 3]),
        np.array([9.7, 0.49, 0.3, 0.2]),
        np.array([False, False, False, False]),
    )
    decision = Decision(
        scaler=scaler,
        kernel=Kernel(kernel, 0.125, 3.0, 0.5),
        weights=rng.normal(size=4),
        vectors=np.zeros((0, 4)),
        dual=np.zeros(0),
        intercept=-0.1 / 3,
        sign=-1.0,
    )
    if kernel == "linear":
        return decision
    vectors, dual = rng.normal(size=(7, 4)), rng.normal(size=7)
    return replace(decision, weights=np.zeros(0), vectors=vectors, dual=dual)
