"""The paper's models as written (P1, CSVM, P2, P3), each through the solvers that can solve it.

>>> from frugalsvm.models import ModelKind, get_solver
>>> ModelKind.P1 in get_solver("highs").kinds
True
"""

from frugalsvm.models.protocol import ModelKind, ModelOptions, ModelSolver
from frugalsvm.models.registry import SOLVER_NAMES, get_solver, require

__all__ = ["SOLVER_NAMES", "ModelKind", "ModelOptions", "ModelSolver", "get_solver", "require"]
