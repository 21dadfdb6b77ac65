"""Names for the places of the small arrays that hold the numbers of compiled code.

A named tuple of a kernel cannot be changed; what changes lies in an array of it, and these are the
places. Constants of a module cost nothing to compile.
"""

from __future__ import annotations

# ``numbers`` of a solver (`solver/dual.py`)
VALUE = 0
"""The dual value, a lower bound on the objective."""
INTERCEPT = 1
"""The intercept b; of a draft as well."""
LARGEST = 2
"""The largest K_ii."""
NEGLIGIBLE = 3
"""The largest violation that still is optimal."""

# ``counts`` of a solver
N_FREE = 0
"""How many rows are free."""
CHANGES = 1
"""Changes of the free set since the last refresh."""
PIVOTS = 2
"""Pivots of this solver's life."""
EFFORT = 3
"""Its work in thousands of operations, about a microsecond each."""

# ``beta`` of a solver: two vectors of the intercept and the free rows
PULL = 0
"""What the row that moves has in common with each of them."""
FOLLOW = 1
"""How each of them follows it."""

# ``halt`` of a solver
FLAG = 0
"""Other than 0: end."""

# ``numbers`` of a draft (`classifiers/drafts.py`), beside its INTERCEPT
OBJECTIVE = 0
"""Its objective, infinite while there is none."""

# ``counts`` of a pool (`conflicts.py`)
N_CONFLICTS = 0
"""How many conflicts it holds."""

# ``state`` of a plan (`heuristic/local_search.py`)
STEPS_LEFT = 0
"""Steps before the rows that are to be right become hard; below 0: a classifier is improved."""
FACTOR = 1
"""The factor on their boxes in the next step."""
TO_BEAT = 2
"""The objective that the first classifier has to beat."""

# ``counts`` and ``numbers`` of a tree (`proof/tree.py`)
N_OPEN = 0
"""How many nodes are open."""
N_DONE = 1
"""How many are closed or replaced by their children."""
TO_PROVE = 0
"""The cutoff: what is to be proven is that no classifier has a smaller objective."""
UNSETTLED = 1
"""The least bound of the nodes that could not be settled."""
TOLERANCE = 2
"""How far below a new incumbent the cutoff is set, as a share of it."""
WITNESS = 3
"""The objective of a known answer, infinite if there is none."""
FALSE_RULE = 2
"""The rule that has ruled the known answer out; -1: none."""

# columns of the ``tally`` of a tree, whose rows are the rules (`proof/door.py`)
ASKED = 0
"""How often the rule was tried."""
CLOSED = 1
"""How often it closed a node."""
WORK = 2
"""Its work in thousands of operations."""
