"""From a problem to an answer: who solves it, and what is said if there is none."""
