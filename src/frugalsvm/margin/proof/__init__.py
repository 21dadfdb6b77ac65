"""Bounds, optimality, infeasibility: what is ruled out is ruled out here, by a counted rule."""
