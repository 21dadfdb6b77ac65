"""Writing the report."""

from __future__ import annotations

from pathlib import Path

from frugalsvm.report.data import ReportData


def write_report(path: str | Path, data: ReportData) -> None:
    """Write a report to an HTML file that needs nothing else: no network, no other file.

    Parameters
    ----------
    path : path-like
        Where to; written whole or not at all.
    data : ReportData
        What to show.
    """
    raise NotImplementedError


def render_report(data: ReportData) -> str:
    """Return the report's HTML text; see :func:`write_report`."""
    raise NotImplementedError
