"""Which feature had better come in, by the quadratic model of one fit."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from frugalsvm.search.heuristics.fit_cache import Fitter
from frugalsvm.search.heuristics.newton import TrimmedFit
from frugalsvm.search.heuristics.tuning import (
    LOOKED_AT,
)
from frugalsvm.search.problem.reduction import Floats


def entering(
    fitter: Fitter,
    fit: TrimmedFit,
    inside: NDArray[np.intp],
    places: NDArray[np.intp],
    price: Floats,
    ridge: float,
) -> int:
    """Return the feature with which the loss falls most for its price.

    Parameters
    ----------
    inside : ndarray of intp
        The features of the fit.
    places : ndarray of intp
        The features that may come in; not empty.
    price : ndarray of shape (len(places),)
        What their falls are divided by.
    """
    core = fitter.state.core
    if len(places) > LOOKED_AT:
        steep = np.abs(core.columns @ fit.model.pull)[places] / price
        fitter.charge_look(core.n_features)
        steepest = np.argsort(-steep, kind="stable")[:LOOKED_AT]
        places, price = places[steepest], price[steepest]
    penalty = ridge * float(core.weight.sum())
    falls = fit.model.falls(core.columns, inside, places, penalty)
    fitter.charge_look(len(places) * (len(inside) + 2))
    return int(places[np.argmax(falls / price)])
