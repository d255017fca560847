"""Real servers of an installation past one machine, for tests, the demo and benchmarks."""
