"""What long work needs whatever it is: limits, threads, compiled kernels, progress, files."""
