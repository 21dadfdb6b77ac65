"""Cheapest features for a Support Vector Machine that meets the rates you ask for.

>>> import frugalsvm
>>> frugalsvm.FrugalSVC(min_tpr=0.95, min_tnr=0.9)
FrugalSVC(min_tpr=0.95)

Names are imported when they are first used, so that ``frugalsvm --help`` does not wait for
scikit-learn.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from frugalsvm.version import VERSION

if TYPE_CHECKING:
    from frugalsvm.data.exceptions import (
        DataError,
        FrugalSVMError,
        FusedClassesWarning,
        InfeasibleRatesError,
        ModelFileError,
        NoSolutionError,
        OutOfMemoryError,
        OutOfRangeWarning,
        RecallWarning,
        SolverError,
        UnsupportedModelError,
        VerificationError,
    )
    from frugalsvm.displays.scores import ScoresDisplay
    from frugalsvm.estimators.classifier import FrugalSVC
    from frugalsvm.estimators.compile import compile_kernels
    from frugalsvm.estimators.rate_svc import RateSVC
    from frugalsvm.estimators.selector import FrugalSelector
    from frugalsvm.export import ScoreCard, score_card
    from frugalsvm.inputs.constraints import RateConstraint, accuracy, recall
    from frugalsvm.peers import BudgetSVC, HoldOutSVC, KernelPenalizedSVC
    from frugalsvm.saved.modelfile import load_model
    from frugalsvm.sparse import SparseSVC
    from frugalsvm.tradeoff import Frontier, frontier
    from frugalsvm.tradeoff.displays import FrontierDisplay, RatesDisplay
    from frugalsvm.unseen import FrugalSVCCV, UnseenCertificate, required_samples
    from frugalsvm.unseen.certify import certify

__version__ = VERSION

_HOMES = {
    "unseen.certify": ("certify",),
    "estimators.classifier": ("FrugalSVC",),
    "estimators.compile": ("compile_kernels",),
    "inputs.constraints": ("RateConstraint", "accuracy", "recall"),
    "tradeoff.displays": ("FrontierDisplay", "RatesDisplay"),
    "data.exceptions": (
        "DataError",
        "FrugalSVMError",
        "FusedClassesWarning",
        "InfeasibleRatesError",
        "ModelFileError",
        "NoSolutionError",
        "OutOfMemoryError",
        "OutOfRangeWarning",
        "RecallWarning",
        "SolverError",
        "UnsupportedModelError",
        "VerificationError",
    ),
    "export": ("ScoreCard", "score_card"),
    "saved.modelfile": ("load_model",),
    "peers": ("BudgetSVC", "HoldOutSVC", "KernelPenalizedSVC"),
    "estimators.rate_svc": ("RateSVC",),
    "displays.scores": ("ScoresDisplay",),
    "estimators.selector": ("FrugalSelector",),
    "sparse": ("SparseSVC",),
    "tradeoff": ("Frontier", "frontier"),
    "unseen": ("FrugalSVCCV", "UnseenCertificate", "required_samples"),
}
"""Which module holds which public names."""
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "BudgetSVC",
    "DataError",
    "Frontier",
    "FrontierDisplay",
    "FrugalSVC",
    "FrugalSVCCV",
    "FrugalSVMError",
    "FrugalSelector",
    "FusedClassesWarning",
    "HoldOutSVC",
    "InfeasibleRatesError",
    "KernelPenalizedSVC",
    "ModelFileError",
    "NoSolutionError",
    "OutOfMemoryError",
    "OutOfRangeWarning",
    "RateConstraint",
    "RateSVC",
    "RatesDisplay",
    "RecallWarning",
    "ScoreCard",
    "ScoresDisplay",
    "SolverError",
    "SparseSVC",
    "UnseenCertificate",
    "UnsupportedModelError",
    "VerificationError",
    "accuracy",
    "certify",
    "compile_kernels",
    "frontier",
    "load_model",
    "recall",
    "required_samples",
    "score_card",
]


def __getattr__(name: str) -> Any:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'frugalsvm' has no attribute {name!r}")
    value = getattr(import_module(f"frugalsvm.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
