"""Which samples a support gives up: the exact answer for one support."""
