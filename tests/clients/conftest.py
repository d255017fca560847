"""Engines for client libraries: the real one as a program, and one that does what it is told."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.headless.conftest import Pages

pytestmark = pytest.mark.node

HERE = Path(__file__).parent
SOURCE = HERE.parent.parent / "src"
PROTOCOL: dict[str, Any] = json.loads((HERE / "protocol.json").read_text("utf-8"))

_ENGINE = """#!{python}
import os, sys
sys.path.insert(0, {source!r})
with open({log!r}, "a") as log:
    log.write(f"{{os.getpid()}}\\n")
if "--loud" in sys.argv:
    sys.argv.remove("--loud")
    sys.stderr.write("loud\\n")
from oryn.cli.main import headless
headless()
"""


class Program:
    """The engine of this checkout as `oryn-h`. `--loud` is an argument that only this one has: it complains."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "oryn-h"
        self._log = folder / "processes"
        text = _ENGINE.format(python=sys.executable, source=str(SOURCE), log=str(self._log))
        self.path.write_text(text)
        self.path.chmod(0o755)

    @property
    def processes(self) -> list[int]:
        """The numbers of those that were started, in order."""
        return [int(line) for line in self._log.read_text().splitlines()] if self._log.exists() else []


@pytest.fixture
def program(tmp_path: Path, home: Path) -> Program:
    folder = tmp_path / "bin"
    folder.mkdir()
    return Program(folder)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Everything of the user's lies there. Commands may take as long as a browser takes to start on a busy machine."""
    folder = tmp_path / "oryn"
    monkeypatch.setenv("ORYN_TIMEOUT", "120s")
    monkeypatch.setenv("ORYN_HOME", str(folder))
    return folder


@pytest.fixture
def fake_engine(monkeypatch: pytest.MonkeyPatch) -> Any:
    """`fake_engine([{"say": …}, …])` is the path of a program that does that."""

    def write_steps(steps: list[dict[str, Any]]) -> Path:
        monkeypatch.setenv("ORYN_FAKE_ENGINE", json.dumps(steps))
        return HERE / "fake_engine.py"

    return write_steps


@pytest.fixture(scope="session")
def site() -> Iterator[Pages]:
    with Pages() as served:
        yield served
