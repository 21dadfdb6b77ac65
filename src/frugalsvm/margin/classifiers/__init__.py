"""Classifiers: read off the solver, recomputed from the samples, repaired, or from a direction."""
