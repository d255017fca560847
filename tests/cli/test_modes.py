"""The mode `embedded` through every interface: the same name everywhere. `tests/embedded` has the browser itself."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest

from oryn.core.modes import MODES
from oryn.system.paths import find
from tests.cli.shell import Shell
from tests.webkit import drivable_webkit

__all__ = ["drivable_webkit"]
pytestmark = [
    pytest.mark.browser,
    pytest.mark.webkit,
    pytest.mark.usefixtures("drivable_webkit"),
]


def test_every_mode_has_a_name() -> None:
    assert set(MODES.values()) == {"headless", "embedded", "playwright", "remote"}


@pytest.mark.parametrize("words", [["--backend", "embedded"], ["--backend=EMBEDDED"]], ids=" ".join)
def test_a_session_of_the_daemon(shell: Shell, words: list[str]) -> None:
    shell.ok(*words, "--session", "small", "goto", "about:blank")
    assert "mode: embedded" in shell.ok("--session", "small", "session")
    shell.ok("--session", "small", "session", "close", "small")


@pytest.mark.parametrize(
    "body",
    [
        {"action": "url", "session": "a", "backend": "embedded"},
        {"action": "url", "session": "b", "settings": {"backend": "embedded"}},
    ],
    ids=json.dumps,
)
def test_json_of_the_daemon(shell: Shell, body: dict[str, Any]) -> None:
    from oryn.daemon_client.client import DaemonClient
    from oryn.system.daemon_instance import DaemonInstance

    shell.ok("session")
    said = DaemonClient(DaemonInstance(find({"ORYN_HOME": str(shell.home)}))).command(body)
    assert said["ok"], said
    assert "mode: embedded" in shell.ok("--session", body["session"], "session")
    shell.ok("session", "close", body["session"])


@pytest.mark.parametrize("mode", ["headless", "embedded"])
def test_a_host_of_either_mode_has_sessions_of_both(shell: Shell, mode: str) -> None:
    ended = subprocess.run(
        shell.command(mode),
        input="session new a --mode embedded\n@a session\nsession new b --mode headless\n@b session\nexit\n",
        env=shell.environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "mode: embedded" in ended.stdout
    assert "mode: headless" in ended.stdout
    assert ended.returncode == 0, ended


def test_settings_that_only_chromium_can_apply_are_refused(shell: Shell) -> None:
    for words in (["--profile", "shop"], ["--proxy", "http://127.0.0.1:1"]):
        ended = shell("embedded", *words)
        assert ended.code == 2, ended
        assert words[0].removeprefix("--").replace("-", "_") in ended.err
