"""The decision of a linear panel as SQL, for data that stay in their database."""

from __future__ import annotations

from typing import TYPE_CHECKING

from frugalsvm.data.exceptions import DataError
from frugalsvm.export.rule import require_linear, rule_of
from frugalsvm.tabular.variables import Kind, Variable

if TYPE_CHECKING:
    from frugalsvm.saved.model import FrugalModel


def to_sql(model: FrugalModel, table: str = "data") -> str:
    """Return a query with score and prediction for every row of a table.

    Standard SQL (SQL:1999). A missing value and a level that was not there in training make
    score and prediction NULL: nothing is guessed.

    Parameters
    ----------
    model : FrugalModel
        A linear panel.
    table : str, default="data"
        The table, with columns named as in training; truth values as 1 and 0.

    Returns
    -------
    str
        The query: all columns of the table, then ``score`` (positive towards the positive
        class) and ``prediction``.

    Raises
    ------
    UnsupportedModelError
        If the kernel is not linear.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from frugalsvm import FrugalSVC
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> clf = FrugalSVC(0.9, 0.9).fit(X, y)
    >>> print(to_sql(clf.model_, "patients").splitlines()[-1])
    ) AS scored
    """
    require_linear(model, "SQL")
    rule = rule_of(model)
    weights = {(term.variable, term.level): term.weight for term in rule.terms}
    parts = [_number(rule.intercept)]
    parts += [_term(variable, weights) for variable in model.preparation.variables]
    score = "\n      + ".join(parts)
    positive, negative = _text(str(model.positive_label)), _text(str(model.negative_label))
    return (
        "SELECT scored.*,\n"
        f"  CASE WHEN score > 0 THEN {positive} WHEN score <= 0 THEN {negative} END AS prediction\n"
        f"FROM (\n  SELECT {_name(table)}.*,\n    ( {score} ) AS score\n  FROM {_name(table)}\n"
        ") AS scored\n"
    )


def _term(variable: Variable, weights: dict[tuple[str, str | None], float]) -> str:
    column = _name(variable.name)
    if variable.kind is not Kind.CATEGORICAL:
        return f"{_number(weights[variable.name, None])} * {column}"
    cases = " ".join(
        f"WHEN {_text(level)} THEN {_number(weights.get((variable.name, level), 0.0))}"
        for level in variable.levels
    )
    return f"CASE {column} {cases} END"


def _number(value: float) -> str:
    """Return a number with every bit of it, signed numbers in brackets."""
    text = repr(float(value))
    text = text if "e" in text or "." in text else f"{text}.0"
    return f"({text})" if value < 0 else text


def _name(text: str) -> str:
    if "\0" in text:
        raise DataError("A column's name with a NUL cannot be written in SQL.")
    return '"' + text.replace('"', '""') + '"'


def _text(text: str) -> str:
    if "\0" in text:
        raise DataError("A level with a NUL cannot be written in SQL.")
    return "'" + text.replace("'", "''") + "'"
