"""The report: one HTML file that shows the panel, its proof, its rates and the trade-off."""

from __future__ import annotations

from frugalsvm.report.data import (
    CheaperPanel,
    CrossValidation,
    FeatureLine,
    FitSection,
    ReportData,
    RocCurve,
    SharedCost,
)
from frugalsvm.report.section import fit_section
from frugalsvm.report.write import render_report, write_report

__all__ = [
    "CheaperPanel",
    "CrossValidation",
    "FeatureLine",
    "FitSection",
    "ReportData",
    "RocCurve",
    "SharedCost",
    "fit_section",
    "render_report",
    "write_report",
]
