"""Reads off a report's page what it states, and checks that no two statements contradict."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from html import unescape
from typing import Any

import numpy as np
import pytest


@dataclass
class Statements:
    """What a page says: numbers of the headline, and of every pair of the trade-off."""

    headline: dict[str, Any]
    data: dict[str, Any]
    short: list[str]

    @classmethod
    def of(cls, html: str) -> Statements:
        answer = re.search(
            r'class="answer"[^>]*data-cost="([^"]*)" data-bound="([^"]*)" data-status="([^"]*)"',
            html,
        )
        headline = {}
        if answer is not None:
            headline = {
                "cost": float(answer[1]),
                "bound": float(answer[2]),
                "proved": answer[3] == "optimal",
                "promised": "for both targets on new data" in html,
            }
        block = re.search(r'id="frontier-data">(.*?)</script>', html, re.S)
        assert block is not None
        cells = re.findall(r'<g class="cell".*?<text[^>]*>([^<]*)</text>', html, re.S)
        return cls(headline, json.loads(block[1]), [unescape(text) for text in cells])

    def grid(self, key: str) -> np.ndarray:
        values = [math.inf if c[key] is None else c[key] for c in self.data["cells"]]
        return np.array(values).reshape(len(self.data["tpr"]), len(self.data["tnr"]))


def check(html: str) -> Statements:
    """Fail if two statements of the page contradict each other."""
    said = Statements.of(html)
    cost, bound = said.grid("cost"), said.grid("bound")
    slack = 1e-9 * np.maximum(1.0, np.where(np.isinf(cost), 1.0, cost))
    for axis in (0, 1):  # tighter targets are further along
        with np.errstate(invalid="ignore"):
            steps = np.nan_to_num(np.diff(cost, axis=axis), nan=0.0)
            assert (steps >= -1e-9 * np.maximum(1.0, np.where(np.isinf(cost), 1, cost).max())).all()
            assert (np.nan_to_num(np.diff(bound, axis=axis), nan=0.0) >= -1e-9).all()
    assert (bound <= cost + slack).all()
    for number, cell in enumerate(said.data["cells"]):
        proved = cell["status"] in ("optimal", "infeasible")
        assert proved == cell["words"].startswith("Proved"), cell
        assert (cell["cost"] is None) == (said.short[number] in ("?", "none"))
        not_proved = cell["status"] == "feasible"
        if said.data["rates"] != "training":
            not_proved = "which may cost less" in cell["words"]
        assert not_proved == said.short[number].startswith("≤")
        if cell["cost"] is not None:
            serving = said.data["points"][cell["point"]]
            assert float(serving["cost"].replace(",", "")) == pytest.approx(cell["cost"], abs=0.006)
    if said.headline:
        check_headline(said)
    return said


def check_headline(said: Statements) -> None:
    """Fail if the headline and the pair of the same targets contradict each other."""
    row, column = said.data["start"]
    cell = said.data["cells"][row * len(said.data["tnr"]) + column]
    headline = said.headline
    if said.data["rates"] == "training":
        assert cell["bound"] == pytest.approx(headline["bound"])
    if headline["proved"]:
        assert cell["status"] == "optimal"
        assert cell["cost"] == pytest.approx(headline["cost"])
    if said.data["rates"] == "training" or headline["promised"]:
        assert cell["cost"] <= headline["cost"] + 1e-9
