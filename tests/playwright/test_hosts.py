"""The mode `playwright` through every host: words and JSON for the daemon, MCP, the client library, sessions of two
modes in one host."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from oryn import Oryn
from oryn.browsers.playwright.driver import find_firefox
from oryn.browsers.playwright.error_mapping import start_error
from oryn.cli.checks import machine
from oryn.errors import BrowserFailed, BrowserUnsuitable
from oryn.settings import load
from oryn.system.paths import find
from tests.cli.conftest import shared_shell, shell
from tests.cli.shell import Shell
from tests.mcp.conftest import text_of
from tests.mcp.test_stdio import started_client

__all__ = ["shared_shell", "shell"]

pytestmark = pytest.mark.browser


def test_the_daemon(shell: Shell) -> None:
    from oryn.daemon_client.client import DaemonClient
    from oryn.system.daemon_instance import DaemonInstance

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


NEWER = "BrowserType.launch_persistent_context: Protocol error (emulation.setMediaFeaturesOverride): unknown command"
"""What Playwright 1.65 says of Firefox ESR 153."""


def test_a_firefox_that_this_playwright_can_not_drive() -> None:
    error = start_error(Exception(NEWER))
    assert isinstance(error, BrowserUnsuitable) and error.exit_code == 3
    assert f"Playwright {version('playwright')} can't drive this browser" in error.message
    assert "emulation.setMediaFeaturesOverride" in error.message and "playwright<1.65" in (error.hint or "")
    assert isinstance(start_error(Exception("BrowserType.launch: no such file")), BrowserFailed)


@pytest.mark.skipif(find_firefox() is None, reason="needs Firefox")
@pytest.mark.parametrize(("backend", "state"), [("headless", "warning"), ("playwright", "missing")])
def test_doctor_reports_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, backend: str, state: str) -> None:
    async def refuse(*_: object, **__: object) -> None:
        raise Error(NEWER)

    from playwright.async_api import BrowserType, Error

    monkeypatch.setattr(BrowserType, "launch_persistent_context", refuse)
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path))
    environment = {"ORYN_HOME": str(tmp_path), "ORYN_BACKEND": backend, "ORYN_PLAYWRIGHT_ENGINE": "firefox"}
    found = machine.playwright(load({}, find(environment), environment))
    assert [each[0] for each in found] == ["ok", state]
    assert "can't drive this browser" in found[1][1] and "playwright<1.65" in found[1][2]
