"""From what a user passes in to plain data: checked, scaled, priced."""
