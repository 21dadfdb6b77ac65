"""Questions put to the library, and its answers compared with the references."""
