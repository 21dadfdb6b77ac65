"""Write the page of the API reference from what `frugalsvm` exports, so that none is missing."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

from sklearn.base import BaseEstimator

import frugalsvm

SECTIONS = {
    "Estimators": "scikit-learn classifiers and selectors. :class:`FrugalSVCCV` is the one to "
    "begin with. Beside the methods on their pages they have scikit-learn's own: ``transform``, "
    "``get_support``, ``get_feature_names_out``, ``score``, ``get_params`` and so on.",
    "Functions": "The trade-off, certificates, sample sizes, score cards, model files.",
    "Constraints": "Further performance measures for :class:`RateSVC`.",
    "Figures": "Made with matplotlib (``pip install 'frugalsvm[plot]'``), in the manner of "
    "scikit-learn's displays.",
    "What the functions return": "Plain data.",
    "Exceptions and warnings": "All errors are :class:`FrugalSVMError`; messages name the "
    "parameter, the rule, the value and the remedy.",
}
RETURNED = {
    "saved.model": ("FrugalModel",),
    "unseen.certify": ("Certificate",),
    "data.result": ("SelectionResult", "MarginResult", "Progress"),
    "tradeoff": ("FrontierPoint",),
}
"""Classes that users meet as attributes and return values without importing them."""


def section_of(name: str) -> str:
    """Return the section that a public name belongs to."""
    thing = getattr(frugalsvm, name)
    if inspect.isclass(thing):
        if issubclass(thing, BaseException):
            return "Exceptions and warnings"
        if issubclass(thing, BaseEstimator):
            return "Estimators"
        if name.endswith("Display"):
            return "Figures"
        return "Constraints" if name.endswith("Constraint") else "What the functions return"
    constraint = inspect.signature(thing).return_annotation == "RateConstraint"
    return "Constraints" if constraint else "Functions"


def page() -> str:
    """Return the reference's page: one table a section."""
    members: dict[str, list[str]] = {title: [] for title in SECTIONS}
    for name in sorted(frugalsvm.__all__, key=str.lower):
        members[section_of(name)].append(name)
    for module, names in RETURNED.items():
        members["What the functions return"] += [f"~{module}.{name}" for name in names]
    parts = ["API reference\n=============\n", ".. currentmodule:: frugalsvm\n"]
    for title, names in members.items():
        parts += [f"{title}\n{'-' * len(title)}\n", f"{SECTIONS[title]}\n"]
        parts += [".. autosummary::\n   :toctree: generated\n   :nosignatures:\n"]
        parts += ["".join(f"   {name}\n" for name in names)]
    return "\n".join(parts)


def write_page(app: Any) -> None:
    """Write ``api/index.rst``, if it would change."""
    path = Path(app.srcdir) / "api" / "index.rst"
    path.parent.mkdir(exist_ok=True)
    text = page()
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def setup(app: Any) -> dict[str, bool]:
    """Write it before Sphinx looks which pages there are."""
    write_page(app)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
