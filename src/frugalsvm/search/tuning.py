"""The numbers that decide how much work goes where, each with what it is for.

Numbers of arithmetic (tolerances, sizes of buffers) stay beside the code that they guard: nothing
is to be tuned about them. Times are those of one thread on some hundreds of samples.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

# ---------------------------------------------------------------- what a problem calls for

MOST_CONFLICTS = 40
"""Errors allowed in both classes up to which conflicts can be packed in excess of them."""

FEW_VALUES = 8
"""Values that every feature may have for covers to come first: samples then coincide."""

MOST_LEVELS = 24
"""Values up to which a feature is discrete: samples that share one are told apart by others."""

LARGEST_WIDTH, LARGEST_SIZE = 300, 2_000_000
"""Features, and numbers in the table, up to which the programs of covers are small enough."""

SIFTED_AT_ONCE = 12_000_000
"""Supports of few-valued features that a sieve takes seconds for, with 400 samples."""

# ---------------------------------------------------------------- how far judges go


@dataclass(frozen=True)
class Effort:
    """How far each compiled oracle may go on one support; 0: not at all.

    Attributes
    ----------
    cell_boxes : int
        Boxes of directions with a threshold per cell; any positive number allows the cells.
    conflict_nodes : int
        Nodes of the tree of conflicts.
    boxes : int
        Boxes of directions.
    """

    cell_boxes: int
    conflict_nodes: int
    boxes: int

    def scaled(self, n_samples: int) -> Effort:
        """Return the effort for this many samples: boxes cost more with more of them."""
        if n_samples <= USUAL_SAMPLES:
            return self
        share = USUAL_SAMPLES / n_samples
        return Effort(
            cell_boxes=min(self.cell_boxes, max(10, int(share * self.cell_boxes))),
            conflict_nodes=min(self.conflict_nodes, max(10, int(share * self.conflict_nodes))),
            boxes=min(self.boxes, max(20, int(share * self.boxes))),
        )


USUAL_SAMPLES = 2_000
"""Samples up to which the efforts are meant as they are written."""

EFFORTS = (Effort(60, 100, 300), Effort(1_500, 2_000, 3_000), Effort(20_000, 20_000, 50_000))
"""On a support of the enumeration at first (30 microseconds), and on what this leaves open."""

FREE_ONE, FREE_SEVERAL = 1_000, 10_000
"""Boxes with a threshold per cell from which on one discrete feature joins the continuous ones, and
several: the second and the third of the efforts."""

MOST_FREED, WIDEST_BOXES, MOST_CHOICES = 3, 4, 200
"""Discrete features that join, dimensions of the boxes then, and choices of as many features."""

UNION_EFFORT = Effort(1, 1, 0)
"""On unions of similar features: a packing of conflicts, nothing more."""


@dataclass(frozen=True)
class Rung:
    """One look at a support.

    Attributes
    ----------
    judge : str
        "guess" (fits, which find and never rule out), "kernels", "boxes" (of directions, by all
        hands), "errors" (the search over errors), "cuts" (branch and cut over errors).
    nodes : int
        How far the search over errors or the branch and cut may go.
    effort : Effort
        How far the kernels may go, and the boxes.
    least_errors, most_errors : float
        The budgets, together, for which the rung is worth its time.
    most_samples : float
        Likewise.
    """

    judge: str
    nodes: int = 0
    effort: Effort = Effort(0, 0, 0)
    least_errors: float = 0
    most_errors: float = math.inf
    most_samples: float = math.inf


GUESS = Rung("guess")
SMALL_BUDGETS = 10
"""Errors up to which the search over errors is fast, feasible or not: a guess saves nothing."""
GUESS_FIRST = Rung("guess", least_errors=SMALL_BUDGETS + 1)
QUICK_KERNELS = Rung("kernels", effort=Effort(500, 1_000, 500))  # some milliseconds
BOXES = Rung("boxes", effort=Effort(0, 0, 2_000_000))  # before cuts, slow with large budgets
BOXES_TO_THE_END = Rung("boxes", effort=Effort(0, 0, 10**15))
MOST_CUT_SAMPLES = 5_000


def _cuts(nodes: int) -> Rung:
    return Rung("cuts", nodes=nodes, most_samples=MOST_CUT_SAMPLES)


def _thorough(more: int) -> tuple[Rung, ...]:
    """Return rungs that leave little open, with so many times the first effort.

    Boxes end sooner or later where features are few; beyond that only the branch and cut is left.
    """
    effort = Effort(20_000 * more, 1_000 * more, 500 * more)
    kernels = Rung("kernels", effort=effort)
    return (GUESS, kernels, BOXES, _cuts(50 * more), BOXES_TO_THE_END, _cuts(500 * more))


QUICK = (GUESS, QUICK_KERNELS)
"""All features at once, when nothing was found."""

THOROUGH = (QUICK, _thorough(10), _thorough(100))
"""The one support that there is, again and again."""

LAST_RESORT = (Rung("errors", nodes=1_000, most_errors=MOST_CONFLICTS), *_thorough(10))
"""A support that the enumeration's efforts left open."""

COVER_LOOK = (GUESS_FIRST, Rung("errors", nodes=300), _cuts(100))
"""The support of a cover that may still be branched on: an easier case may settle it."""

COVER_SURE = (
    GUESS_FIRST,
    Rung("errors", nodes=300),
    _cuts(5_000),
    *QUICK,
    _cuts(50_000),
)
"""The support of a cover with nothing left to branch on."""

# ---------------------------------------------------------------- one hard support by all hands

MOST_DIRECTIONS = 6
"""Features up to which boxes of directions have a chance."""

PARTS = 64
"""Parts that the boxes of a round are dealt out to."""

FIRST_ROUND, ROUND_GROWTH, LONGEST_ROUND = 1_000, 2, 16_000
"""Boxes of each part in the first round, growing from round to round up to those of 0.3 s."""

SHORTEST_ERRAND, LONGEST_ERRAND = 0.2, 1.0
"""Seconds that batches which are sent elsewhere together take there."""

# ---------------------------------------------------------------- the enumeration

AHEAD = 50
"""Batches for each thread drawn ahead of look-closer: one may take a thousand times the next."""

UNION_BATCH = 64
MOST_CLUSTERED = 300
"""Features up to which unions of similar ones are formed."""

FEW_SUPPORTS = 2_000
"""Supports up to which they are judged one by one, not in unions."""

HEURISTIC_SHARE, SLOW_SHARE, SIFTED_SHARE = 5e3, 3e4, 50.0
"""Multiplications of the heuristic per support of a stage: small budgets, large ones, sieved."""

BATCH, SLOW_BATCH = 256, 64
"""Supports judged together: with conflicts in microseconds, without them."""

STAGE_GROWTH, FIRST_STAGE, LAST_GROWTH = 3.0, 50, 2.0
"""Supports of a stage over those of the one before; of the first; and over that of the last."""

# ---------------------------------------------------------------- covers

ROOT_ROUNDS, NODE_ROUNDS = 50, 1
"""Rounds of cuts at the root of the tree, and at other nodes."""

GROWTH_NODES = 3
"""Nodes of the search over errors when a feature asks to join an infeasible set."""

KEPT_SETS = 300
"""Infeasible sets that are handed on."""

FIRST_PAUSE, NODE_SHARE = 512, 1e6
"""Nodes before the heuristic goes on (then four times as many), and its work for each of them."""

# ---------------------------------------------------------------- the last resort

LARGEST_WHOLE = 300
"""Features that may be judged all at once."""

# ---------------------------------------------------------------- supports that merge their samples

MOST_WALKED, MOST_JUDGED = 200_000, 400
"""Supports of the walk, and of those that the sieve leaves."""

MERGED_NODES = (1, 10, 100, 1_000, 5_000)
"""Nodes of each look at them."""

# ---------------------------------------------------------------- walks

COUNT_STEPS = 100_000
"""Of a walk in one batch that is only counted."""

SPARSE_BATCHES, SPARSE = 10, 1_000
"""Batches after which one support in so many steps is too few."""

ROUNDS_AHEAD, UNIONS_AT_ONCE = 2, 256
"""Rounds of affordable and of other unions on their way; nodes judged before any is split."""

FIRST_LOOKS, WORTH = 30, 0.4
"""Looks at unions of a size before its rate of success counts, and the rate below which larger ones
are split unseen."""

HOPELESS, MANY_LOOKS = 0.7, 400
"""Rate of success of the smallest unions below which single supports are faster, and the looks
after which that is believed."""

# ---------------------------------------------------------------- guesses, ties, what is handed on

EMPHASES, GUESS_ROUNDS, GUESS_RIDGE = (1.0, 3.0, 1 / 3, 10.0, 0.1), 40, 1e-3
"""Weights of a positive relative to a negative in the fits of a guess; their steps and penalty."""

MOST_TELLING, TELLING_WORK = 150, 2e7
"""Features in a fit that tells which samples are hard; samples times squared features of it."""

MOST_EQUALS, TIES_WORK, TIES_ROUNDS, TIES_RIDGE = 12, 2e7, 15, 1e-4
"""Supports of equal cost whose slack is looked at; multiplications for one of them, and for the
neighbours; steps and penalty of their fits."""

MOST_SEEDS, MOST_SETS = 50, 500
"""Answers and infeasible sets that searches hand on to later ones."""
