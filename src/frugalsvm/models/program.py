"""A mixed-integer program as plain data: what every back end translates, and its outcome."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from frugalsvm.data.result import StopReason

Columns = NDArray[np.intp]
Terms = Sequence[tuple[Columns, ArrayLike]]


@dataclass(frozen=True)
class Rows:
    """lower <= matrix x <= upper.

    Where `switch` is given, row i counts only if the binary column ``switch[i]`` is 1
    (indicator constraints).
    """

    matrix: sp.csr_array
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    switch: NDArray[np.intp] | None = None

    @property
    def count(self) -> int:
        """Number of rows."""
        return len(self.lower)


@dataclass(frozen=True)
class Program:
    """Minimise cost'x + the sum of x_j^2 over the squared columns, under rows and bounds.

    Every quadratic model of the paper has this form once its kernel is factored, and the
    quadratic part is convex by construction. `start` is a feasible point, if one is known.
    """

    name: str
    cost: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    integer: NDArray[np.bool_]
    squared: NDArray[np.bool_]
    rows: Rows
    conditional: Rows
    start: NDArray[np.float64] | None = None

    @property
    def n_columns(self) -> int:
        """Number of variables."""
        return len(self.cost)

    @property
    def n_rows(self) -> int:
        """Number of rows, conditional ones too."""
        return self.rows.count + self.conditional.count

    @property
    def is_quadratic(self) -> bool:
        """True if any column is squared."""
        return bool(self.squared.any())


class Ending(StrEnum):
    """What the solver says about the program."""

    OPTIMAL = "optimal"
    INFEASIBLE = "infeasible"
    STOPPED = "stopped"


@dataclass(frozen=True)
class Outcome:
    """What came out of a solve, before anything is believed.

    Attributes
    ----------
    ending : Ending
        The solver's claim.
    reason : StopReason
        Why it ended.
    x : ndarray or None
        The best point found.
    bound : float
        The solver's lower bound on the objective.
    nodes : int
        Branch-and-bound nodes.
    """

    ending: Ending
    reason: StopReason
    x: NDArray[np.float64] | None
    bound: float
    nodes: int = 0


@dataclass
class ProgramBuilder:
    """Collects columns and rows block by block."""

    name: str
    _cost: list[NDArray[np.float64]] = field(default_factory=list)
    _lower: list[NDArray[np.float64]] = field(default_factory=list)
    _upper: list[NDArray[np.float64]] = field(default_factory=list)
    _integer: list[NDArray[np.bool_]] = field(default_factory=list)
    _squared: list[NDArray[np.bool_]] = field(default_factory=list)
    _rows: list[tuple[Terms, NDArray[np.float64], NDArray[np.float64]]] = field(
        default_factory=list
    )
    _conditional: list[tuple[Terms, NDArray[np.float64], Columns]] = field(default_factory=list)
    _n: int = 0

    def columns(
        self,
        count: int,
        *,
        cost: ArrayLike = 0.0,
        lower: ArrayLike = 0.0,
        upper: ArrayLike = np.inf,
        integer: bool = False,
        squared: bool = False,
    ) -> Columns:
        """Add `count` variables and return their positions."""
        for store, value in ((self._cost, cost), (self._lower, lower), (self._upper, upper)):
            store.append(np.broadcast_to(np.asarray(value, dtype=np.float64), count))
        self._integer.append(np.full(count, integer))
        self._squared.append(np.full(count, squared))
        start, self._n = self._n, self._n + count
        return np.arange(start, self._n)

    def rows(self, terms: Terms, *, lower: ArrayLike = -np.inf, upper: ArrayLike = np.inf) -> None:
        """Add a block of rows: lower <= sum of matrix @ x[columns] over the terms <= upper."""
        count = sp.csr_array(terms[0][1]).shape[0]
        self._rows.append((terms, _filled(lower, count), _filled(upper, count)))

    def rows_if(self, switch: Columns, terms: Terms, *, lower: ArrayLike) -> None:
        """Add rows ``>= lower`` that count only where the binary column `switch` is 1."""
        self._conditional.append((terms, _filled(lower, len(switch)), switch))

    def build(self) -> Program:
        """Return the program."""
        switches = [switch for _, _, switch in self._conditional]
        conditional_lower = _joined([lower for _, lower, _ in self._conditional])
        return Program(
            name=self.name,
            cost=np.concatenate(self._cost),
            lower=np.concatenate(self._lower),
            upper=np.concatenate(self._upper),
            integer=np.concatenate(self._integer),
            squared=np.concatenate(self._squared),
            rows=Rows(
                self._stacked([terms for terms, _, _ in self._rows]),
                _joined([lower for _, lower, _ in self._rows]),
                _joined([upper for _, _, upper in self._rows]),
            ),
            conditional=Rows(
                self._stacked([terms for terms, _, _ in self._conditional]),
                conditional_lower,
                np.full(len(conditional_lower), np.inf),
                np.concatenate([*switches, np.zeros(0, dtype=np.intp)]).astype(np.intp),
            ),
        )

    def _stacked(self, blocks: Sequence[Terms]) -> sp.csr_array:
        if not blocks:
            return sp.csr_array((0, self._n))
        stacked = sp.vstack([self._spread(terms) for terms in blocks], format="csr")
        stacked.eliminate_zeros()
        return stacked

    def _spread(self, terms: Terms) -> sp.csr_array:
        """Return the block over all columns: each term's matrix at the place of its columns."""
        return sum(sp.csr_array(matrix) @ _selection(columns, self._n) for columns, matrix in terms)


def _selection(columns: Columns, n: int) -> sp.csr_array:
    count = len(columns)
    return sp.csr_array((np.ones(count), (np.arange(count), columns)), shape=(count, n))


def _filled(value: ArrayLike, count: int) -> NDArray[np.float64]:
    return np.array(np.broadcast_to(np.asarray(value, dtype=np.float64), count))


def _joined(parts: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    return np.concatenate([*parts, np.zeros(0)])
