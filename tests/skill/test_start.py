"""What `oryn skill --install` writes starts the server, and it is that of the `oryn` which was called; what would not
start is not written."""

from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from oryn import __version__
from oryn.errors import NotSupported
from oryn.skill.mcp_servers import ServerFailure, check_server
from tests.environments import BASE, with_wheel

pytestmark = pytest.mark.processes

MCP = (*BASE, "mcp")


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the programs of an environment with the extra `mcp`."""
    return with_wheel(tmp_path_factory.mktemp("mcp"), MCP)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same without it."""
    return with_wheel(tmp_path_factory.mktemp("base"))


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """A user's, with another program of the same name in PATH."""
    other = tmp_path / "other" / "oryn"
    other.parent.mkdir()
    other.write_text("#!/bin/sh\nexit 1\n")
    other.chmod(0o700)
    (tmp_path / "home").mkdir()
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ORYN_", "PYTHON"))}
    return {
        **kept,
        "HOME": str(tmp_path / "home"),
        "ORYN_HOME": str(tmp_path / "oryn"),
        "PATH": f"{other.parent}{os.pathsep}{kept['PATH']}",
        "XDG_CONFIG_HOME": "",
    }


def run(environment: dict[str, str], *words: object) -> subprocess.CompletedProcess[str]:
    command = [str(word) for word in words]
    return subprocess.run(
        command, env=environment, cwd=environment["HOME"], capture_output=True, text=True, timeout=120, check=False
    )


def written(environment: dict[str, str]) -> dict[str, Any]:
    """The entry for Cursor."""
    entry: dict[str, object] = json.loads(Path(environment["HOME"], ".cursor", "mcp.json").read_text())["mcpServers"][
        "oryn"
    ]
    return entry


async def greeted(environment: dict[str, str]) -> tuple[str, str | None]:
    """Start what was written as an assistant does, which hands on little of its environment; who answers."""
    entry = written(environment)
    few = {name: environment[name] for name in ("HOME", "PATH", "ORYN_HOME")}
    async with Client(StdioServerParameters(command=entry["command"], args=entry["args"], env=few)) as assistant:
        return assistant.server_info.name, assistant.server_info.version


@pytest.mark.slow
async def test_it_names_the_program_that_was_called_and_starts(installed: Path, environment: dict[str, str]) -> None:
    ended = run(environment, installed / "oryn", "skill", "--for", "cursor", "--install")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert written(environment) == {"command": str(installed / "oryn"), "args": ["mcp"]}
    assert await greeted(environment) == ("oryn", __version__)


@pytest.mark.slow
async def test_a_link_to_the_program_is_the_program(
    installed: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    """As pipx has it, which may move what the link leads to."""
    link = tmp_path / "links" / "oryn"
    link.parent.mkdir()
    link.symlink_to(installed / "oryn")
    path = f"{link.parent}{os.pathsep}{environment['PATH']}"
    ended = run(environment | {"PATH": path}, "oryn", "skill", "--for", "cursor", "--install")
    assert ended.returncode == 0, ended.stderr
    assert written(environment) == {"command": str(link), "args": ["mcp"]}
    assert await greeted(environment) == ("oryn", __version__)


@pytest.mark.slow
async def test_a_module_that_was_called_is_written_as_one(installed: Path, environment: dict[str, str]) -> None:
    ended = run(environment, installed / "python", "-m", "oryn", "skill", "--for", "cursor", "--install")
    assert ended.returncode == 0, ended.stderr
    assert written(environment) == {"command": str(installed / "python"), "args": ["-m", "oryn", "mcp"]}
    assert await greeted(environment) == ("oryn", __version__)


@pytest.mark.slow
@pytest.mark.parametrize("scope", [[], ["--project"]])
def test_without_the_extra_nothing_is_written_and_the_remedy_is_told(
    base: Path, environment: dict[str, str], scope: list[str]
) -> None:
    environment["PATH"] = f"{base}{os.pathsep}{environment['PATH']}"
    ended = run(environment, base / "oryn", "skill", "--for", "cursor", *scope, "--install")
    assert (ended.returncode, ended.stdout) == (NotSupported.exit_code, "")
    assert "nothing was written, because the server would not start" in ended.stderr
    assert "'oryn mcp' needs mcp, which is not installed" in ended.stderr
    assert ended.stderr.endswith("# hint\nInstall it: pip install 'oryn-browser[mcp]'.\n")
    assert not Path(environment["HOME"], ".cursor").exists()


@pytest.mark.slow
def test_a_project_needs_the_program_in_path(installed: Path, environment: dict[str, str]) -> None:
    command = [installed / "oryn", "skill", "--for", "cursor", "--project", "--install"]
    ended = run(environment, *command)  # the other one of that name
    assert ended.returncode == NotSupported.exit_code
    assert "oryn: it ended with exit code 1, and printed nothing" in ended.stderr
    environment["PATH"] = f"{installed}{os.pathsep}{environment['PATH']}"
    assert run(environment, *command).returncode == 0
    assert written(environment) == {"command": "oryn", "args": ["mcp"]}


@pytest.mark.slow
def test_one_that_is_written_already_is_tried_as_well(base: Path, installed: Path, environment: dict[str, str]) -> None:
    file = Path(environment["HOME"], ".cursor", "mcp.json")
    file.parent.mkdir()
    file.write_text(json.dumps({"mcpServers": {"oryn": {"command": str(base / "oryn"), "args": ["mcp"]}}}))
    ended = run(environment, base / "oryn", "skill", "--for", "cursor", "--install")
    assert (ended.returncode, "pip install" in ended.stderr) == (NotSupported.exit_code, True)
    ended = run(environment, installed / "oryn", "skill", "--for", "cursor", "--install", "--replace")
    assert ended.returncode == 0
    assert written(environment)["command"] == str(installed / "oryn")


# --- a trial ---


def shell(script: str) -> list[str]:
    return ["sh", "-c", script]


ANSWER = json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"serverInfo": {"name": "x", "version": "1"}}})


def test_a_server_that_answers() -> None:
    assert check_server(shell(f"read a; echo garbage; echo '[]'; echo '{ANSWER}'; cat > /dev/null")) is None


def test_one_that_complains_at_length_answers_all_the_same() -> None:
    script = f"import sys; sys.stderr.write('x' * 1_000_000); sys.stdin.readline(); print('{ANSWER}')"
    assert check_server([sys.executable, "-c", script]) is None


def test_what_its_entry_sets_is_set_and_nothing_of_this_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ONLY_HERE", "1")
    script = f'read a; [ -z "$ONLY_HERE" ] && [ "$KEY" = k ] && echo \'{ANSWER}\''
    assert check_server(shell(script), {"KEY": "k"}) is None


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["/nowhere/oryn", "mcp"], "/nowhere/oryn can't be run: No such file or directory"),
        (["/", "mcp"], "/ can't be run: Permission denied"),
        (["sh", "-c", "exit 3"], "sh: it ended with exit code 3, and printed nothing"),
        (["sh", "-c", "echo no such thing >&2"], "sh: no such thing"),
        (["sh", "-c", "echo '{}'; echo '{\"id\": 1, \"error\": {}}'; cat"], "sh: it ended with exit code"),
    ],
)
def test_one_that_does_not(command: list[str], message: str) -> None:
    failure = check_server(command)
    assert failure is not None and failure.message.startswith(message)


@pytest.mark.slow
def test_one_that_says_nothing_is_ended_with_all_that_it_has_started(tmp_path: Path) -> None:
    sleep = shutil.which("sleep")
    failure = check_server(shell(f"{sleep} 1000 & echo $! > {tmp_path / 'child'}; wait"), seconds=2)
    assert failure == ServerFailure("sh did not answer within 2 s")
    # Ended by a signal, which the kernel delivers when it next runs the process.
    try:
        child = os.pidfd_open(int((tmp_path / "child").read_text()))
    except ProcessLookupError:
        return
    assert select.select([child], [], [], 10)[0]
    os.close(child)


def test_what_ours_complains_of_is_read() -> None:
    said = "Traceback\nerror mcp: it is so\n\n# hint\nDo this.\n"
    assert ServerFailure.from_output("oryn", said) == ServerFailure("oryn: it is so", "Do this.")
