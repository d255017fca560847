"""Installs what only some tests need before they are collected: Node packages, browsers, a model, Playwright, Ray,
Prometheus.

A pytest plugin. The markers of the tests say what they need (`tests/layers.py`). `make` does the set-up, and nothing
twice: a step that was done costs a few milliseconds. Without a display, Firefox, WebKit, the model, Playwright, Ray
or Prometheus, which some machines can't have, their tests are skipped; a step that fails ends the run.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.layers import PROJECT, steps_for


def pytest_configure(config: pytest.Config) -> None:
    stamps = Path(sys.prefix) / ".stamps"
    if hasattr(config, "workerinput") or not (stamps / "package").exists() or shutil.which("make") is None:
        return  # another process does it, or this environment is none of the Makefile's
    if config.option.collectonly:
        return  # no test runs
    selected = [(config.invocation_params.dir / each.partition("::")[0]).resolve() for each in config.args]
    targets = [str(stamps / step) for step in steps_for(selected, config.getoption("--layer"))]
    if targets:
        command = ["make", "--silent", "--no-print-directory", f"VENV={sys.prefix}", *targets]
        if subprocess.run(command, cwd=PROJECT, stdin=subprocess.DEVNULL).returncode:
            raise pytest.UsageError(f"the set-up of the selected tests failed: {' '.join(command)}")
