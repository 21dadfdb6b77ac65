"""The frontier: cheapest panels for a grid of targets, sharing the work between them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from frugalsvm.inputs.formulate import FeatureTerms
from frugalsvm.inputs.prices import PriceInputs
from frugalsvm.inputs.svm_kernels import AUTO
from frugalsvm.tradeoff.cross_validated import cross_validated_frontier
from frugalsvm.tradeoff.earlier import earlier_answer
from frugalsvm.tradeoff.points import Frontier, FrontierProgress
from frugalsvm.tradeoff.setting import Parameters, check_settings, prepare, read_grid
from frugalsvm.tradeoff.work import Work


def frontier(
    X: Any,
    y: Any,
    *,
    min_tprs: Any = None,
    min_tnrs: Any = None,
    rates: str = "training",
    margin: float = 1.0,
    correction: str | None = None,
    alpha: float = 0.05,
    pos_label: Any = None,
    feature_costs: Any = None,
    feature_groups: Any = None,
    group_costs: Any = None,
    include: Any = None,
    exclude: Any = None,
    max_weight: float = 100.0,
    kernel: Any = AUTO,
    gamma: Any = "scale",
    degree: int = 3,
    coef0: float = 0.0,
    C: float = 1.0,
    standardize: bool = True,
    cv: Any = 5,
    solver: str = "auto",
    solver_options: dict[str, Any] | None = None,
    time_limit: float | None = 60.0,
    total_time_limit: float | None = None,
    n_jobs: int | None = None,
    random_state: Any = None,
    store: str | Path | None = None,
    known: Any = None,
    callback: Callable[[FrontierProgress], None] | None = None,
) -> Frontier:
    """Find the cheapest panels for a grid of target pairs.

    For each pair of a TPR and a TNR the cheapest features with which a hyperplane meets both,
    with a proven bound, as :class:`~frugalsvm.FrugalSelector` finds them. Work is shared: what is
    infeasible for looser targets is so for tighter ones, and a panel that meets tighter targets
    meets looser ones, so that most pairs are settled without a search. For the pairs worth
    choosing a classifier is trained on the panel, as :class:`~frugalsvm.FrugalSVC` does, and
    cross-validated.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Training data; numbers only, no missing values.
    y : array-like of shape (n_samples,)
        Labels, of two kinds.
    min_tprs, min_tnrs : array-like of float, default=None
        The grid's rates in [0, 1], in any order; None: 8 values from 0.80 to 0.99.
    rates : {"training", "cv"}, default="training"
        Where the rates have to hold. "training": on the training data, with proven bounds. "cv":
        on new data, as :class:`~frugalsvm.FrugalSVCCV` chooses; a point has then no bound, and
        its cross-validated rates are those of panels chosen without the samples asked about.
    margin : float, default=1.0
        For ``rates="cv"``; see :class:`~frugalsvm.FrugalSVCCV`.
    correction, alpha, pos_label
        What the targets mean; see :class:`~frugalsvm.FrugalSVC`.
    feature_costs, feature_groups, group_costs, include, exclude, max_weight
        What features cost and which may be used; see :class:`~frugalsvm.FrugalSelector`.
    kernel, gamma, degree, coef0, C, standardize
        The classifier trained on each panel worth choosing; see :class:`~frugalsvm.RateSVC`.
        ``kernel="auto"`` (default): linear; for ``rates="cv"`` as in
        :class:`~frugalsvm.FrugalSVCCV`. C is then the middle one of three values to choose from.
    cv : int, splitter or None, default=5
        Cross-validation of those classifiers, stratified and shuffled for a number; None: none.
    solver, solver_options
        See :class:`~frugalsvm.FrugalSelector`; "auto" with ``rates="cv"``.
    time_limit : float or None, default=60.0
        Seconds for each pair of targets that has to be searched for. A pair between two that
        were given up, a looser and a tighter one, is not searched for: it would be given up too.
    total_time_limit : float or None, default=None
        Seconds for everything; what is then not settled comes back with what is known. Every
        pair gets a little of them first, then the loosest pairs more.
    n_jobs : int or None, default=None
        Searches that run side by side, in threads; None: 1, -1: one per core. Within
        ``joblib.parallel_config(backend=...)`` with "loky", "dask" or another backend of
        processes they run there; None is then as many as it has. Training stays here.
    random_state : int, RandomState or None, default=None
        Seed; None is a fixed seed.
    store : path-like or None, default=None
        A file that every result is written to as it comes. If it exists and belongs to the same
        data and targets, the work goes on where it ended.
    known : FrugalSVC, FrugalSelector or None, default=None
        Fitted on the same data with the same prices: the frontier begins with its panel and its
        bound, so that no point contradicts it.
    callback : callable or None, default=None
        Called with a :class:`FrontierProgress` whenever more is known.

    Returns
    -------
    Frontier
        The points, with ``to_frame()`` and ``plot()``.

    See Also
    --------
    FrugalSVC : The classifier for one pair of targets.

    Notes
    -----
    The first Ctrl-C ends the work and returns what is known by then.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from frugalsvm import frontier
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> found = frontier(X, y, min_tprs=[0.9, 0.96], min_tnrs=[0.9, 0.91], cv=None)
    >>> [(p.min_tpr, p.min_tnr, p.cost, p.bound) for p in found.efficient]
    [(0.9, 0.91, 1.0, 1.0), (0.96, 0.91, 2.0, 2.0)]
    """
    asked = Parameters(
        correction=correction,
        alpha=alpha,
        max_weight=max_weight,
        kernel="linear" if kernel == AUTO and rates == "training" else kernel,
        gamma=gamma,
        degree=degree,
        coef0=coef0,
        C=C,
        rates=rates,
        margin=margin,
        standardize=standardize,
        solver=solver,
        solver_options=solver_options,
        time_limit=time_limit,
        total_time_limit=total_time_limit,
        n_jobs=n_jobs,
        random_state=random_state,
        callback=callback,
    )
    engine = check_settings(asked)
    prices = PriceInputs(feature_costs, feature_groups, group_costs)
    terms = FeatureTerms(prices, include, exclude, max_weight)
    grid = read_grid(min_tprs, min_tnrs, correction, alpha)
    setting = prepare(X, y, pos_label, terms, grid, cv, engine.seed)
    if rates == "cv":
        return cross_validated_frontier(setting, asked, engine, cv, store, known)
    earlier = earlier_answer(known, setting, solver)
    work = Work(setting, asked, engine, None if store is None else Path(store), earlier)
    return work.run()
