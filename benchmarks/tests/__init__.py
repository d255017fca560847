"""Benchmarks of tests made from change reports."""
