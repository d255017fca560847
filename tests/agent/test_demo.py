"""`make demo-agent`: the shop's task is done, by a model that sees what any model does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.slow
@pytest.mark.browser
def test_a_fern_is_bought(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "scripts.demo_agent", str(tmp_path)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert (ended.returncode, ended.stderr) == (0, ""), ended.stdout
    assert "Done: Order 1001 comes on Saturday, wrapped as a gift." in ended.stdout
    assert "System Error" not in ended.stdout
    rows = [json.loads(line) for line in (tmp_path / "demo-agent.jsonl").read_text("utf-8").splitlines()]
    assert "finished" in json.dumps(rows[-1])
    assert (tmp_path / "demo-agent.html").is_file()
