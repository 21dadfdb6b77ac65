"""Rates that hold on new data: choice of panels by cross-validation, certificates."""

from frugalsvm.unseen.estimator import FrugalSVCCV
from frugalsvm.unseen.required import required_samples
from frugalsvm.unseen.sequence import UnseenCertificate

__all__ = ["FrugalSVCCV", "UnseenCertificate", "required_samples"]
