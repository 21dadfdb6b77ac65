"""What may say that a set of features is infeasible, always through the door."""
