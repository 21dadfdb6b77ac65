"""Which sets are shown to the oracles. A walk decides nothing."""
