"""What is said where an extra is not installed."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from oryn.errors import DaemonFailed, NotSupported
from oryn.system.optional_dependencies import require_extra


def test_the_package_and_the_extra_are_named() -> None:
    with pytest.raises(NotSupported) as caught, require_extra("mcp", "'oryn mcp'"):
        importlib.import_module("no_such_package")
    assert caught.value.message == "'oryn mcp' needs no_such_package, which is not installed"
    assert caught.value.hint == "Install it: pip install 'oryn-browser[mcp]'."


def test_the_error_may_be_another() -> None:
    with pytest.raises(DaemonFailed), require_extra("daemon", "the daemon", DaemonFailed):
        importlib.import_module("no_such_package")


def test_a_module_of_ours_that_is_missing_is_a_bug() -> None:
    with pytest.raises(ModuleNotFoundError), require_extra("mcp", "'oryn mcp'"):
        importlib.import_module("oryn.no_such_module")


def test_a_daemon_with_records_names_the_extra(tmp_path: Path) -> None:
    """Also a command that only reads the history."""
    program = "import sys; sys.modules['sqlalchemy'] = None\nfrom oryn.cli.main import main\nmain(['daemon', 'trace'])"
    environment = {**os.environ, "ORYN_HOME": str(tmp_path), "ORYN_RECORDS": f"sqlite:///{tmp_path}/records.sqlite"}
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=environment, cwd=tmp_path, timeout=60
    )
    assert ended.returncode == 2, ended
    assert "the setting records needs sqlalchemy, which is not installed" in ended.stderr
