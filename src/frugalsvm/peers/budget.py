"""BudgetSVC: the least hinge loss that a budget for the features can buy, by MILP."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from frugalsvm.data.costs import nearest
from frugalsvm.data.exceptions import VerificationError
from frugalsvm.data.problem import MAX_WEIGHT
from frugalsvm.data.result import Status, StopReason, relative_gap
from frugalsvm.estimators.base import new_data, seed_of
from frugalsvm.inputs.parameters import WEIGHT_LIMIT, Rule, check_parameters, is_number
from frugalsvm.peers.base import PEER_RULES, Peer, TrainingSet
from frugalsvm.peers.bounds import recomputed_bound
from frugalsvm.peers.panels import first_answer
from frugalsvm.peers.program import (
    BudgetProblem,
    Hyperplane,
    best_hyperplane,
    budget_units,
    solve_budget,
)
from frugalsvm.peers.training import last_training
from frugalsvm.runtime.stopping import Stopper, interruptible

TOLERANCE = 1e-6
"""How far bound and loss may be apart, relative, for an answer to be called optimal."""

FIRST_SHARE, BOUND_SHARE = 0.3, 0.2
"""Shares of the time for first answers, and for the bound that is recomputed."""

LAST_SECONDS = 0.3
"""Seconds, at the least, to compute the weights on what the solver bought."""

RULES: dict[str, Rule] = PEER_RULES | {
    "budget": ("a finite number >= 0", lambda v: is_number(v) and v >= 0),
    "max_weight": WEIGHT_LIMIT,
}


class BudgetSVC(Peer):
    """Linear classifier of least hinge loss among those whose features a budget pays for.

    A mixed-integer program, solved by HiGHS: minimise sum_i xi_i with y_i (w'x_i + b) >= 1 - xi_i,
    ``|w_k| <= max_weight z_k`` and z_k in {0, 1}, where the prices of the chosen features and of
    the groups that they touch stay within the budget. The loss is proven least, or comes with a
    bound.
    There is no control of the rates of the two classes.

    Parameters
    ----------
    budget : float, default=1.0
        What the features may cost, all in all.
    feature_costs, feature_groups, group_costs : default=None
        Prices as in :class:`~frugalsvm.FrugalSVC`: by feature, and paid once for a group.
    max_weight : float, default=100.0
        The greatest weight of a standardised feature, as in :class:`~frugalsvm.FrugalSelector`.
    pos_label : label or None, default=None
        The class whose recall is the TPR; None: ``classes_[1]``.
    time_limit : float or None, default=60.0
        Seconds. At the limit the best answer so far comes back with its bound.
    random_state : int, RandomState or None, default=None
        Seed of the solver; None is a fixed seed.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features)
        The hyperplane in the user's units; zero for features that were not bought.
    intercept_ : ndarray of shape (1,)
        Its intercept.
    loss_ : float
        Its hinge loss, recomputed from the data.
    bound_ : float
        No hyperplane within the budget has a loss below: the solver's bound or the recomputed one,
        whichever is greater.
    recomputed_bound_ : float
        A bound from multipliers and the data alone, which no solver has to be believed for.
    gap_ : float
        (loss - bound) / loss.
    status_ : {"optimal", "feasible"}
        "optimal": loss and bound agree to a millionth.
    cost_ : float
        Cost of the features with a weight; at most `budget`, exactly.
    stop_reason_ : str
        "completed", "time limit" or "interrupted".
    train_tpr_, train_tnr_ : float
        Rates on the training data.
    classes_ : ndarray of shape (2,)
        The labels.
    n_features_in_ : int
        Number of features seen in ``fit``.
    feature_names_in_ : ndarray of str
        Their names, if X had any.

    Notes
    -----
    Completed here: the bounds on the weights are those of P1, on standardised features; where
    several intercepts have the least loss, the middle one is taken; features without a weight are
    not kept, although the budget may pay for them. The paper's second program, in which the margin
    is a variable, is not included.

    References
    ----------
    Maldonado, Perez, Bravo (2017), Cost-based feature selection for Support Vector Machines: an
    application in credit scoring, European Journal of Operational Research 261, 656-665.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from frugalsvm.peers import BudgetSVC
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = BudgetSVC(budget=1).fit(X, y)
    >>> clf.cost_, clf.status_, clf.bound_ <= clf.loss_, clf.score(X, y) > 0.9
    (1.0, 'optimal', True, True)
    """

    def __init__(
        self,
        budget: float = 1.0,
        *,
        feature_costs: Any = None,
        feature_groups: Any = None,
        group_costs: Any = None,
        max_weight: float = MAX_WEIGHT,
        pos_label: Any = None,
        time_limit: float | None = 60.0,
        random_state: Any = None,
    ) -> None:
        self.budget = budget
        self.feature_costs = feature_costs
        self.feature_groups = feature_groups
        self.group_costs = group_costs
        self.max_weight = max_weight
        self.pos_label = pos_label
        self.time_limit = time_limit
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the hyperplane of least loss within the budget.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training data; numbers only, no missing values.
        y : array-like of shape (n_samples,)
            Labels, of two kinds.
        sample_weight : array-like of shape (n_samples,), default=None
            Whole numbers: how many samples each row stands for. None: 1.

        Returns
        -------
        self : BudgetSVC
            The fitted classifier.

        Raises
        ------
        ValueError
            If the budget pays for no feature.
        NoSolutionError
            If nothing was found within the time limit.
        """
        check_parameters(self, RULES)
        stop = Stopper(self.time_limit)
        data = self._training_set(X, y, sample_weight, standardize=True)
        problem = self._problem(data)
        seed = seed_of(self.random_state)
        with interruptible(stop):
            first = first_answer(problem, stop.within(FIRST_SHARE * stop.remaining), seed)
            if first is None:
                raise self._nothing_found(stop, "a first hyperplane")
            proven = 0.0
            if first.loss > 0.0:
                proven = recomputed_bound(problem, stop.within(BOUND_SHARE * stop.remaining))
            best, bound, reason = first, proven, StopReason.COMPLETED
            if not _meets(first.loss, proven):
                bought = solve_budget(problem, first, stop, seed)
                best = self._improved(problem, first, bought.support, stop, seed)
                bound, reason = max(proven, bought.bound), bought.reason
        self.recomputed_bound_ = proven
        self._finish(problem, data, best, bound, str(reason))
        return self

    def _problem(self, data: TrainingSet) -> BudgetProblem:
        units = budget_units(data.costs, float(self.budget))
        alone = data.costs.exact.alone()
        varying = data.varying
        allowed = np.array([k for k in varying if alone[k] <= units], dtype=np.intp)
        if len(allowed) == 0:
            least = nearest(min(alone[k] for k in varying) * data.costs.exact.unit)
            raise ValueError(
                f"The 'budget' parameter of {self._owner} must pay for at least one feature that "
                f"varies; the cheapest costs {least:g}. Got {self.budget!r} instead."
            )
        limits = float(self.budget), allowed, float(self.max_weight)
        return BudgetProblem(data.Z, data.signs, data.costs, *limits)

    def _improved(
        self,
        problem: BudgetProblem,
        first: Hyperplane,
        support: NDArray[np.intp],
        stop: Stopper,
        seed: int,
    ) -> Hyperplane:
        """Return the best hyperplane on what the solver buys, if it is better than the first."""
        if not problem.affordable(support.tolist()) or len(support) == 0:
            return first
        last = last_training(stop).extended(LAST_SECONDS)
        found = best_hyperplane(problem, support, last, seed)
        return first if found is None or found.loss >= first.loss else found

    def _finish(
        self,
        problem: BudgetProblem,
        data: TrainingSet,
        best: Hyperplane,
        bound: float,
        reason: str,
    ) -> None:
        coef, intercept = data.scaler.to_user_units(best.weights, best.intercept)
        # By way of the scaler: where a column is far from zero, user's units lose digits.
        scores = data.scaler.transform(data.X) @ best.weights + best.intercept
        support = np.flatnonzero(best.weights)
        _verify(problem, best, bound, scores)
        self.coef_ = data.labels.sign * coef[np.newaxis]
        self.intercept_ = np.array([data.labels.sign * intercept])
        self._plane = best
        self.loss_ = best.loss
        self.bound_ = min(bound, best.loss)
        self.gap_ = relative_gap(self.loss_, self.bound_)
        self.status_ = str(Status.OPTIMAL if _meets(self.loss_, self.bound_) else Status.FEASIBLE)
        self._keep(data, support, scores, reason)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the signed score of each row of `X`: positive for ``classes_[1]``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            Scores.
        """
        check_is_fitted(self)
        Z = self._scaler.transform(new_data(self, X))
        return np.asarray(self._sign * (Z @ self._plane.weights + self._plane.intercept))


def _meets(loss: float, bound: float) -> bool:
    return loss - bound <= TOLERANCE * max(1.0, loss)


def _verify(
    problem: BudgetProblem, best: Hyperplane, bound: float, scores: NDArray[np.float64]
) -> None:
    """Raise :class:`VerificationError` unless loss, cost and weights are what they should be.

    `scores` are computed from the user's raw data.
    """
    loss = float(np.maximum(0.0, 1.0 - problem.signs * scores).sum())
    support = np.flatnonzero(best.weights).tolist()
    peak = float(np.abs(best.weights).max())
    checks = {
        f"loss {best.loss!r} reported, {loss!r} recomputed": abs(loss - best.loss)
        <= TOLERANCE * max(1.0, loss),
        f"features {support} cost more than {problem.budget!r}": problem.affordable(support),
        f"a weight of {peak} exceeds max_weight {problem.max_weight}": peak <= problem.max_weight,
        f"bound {bound!r} above loss {loss!r}": bound <= loss + TOLERANCE * max(1.0, loss),
    }
    failed = [text for text, holds in checks.items() if not holds]
    if failed:
        raise VerificationError(
            f"The answer of BudgetSVC did not survive recomputation from the raw data: "
            f"{'; '.join(failed)}. Nothing was returned. This is a bug in frugalsvm or in HiGHS: "
            "please report it with your data."
        )
