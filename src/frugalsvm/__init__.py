"""Cheapest features for a Support Vector Machine that meets the rates you ask for.

>>> import frugalsvm
>>> frugalsvm.FrugalSVC(min_tpr=0.95, min_tnr=0.9)
FrugalSVC(min_tpr=0.95)
"""

from importlib.metadata import version as _version

from frugalsvm.classifier import FrugalSVC
from frugalsvm.constraints import RateConstraint, accuracy, recall
from frugalsvm.exceptions import (
    FrugalSVMError,
    InfeasibleRatesError,
    NoSolutionError,
    SolverError,
    UnsupportedModelError,
    VerificationError,
)
from frugalsvm.rate_svc import RateSVC
from frugalsvm.selector import FrugalSelector
from frugalsvm.tradeoff import Frontier, frontier

__version__ = _version("frugalsvm")

__all__ = [
    "Frontier",
    "FrugalSVC",
    "FrugalSVMError",
    "FrugalSelector",
    "InfeasibleRatesError",
    "NoSolutionError",
    "RateConstraint",
    "RateSVC",
    "SolverError",
    "UnsupportedModelError",
    "VerificationError",
    "accuracy",
    "frontier",
    "recall",
]
