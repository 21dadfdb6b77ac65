"""Bugs put in on purpose: the fuzzer must notice every one of them."""
