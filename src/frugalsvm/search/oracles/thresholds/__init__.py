"""Boxes of directions with a threshold of its own for each cell of coinciding samples."""
