"""Random problems, nasty ones: every generator is a function of a seed."""
