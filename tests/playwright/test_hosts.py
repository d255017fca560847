"""The mode `playwright` through every host: words and JSON for the daemon, MCP, the client library, sessions of two
modes in one host."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from oryn.client import Oryn
from oryn.system.paths import find
from tests.cli.conftest import shared_shell, shell
from tests.cli.shell import Shell
from tests.mcp.conftest import text_of
from tests.mcp.test_stdio import started_client

__all__ = ["shared_shell", "shell"]

pytestmark = pytest.mark.browser


def test_the_daemon(shell: Shell) -> None:
    from oryn.cli.daemon_client import DaemonClient
    from oryn.daemon.instance import DaemonInstance

    shell.ok("--backend", "playwright", "--session", "words", "goto", "about:blank")
    assert "mode: playwright" in shell.ok("--session", "words", "session")
    body: dict[str, Any] = {"action": "url", "session": "json", "backend": "playwright"}
    answer = DaemonClient(DaemonInstance(find({"ORYN_HOME": str(shell.home)}))).command(body)
    assert answer["ok"], answer
    assert "mode: playwright" in shell.ok("--session", "json", "session")


@pytest.mark.parametrize("mode", ["headless", "playwright"])
def test_a_host_of_either_mode_has_sessions_of_both(shell: Shell, mode: str) -> None:
    lines = "session new a --mode playwright\n@a session\nsession new b --mode headless\n@b session\nexit\n"
    ended = subprocess.run(
        shell.command(mode), input=lines, env=shell.environment, capture_output=True, text=True, timeout=240, check=True
    )
    assert "mode: playwright" in ended.stdout
    assert "mode: headless" in ended.stdout


async def test_mcp(tmp_path: Path) -> None:
    settings = find({"ORYN_HOME": str(tmp_path)}).config_file
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text('backend = "playwright"\n')
    async with started_client(tmp_path, "mcp") as assistant:
        result = await assistant.call_tool("oryn", {"line": "goto about:blank"})
        assert text_of(result).startswith("ok goto")
        assert "mode: playwright" in text_of(await assistant.call_tool("oryn", {"line": "session"}))


async def test_the_client_library(tmp_path: Path) -> None:
    program = tmp_path / "oryn"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m oryn "$@"\n')
    program.chmod(0o755)
    async with Oryn("playwright", binary=program) as oryn:
        assert "mode: playwright" in await oryn.send("session")


def test_settings_that_only_chromium_can_apply_are_refused(shell: Shell) -> None:
    for words in (["--profile", "shop"], ["--allowed-domains", "example.org"], ["--proxy", "http://127.0.0.1:1"]):
        ended = shell("playwright", "--engine", "firefox", *words)
        assert ended.code == 2, ended
        assert words[0].removeprefix("--").replace("-", "_") in ended.err


def test_a_profile_is_kept(shell: Shell) -> None:
    for line, expected in (("storage set seen yes", "ok"), ("storage get seen", "yes")):
        ended = subprocess.run(
            shell.command("playwright", "--profile", "shop"),
            input=f"goto file://{__file__}\n{line}\nexit\n", env=shell.environment, capture_output=True, text=True,
            timeout=240, check=True,
        )  # fmt: skip
        assert expected in ended.stdout.split("---\n")[2]


@pytest.mark.parametrize(("engine", "code", "words"), [("chromium", 0, "Chrome"), ("webkit", 3, "is not installed")])
def test_doctor_starts_the_browser(shell: Shell, tmp_path: Path, engine: str, code: int, words: str) -> None:
    settings = {"ORYN_BACKEND": "playwright", "ORYN_PLAYWRIGHT_ENGINE": engine}
    ended = shell("doctor", "--only", "playwright", PLAYWRIGHT_BROWSERS_PATH=str(tmp_path), **settings)
    assert (ended.code, words in ended.out) == (code, True), ended
