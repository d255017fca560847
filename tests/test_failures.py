"""A run that is stopped from outside has said what failed."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.test_time_limits import PROJECT, PYTEST

STOPPED = """
import os

def test_wrong():
    assert 1 + 1 == 3

def test_the_end():
    os._exit(9)
"""


@pytest.mark.processes
@pytest.mark.parametrize(
    "workers",
    [(), pytest.param(("--numprocesses", "1", "--max-worker-restart", "0"), marks=pytest.mark.slow)],
    ids=["alone", "worker"],
)
def test_a_failure_is_named_at_once(tmp_path: Path, workers: tuple[str, ...]) -> None:
    file = tmp_path / "test_stopped.py"
    file.write_text(STOPPED)
    command = [*PYTEST, *workers, str(file)]
    ended = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True)
    before = ended.stdout.partition("FAILURES")[0]
    assert "failed at call:" in before and "test_stopped.py::test_wrong\n" in before and "assert (1 + 1) == 3" in before
