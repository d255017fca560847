"""What is pure passes its tests in WebAssembly too: the browser extension runs it there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.soak import SOAK, repeated

HERE = Path(__file__).parent
PROJECT = HERE.parent.parent
PURE = (
    "tests/language",
    "tests/engine",
    "tests/agent/protocol",
    "tests/tools/test_calls.py",
    "tests/remote/test_messages.py",
    "tests/remote/test_pairing.py",
)
SAMPLE = () if SOAK else ("-p", "sampling")


@repeated
@pytest.mark.pyodide
@pytest.mark.timeout(1800)
@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node; 'make test' installs it")
@pytest.mark.skipif(not (HERE / "node_modules" / "pyodide").is_dir(), reason="needs Pyodide; 'make test' installs it")
def test_the_pure_tests_pass_on_pyodide() -> None:
    command = ["node", str(HERE / "run.mjs"), str(PROJECT), "-q", "-p", "no:cacheprovider", *SAMPLE, *PURE]
    environment = {**os.environ, "NODE_NO_WARNINGS": "1"}
    ended = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=1500, check=False)
    report = (ended.stdout + ended.stderr)[-8000:]
    assert ended.returncode == 0, report
    passed = re.search(r"^(\d+) passed", ended.stdout, re.MULTILINE)
    assert passed, report
    assert int(passed[1]) > 100, report
