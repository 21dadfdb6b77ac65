"""The library under test: one call of FrugalSelector, in an unusual setting of its search.

A setting is a tuple of words: "-cells" switches the tactic off, and a name from `STRESS` moves a
threshold, so that small problems go the way of large ones. No setting may change an optimum.
The only file that knows anything of the library but its public estimators.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import importlib
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

import frugalsvm.search
from frugalsvm import FrugalSelector, InfeasibleRatesError, NoSolutionError
from frugalsvm.engine import many_columns
from frugalsvm.search import SearchOptions
from frugalsvm.search.tuning import Effort
from frugalsvm.search.verdict import OPEN, Verdict

Setting = tuple[str, ...]
Witnesses = Sequence[tuple[int, ...]]

SWITCHES = tuple(f.name for f in dataclasses.fields(SearchOptions) if f.type == "bool")
JUDGES = ("cells", "sieve", "conflicts", "cuts", "directions")


def _always(core: Any, errors: int) -> bool:
    return True


def _know_nothing(bench: Any, support: Any, rungs: Any) -> Verdict:
    return OPEN


SPARSE, FILLED_IN = "sparse", 25
"""The table is given as a sparse one, of which so many numbers are filled in: a few columns."""

STRESS: dict[str, tuple[str, Any]] = {
    "few supports": ("FEW_SUPPORTS", 1),  # are enough for unions
    "few levels": ("MOST_LEVELS", 3),  # a feature with more is continuous
    "large budgets": ("MOST_CONFLICTS", -1),  # all are too large for conflicts
    "cover first": ("_strong_cuts", _always),
    "little effort": ("EFFORTS", (Effort(1, 1, 1),) * 3),  # much is left to the ladders
    "ladders that lead nowhere": ("climb", _know_nothing),
    "no nodes": ("MERGED_NODES", (0,)),  # for the supports that pass the sieve
}


def random_setting(rng: np.random.Generator) -> Setting:
    """Return a setting: the usual one, or tactics off, or one judge alone, or stress.

    The heuristics find the optimum of small problems at once, and then a wrong proof does no harm:
    they are off more often than not.
    """
    kind = rng.random()
    if kind < 0.3:
        return ()
    off = {"heuristic"} if rng.random() < 0.7 else set[str]()
    off |= {"scan"} if rng.random() < 0.4 else set()
    stress: Setting = ()
    if kind < 0.5:
        off |= {name for name in SWITCHES if rng.random() < 0.3}
    elif kind < 0.7:
        kept = {str(rng.choice(JUDGES)), "cuts"}
        kept |= {"cells"} if "sieve" in kept else set()
        off |= set(JUDGES) - kept
    elif kind < 0.78:  # whatever can be left open is
        stress = ("little effort", "ladders that lead nowhere")
        more = ("large budgets", "cover first", "no nodes")
        stress += tuple(name for name in more if rng.random() < 0.6)
        off = {"heuristic"} | ({"scan"} if rng.random() < 0.5 else set())
    elif kind < 0.84:  # covers alone
        stress, off = ("cover first",), {"heuristic", "scan", "enumeration", "merged"}
    else:
        stress = tuple(name for name in STRESS if rng.random() < 0.5)
        off |= {name for name in SWITCHES if rng.random() < 0.1}
    if "cuts" in off and off & {"conflicts", "errors"}:
        off.discard("cuts")  # somebody has to be able to judge any support
    return stress + tuple(f"-{name}" for name in SWITCHES if name in off)


def in_parts(X: Any) -> csr_array:
    """Return a sparse table in which every number is stored as two halves."""
    whole = csr_array(np.array(X))
    halves, places = np.repeat(whole.data / 2.0, 2), np.repeat(whole.indices, 2)
    return csr_array((halves, places, 2 * whole.indptr), shape=whole.shape)


@contextmanager
def under(setting: Setting, witnesses: Witnesses = ()) -> Iterator[None]:
    """Let every search in this block work in a setting.

    Whatever it rules out is compared with the answers found on the way, and with the witnesses:
    supports that are known to be feasible.
    """
    with contextlib.ExitStack() as stack:
        off = [word[1:] for word in setting if word.startswith("-")]
        if SPARSE in setting:
            stack.enter_context(_replaced(many_columns, "MOST_NUMBERS", FILLED_IN))
        for word in setting:
            if not word.startswith("-") and word != SPARSE:
                stack.enter_context(_moved(*STRESS[word]))
        switches: dict[str, Any] = dict.fromkeys(off, False)
        options = SearchOptions(**switches)
        known = () if SPARSE in setting else tuple(witnesses)
        changed = _with(options, [replace(options, witnesses=known)])
        stack.enter_context(_replaced(frugalsvm.search, "search", changed))
        yield


def _with(options: SearchOptions, first: list[SearchOptions]) -> Callable[..., Any]:
    """Return the search with these options, whatever the caller asks for.

    The first call has its own: later ones are for panels of equal cost, without some of the
    features, and witnesses of the whole problem say nothing about them. Nor do they where a search
    is given a few columns of a sparse table, with other numbers.
    """
    usual = frugalsvm.search.search

    @functools.wraps(usual)
    def search(*given: Any, **named: Any) -> Any:
        return usual(*given, **{**named, "options": first.pop() if first else options})

    return search


@contextmanager
def _moved(name: str, value: Any) -> Iterator[None]:
    """Change a name wherever modules of the search hold it."""
    importlib.import_module("frugalsvm.search.driver")
    # Numba's kernels would not see the change, and must not depend on it.
    owners = [
        module
        for path, module in sorted(sys.modules.items())
        if path.startswith("frugalsvm.search.") and name in vars(module)
    ]
    if not owners:
        raise LookupError(f"no module of frugalsvm.search has a {name}: adapt fuzz/subject.py")
    with contextlib.ExitStack() as stack:
        for module in owners:
            stack.enter_context(_replaced(module, name, value))
        yield


@contextmanager
def _replaced(owner: Any, name: str, value: Any) -> Iterator[None]:
    before = getattr(owner, name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, before)


@dataclass(frozen=True)
class Answer:
    """What came back: "optimal", "feasible", "infeasible", "undecided" or "crash".

    `support` is None without one; `weights` are on the standardised scale.
    """

    status: str
    support: frozenset[int] | None
    cost: float
    bound: float
    weights: NDArray[np.float64] | None = None
    message: str = ""


def ask(
    X: NDArray[np.float64],
    y: NDArray[Any],
    parameters: Mapping[str, Any],
    setting: Setting = (),
    witnesses: Witnesses = (),
) -> Answer:
    """Fit a selector in a setting."""
    try:
        with warnings.catch_warnings(), under(setting, witnesses):
            warnings.simplefilter("error")
            selector = FrugalSelector(**parameters).fit(X, y)
    except InfeasibleRatesError as error:
        status, bound = ("infeasible", np.inf) if error.proven else ("undecided", 0.0)
        return Answer(status, None, np.inf, bound, None, str(error))
    except NoSolutionError as error:
        return Answer("undecided", None, np.inf, error.bound, None, str(error))
    except Exception as error:  # noqa: BLE001 - whatever comes is a finding
        return Answer("crash", None, np.inf, 0.0, None, f"{type(error).__name__}: {error}")
    support = frozenset(int(k) for k in np.flatnonzero(selector.get_support()))
    weights = np.asarray(selector.result_.weights)
    return Answer(selector.status_, support, selector.cost_, selector.bound_, weights)
