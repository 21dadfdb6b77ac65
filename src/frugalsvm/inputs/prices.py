"""Reading what users say about costs: arrays, dicts by name, Series; groups; include, exclude."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frugalsvm.data.costs import CostModel
from frugalsvm.inputs.derived import raw_names, sources

SMALLEST_PRICE, LARGEST_PRICE = 1e-100, 1e100
"""Prices are added up exactly; beyond these a total would not be a number any more."""


@dataclass(frozen=True)
class FeatureTable:
    """The features of a training set by name and number.

    Attributes
    ----------
    names : tuple of str
        Column names, or x0, x1, ... where the data have none.
    owner : str
        Name of the estimator, for messages.
    """

    names: tuple[str, ...]
    owner: str

    def __len__(self) -> int:
        return len(self.names)

    def index(self, key: Any, parameter: str) -> int:
        """Return the number of the feature called `key` (a name or a number)."""
        if isinstance(key, str) and key in self._numbers:
            return self._numbers[key]
        if isinstance(key, Integral) and not isinstance(key, bool) and int(key) in range(len(self)):
            return int(key)
        raise ValueError(
            f"The '{parameter}' parameter of {self.owner} must name features of X. Got {key!r}; "
            f"X has {len(self)} features: {_listed(self.names)}."
        )

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: k for k, name in enumerate(self.names)}


@dataclass(frozen=True)
class PriceInputs:
    """The cost parameters of an estimator, as the user gave them."""

    feature_costs: Any = None
    feature_groups: Any = None
    group_costs: Any = None

    def resolve(self, table: FeatureTable) -> CostModel:
        """Return the cost model for these features, or raise a ValueError that says what is off."""
        if isinstance(self.feature_groups, str):
            return _derived_costs(self, table)
        costs = _feature_costs(self.feature_costs, table)
        if self.feature_groups is None:
            if self.group_costs is not None:
                raise ValueError(
                    f"The 'group_costs' parameter of {table.owner} needs 'feature_groups' to say "
                    "which features belong to which group. Got None for 'feature_groups'."
                )
            return CostModel.per_feature(costs)
        groups = _feature_groups(self.feature_groups, table)
        labels = _distinct(groups)
        number = {label: g for g, label in enumerate(labels)}
        return CostModel(
            costs,
            tuple(tuple(sorted({number[label] for label in touched})) for touched in groups),
            _group_costs(self.group_costs, labels, table.owner),
        )

    def group_names(self, table: FeatureTable) -> tuple[str, ...]:
        """Return the names of the cost model's groups, numbered as there."""
        if self.feature_groups is None:
            return ()
        if isinstance(self.feature_groups, str):
            return tuple(_raw_features(self, table))
        return tuple(str(g) for g in _distinct(_feature_groups(self.feature_groups, table)))


def feature_mask(keys: Any, table: FeatureTable, parameter: str) -> NDArray[np.bool_]:
    """Return which features `include` or `exclude` names.

    Accepts None, one name, an iterable of names and numbers, or a boolean mask.
    """
    mask = np.zeros(len(table), dtype=np.bool_)
    if keys is None:
        return mask
    if isinstance(keys, str):
        keys = [keys]
    listed = np.asarray(keys)
    if listed.dtype == np.bool_:
        if listed.shape != mask.shape:
            raise ValueError(
                f"The '{parameter}' parameter of {table.owner}, as a mask, must have one entry "
                f"per feature, {len(table)}. Got shape {listed.shape}."
            )
        return listed.copy()
    for key in keys:
        mask[table.index(key, parameter)] = True
    return mask


def _feature_costs(given: Any, table: FeatureTable) -> NDArray[np.float64]:
    if given is None:
        return np.ones(len(table))
    if isinstance(given, Real):
        return np.full(len(table), _price(given, "feature_costs", table.owner, "all features"))
    if _is_named(given):
        return _by_name(given, table)
    values = np.asarray(given)
    if values.shape != (len(table),):
        raise ValueError(
            f"The 'feature_costs' parameter of {table.owner} must have one cost per feature, "
            f"{len(table)}. Got shape {values.shape}."
        )
    return np.array(
        [
            _price(cost, "feature_costs", table.owner, name)
            for cost, name in zip(values.tolist(), table.names, strict=True)
        ]
    )


def _by_name(given: Any, table: FeatureTable) -> NDArray[np.float64]:
    costs = np.full(len(table), np.nan)
    for key, cost in _items(given, "feature_costs", table.owner):
        k = table.index(key, "feature_costs")
        costs[k] = _price(cost, "feature_costs", table.owner, table.names[k])
    missing = [name for name, cost in zip(table.names, costs, strict=True) if np.isnan(cost)]
    if missing:
        raise ValueError(
            f"The 'feature_costs' parameter of {table.owner} must give every feature a cost "
            f"(0 for free). {len(missing)} have none: {_listed(missing)}."
        )
    return costs


def _feature_groups(given: Any, table: FeatureTable) -> list[tuple[Hashable, ...]]:
    if _is_named(given):
        _refuse_upside_down(given, table)
        groups: list[tuple[Hashable, ...]] = [()] * len(table)
        for key, label in _items(given, "feature_groups", table.owner):
            groups[table.index(key, "feature_groups")] = _labels(label)
        return groups
    if not isinstance(given, Iterable) or len(listed := list(given)) != len(table):
        found = len(list(given)) if isinstance(given, Iterable) else repr(given)
        raise ValueError(
            f"The 'feature_groups' parameter of {table.owner} must have one group per feature "
            f"(None: no group), {len(table)}, or be a dict from feature to group: "
            f"{_example(table)}. Got {found}."
        )
    return [_labels(label) for label in listed]


def _refuse_upside_down(given: Any, table: FeatureTable) -> None:
    """Raise if a dict names groups first and their features second."""
    names = set(table.names)
    strange = [key for key in given.keys() if key not in names]  # noqa: SIM118  # a Series has keys
    lists = [given[key] for key in strange if isinstance(given[key], (list, tuple, set))]
    if strange and any(set(entry) & names for entry in lists if all(map(_hashable, entry))):
        raise ValueError(
            f"The 'feature_groups' parameter of {table.owner} must go from feature to group, not "
            f"from group to features: {_example(table, str(strange[0]))}. Got {_listed(strange)} "
            "as features."
        )


def _hashable(value: Any) -> bool:
    return isinstance(value, Hashable)


def _example(table: FeatureTable, group: str = "blood") -> str:
    """Return what `feature_groups` should look like, with features of these data."""
    shown = ", ".join(f"{name!r}: {group!r}" for name in table.names[:2])
    return f"feature_groups={{{shown}}}, group_costs={{{group!r}: 2.0}}"


def _labels(label: Any) -> tuple[Hashable, ...]:
    """Return the groups meant by one entry: None or NaN is none, a tuple or list is several."""
    if label is None or (isinstance(label, float) and np.isnan(label)):
        return ()
    if isinstance(label, (tuple, list, set, frozenset)):
        return tuple(label)
    return (label.item() if isinstance(label, np.generic) else label,)


def _group_costs(given: Any, labels: Sequence[Hashable], owner: str) -> NDArray[np.float64]:
    if given is None:
        raise ValueError(
            f"The 'feature_groups' parameter of {owner} needs 'group_costs', a dict from group to "
            "cost or one cost for all groups. Got None for 'group_costs'."
        )
    if isinstance(given, Real):
        return np.full(len(labels), _price(given, "group_costs", owner, "all groups"))
    if not _is_named(given):
        raise ValueError(
            f"The 'group_costs' parameter of {owner} must be a dict or Series by group name, or "
            f"one number. Got {type(given).__name__}."
        )
    prices = dict(_items(given, "group_costs", owner))
    unknown = [label for label in prices if label not in set(labels)]
    if unknown:
        raise ValueError(
            f"The 'group_costs' parameter of {owner} must name groups that 'feature_groups' uses "
            f"({_listed(labels)}). Got {_listed(unknown)}."
        )
    missing = [label for label in labels if label not in prices]
    if missing:
        raise ValueError(
            f"The 'group_costs' parameter of {owner} must give every group a cost (0 for free). "
            f"{len(missing)} have none: {_listed(missing)}."
        )
    return np.array([_price(prices[g], "group_costs", owner, g) for g in labels], dtype=np.float64)


def _derived_costs(inputs: PriceInputs, table: FeatureTable) -> CostModel:
    """Let every column touch the raw features it was made of; a raw feature is paid once."""
    if inputs.feature_groups != "derived" or inputs.group_costs is not None:
        raise ValueError(
            f"The 'feature_groups' parameter of {table.owner} must be None, one group per feature, "
            "a dict by feature name, or 'derived' (then without 'group_costs': the prices of the "
            f"raw features are 'feature_costs'). Got {inputs.feature_groups!r}."
        )
    raw = _raw_features(inputs, table)
    costs = _feature_costs(inputs.feature_costs, FeatureTable(tuple(raw), table.owner))
    number = {name: g for g, name in enumerate(raw)}
    groups = [sources(name, number.keys()) for name in table.names]
    orphans = [n for n, g in zip(table.names, groups, strict=True) if not g and n != "1"]
    if orphans:
        raise ValueError(
            f"With feature_groups='derived', {table.owner} reads off each column's name which raw "
            "features it is a product of ('age', 'age^2', 'age chol': name the output of "
            "PolynomialFeatures with set_output(transform='pandas')), and needs their costs in "
            f"'feature_costs'. {len(orphans)} columns fit no raw feature: {_listed(orphans)}."
        )
    touched = tuple(tuple(sorted(number[name] for name in group)) for group in groups)
    return CostModel(np.zeros(len(table)), touched, costs)


def _raw_features(inputs: PriceInputs, table: FeatureTable) -> list[str]:
    if _is_named(inputs.feature_costs):
        return [str(key) for key, _ in _items(inputs.feature_costs, "feature_costs", table.owner)]
    return raw_names(table.names)


def _distinct(groups: Sequence[tuple[Hashable, ...]]) -> list[Hashable]:
    return list(dict.fromkeys(label for touched in groups for label in touched))


def _is_named(given: Any) -> bool:
    return isinstance(given, Mapping) or (hasattr(given, "items") and hasattr(given, "index"))


def _items(given: Any, parameter: str, owner: str) -> Iterable[tuple[Any, Any]]:
    pairs = list(given.items())
    keys = [key for key, _ in pairs]
    if len(set(keys)) < len(keys):
        twice = sorted({str(key) for key in keys if keys.count(key) > 1})
        raise ValueError(
            f"The '{parameter}' parameter of {owner} must name each entry once. "
            f"Got several for {_listed(twice)}."
        )
    return pairs


def _price(cost: Any, parameter: str, owner: str, whose: Any) -> float:
    if isinstance(cost, Real) and not isinstance(cost, bool):
        price = float(cost)
        if price == 0.0 or SMALLEST_PRICE <= price <= LARGEST_PRICE:
            return price
    raise ValueError(
        f"The '{parameter}' parameter of {owner} must hold finite numbers >= 0 (0, or from "
        f"{SMALLEST_PRICE:g} to {LARGEST_PRICE:g}). Got {cost!r} for {whose!r}."
    )


def _listed(names: Iterable[Any]) -> str:
    names = list(names)
    shown = ", ".join(repr(name) for name in names[:6])
    return shown + (f", ... ({len(names)} in all)" if len(names) > 6 else "")
