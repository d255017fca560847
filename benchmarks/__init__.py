"""Measurements of speed, size and quality: `python -m benchmarks.NAME`. Each module says what it measures."""
