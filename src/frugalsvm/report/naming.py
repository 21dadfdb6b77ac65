"""Columns of the data under the names of what is measured: levels belong to their variable."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from frugalsvm.report.data import FeatureLine, FitSection


@dataclass(frozen=True)
class Naming:
    """What the columns of a report are called.

    Attributes
    ----------
    variables : mapping from str to (str, str or None)
        Column to variable and level; a column that is not in it is a variable itself.
    own_groups : mapping from str to str
        Shared cost to variable, for the costs that are the price of one variable.
    """

    variables: Mapping[str, tuple[str, str | None]] = field(default_factory=dict)
    own_groups: Mapping[str, str] = field(default_factory=dict)

    def variable(self, column: str) -> str:
        """Return what has to be measured for a column."""
        return self.variables.get(column, (column, None))[0]

    def level(self, column: str) -> str | None:
        """Return the level that a column stands for; None for a variable of its own."""
        return self.variables.get(column, (column, None))[1]

    def measured(self, columns: Iterable[str]) -> tuple[str, ...]:
        """Return what has to be measured for some columns, each once.

        Examples
        --------
        >>> naming = Naming({"sex=m": ("sex", "m"), "cp=a": ("cp", "a"), "cp=b": ("cp", "b")})
        >>> naming.measured(["age", "cp=a", "cp=b"])
        ('age', 'cp')
        """
        return tuple(dict.fromkeys(self.variable(column) for column in columns))

    def prices(self, fit: FitSection) -> dict[str, float]:
        """Return what each variable costs by itself, used or not."""
        prices: dict[str, float] = {}
        for line in (*fit.panel, *fit.left_out):
            name = self.variable(line.name)
            prices[name] = prices.get(name, 0.0) + line.cost
        for shared in fit.shared_costs:
            if shared.name in self.own_groups:
                name = self.own_groups[shared.name]
                prices[name] = prices.get(name, 0.0) + shared.cost
        return prices

    def groups(self, line: FeatureLine) -> tuple[str, ...]:
        """Return the costs that a column shares with other variables."""
        return tuple(group for group in line.groups if group not in self.own_groups)
