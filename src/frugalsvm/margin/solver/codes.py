"""How work ended, and what it starts with: the words between compiled functions."""

from __future__ import annotations

OPTIMAL, CUTOFF, UNBOUNDED, STALLED, PAUSED, BELOW = 0, 1, 2, 3, 4, 5
"""How a move or a solution ended."""

READY, SETTLE, BALANCE, EVALUATE = 0, 1, 2, 3
"""What a solution starts with: nothing, multipliers near their new boxes, any multipliers;
EVALUATE: no solution, the value of the present multipliers."""
