"""A trained classifier as plain data, and its file."""
