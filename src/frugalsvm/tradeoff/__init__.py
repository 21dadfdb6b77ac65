"""Trade-offs between cost, sensitivity and specificity: the cheapest panels for many targets."""

from __future__ import annotations

from frugalsvm.data.rates import RateCounts
from frugalsvm.tradeoff.compute import frontier
from frugalsvm.tradeoff.points import Frontier, FrontierPoint, FrontierProgress

__all__ = ["Frontier", "FrontierPoint", "FrontierProgress", "RateCounts", "frontier"]
