"""Tests of what was done: each step with the change report that its line is expected to be answered with."""
