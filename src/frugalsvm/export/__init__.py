"""A trained panel in other forms: a formula, a score card, SQL, scikit-learn, ONNX."""

from __future__ import annotations

from frugalsvm.export.linear_model import to_sklearn
from frugalsvm.export.onnx_graph import to_onnx
from frugalsvm.export.rule import Rule, Term, rule_of
from frugalsvm.export.scorecard import CardLine, ScoreCard, score_card
from frugalsvm.export.sql import to_sql

__all__ = [
    "CardLine",
    "Rule",
    "ScoreCard",
    "Term",
    "rule_of",
    "score_card",
    "to_onnx",
    "to_sklearn",
    "to_sql",
]
