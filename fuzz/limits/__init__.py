"""How well time limits and Ctrl-C are kept: every regime in a process of its own."""
