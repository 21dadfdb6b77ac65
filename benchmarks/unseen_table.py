"""From measured cells to curves, ratios at equal success, and a picture."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

MARGINS = np.arange(-3.0, 4.01, 0.25)
RIVALS = ("cost-aware greedy", "forward", "RFE", "L1", "SelectKBest")
LINEAR, SVM_ALONE = ", linear", ", SVM alone"
KINDS = {
    "rivals with the same machines": RIVALS,
    "rivals with linear ones": tuple(name + LINEAR for name in RIVALS),
    "rivals with linear SVMs alone": tuple(name + SVM_ALONE for name in RIVALS),
}
"""What rivals may take for a panel, where ours may take linear SVMs, a logistic regression and, if
these lack the margin, radial SVMs."""
Panel = list[list[float]]
DRAWS = 400
ENOUGH = 100  # samples of a class, for the bias of expected rates


def chosen(panels: list[Panel], everything: Panel, margin: float) -> list[float]:
    """Return the cheapest panel that has the margin, or else the one that has the most."""
    settled = [plainest(panel, margin) for panel in [*panels, everything]]
    return cheapest(settled, margin)


def plainest(panel: Panel, margin: float) -> list[float]:
    """Return a panel with the first machine that has the margin, or else the one that has most."""
    enough = [with_machine for with_machine in panel if with_machine[1] >= margin]
    return enough[0] if enough else max(panel, key=lambda p: p[1])


def cheapest(panels: list[list[float]], margin: float) -> list[float]:
    """Return the cheapest panel that has the margin, or else the one that has the most."""
    enough = [p for p in panels if p[1] >= margin]
    return min(enough, key=lambda p: (p[0], -p[1])) if enough else max(panels, key=lambda p: p[1])


def outcome(cost: float, tpr: float, tnr: float, rate: float) -> tuple[float, float, float]:
    """Return cost, success and shortfall."""
    return cost, float(tpr >= rate and tnr >= rate), max(0.0, rate - tpr, rate - tnr)


def method_curves(cells: list[dict[str, Any]]) -> dict[str, np.ndarray]:
    """Return cells by margins by (cost, success, shortfall), for every method."""
    names = ["ours", *(name for rivals in KINDS.values() for name in rivals)]
    return {
        name: np.array(
            [
                [
                    outcome(panel[0], panel[2], panel[3], c["rate"])
                    for panel in (
                        chosen(c["curves"][name], _everything(c, name), m) for m in MARGINS
                    )
                ]
                for c in cells
            ]
        )
        for name in names
    }


def _everything(cell: dict[str, Any], name: str) -> Panel:
    """Return the panel of all features, with the machines of the method."""
    kind = next((kind for kind in (LINEAR, SVM_ALONE) if name.endswith(kind)), "")
    return list(cell["curves"]["all features" + kind][0])


def cost_at(curve: np.ndarray, rows: np.ndarray, level: float) -> float:
    """Return the least mean cost at which the mean success is `level`, between margins too."""
    cost, success = curve[rows, :, 0].mean(axis=0), curve[rows, :, 1].mean(axis=0)
    best = np.inf
    for j in range(len(cost)):
        if success[j] >= level:
            best = min(best, cost[j])
        if j and (success[j] - level) * (success[j - 1] - level) < 0:
            share = (level - success[j - 1]) / (success[j] - success[j - 1])
            best = min(best, cost[j - 1] + share * (cost[j] - cost[j - 1]))
    return float(best)


def ratios(
    curves: dict[str, np.ndarray], level: float, rivals: tuple[str, ...], seed: int = 0
) -> dict[str, Any]:
    """Return our cost over the best single rival's at one level of success, with its interval.

    Splits are drawn with replacement; the best rival is the one that is best on the whole.
    """
    n = len(curves["ours"])
    every = np.arange(n)
    costs = {name: cost_at(curve, every, level) for name, curve in curves.items()}
    best = min(rivals, key=lambda name: costs[name])
    rng = np.random.default_rng(seed)
    drawn = []
    for _ in range(DRAWS):
        rows = rng.integers(0, n, n)
        drawn.append(cost_at(curves["ours"], rows, level) / cost_at(curves[best], rows, level))
    drawn = [r for r in drawn if np.isfinite(r)]
    low, high = np.quantile(drawn, [0.025, 0.975]) if drawn else (np.nan, np.nan)
    return {
        "success": level,
        "cost": costs,
        "best rival": best,
        "ratio": costs["ours"] / costs[best],
        "interval": [float(low), float(high)],
        "draws with both": len(drawn),
    }


def fixed_methods(cells: list[dict[str, Any]]) -> dict[str, list[float]]:
    """Return mean cost, success and shortfall of the estimators and of all features."""
    found: dict[str, list[tuple[float, float, float]]] = {
        "FrugalSVC": [
            outcome(c["FrugalSVC"]["cost"], *c["FrugalSVC"]["held_out"], c["rate"]) for c in cells
        ],
        "FrugalSVCCV": [
            outcome(c["FrugalSVCCV"]["cost"], *c["FrugalSVCCV"]["held_out"], c["rate"])
            for c in cells
        ],
        "all features": [
            outcome(1.0, *c["curves"]["all features" + LINEAR][0][0][2:], c["rate"]) for c in cells
        ],
    }
    return {name: np.mean(rows, axis=0).tolist() for name, rows in found.items()}


def bias(cells: list[dict[str, Any]]) -> dict[str, Any]:
    """Return expected minus held-out rates of FrugalSVCCV on sets with enough samples."""
    large = [c for c in cells if min(c["n_positive"], c["n_negative"]) >= ENOUGH]
    gaps = np.array(
        [np.subtract(c["FrugalSVCCV"]["expected"], c["FrugalSVCCV"]["held_out"]) for c in large]
    )
    if not len(gaps):
        return {}
    error = gaps.std(axis=0) / np.sqrt(len(gaps))
    return {
        "cells": len(large),
        "tpr": gaps[:, 0].mean(),
        "tnr": gaps[:, 1].mean(),
        "error": error.tolist(),
    }


def summary(cells: list[dict[str, Any]]) -> dict[str, Any]:
    """Return all figures of one kind of targets."""
    curves = method_curves(cells)
    top = min(float(curves["ours"][:, :, 1].mean(axis=0).max()), _best_rival_success(curves))
    low = float(curves["ours"][:, :, 1].mean(axis=0).min())
    levels = [round(float(s), 2) for s in np.linspace(max(low, 0.2), top, 6)[:-1]]
    seconds = [(c["FrugalSVCCV"]["seconds"], c["FrugalSVC"]["seconds"]) for c in cells]
    return {
        "cells": len(cells),
        "as they are (cost, success, shortfall)": fixed_methods(cells),
        "at equal success": {
            kind: [ratios(curves, level, rivals) for level in levels]
            for kind, rivals in KINDS.items()
        },
        "curves": {
            name: {
                "margin": MARGINS.tolist(),
                "cost": curve[:, :, 0].mean(axis=0).tolist(),
                "success": curve[:, :, 1].mean(axis=0).tolist(),
                "shortfall": curve[:, :, 2].mean(axis=0).tolist(),
            }
            for name, curve in curves.items()
        },
        "seconds, FrugalSVCCV over FrugalSVC": float(
            np.sum([s[0] for s in seconds]) / np.sum([s[1] for s in seconds])
        ),
        "expected minus held out": bias(cells),
    }


def _best_rival_success(curves: dict[str, np.ndarray]) -> float:
    return max(float(curves[name][:, :, 1].mean(axis=0).max()) for name in RIVALS)


def write_results(cells: list[dict[str, Any]], out: Path, figure: str | None) -> None:
    """Write figures as JSON, over all data sets and for each, and draw the curves."""
    kinds = sorted({c["targets"] for c in cells})
    names = list(dict.fromkeys(c["dataset"] for c in cells))
    record = {
        kind: summary([c for c in cells if c["targets"] == kind])
        | {"by data set": {name: _short(cells, kind, name) for name in names}}
        for kind in kinds
    }
    out.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    if figure:
        draw(record, Path(figure))
    for kind in kinds:
        print(kind, json.dumps(record[kind]["as they are (cost, success, shortfall)"]))
        for which, levels in record[kind]["at equal success"].items():
            print("  ", which)
            for level in levels:
                print(
                    "    ", level["success"], level["best rival"], level["ratio"], level["interval"]
                )
        print("  ", record[kind]["expected minus held out"])
        print("   seconds ratio", record[kind]["seconds, FrugalSVCCV over FrugalSVC"])


def _short(cells: list[dict[str, Any]], kind: str, name: str) -> dict[str, Any]:
    """Return one data set's figures: the estimators as they are, and curves at a few margins."""
    some = [c for c in cells if c["targets"] == kind and c["dataset"] == name]
    curves = method_curves(some)
    at = [int(np.argmin(np.abs(MARGINS - m))) for m in (0.0, 0.5, 1.0, 1.5)]
    return {
        "splits": len(some),
        "rate": some[0]["rate"],
        "as they are (cost, success, shortfall)": fixed_methods(some),
        "margins 0, 0.5, 1, 1.5 (cost, success)": {
            n: curve[:, at, :2].mean(axis=0).round(4).tolist() for n, curve in curves.items()
        },
        "seconds": [
            float(np.mean([c[e]["seconds"] for c in some])) for e in ("FrugalSVC", "FrugalSVCCV")
        ],
        "expected minus held out": bias(some),
    }


def draw(record: dict[str, Any], path: Path) -> None:
    """Draw cost against success for every method."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(record), figsize=(5.2 * len(record), 4), squeeze=False)
    for ax, (kind, found) in zip(axes[0], record.items(), strict=True):
        for name in ("ours", *RIVALS):
            curve = found["curves"][name]
            order = np.argsort(curve["cost"])
            style = {"color": "#0b6e6e", "linewidth": 2.5} if name == "ours" else {"linewidth": 1}
            ax.plot(
                np.array(curve["success"])[order],
                np.array(curve["cost"])[order],
                label=name,
                **style,
            )
        for name, (cost, success, _) in found["as they are (cost, success, shortfall)"].items():
            ax.plot([success], [cost], "o", label=f"{name} as it is", markersize=5)
        ax.set(
            title=f"{kind} targets",
            xlabel="share of splits in which both held-out rates are reached",
            ylabel="cost of the panel / cost of all features",
        )
    axes[0][0].legend(fontsize=7, frameon=False)
    figure.tight_layout()
    figure.savefig(path, dpi=150)
