"""The price list: what each variable costs, and what is paid once for a group of them."""

from __future__ import annotations

import csv
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from frugalsvm.exceptions import DataError
from frugalsvm.tabular.preparation import Preparation
from frugalsvm.tabular.table import listed

REQUIRED = ("feature", "cost")
OPTIONAL = ("group", "group_cost", "note")


@dataclass(frozen=True)
class Price:
    """What one variable costs: its own cost, and the group whose cost it shares, if any."""

    cost: float
    group: str | None = None


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
                f"The price list names {listed(unknown)}, which the table does not have."
            )
        unpriced = [name for name in names if name not in self.prices]
        if unpriced and default_cost is None:
            raise DataError(
                f"The price list has no price for {listed(unpriced)}. Add "
                f"{'them' if len(unpriced) > 1 else 'it'} (0 if free), or give "
                "--default-cost."
            )
        fallback = Price(default_cost if default_cost is not None else 0.0)
        prices = {name: self.prices.get(name, fallback) for name in names}
        used = {price.group for price in prices.values()}
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
    ...     PriceList({"colour": Price(3.0, "lab")}, {"lab": 2.0}),
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
        shared = () if price.group is None else (price.group,)
        single = column.variable not in own
        costs.append(price.cost if single else 0.0)
        groups.append(shared if single else (*shared, own[column.variable]))
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


def read_price_list(path: Path) -> PriceList:
    """Read a price list: a CSV file with the columns feature, cost and perhaps group, group_cost.

    The group's cost may stand in every row of the group or in one of them.

    Raises
    ------
    DataError
        Names the line of the file that is wrong, and what is wrong with it.
    """
    rows = _rows(path)
    prices: dict[str, Price] = {}
    group_costs: dict[str, tuple[float, int]] = {}
    for line, row in rows:
        where = f"{path}, line {line}"
        name = row["feature"]
        if not name:
            raise DataError(f"{where}: 'feature' is empty.")
        if name in prices:
            raise DataError(f"{where}: {name!r} has a price already: name each feature once.")
        group = row.get("group") or None
        prices[name] = Price(_money(row["cost"], "cost", where), group)
        _note_group_cost(group_costs, group, row.get("group_cost", ""), where, line)
    bare = sorted({p.group for p in prices.values() if p.group and p.group not in group_costs})
    if bare:
        raise DataError(
            f"{path}: the group{'s' if len(bare) > 1 else ''} {listed(bare)} "
            "need a 'group_cost' in at least one row (0 if free)."
        )
    return PriceList(prices, {group: cost for group, (cost, _) in group_costs.items()})


def _note_group_cost(
    known: dict[str, tuple[float, int]], group: str | None, text: str, where: str, line: int
) -> None:
    if not text:
        return
    cost = _money(text, "group_cost", where)
    if group is None:
        raise DataError(f"{where}: 'group_cost' is {text} but 'group' is empty.")
    before = known.setdefault(group, (cost, line))
    if before[0] != cost:
        raise DataError(
            f"{where}: 'group_cost' of {group!r} is {text}, but line {before[1]} says "
            f"{before[0]:g}: a group has one cost."
        )


def _rows(path: Path) -> list[tuple[int, dict[str, str]]]:
    """Return the rows of the file with their line numbers, cells trimmed, empty rows left out."""
    # The reader of tables knows about byte order marks, delimiters and packed files.
    from frugalsvm.tabular.reading import delimiter_of, open_text, read_header

    header = read_header(path)
    _check_header(path, header)
    with open_text(path) as stream:
        delimiter = delimiter_of(stream.readline())
        stream.seek(0)
        reader = csv.reader(stream, delimiter=delimiter)
        next(reader)
        rows = []
        for cells in reader:
            if any(cell.strip() for cell in cells):
                rows.append((reader.line_num, _row(path, reader.line_num, header, cells)))
    if not rows:
        raise DataError(f"{path} has a header but no prices.")
    return rows


def _row(path: Path, line: int, header: Sequence[str], cells: Sequence[str]) -> dict[str, str]:
    if len(cells) != len(header):
        raise DataError(
            f"{path}, line {line}: {len(cells)} cells where the header has {len(header)}."
        )
    return {name: cell.strip() for name, cell in zip(header, cells, strict=True)}


def _check_header(path: Path, header: Sequence[str]) -> None:
    absent = [name for name in REQUIRED if name not in header]
    odd = [name for name in header if name not in REQUIRED + OPTIONAL]
    if absent or odd:
        raise DataError(
            f"{path} must have the columns 'feature' and 'cost', and may have 'group', "
            f"'group_cost' and 'note'. It has {listed(header)}."
        )


def _money(text: str, column: str, where: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if "_" in text or not (0 <= value < math.inf):
        hint = " (write decimals with a point)" if "," in text else ""
        raise DataError(f"{where}: '{column}' must be a number >= 0{hint}. Got {text!r}.")
    return value
