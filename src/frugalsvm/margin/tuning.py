"""Every number of the trainer that could be another one, and what it is for.

Numbers that follow from mathematics (halves, twos) stand where they are used. None of those below
changes what an optimum is: the first group says what rounding may do, the others cost or save time.
"""

from __future__ import annotations

# Rounding: what double precision leaves of a number --------------------------------------------

PRECISION = 1e-9
"""Largest violation of the optimality conditions at an optimum, in units of the margin."""

ROUNDING = 2e-16
"""Rounding error of e for each unit of the multipliers' pull, in units of a row's length."""

COARSE = 1e-10
"""Rounding error of e above which it is summed up in twice the precision."""

SMALLEST_SQUARE = 1e-100
"""The largest K_ii is taken to be at least this: no division by zero where all rows are zero."""

LOOSE = 1e-6
"""A violation that is accepted when an ill-conditioned kernel does not allow less."""

HOPELESS = 0.3
"""Rounding errors of the margins beyond which nothing can be told from them."""

REACHED = 1e-9
"""Relative excess over the cutoff that a move goes for, so that recomputing does not fall short."""

STEEP = 1e-4
"""Relative curvature from which the inverse alone is precise enough."""

FLAT_CURVATURE, FLAT_STEP = 1e-14, 1e-11
"""Relative curvature, and relative length of a linear kernel's step, that count as none."""

EQUAL = 1e-9
"""How far the e_i of free rows may differ when they are gathered from a warm start."""

LEAST_STIFFNESS = 1e-18
"""Smallest entry of the inverse that a stiffness is computed from."""

NO_RATE = 1e-14
"""Rate at which a free row follows a move that is none: it never blocks."""

NO_PART_OF_A_RAY = 1e-11
"""Multipliers of a ray, and parts of its reach, that are rounding errors."""

BALANCED = 1e-15
"""Sum of the multipliers, relative to their sizes, that counts as zero."""

NEARLY, NEARLY_SQUARE = 1e-10, 1e-13
"""Length of a ray's s, its square for other kernels than the linear one, that may be rounding
errors, relative to what its parts add up to."""

LEAST_GAIN = 1e-5
"""Smallest gain of a ray, for each unit of its multipliers times their rows' targets.

Margins are counted with a tolerance of 1e-6: a smaller gain would rule out classifiers that the
rest of the library accepts."""

UNITS = 2.0**-50
"""Relative change of the data that counts as rounding in a proof: four units in the last place."""

CORRECTIONS = 3
"""Newton steps that a ray takes to its last digits."""

MOST_FRACTIONS = 40
"""Ints of a kernel's ray up to which it is checked in exact arithmetic."""

DENOMINATOR = 10**6
"""Largest denominator of the fractions that a kernel's ray is rounded to."""

OUTSIDE_ITS_BOX = 1.0 + 1e-9
"""Multipliers above this times their box are outside of it: rounding errors are not."""

NO_SLACK = 1e-7
"""Slacks up to this are rounding errors; the proof makes no such row hard."""

COUNTED = 1e-6
"""A sample is counted correct if its margin, computed from the data, is at least 1 minus this."""

MOST_ROUNDING = 5e-2
"""The same for rows where large multipliers leave rounding errors; `repair.py` repairs those."""

MEANT = 0.5
"""The same for rows inside their box, which are at their target but for rounding errors."""

NOISE_FACTOR = 10.0
"""Rounding errors of the margins, times this, are granted to rows that are to hold."""

SAME_INTERCEPT = 1e-9
"""Optimal intercepts that differ by no more are one."""

LOWEST = 0.99
"""Margin of a sample that is to be counted, from which on a factor may repair it."""

WORTH_A_REPAIR = 1e-7
"""Rounding errors of the margins from which on they are worth a repair."""

SAME_SCORES = 1e-9
"""Share of its scores by which weights and their expansion may differ."""

VAGUE = 5e-7
"""Rounding errors, as a share of the objective, with which it does not survive verification."""

SAME_OBJECTIVE = 1e-9
"""Relative difference of objectives that recomputing them may make."""

RIGHT = 1e-9
"""Slack up to which a sample of a placed direction is right."""

INDEFINITE = 1e-8
"""Eigenvalues below minus this times the largest diagonal entry are no rounding errors."""

FLAT_SPREAD = 1e-14
"""Spread of the samples in a direction that is rounding errors, relative to the largest."""

WITNESS_MARGIN = 1e-5
"""How far below a proven bound, as a share of it, the objective of a known answer is a surprise."""

# The solver ------------------------------------------------------------------------------------

MOST_REPAIRS = 6
"""Attempts to make the free rows agree before the solver gives up."""

REFRESH = 64
"""Changes of the free set after which its inverse is computed afresh, plus twice its size."""

FLIP_SHARE = 0.5
"""Ints go to their box's other end together if they violate by this share of the largest."""

MOST_PATIENCE = 16
"""Single moves, at the most, between attempts at joint ones."""

MOST_PULLED_BACK = 6
"""Multipliers outside their new boxes that are pulled back one by one."""

MOST_PIVOTS, MOST_PIVOTS_PER_ROW = 2000, 20
"""Most pivots of one solution, and how many more for each row."""

# The heuristic ---------------------------------------------------------------------------------

STARTS = (1.0, 64.0, 8.0, 512.0)
"""First factors on C for the rows that are to be right; each start finds other wrong rows."""

FIRST_STARTS = 2
"""Starts of the quick search, and of the long one before a short proof is tried."""

STEPS = 6
"""How often the factor is raised before these rows become hard."""

RAISE = 4.0
"""Factor by which rows that are to be right become dearer in each step."""

TRIES, QUICK_TRIES = 100, 30
"""Exchanges that are tried from one classifier; nearly all that pay are among the first 30."""

REFILLS = 20
"""Ints of unequal weights that are let go first, the others filled up around them."""

WORTH_A_ROUND = 1e-7
"""Relative improvement of the objective that is worth another round."""

LEAST_RESISTANCE = 1e-12
"""Smallest resistance that a row is taken to meet."""

MOST_EXCHANGED = 500
"""Ints that had better be wrong, and wrong rows, of which all pairs are looked at."""

KICK_SIZES = (2, 6)
"""Ints that a restart exchanges at random: at least, and less than."""

DISTURBANCE = 0.7
"""Spread of the logarithms of the weights with which a disturbed start begins."""

SEARCH_SLICE = 200_000
"""Work of the heuristic between looks at the clock."""

SEARCH_POOL = (256, 8192)
"""Room for conflicts, and for their rows, of one local search."""

# The proof -------------------------------------------------------------------------------------

PROOF_SLICE = 100_000
"""Work of the proof between looks at the clock; more where a single node takes longer."""

PROOF_POOL = (256, 4096)
"""First room for conflicts, and for their rows; doubled where it is full."""

PROOF_STACK = (32, 16)
"""First room for open nodes, and for levels; doubled where it is full."""

REPACKS = 3
"""Packings at a node, each after rows that no limit can afford were made hard."""

FIRST_TURN = 10_000_000
"""Work on the proof of optimality before weaker bounds are tried: about ten seconds."""

FIRST_SHARE = 0.4
"""Share of the time limit after which they are tried at the latest."""

RUNG_SHARE = 0.4
"""Work on a weaker bound, as a share of the work on the proof of optimality between."""

TURN_GROWTH = 1.5
"""How many times longer each turn of the proof of optimality is than the one before."""

GAPS = (0.6, 0.45, 0.33, 0.25, 0.19, 0.14, 0.1, 0.07, 0.05, 0.035, 0.025, 0.015, 0.01, 0.005, 0.002)
"""Gaps that the weaker bounds leave, one after the other."""


FEASIBILITY_C = 1.0
"""C of the question whether anything keeps the limits: it decides which classifier is found."""

# Shares of the time limit, and what is done where data are many --------------------------------

SOFT_SHARE = 0.3
"""Most of the time limit that the soft SVM of many samples takes."""

HEURISTIC_SHARE = 0.3
"""Most of the time limit that the heuristic takes."""

EARLY_SHARE = 1.0
"""Work on an early proof, as a multiple of the heuristic's first part."""

PROOF_TOLERANCE = 0.5
"""Share of the tolerance for the proof: recomputing the objective may take a little of it."""

MANY_ROWS, SAMPLE_SIZE, SAMPLE_SHARE = 2000, 1000, 0.1
"""Ints from which on a sample is trained first, its size, and its share of the time limit."""

SAMPLE_TOLERANCE, ATTAINABLE_TOLERANCE = 1e-2, 1e-4
"""Gaps at which the training of a sample, and of what is attainable, is done."""

MERGED_SHARE = 0.9
"""Share of distinct places of a large kernel matrix above which merging is not worth a copy."""

LARGE_MATRIX, ENTRIES = 1000, 2**22
"""Samples of a large kernel matrix, and entries of it between two looks at the clock."""

COLUMNS, PRODUCTS = 256, 2.0e9
"""Columns of a factor that are found together, and products between two looks at the clock."""

MOST_PRODUCTS = 2e10
"""Products that a decorrelation of the features, or a Newton step on many samples, may take."""

# Classifiers from directions, and their repair -------------------------------------------------

DISCRIMINANTS = 5
"""Discriminants, each of the samples that the one before has not given up."""

RIDGE, LEAST_RIDGE = 1e-6, 1e-300
"""Share of its mean diagonal that is added to a scatter matrix, and the least such diagonal."""

ATTEMPTS = 3
"""Directions that are tried when there is no time left."""

MOST_FEATURES = 500
"""Features up to which a discriminant is computed from their scatter matrix."""

ENOUGH_SAMPLES = 50_000
"""Samples by which discriminants in the given features are found; all of them judge the directions.

1,000,000 x 20: 0.2 s instead of 1.1 s."""

MOST_CENTERS = 200
"""Samples whose kernels a direction is made of."""

EXPANDED = 20
"""Samples, for each feature, that any weights are expanded in."""

NEAR = 0.5
"""Margins this close to their target may be meant to have it."""

MISSED = 1e-10
"""What a margin may lack without being moved."""

MOST_HELD = 4
"""Ints at their margins, for each weight, that still determine them."""

MOVES = 6
"""Moves of a repair, at the most; each may bring further rows below their margins."""

MOST_REPAIRED = 400
"""Ints of a kernel matrix up to which its classifiers are moved."""

SMALL_SHARE = 1e-8
"""Share of the largest score that a weight may move which has none of its own."""

RANK = 1e-13
"""Eigenvalues of a kernel matrix that are rounding errors, relative to the largest."""

# The soft SVM of many samples ------------------------------------------------------------------

FIRST_WIDTH, LEAST_WIDTH, NARROWER = 2.0, 5e-3, 4.0
"""Width of the smoothed hinge's parabola, to begin with and at the end, and by what it shrinks."""

SMOOTH_STEPS, SMOOTH_HALVINGS = 20, 12
"""Newton steps for one width at the most, and halvings of one that does not lower the objective."""

SMOOTH_SETTLED = 1e-6
"""Relative fall of the objective below which a width is done with."""

SMOOTH_DIAGONAL = 1e-9
"""Added to the intercept's place in Newton's matrix, so that it is never singular."""

BLOCK_NUMBERS = 4_000_000
"""Numbers that are multiplied at a time."""

SUM_ROUNDING = 1e-9
"""Relative rounding errors of sums over the samples: far above what pairwise sums make."""
