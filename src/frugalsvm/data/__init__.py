"""Plain data that all else is about: rates, prices, problems, results, and their check."""
