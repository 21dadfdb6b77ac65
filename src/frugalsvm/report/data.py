"""What a report is made of, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from frugalsvm.data.losses import HINGE, METHODS
from frugalsvm.data.rates import RateCounts
from frugalsvm.export import Rule, ScoreCard
from frugalsvm.saved.model import UnseenRates
from frugalsvm.tradeoff.points import Frontier


@dataclass(frozen=True)
class FeatureLine:
    """One feature and its price.

    Attributes
    ----------
    name : str
        The feature.
    cost : float
        Its own price.
    groups : tuple of str
        The shared costs it needs (a panel, a sample drawn once).
    weight : float or None
        Its weight for the standardised feature, positive towards the positive class; None
        for a kernel without weights.
    coefficient : float or None
        The same per unit of the feature as the user measures it.
    """

    name: str
    cost: float
    groups: tuple[str, ...] = ()
    weight: float | None = None
    coefficient: float | None = None


@dataclass(frozen=True)
class SharedCost:
    """A cost paid once for a group of features.

    Attributes
    ----------
    name : str
        The group.
    cost : float
        Its price.
    paid : bool
        True if the panel uses a feature of the group.
    """

    name: str
    cost: float
    paid: bool


@dataclass(frozen=True)
class RocCurve:
    """Points of a ROC curve, from (0, 0) to (1, 1).

    Attributes
    ----------
    fpr, tpr : tuple of float
        False and true positive rates.
    area : float
        Area under the curve.
    """

    fpr: tuple[float, ...]
    tpr: tuple[float, ...]
    area: float


@dataclass(frozen=True)
class CrossValidation:
    """How the whole procedure, selection included, does on data it has not seen.

    Attributes
    ----------
    counts : RateCounts
        Pooled over the folds that gave a classifier.
    n_folds : int
        Folds tried.
    failed_folds : int
        Folds whose training part admits no classifier that meets the targets.
    roc : RocCurve or None
        Of the held-out decision values, pooled.
    same_panel : int
        In how many folds the same features were chosen as with all the data.
    """

    counts: RateCounts
    n_folds: int
    failed_folds: int = 0
    roc: RocCurve | None = None
    same_panel: int = 0


@dataclass(frozen=True)
class CheaperPanel:
    """A panel cheaper than the fitted one, met while the trade-off was computed.

    Attributes
    ----------
    cost : float
        What it costs.
    features : tuple of str
        Its features.
    """

    cost: float
    features: tuple[str, ...]


@dataclass(frozen=True)
class TrainingStep:
    """How the training of the classifier ended.

    Attributes
    ----------
    status, stop_reason : str
        "optimal" if it is proven the best, and why it ended.
    gap, seconds : float
        Between its objective and the proven bound; time.
    """

    status: str
    stop_reason: str
    gap: float
    seconds: float


@dataclass(frozen=True)
class FitSection:
    """One fitted classifier: what was asked, what was found, what is proven.

    Attributes
    ----------
    min_tpr, min_tnr : float
        The targets.
    correction : str or None
        How they were raised in training.
    training_tpr, training_tnr : float
        The rates required in training, correction included.
    positive_label, negative_label : str
        The two classes.
    panel, left_out : tuple of FeatureLine
        The features used, and the others.
    shared_costs : tuple of SharedCost
        Costs paid once for a group.
    cost, bound, full_cost : float
        Of the panel; proven lower bound; of all features together.
    status, stop_reason, solver : str
        Of the selection.
    seconds : float
        Time of the fit.
    kernel : str
        The classifier in words, such as "linear" or "rbf, gamma = 0.5".
    C : float
        Its C.
    method : str
        What classifiers of its kind are called.
    alternatives : tuple of tuple of str
        Other panels of the same cost.
    training : RateCounts
        Right and wrong on the training data.
    training_roc : RocCurve
        On the training data.
    cross_validation : CrossValidation or None
        On data not seen in training.
    unseen : UnseenRates or None
        What can be expected on new data; None for a classifier chosen by its training rates.
    max_weight : float
        M3: its inverse is the smallest margin that counts, in standard deviations.
    cheaper : CheaperPanel or None
        A cheaper panel for the same targets, if the trade-off found one.
    training_step : TrainingStep or None
        How the training ended.
    rule : Rule or None
        The decision as a formula; linear kernel only.
    score_card : ScoreCard or None
        The decision in whole points; linear kernel only.
    alternatives_complete : bool
        True if it is proven that there are no other panels of the same cost.
    """

    min_tpr: float
    min_tnr: float
    correction: str | None
    training_tpr: float
    training_tnr: float
    positive_label: str
    negative_label: str
    panel: tuple[FeatureLine, ...]
    left_out: tuple[FeatureLine, ...]
    shared_costs: tuple[SharedCost, ...]
    cost: float
    bound: float
    full_cost: float
    status: str
    stop_reason: str
    solver: str
    seconds: float
    kernel: str
    C: float
    alternatives: tuple[tuple[str, ...], ...]
    training: RateCounts
    training_roc: RocCurve
    cross_validation: CrossValidation | None
    max_weight: float = 100.0
    cheaper: CheaperPanel | None = None
    training_step: TrainingStep | None = None
    rule: Rule | None = None
    score_card: ScoreCard | None = None
    unseen: UnseenRates | None = None
    alternatives_complete: bool = False
    method: str = METHODS[HINGE]


@dataclass(frozen=True)
class ReportData:
    """A report: a fitted classifier, a frontier, or both.

    Attributes
    ----------
    title : str
        Its heading.
    source : str
        Where the data came from, such as a file's name.
    fit : FitSection or None
        The classifier; made by :func:`fit_section`.
    frontier : Frontier or None
        The trade-off.
    notes : tuple of str
        Sentences on how the data were prepared: levels coded, gaps filled, rows dropped.
    facts : mapping from str to str
        Small print: versions, hash of the data, command line.
    created : str
        Date and time; empty: now.
    author : str
        Who made it; empty: not said.
    currency : str
        What costs are counted in, such as "EUR"; empty: not said.
    variables : mapping from str to (str, str or None)
        Column to the variable it belongs to and the level it stands for; columns that are not in
        it are variables themselves.
    own_groups : mapping from str to str
        Shared cost to variable, for the costs that are the price of one variable.
    """

    title: str
    source: str = ""
    fit: FitSection | None = None
    frontier: Frontier | None = None
    notes: tuple[str, ...] = ()
    facts: Mapping[str, str] = field(default_factory=dict)
    created: str = ""
    author: str = ""
    currency: str = ""
    variables: Mapping[str, tuple[str, str | None]] = field(default_factory=dict)
    own_groups: Mapping[str, str] = field(default_factory=dict)
