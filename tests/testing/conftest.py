"""Runs of tests against the demo shop."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from oryn.demo.server import Shop
from oryn.hosts.session_factory import sessions_of
from oryn.settings import load
from oryn.system import paths
from oryn.testing.test_file import parse_test
from oryn.testing.test_run import RunOptions, TestOutcome, run_tests
from tests.cli.shell import Shell
from tests.conftest import Run

RunText = Callable[..., TestOutcome]


@pytest.fixture
def shop() -> Iterator[Shop]:
    with Shop(0) as shop:
        yield shop


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[Shell]:
    (tmp_path / "site").mkdir()
    shell = Shell(tmp_path / "home", tmp_path / "site")
    yield shell
    shell("daemon", "stop")


@pytest.fixture
def run_text(run: Run[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunText:
    """Runs the text of a test, in a session of its own. `flags` are settings of its host."""
    monkeypatch.setenv("ORYN_HOME", str(tmp_path / "home"))

    def run_text(text: str, flags: Mapping[str, Any] = {}, **options: Any) -> TestOutcome:
        file = tmp_path / "a.oryntest"
        file.write_text(text, encoding="utf-8")

        async def go() -> TestOutcome:
            sessions = sessions_of(load(dict(flags), paths.find()))
            try:
                chosen = RunOptions(**{"patience": 2.0, **options})
                return (await run_tests(sessions, [(file, parse_test(text))], chosen))[0]
            finally:
                await sessions.close()

        return run(go())

    return run_text
