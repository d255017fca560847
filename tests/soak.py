"""How often a test repeats what fails only once in many times: rarely in `make test`, often in `make soak`."""

from __future__ import annotations

import os

import pytest

SOAK = os.environ.get("ORYN_SOAK") == "1"
"""Whether `make soak` runs."""

repeated = pytest.mark.soak
"""Marks a test that repeats something: `make soak` runs these alone."""


def repetitions(usual: int, soak: int) -> int:
    """The number of times to repeat: `usual` in `make test`, `soak` in `make soak`."""
    return soak if SOAK else usual
