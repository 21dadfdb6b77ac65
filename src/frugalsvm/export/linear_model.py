"""The decision of a linear panel as an ordinary scikit-learn pipeline."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from frugalsvm.data.exceptions import UnsupportedModelError
from frugalsvm.export.rule import require_linear
from frugalsvm.tabular.variables import Kind

if TYPE_CHECKING:
    from frugalsvm.saved.model import FrugalModel


def to_sklearn(model: FrugalModel) -> Any:
    """Return a fitted scikit-learn pipeline that decides as the model does, without frugalsvm.

    One-hot coding for categorical variables, then a :class:`~sklearn.svm.LinearSVC` with the
    panel's weights, or a :class:`~sklearn.linear_model.LogisticRegression` if the panel was
    trained with that loss. It takes a data frame with the panel's raw columns, and has
    ``predict``, ``decision_function`` and ``classes_``.

    Parameters
    ----------
    model : FrugalModel
        A linear panel.

    Returns
    -------
    sklearn.pipeline.Pipeline
        Fitted.

    Raises
    ------
    UnsupportedModelError
        If the kernel is not linear, or the panel is empty.
    """
    import pandas as pd
    from sklearn.compose import ColumnTransformer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import OneHotEncoder
    from sklearn.svm import LinearSVC

    require_linear(model, "A scikit-learn linear model")
    variables = model.preparation.variables
    if not variables:
        raise UnsupportedModelError(
            "A scikit-learn linear model needs a column. This panel is empty: it always says "
            f"{model.classes[int(model.decision.intercept * model.decision.sign > 0)]!r}."
        )
    weights, intercept = model.decision.weights_in_user_units()
    of_column = dict(zip(model.preparation.coded_names, weights, strict=True))
    steps: list[tuple[str, Any, list[str]]] = []
    coef: list[float] = []
    for k, variable in enumerate(variables):
        if variable.kind is Kind.CATEGORICAL:
            coder: Any = OneHotEncoder(
                categories=[list(variable.levels)], drop="first", sparse_output=False
            )
        else:
            coder = "passthrough"
        steps.append((f"column {k}", coder, [variable.name]))
        coef += [float(of_column.get(name, 0.0)) for name in variable.coded_names]
    example = pd.DataFrame(
        {v.name: [v.levels[0] if v.kind is Kind.CATEGORICAL else 0.0] for v in variables}
    )
    prepare = ColumnTransformer(steps, verbose_feature_names_out=False).fit(example)
    kind = LogisticRegression if model.loss == "logistic" else LinearSVC
    machine = kind(C=model.parameters["C"] / 2)
    machine.coef_ = np.array([coef])
    machine.intercept_ = np.array([intercept])
    machine.classes_ = np.array(model.classes)
    machine.n_features_in_ = len(coef)
    return Pipeline([("prepare", prepare), ("machine", machine)])
