"""MAPIE's controller for the certificate benchmark: both rates of one SVM on all features.

The optional import of that benchmark: ``pip install mapie`` (1.5 or later).
"""

from __future__ import annotations

import warnings
from importlib.util import find_spec
from typing import Any

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

AVAILABLE = find_spec("mapie") is not None
THRESHOLDS = {"MAPIE": None, "MAPIE, 11 thresholds": np.linspace(0.25, 0.75, 11)}
"""The thresholds that a controller tests: its 100 by default, and few, for which it pays less."""


def controlled(learn: Any, aside: Any, everything: Any, rate: float, confidence: float) -> Any:
    """Return, for each controller, if it certified a threshold, and if both rates hold there.

    Each of the three is a pair (X, y): samples to learn from, held-out ones, and the population.
    """
    from mapie.risk_control import BinaryClassificationController

    svm = make_pipeline(StandardScaler(), SVC(C=0.5, kernel="linear"))
    fitted = CalibratedClassifierCV(svm, ensemble=False).fit(learn[0], learn[1].astype(int))
    probability = fitted.predict_proba(everything[0])[:, 1]
    found = {}
    for name, thresholds in THRESHOLDS.items():
        given = {} if thresholds is None else {"list_predict_params": thresholds}
        controller = BinaryClassificationController(
            fitted.predict_proba,
            ["recall", "fpr"],
            target_level=[rate, 1 - rate],
            confidence_level=confidence,
            **given,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # one says that no threshold is valid
            controller.calibrate(aside[0], aside[1].astype(int))
        cut = controller.best_predict_param
        found[name] = {
            "certified": cut is not None,
            "holds": cut is not None and _both(probability >= cut, everything[1], rate),
        }
    return found


def _both(said: Any, truth: Any, rate: float) -> bool:
    return bool(said[truth].mean() >= rate and (~said)[~truth].mean() >= rate)
