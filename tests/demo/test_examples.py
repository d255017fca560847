"""Every script of `examples/` runs against the shop to its end."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from oryn.demo.server import Shop, with_address_of

EXAMPLES = sorted(Path(__file__).parents[2].joinpath("examples").glob("*.oil"))


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.stem)
def test_an_example_runs_to_its_end(example: Path, tmp_path: Path) -> None:
    with Shop(0) as shop:
        ended = subprocess.run(
            [sys.executable, "-m", "oryn", "run", "-"],
            input=with_address_of(example.read_text("utf-8"), shop), env={**os.environ, "ORYN_HOME": str(tmp_path)},
            capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
    assert (ended.returncode, ended.stderr) == (0, ""), ended.stdout


def test_there_are_examples() -> None:
    assert {example.stem for example in EXAMPLES} >= {"shop", "reading", "tabs"}
