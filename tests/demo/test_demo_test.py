"""`make demo-test`: a test is recorded in the shop, learnt and run, and finds the step that each break breaks."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = [pytest.mark.browser, pytest.mark.processes]


@pytest.mark.slow
def test_the_demo_finds_the_step_that_each_break_breaks() -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "scripts.demo_test"], capture_output=True, text=True, timeout=600, check=False
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "ok   buy.oryntest  13 steps" in ended.stdout
    assert "the password is refused: step 4: login" in ended.stdout
    assert "the cart loses what is put into it: step 9:" in ended.stdout
    assert "the order fails: step 13:" in ended.stdout
    assert "lovelace" not in ended.stdout
