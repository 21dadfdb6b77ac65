"""From tables as people keep them to the numbers a classifier needs, and their price list."""
