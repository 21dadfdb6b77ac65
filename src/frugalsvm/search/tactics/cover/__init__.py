"""Feature covers: every proven infeasible set asks for a feature outside of it."""
