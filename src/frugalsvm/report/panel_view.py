"""The panel's table: what to measure, what it costs, how it counts; and what was left out."""

from __future__ import annotations

from dataclasses import dataclass

from frugalsvm.report.data import FeatureLine, FitSection
from frugalsvm.report.naming import Naming
from frugalsvm.report.words import listed, money, percent, plural

BAR = 60.0
"""Length of the longest weight's bar."""


@dataclass(frozen=True)
class PanelRow:
    """A line of the panel's table.

    Attributes
    ----------
    name, cost, note : str
        The variable or level, its price, and what else it needs.
    weight, coefficient : str
        Formatted; empty for kernels without weights.
    bar : float
        Signed length of the weight's bar.
    level : bool
        True for a level, which stands under its variable.
    """

    name: str
    cost: str
    note: str = ""
    weight: str = ""
    coefficient: str = ""
    bar: float = 0.0
    level: bool = False


@dataclass(frozen=True)
class LeftOut:
    """A variable that need not be measured.

    Attributes
    ----------
    name : str
        The variable.
    cost : float
        Its price.
    groups : tuple of str
        The shared costs it would need.
    """

    name: str
    cost: float
    groups: tuple[str, ...]


def panel_rows(fit: FitSection, naming: Naming) -> list[PanelRow]:
    """Return the variables of the panel, the heaviest first, then the shared costs paid."""
    ordered = sorted(fit.panel, key=lambda line: (-abs(line.weight or 0.0), line.name))
    heaviest = max((abs(line.weight or 0.0) for line in ordered), default=0.0)
    prices = naming.prices(fit)
    rows: list[PanelRow] = []
    for name in naming.measured(line.name for line in ordered):
        lines = [line for line in ordered if naming.variable(line.name) == name]
        rows += _variable_rows(name, money(prices[name]), lines, naming, heaviest)
    for shared in fit.shared_costs:
        if shared.paid and shared.cost and shared.name not in naming.own_groups:
            users = naming.measured(line.name for line in ordered if shared.name in line.groups)
            rows.append(PanelRow(shared.name, money(shared.cost), f"once, for {listed(users)}"))
    return rows


def _variable_rows(
    name: str, cost: str, lines: list[FeatureLine], naming: Naming, heaviest: float
) -> list[PanelRow]:
    """Return the row of a variable; with levels, one row more for each of them."""
    if len(lines) == 1 and naming.level(lines[0].name) is None:
        return [_row(name, cost, lines[0], heaviest)]
    levels = [
        _row(f"is {naming.level(line.name)}", "", line, heaviest, level=True) for line in lines
    ]
    return [PanelRow(name, cost), *levels]


def _row(
    name: str, cost: str, line: FeatureLine, heaviest: float, *, level: bool = False
) -> PanelRow:
    if line.weight is None or line.coefficient is None:
        return PanelRow(name, cost, level=level)
    return PanelRow(
        name=name,
        cost=cost,
        weight=f"{line.weight:+.3g}",
        coefficient=f"{line.coefficient:+.4g}",
        bar=BAR * line.weight / heaviest if heaviest else 0.0,
        level=level,
    )


def left_out(fit: FitSection, naming: Naming) -> list[LeftOut]:
    """Return the variables that need not be measured, the dearest first."""
    used = set(naming.measured(line.name for line in fit.panel))
    prices = naming.prices(fit)
    groups = {naming.variable(line.name): naming.groups(line) for line in fit.left_out}
    spared = [LeftOut(name, prices[name], groups[name]) for name in groups if name not in used]
    return sorted(spared, key=lambda line: (-line.cost, line.name))


def counts_words(fit: FitSection, naming: Naming) -> str:
    """Return how many of how many features the panel has."""
    used = naming.measured(line.name for line in fit.panel)
    every = naming.measured(line.name for line in (*fit.panel, *fit.left_out))
    return f"{plural(len(used), 'feature')} of {len(every)}"


def savings_words(fit: FitSection, naming: Naming, unit: str) -> str:
    """Return what was left out and saved; `unit` is what costs are counted in, after a space."""
    used = naming.measured(line.name for line in fit.panel)
    every = naming.measured(line.name for line in (*fit.panel, *fit.left_out))
    if len(used) == len(every):
        return f"The panel has all {plural(len(used), 'feature')}; nothing was left out."
    saved = fit.full_cost - fit.cost
    share = f" ({percent(saved / fit.full_cost, 0)})" if fit.full_cost else ""
    return (
        f"Measuring all {plural(len(every), 'feature')} costs {money(fit.full_cost)}{unit}. This "
        f"panel saves {money(saved)}{unit}{share}."
    )
