"""Cheapest features for an SVM with guaranteed rates."""
