"""The numbers of the heuristics, each with what it is for; none of them changes an optimum.

Work is counted in multiplications, some 1e9 a second, so that runs repeat. Numbers of arithmetic
(tolerances, sizes of buffers) stay beside the code that they guard. How far answers are from
those of other methods is in docs/answers.md.
"""

from __future__ import annotations

from dataclasses import dataclass

from frugalsvm.search.tuning import Effort

PER_SECOND = 1e9
"""Multiplications that are taken for a second."""

# ---------------------------------------------------------------- what work takes

KNOWN = 500
"""A look at the memory of fits."""

LOOK = 5e4
"""A look at all features, beside the product with the table."""

LOOK_EACH = 10
"""A look at the gap, for each sample."""

DENSE_STEP, DENSE = 1e5, 8
"""A call of dense linear algebra; and how many of its multiplications take the time of one."""

PROOF, SLOW_PROOF = 2e4, 1e6
"""Deciding a support: with conflicts, and where the budgets are too large for them."""

MOST_SPARED = 3e8
"""More supports to decide than this takes are not counted."""

# ---------------------------------------------------------------- single fits

FIT_ROUNDS, NEARBY_ROUNDS = 20, 6
"""Steps of a compiled fit from nothing, and from a fit near by."""

FIT_RIDGE = 1e-5

NEARLY, NEARER = -0.5, -0.15
"""Gaps above which an infeasible fit is looked at more closely: by conflicts, by single steps."""

POLISH = Effort(cell_boxes=0, conflict_nodes=12, boxes=0)
"""How far conflicts may go then."""

STEP_LENGTHS = (1.0, 0.5, 0.25, 0.1, 0.05, 0.02, 0.01, 0.005)
"""Of steps along single features, relative to the largest weight."""

MOST_SWEEPS = 12
"""Over all features, by such steps."""

LOOKED_AT = 200
"""Features that a quadratic model judges for a place, steepest first."""

# ---------------------------------------------------------------- the first answers

QUICK_WORK = 1e8
"""Of the first heuristic: about a tenth of a second."""

FITS_ALONE = 2e7
"""Of fits that nothing looks at more closely; what looks closer is compiled only if needed."""

MANY_SAMPLES = 20_000
"""Above, supports are grown on a part of the samples."""

MOST_AT_ONCE = 5e9
"""Of a step of a fit of all features, up to which these are an answer to begin with."""

GROWTH_POWERS = (1.0, 0.0)
"""Of the price that a feature's gain is divided by."""

CANDIDATES = 24
"""Features tried for a place, best gradients first."""

FORWARD_RIDGE = 1e-4
FORWARD_ROUNDS = 3
"""Newton steps from the fit of one feature less."""

WAYS = ((1.0, False), (1.0, True), (0.0, False), (0.0, True))
"""Powers of the price that falls are divided by, and whether the loss is trimmed. A trimmed loss
knows which samples may be wrong; at first it believes that of all that no chosen feature tells."""

# ---------------------------------------------------------------- refilling

TRIED = 6
"""Features fitted for a place."""

REFILL_POWERS = (0.0, 0.5, 1.0)
"""Of the price that the descent is divided by."""

MOST_OUT = 3
"""Features taken out in a move."""

WORSE = 0.02
"""Relative loss by which a move may be worse."""

FORBIDDEN = 0.7
"""Share of the moves in which what was taken out must not come back."""

REFILL_STALE = 60
"""Moves without a lower loss after which half of the features go."""

REFILL_MOVES, REFILL_MOVES_EACH = 600, 20
"""Without a lower cost, at most; likewise, for each feature to choose from."""

# ---------------------------------------------------------------- the improvement


@dataclass(frozen=True)
class Criterion:
    """What an elimination goes by.

    Attributes
    ----------
    by_loss : bool
        By the rise of the loss without a feature, or by its weight.
    ridge : float
        Penalty of the weights.
    power : float
        Of the price that it is divided by.
    """

    by_loss: bool
    ridge: float
    power: float


IMPROVEMENT_SHARE = 0.6
"""Of the time limit, where nothing is known yet; less as bound and cost are closer."""

NO_LIMIT = 60.0
"""Seconds that are taken for the limit where there is none."""

MOST_COUNTED = 300_000
"""Supports below the best cost that are counted: more are too many anyway."""

LARGE_TABLE, MANY_NUMBERS = 50_000, 2_000_000
"""Numbers in the table from which on covers take seconds, and the compiled ways to grow a support
take long."""

LOOKED_AT_WHOLE, PART_SHARE, RAISED = 8_000, 0.2, (1.0, 0.0)
"""Samples of more than which a part is improved first; its share of the work for each of its rates;
and the standard errors by which these are raised."""

MOST_WHOLE = 400
"""Features to begin an elimination with; of more, some are chosen by a kernel's fit."""

CRITERIA = (
    Criterion(by_loss=True, ridge=1e-3, power=1.0),
    Criterion(by_loss=True, ridge=1e-3, power=0.0),
    Criterion(by_loss=False, ridge=1e-2, power=1.0),
    Criterion(by_loss=True, ridge=1e-5, power=1.0),
    Criterion(by_loss=True, ridge=1e-2, power=0.5),
    Criterion(by_loss=False, ridge=1e-3, power=0.0),
)
"""Of eliminations, in their order."""

ELIMINATED_SHARE, SINGLY = 0.1, 40
"""Of the features that goes at a time, and features from which on they go one by one."""

TOO_FEW = 0.5
"""Of the features of the last feasible support: what is left will not do."""

ELIMINATION_FIRST_ROUNDS, ELIMINATION_ROUNDS, UNTRIMMED = 12, 4, 6
"""Newton steps of the first fit and of later ones; and of the first, those that trim nothing."""

EXCHANGES, EXCHANGES_EACH, IN_VAIN = 400, 10, 4
"""Exchanges from one start at most, and for each feature; starts in vain after which it ends."""

EXCHANGE_RIDGE = 1e-4
EXCHANGE_FIRST_ROUNDS, EXCHANGE_ROUNDS = 8, 3
"""Newton steps from nothing, and from a fit near by."""

EXCHANGE_POWERS = (0.0, 0.5, 1.0)
"""Of the price that gains and losses are divided by."""

SHORTEST_HOLD, LONGEST_HOLD = 3, 12
"""Moves for which what went stays out, and what came stays in."""

EXCHANGE_STALE, DRAWN_ANEW = 40, 0.3
"""Moves without a lower loss after which a part is drawn anew; and the share that is."""

# ---------------------------------------------------------------- what can be had at all

ERRORS_TRIED = (0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144)
"""Budgets of one class while the other's is kept."""

ATTAINABLE_RIDGES, ATTAINABLE_ROUNDS = (1e-3, 1e-5, 1e-7), 40
"""Of the fits that try them."""
