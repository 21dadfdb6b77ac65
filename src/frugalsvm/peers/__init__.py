"""peers"""
from frugalsvm.peers.holdout import HoldOutSVC
from frugalsvm.peers.budget import BudgetSVC
from frugalsvm.peers.kernel_penalized import KernelPenalizedSVC
__all__ = ["HoldOutSVC","KernelPenalizedSVC","BudgetSVC"]
