"""A differential fuzzer for frugalsvm that shares no code with it: see docs/fuzzing.md."""
