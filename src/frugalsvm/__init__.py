"""Cheapest features for a Support Vector Machine that meets the rates you ask for.

>>> import frugalsvm
>>> frugalsvm.FrugalSVC(min_tpr=0.95, min_tnr=0.9)
FrugalSVC(min_tpr=0.95)
"""

from frugalsvm.certify import certify
from frugalsvm.classifier import FrugalSVC
from frugalsvm.constraints import RateConstraint, accuracy, recall
from frugalsvm.display import FrontierDisplay, RatesDisplay
from frugalsvm.exceptions import (
    DataError,
    FrugalSVMError,
    InfeasibleRatesError,
    ModelFileError,
    NoSolutionError,
    SolverError,
    UnsupportedModelError,
    VerificationError,
)
from frugalsvm.modelfile import load_model
from frugalsvm.rate_svc import RateSVC
from frugalsvm.selector import FrugalSelector
from frugalsvm.sparse import SparseSVC
from frugalsvm.tradeoff import Frontier, frontier
from frugalsvm.version import VERSION

__version__ = VERSION

__all__ = [
    "DataError",
    "Frontier",
    "FrontierDisplay",
    "FrugalSVC",
    "FrugalSVMError",
    "FrugalSelector",
    "InfeasibleRatesError",
    "ModelFileError",
    "NoSolutionError",
    "RateConstraint",
    "RateSVC",
    "RatesDisplay",
    "SolverError",
    "SparseSVC",
    "UnsupportedModelError",
    "VerificationError",
    "accuracy",
    "certify",
    "frontier",
    "load_model",
    "recall",
]
