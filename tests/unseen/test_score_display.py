"""The window of thresholds is valid whatever is picked in it, and is drawn."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pytest
from scipy.stats import norm

from frugalsvm import RateSVC, ScoresDisplay
from frugalsvm.displays.scores import threshold_window

mpl.use("Agg")


def test_both_ends_of_the_window_hold_at_the_confidence() -> None:
    rng = np.random.default_rng(0)
    positive = np.arange(400) < 150
    wrong = windows = 0
    for _ in range(2000):
        scores = rng.normal(np.where(positive, 1.9, -1.9), 1.0)
        window = threshold_window(scores, positive, 0.95, 0.95, 0.9)
        if window is None:
            continue
        windows += 1
        low, high = window
        wrong += norm.cdf(low + 1.9) < 0.95 or norm.sf(high - 1.9) < 0.95
    assert windows > 300
    assert wrong / 2000 <= 0.1 + 3 * np.sqrt(0.09 / 2000)


def test_no_window_where_there_are_too_few_samples() -> None:
    scores = np.array([-1.0] * 20 + [1.0] * 20)
    assert threshold_window(scores, scores > 0, 0.9, 0.9) is None


def test_drawn_for_either_positive_class() -> None:
    rng = np.random.default_rng(1)
    y = np.arange(400) % 2
    X = rng.normal(size=(400, 2)) + 3 * y[:, np.newaxis]
    for label in (0, 1):
        clf = RateSVC(0.9, 0.9, pos_label=label).fit(X[:200], y[:200])
        display = ScoresDisplay.from_estimator(clf, X[200:], y[200:])
        assert display.window is not None
        assert display.window[0] < 0 < display.window[1]
        assert len(display.ax_.patches) > 2
    with pytest.raises(ValueError, match="'confidence' parameter of ScoresDisplay"):
        ScoresDisplay.from_estimator(clf, X, y, confidence=1.0)
