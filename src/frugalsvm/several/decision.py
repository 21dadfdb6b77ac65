"""From one score per target to what is predicted, and how well that does."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frugalsvm.data.exceptions import RecallWarning
from frugalsvm.data.rates import RateTargets, required_count
from frugalsvm.several.labels import SeveralLabels


def decide_by_scores(
    scores: NDArray[np.float64], classes: NDArray[Any], exclusive: bool
) -> NDArray[Any]:
    """Return the class with the largest score, or for outputs which scores are above zero.

    Examples
    --------
    >>> scores = np.array([[-1.0, 2.0, 0.5], [3.0, 1.0, -1.0]])
    >>> decide_by_scores(scores, np.array(["a", "b", "c"]), exclusive=True).tolist()
    ['b', 'a']
    >>> decide_by_scores(scores, np.arange(3), exclusive=False).tolist()
    [[0, 1, 1], [1, 1, 0]]
    """
    if exclusive:
        chosen: NDArray[Any] = classes[np.argmax(scores, axis=1)]
        return chosen
    return (scores > 0).astype(np.int64)


def target_rates(
    scores: NDArray[np.float64], labels: SeveralLabels
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return TPR and TNR of every target's own hyperplane."""
    said = scores.T > 0
    pairs = [
        (said[t][members].mean(), (~said[t])[~members].mean())
        for t, members in enumerate(labels.members)
    ]
    tpr, tnr = np.array(pairs).T
    return tpr, tnr


def recalls(scores: NDArray[np.float64], labels: SeveralLabels) -> NDArray[np.float64]:
    """Return the recall of each class, or output, in what is predicted from the scores."""
    said = decide_by_scores(scores, labels.classes, labels.exclusive)
    right = [
        (said == name if labels.exclusive else said[:, t] == 1)[members].mean()
        for t, (name, members) in enumerate(zip(labels.classes, labels.members, strict=True))
    ]
    return np.array(right)


def warn_of_low_recalls(
    owner: str,
    reached: NDArray[np.float64],
    labels: SeveralLabels,
    targets: Sequence[RateTargets],
) -> None:
    """Warn of classes that are predicted with a lower recall than was asked for."""
    short = []
    for name, recall, size, target in zip(
        labels.names, reached.tolist(), labels.sizes, targets, strict=True
    ):
        asked, _ = target.training_rates(size, labels.n_samples - size)
        if round(recall * size) < required_count(asked, size):
            short.append(f"{name!r} {recall:.4f} instead of {asked:.4f}")
    if short:
        warnings.warn(
            f"The class with the largest score has a lower recall than {owner} was asked for in "
            f"{len(short)} of {len(labels.names)} classes: {', '.join(short)}. Each class against "
            "the rest meets its rates on the same data; where several scores are positive, or "
            "none is, only one class can be predicted. Raise 'min_recall' or 'min_tnr' to have "
            "fewer such samples.",
            RecallWarning,
            stacklevel=5,
        )
