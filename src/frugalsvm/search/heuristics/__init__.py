"""What may only offer answers."""
