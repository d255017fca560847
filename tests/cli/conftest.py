from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from oryn.demo.server import Shop
from tests.cli.shell import Shell

pytestmark = pytest.mark.processes


@pytest.fixture(scope="module")
def shop() -> Iterator[Shop]:
    with Shop(0) as served:
        yield served


@pytest.fixture(scope="module")
def shared_shell(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shell]:
    folder = tmp_path_factory.mktemp("shell")
    shell = Shell(folder / "home", folder)
    yield shell
    shell.close()


@pytest.fixture
def shell(shared_shell: Shell) -> Shell:
    """The shell that a module's tests share, and its daemon."""
    return shared_shell


@pytest.fixture
def new_shell(tmp_path: Path) -> Iterator[Shell]:
    """A shell of the test's own, where no daemon runs yet."""
    shell = Shell(tmp_path / "home", tmp_path)
    yield shell
    shell.close()
