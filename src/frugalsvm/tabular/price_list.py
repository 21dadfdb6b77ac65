"""The price list: what each variable costs, and what is paid once for a group of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from frugalsvm.data.exceptions import DataError
from frugalsvm.tabular.preparation import Preparation
from frugalsvm.tabular.table import did_you_mean, listed
from frugalsvm.tabular.variables import quoted

MOST_SHOWN = 6
"""Columns without a price that a message names."""


@dataclass(frozen=True)
class Price:
    """What one variable costs: its own cost, and the groups whose costs it shares, if any."""

    cost: float
    groups: tuple[str, ...] = ()


@dataclass(frozen=True)
class PriceList:
    """Prices by variable.

    Attributes
    ----------
    prices : dict from str to Price
        Price of each variable.
    group_costs : dict from str to float
        What a group costs, once, when any variable of it is used.
    """

    prices: Mapping[str, Price]
    group_costs: Mapping[str, float]

    @classmethod
    def uniform(cls, names: Iterable[str], cost: float = 1.0) -> PriceList:
        """Return the list in which every variable costs the same."""
        return cls({name: Price(cost) for name in names}, {})

    def complete(
        self, names: Sequence[str], known: Collection[str], default_cost: float | None
    ) -> PriceList:
        """Return the list of exactly the variables `names`.

        Parameters
        ----------
        names : sequence of str
            The variables that need a price.
        known : collection of str
            All variables of the table: a price for another one is a mistake.
        default_cost : float or None
            Price of the variables that the list does not name; None: that is a mistake.
        """
        unknown = [name for name in self.prices if name not in known]
        if unknown:
            raise DataError(
                f"The price list names {listed(unknown)}, which the table does not have, or not "
                "as a column to decide from: leave the line out, or mend the name."
                f"{did_you_mean(unknown, names)}"
            )
        unpriced = [name for name in names if name not in self.prices]
        if unpriced and default_cost is None:
            them = "them" if len(unpriced) > 1 else "it"
            spared = " ".join(f"--exclude {quoted(name)}" for name in unpriced[:MOST_SHOWN])
            raise DataError(
                f"The price list has no price for {listed(unpriced)}. Add {them} (0 if free), "
                f"leave {them} out ({spared}{' ...' if len(unpriced) > MOST_SHOWN else ''}), or "
                "give --default-cost."
            )
        fallback = Price(default_cost if default_cost is not None else 0.0)
        prices = {name: self.prices.get(name, fallback) for name in names}
        used = {group for price in prices.values() for group in price.groups}
        groups = {g: cost for g, cost in self.group_costs.items() if g in used}
        return PriceList(prices, groups)


@dataclass(frozen=True)
class CodedPrices:
    """Prices of coded columns, in the form the estimators take.

    Attributes
    ----------
    feature_costs : tuple of float
        Cost of each coded column.
    feature_groups : tuple of tuples of str
        Groups of each coded column.
    group_costs : dict from str to float
        Cost of each group that a column touches.
    own_groups : dict from str to str
        Group to variable, for the groups that are the price of one variable.
    """

    feature_costs: tuple[float, ...]
    feature_groups: tuple[tuple[str, ...], ...]
    group_costs: dict[str, float]
    own_groups: dict[str, str]


def price_columns(prices: PriceList, preparation: Preparation) -> CodedPrices:
    """Return the prices of coded columns: a variable of several columns is paid once.

    Such a variable becomes a group of its own; if the price list puts it into a group too, its
    columns touch both.

    Examples
    --------
    >>> from frugalsvm.tabular.variables import Kind, Variable
    >>> from frugalsvm.tabular.preparation import coded_columns
    >>> colour = Variable("colour", Kind.CATEGORICAL, ("blue", "red", "white"))
    >>> coded = price_columns(
    ...     PriceList({"colour": Price(3.0, ("lab",))}, {"lab": 2.0}),
    ...     Preparation((colour,), coded_columns(colour)),
    ... )
    >>> coded.feature_costs, coded.feature_groups[0], coded.group_costs
    ((0.0, 0.0), ('lab', 'variable: colour'), {'lab': 2.0, 'variable: colour': 3.0})
    """
    own = {
        variable.name: _own_group(variable.name, prices.group_costs)
        for variable in preparation.variables
        if len(variable.coded_names) > 1
    }
    costs: list[float] = []
    groups: list[tuple[str, ...]] = []
    for column in preparation.columns:
        price = prices.prices[column.variable]
        single = column.variable not in own
        costs.append(price.cost if single else 0.0)
        groups.append(price.groups if single else (*price.groups, own[column.variable]))
    everything = dict(prices.group_costs)
    everything |= {own[name]: prices.prices[name].cost for name in own}
    touched = dict.fromkeys(group for several_groups in groups for group in several_groups)
    return CodedPrices(
        tuple(costs),
        tuple(groups),
        {group: everything[group] for group in touched},
        {group: name for name, group in own.items()},
    )


def _own_group(name: str, taken: Collection[str]) -> str:
    group = f"variable: {name}"
    while group in taken:
        group += "'"
    return group
