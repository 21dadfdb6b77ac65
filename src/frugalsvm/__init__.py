"""Cheapest features for a Support Vector Machine that meets the rates you ask for.

>>> import frugalsvm
>>> frugalsvm.FrugalSVC(min_tpr=0.95, min_tnr=0.9)
FrugalSVC(min_tpr=0.95)

Names are imported when they are first used, so that ``frugalsvm --help`` does not wait for
scikit-learn.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from frugalsvm.version import VERSION

if TYPE_CHECKING:
    from frugalsvm.certify import certify
    from frugalsvm.classifier import FrugalSVC
    from frugalsvm.constraints import RateConstraint, accuracy, recall
    from frugalsvm.display import FrontierDisplay, RatesDisplay
    from frugalsvm.exceptions import (
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
    from frugalsvm.export import ScoreCard, score_card
    from frugalsvm.modelfile import load_model
    from frugalsvm.peers import BudgetSVC, HoldOutSVC, KernelPenalizedSVC
    from frugalsvm.rate_svc import RateSVC
    from frugalsvm.score_display import ScoresDisplay
    from frugalsvm.selector import FrugalSelector
    from frugalsvm.sparse import SparseSVC
    from frugalsvm.tradeoff import Frontier, frontier
    from frugalsvm.unseen import FrugalSVCCV, UnseenCertificate, required_samples

__version__ = VERSION

_HOMES = {
    "certify": ("certify",),
    "classifier": ("FrugalSVC",),
    "constraints": ("RateConstraint", "accuracy", "recall"),
    "display": ("FrontierDisplay", "RatesDisplay"),
    "exceptions": (
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
    "modelfile": ("load_model",),
    "peers": ("BudgetSVC", "HoldOutSVC", "KernelPenalizedSVC"),
    "rate_svc": ("RateSVC",),
    "score_display": ("ScoresDisplay",),
    "selector": ("FrugalSelector",),
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


class _Package(ModuleType):
    """Keeps `frugalsvm.certify` the function, also once the module of that name is imported."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name in __all__ and isinstance(value, ModuleType):
            value = getattr(value, name)
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
