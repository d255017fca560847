"""Installs what only some tests need before they are collected: Node packages, browsers, a model, Playwright, Ray.

A pytest plugin. `make` does the set-up, and nothing twice: a step that was done costs a few milliseconds. Without a
display, Firefox, WebKit, the model, Playwright or Ray, which some machines can't have, their tests are skipped; a step
that fails ends the run.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[1]

PREREQUISITES = {
    "node": (
        "tests/clients",
        "tests/demo/test_plugins.py",
        "tests/editors",
        "tests/extension",
        "tests/hub",
        "tests/mcp/conformance",
        "tests/pyodide",
        "tests/test_packaging.py",
        "tests/test_release.py",
    ),
    "display": ("tests/daemon",),
    "firefox": (
        "tests/demo/test_plugins.py",
        "tests/extension/conformance",
        "tests/extension/firefox",
        "tests/hub",
        "tests/playwright",
    ),
    "webkit": ("tests/embedded",),
    "model": ("tests/models",),
    "playwright": ("tests/playwright",),
    "ray": ("tests/research/distributed",),
}
"""The steps of the set-up (`setup/*.sh`), and the tests that need them."""


def steps_for(selected: list[Path]) -> list[str]:
    """The steps that tests in these files and folders need, in the order of the table."""
    return [
        step
        for step, places in PREREQUISITES.items()
        if any(each.is_relative_to(PROJECT / place) or (PROJECT / place).is_relative_to(each)
               for place in places for each in selected)
    ]  # fmt: skip


def pytest_configure(config: pytest.Config) -> None:
    stamps = Path(sys.prefix) / ".stamps"
    if hasattr(config, "workerinput") or not (stamps / "package").exists() or shutil.which("make") is None:
        return  # another process does it, or this environment is none of the Makefile's
    if config.option.collectonly:
        return  # no test runs
    selected = [(config.invocation_params.dir / each.partition("::")[0]).resolve() for each in config.args]
    targets = [str(stamps / step) for step in steps_for(selected)]
    if targets:
        command = ["make", "--silent", "--no-print-directory", f"VENV={sys.prefix}", *targets]
        if subprocess.run(command, cwd=PROJECT, stdin=subprocess.DEVNULL).returncode:
            raise pytest.UsageError(f"the set-up of the selected tests failed: {' '.join(command)}")
