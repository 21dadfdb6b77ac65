"""Which solvers there are, and what each of them can solve."""

from __future__ import annotations

from importlib import import_module

from frugalsvm.data.exceptions import SolverError, UnsupportedModelError
from frugalsvm.models.protocol import ModelKind, ModelSolver

_SOLVERS = {
    # name: (module with the solver's class, class, the package it needs, how to install it)
    "highs": ("frugalsvm.models.highs", "HighsSolver", "highspy", "pip install highspy"),
    "scip": ("frugalsvm.models.scip", "ScipSolver", "pyscipopt", "pip install 'frugalsvm[scip]'"),
    "gurobi": (
        "frugalsvm.models.gurobi",
        "GurobiSolver",
        "gurobipy",
        "pip install 'frugalsvm[gurobi]'",
    ),
}

SOLVER_NAMES: tuple[str, ...] = tuple(_SOLVERS)
"""The names that :func:`get_solver` knows."""


def get_solver(name: str) -> ModelSolver:
    """Return a solver by name; its package is imported only now.

    Parameters
    ----------
    name : {"highs", "scip", "gurobi"}
        The solver.

    Raises
    ------
    SolverError
        If the name is unknown, or the solver's package is not installed.

    Examples
    --------
    >>> get_solver("highs").name
    'highs'
    """
    if name not in _SOLVERS:
        raise SolverError(f"The solver must be one of {list(SOLVER_NAMES)}. Got {name!r} instead.")
    module, class_name, package, install = _SOLVERS[name]
    try:
        solver: ModelSolver = getattr(import_module(module), class_name)()
    except ImportError as error:
        raise SolverError(
            f"The solver {name!r} needs the package {package!r}, which cannot be imported "
            f"({error}). Install it: {install}"
        ) from error
    return solver


def require(solver: ModelSolver, kind: ModelKind) -> None:
    """Raise :class:`UnsupportedModelError` if `solver` cannot solve models of this kind."""
    if kind in solver.kinds:
        return
    can = ", ".join(sorted(solver.kinds))
    raise UnsupportedModelError(
        f"The solver {solver.name!r} cannot solve {kind} (it solves: {can}): it has no "
        "mixed-integer quadratic solver. Use solver='scip' (pip install 'frugalsvm[scip]') "
        "or solver='auto'."
    )
