"""Slow, simple and independent answers: nothing in here imports frugalsvm."""
