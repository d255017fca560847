"""A fleet of real parts under kills: three minutes here, thirty in `make soak`."""

from __future__ import annotations

import sys

import pytest

from scripts.fleet.fleet import DAEMONS
from scripts.fleet.soak import soak
from tests.soak import repeated, repetitions

pytestmark = [pytest.mark.grid, pytest.mark.postgresql, pytest.mark.haproxy, repeated]

MINUTES = repetitions(3, 30)


@pytest.mark.timeout(MINUTES * 60 + 600)
def test_sessions_outlive_the_parts_of_a_fleet() -> None:
    report = soak(sessions=24, minutes=MINUTES, daemons=DAEMONS)
    sys.stdout.write(f"{report.summary()}\n")
    assert len(report.occurrences) >= 4
    assert report.broken_promises == []
