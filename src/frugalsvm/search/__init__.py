"""The exact search for the selection problem."""
