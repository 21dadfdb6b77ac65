"""Colours of all figures, and axes to draw on."""

from __future__ import annotations

from typing import Any

INK = "#1f2a37"
ACCENT = "#0b6e6e"
MUTED = "#8a94a3"


def axes_of(ax: Any) -> tuple[Any, Any]:
    """Return axes, new ones if there are none, and their figure."""
    if ax is None:
        try:
            import matplotlib.pyplot as plt
        except ImportError as error:
            raise ImportError(
                "Figures need matplotlib: install it with pip install 'frugalsvm[plot]'."
            ) from error
        _, ax = plt.subplots()
    return ax, ax.figure
