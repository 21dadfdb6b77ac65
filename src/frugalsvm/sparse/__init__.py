"""Sparse SVMs by convex relaxation: the methods of Chan et al. and of Ghaddar and Naoum-Sawaya."""

from __future__ import annotations

from frugalsvm.sparse.estimator import SparseSVC

__all__ = ["SparseSVC"]
