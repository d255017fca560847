"""A mode that is to come: every door refuses it in the same words. (`tests/clients` has the libraries.)"""

from __future__ import annotations

import asyncio
import json
import subprocess
from typing import Any

import pytest
from mcp import Client as Assistant
from mcp.client.stdio import StdioServerParameters

from oryn.core.modes import PLANNED_MODES, require_supported_mode
from oryn.errors import NotSupported
from oryn.system.paths import find
from tests.cli.shell import Shell

pytestmark = pytest.mark.browser

MESSAGE, HINT = "mode embedded is not supported yet", "The modes are headless and remote."


def test_the_words() -> None:
    with pytest.raises(NotSupported) as caught:
        require_supported_mode(*PLANNED_MODES)
    assert (caught.value.message, caught.value.hint, caught.value.exit_code) == (MESSAGE, HINT, 11)


@pytest.mark.parametrize(
    "words",
    [
        ["embedded"],
        ["Embedded", "--headful"],
        ["help", "embedded"],
        ["--session", "other", "embedded"],
        ["--backend", "embedded", "title"],
        ["--backend=embedded", "search", "fern"],
        ["title", "--backend", "embedded"],
        ["--backend", "EMBEDDED", "title"],
        ["do", "--backend", "embedded", "title"],
        ["session", "new", "other", "--mode", "embedded"],
        ["do", "session new other --mode embedded"],
        ["daemon", "start", "--backend", "embedded"],
        ["daemon", "serve", "--backend", "embedded"],
        ["daemon", "restart", "--backend=Embedded"],
    ],
    ids=" ".join,
)
def test_the_command_line(shell: Shell, words: list[str]) -> None:
    ended = shell(*words)
    assert ended.code == 11, ended
    assert ended.out == ""
    assert MESSAGE in ended.err
    assert HINT in ended.err
    assert "other" not in shell.ok("sessions")


def test_json_on_the_command_line(shell: Shell) -> None:
    for words in (["embedded"], ["--backend", "embedded", "title"], ["session", "new", "x", "--mode", "embedded"]):
        said = shell.json("--json", *words)
        assert (said["ok"], said["error"], said["error_kind"], said["hint"]) == (False, MESSAGE, "not_supported", HINT)


def test_settings(shell: Shell) -> None:
    for words in (["config"], ["daemon", "status"], ["headless"]):
        ended = shell(*words, ORYN_BACKEND="embedded")
        assert (ended.code, ended.out) == (11, "")
        assert MESSAGE in ended.err
        assert HINT in ended.err


@pytest.mark.parametrize(
    "body",
    [
        {"action": "title", "backend": "embedded"},
        {"action": "title", "session": "fresh", "settings": {"backend": "embedded"}},
        {"action": "session_new", "args": {"name": "fresh", "mode": "embedded"}},
        {"line": "session new fresh --mode embedded"},
        {"argv": ["session", "new", "fresh", "--mode=embedded"]},
    ],
    ids=json.dumps,
)
def test_json_of_the_daemon(shell: Shell, body: dict[str, Any]) -> None:
    from oryn.cli.daemon_client import DaemonClient
    from oryn.daemon.instance import DaemonInstance

    shell.ok("url")
    said = DaemonClient(DaemonInstance(find({"ORYN_HOME": str(shell.home)}))).command(body)
    assert (said["ok"], said["error"], said["error_kind"], said["hint"]) == (False, MESSAGE, "not_supported", HINT)


def test_the_line_protocol(shell: Shell) -> None:
    ended = subprocess.run(
        shell.command("headless"),
        input="session new other --mode embedded\nquit\n",
        env=shell.environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert f"error session new other --mode embedded: {MESSAGE}\n\n# hint\n{HINT}\n" in ended.stdout


def test_tools_of_assistants(shell: Shell) -> None:
    async def asked() -> str:
        program, *words = shell.command("mcp", "--tools", "all")
        parameters = StdioServerParameters(command=program, args=words, env=dict(shell.environment))
        async with Assistant(parameters) as assistant:
            result = await assistant.call_tool("session", {"action": "new", "name": "other", "mode": "embedded"})
            return "".join(getattr(part, "text", "") for part in result.content)

    said = asyncio.run(asyncio.wait_for(asked(), 60))
    assert MESSAGE in said
    assert HINT in said
