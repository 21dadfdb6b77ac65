"""Writing the report: one file with its own style and script, allowed to load nothing."""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import replace
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from frugalsvm.data.exceptions import FrugalSVMError
from frugalsvm.report import panel_view, view, words
from frugalsvm.report.agreement import agreed
from frugalsvm.report.data import FitSection, ReportData
from frugalsvm.report.grid_figure import grid_figure
from frugalsvm.report.naming import Naming
from frugalsvm.report.rate_figure import rate_figure
from frugalsvm.report.roc_figure import roc_figures
from frugalsvm.runtime.files import write_whole
from frugalsvm.tradeoff.points import Frontier

if TYPE_CHECKING:
    from jinja2 import Environment

MOST_LISTED = 300
"""Features left out that are listed by name, the dearest first."""


def write_report(path: str | Path, data: ReportData) -> None:
    """Write a report to an HTML file that needs nothing else: no network, no other file.

    Parameters
    ----------
    path : path-like
        Where to; written whole or not at all.
    data : ReportData
        What to show.
    """
    write_whole(path, render_report(data))


def render_report(data: ReportData) -> str:
    """Return the report's HTML text; see :func:`write_report`.

    Every text from the data is escaped by the template. The page's policy forbids loading
    anything and running any script but its own, which is named by its hash.
    """
    if data.fit is None and data.frontier is None:
        raise ValueError("A report must have a fit, a frontier, or both. Got neither.")
    data = agreed(data)
    naming = Naming(data.variables, data.own_groups)
    template = _environment().get_template("report.html")
    style, script = _part("style.css"), _part("script.js")
    text = template.render(
        data=data,
        created=data.created or datetime.now(UTC).strftime("%d %B %Y, %H:%M UTC"),
        style=_trusted(style),
        script=_trusted(script),
        policy=f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'",
        unit=f" {data.currency}" if data.currency else "",
        fit=None if data.fit is None else _fit_view(data.fit, naming, data.currency),
        frontier=None if data.frontier is None else _frontier_view(data.frontier, data.fit, naming),
    )
    # Half a surrogate pair, as a damaged name may hold, has no UTF-8.
    return text.encode("utf-8", "replace").decode("utf-8")


def _fit_view(fit: FitSection, naming: Naming, currency: str) -> dict[str, Any]:
    if fit.cheaper is not None:  # the reader knows variables, not the columns of their levels
        features = naming.measured(fit.cheaper.features)
        fit = replace(fit, cheaper=replace(fit.cheaper, features=features))
    validation = fit.cross_validation
    sure, unsure = words.guarantees(fit)
    spared = panel_view.left_out(fit, naming)
    step = fit.training_step
    unit = f" {currency}" if currency else ""
    return {
        "section": fit,
        "lead": words.lead_words(fit, panel_view.counts_words(fit, naming), unit),
        "missed": words.missed_words(fit),
        "proof": words.proof_words(fit),
        "unfinished": ""
        if step is None
        else words.unfinished_words(step, unseen=fit.unseen is not None),
        "card_price": "" if fit.score_card is None else words.card_words(fit.score_card),
        "rows": panel_view.panel_rows(fit, naming),
        "rates": view.rate_lines(fit),
        "set_aside": fit.unseen is not None and fit.unseen.held_out is not None,
        "confusions": view.confusions(fit),
        "savings": panel_view.savings_words(fit, naming, unit),
        "left_out": spared[:MOST_LISTED],
        "n_left_out": len(spared),
        "n_unlisted": max(0, len(spared) - MOST_LISTED),
        "unpaid": [
            shared
            for shared in fit.shared_costs
            if not shared.paid and shared.cost and shared.name not in naming.own_groups
        ],
        "alternatives": [
            measured
            for measured in dict.fromkeys(naming.measured(names) for names in fit.alternatives)
            if set(measured) != set(naming.measured(line.name for line in fit.panel))
        ],
        "roc": roc_figures(fit),
        "rate_figure": rate_figure(fit),
        "validation": []
        if validation is None
        else words.validation_words(validation, len(fit.panel)),
        "sure": sure,
        "unsure": unsure,
    }


def _frontier_view(frontier: Frontier, fit: FitSection | None, naming: Naming) -> dict[str, Any]:
    asked = None if fit is None else (fit.min_tpr, fit.min_tnr)
    return {
        "source": frontier,
        "figure": grid_figure(frontier),
        "points": view.frontier_points(frontier, naming),
        "json": _script_json(view.frontier_data(frontier, asked, naming)),
        "n_proved": sum(p.status in ("optimal", "infeasible") for p in frontier.points),
        "n_searched": sum(p.searched for p in frontier.points),
        "any_gap": any(words.at_most(p, frontier.rates) for p in frontier.points),
        "any_untrained": any(
            (p.training is None and frontier.rates == "training")
            or (frontier.n_folds and p.cross_validated is None)
            for p in frontier.efficient
        ),
        "any_none": not all(p.has_answer for p in frontier.points),
    }


def _script_json(data: Any) -> Any:
    """Return JSON that cannot end the script element it stands in, whatever the data hold."""
    text = json.dumps(data, ensure_ascii=True, allow_nan=False)
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return _trusted(text)


def _trusted(text: str) -> Any:
    """Return text that the template shall not escape: our own files, and JSON made safe."""
    from markupsafe import Markup

    return Markup(text)


def _part(name: str) -> str:
    return files("frugalsvm.report").joinpath("page", name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def _environment() -> Environment:
    try:
        from jinja2 import Environment, FunctionLoader, StrictUndefined
    except ImportError as error:
        raise FrugalSVMError(
            "Writing a report needs jinja2: install it with pip install 'frugalsvm[report]'."
        ) from error
    environment = Environment(
        loader=FunctionLoader(_part),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "money": words.money,
        "percent": words.percent,
        "target": words.target_percent,
        "duration": words.duration,
        "listed": words.listed,
    }
    environment.globals["plural"] = words.plural
    return environment
