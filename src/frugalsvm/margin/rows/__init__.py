"""The problem as the solver sees it: weighted rows, made from the samples."""
