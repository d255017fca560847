"""`oryn attach`: a session in a browser that somebody has started."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from oryn.demo.server import Shop
from tests.cli.shell import SECONDS, Shell
from tests.headless.attached_browser import RunningChromium, client_of

pytestmark = [pytest.mark.browser, pytest.mark.whole_browser]


@pytest.fixture
def running(run: Callable[..., Any], tmp_path: Path) -> Iterator[RunningChromium]:
    """A browser whose user data folder is where Chromium has it."""
    browser = RunningChromium(tmp_path)
    run(browser.ready())
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "chromium").symlink_to(browser.profile)
    yield browser
    browser.end()


def test_a_running_browser_is_joined(new_shell: Shell, running: RunningChromium, tmp_path: Path) -> None:
    here = {"XDG_CONFIG_HOME": str(tmp_path / "config")}
    assert new_shell.ok("attach", "--list", **here) == f"Chromium  {running.endpoint}\n"
    joined = new_shell.ok("attach", "chromium", "--session", "mine", **here)
    assert joined == (
        "attached to Chromium with its logins and 1 tab ('oryn --session mine tabs'); "
        "'oryn --session mine close' ends it\n"
    )
    details = new_shell.json("session", "--session", "mine", "--json")["data"]["result"]
    assert str(running.port) in details["endpoint"]
    assert new_shell.ok("goto", "about:blank", "--session", "mine").startswith("ok goto about:blank")
    new_shell.ok("close", "--session", "mine")
    assert running.process.poll() is None, "it is not ours to end"
    code, out, err = new_shell("attach", "edge", **here)
    assert (
        (code, out) == (3, "") and "no running edge accepts DevTools connections" in err and "chrome://inspect" in err
    )


async def users_tab(browser: RunningChromium, url: str) -> dict[str, str]:
    """Open a tab with a login as the browser's user does; the tabs that are open then, by target id."""
    async with client_of(browser.endpoint) as client:
        tab = (await client("Target.createTarget", {"url": url}))["targetId"]
        while await client.evaluate(tab, "document.readyState + location.href") != f"complete{url}":
            pass
        await client.evaluate(tab, "document.cookie = 'login=s3cret-login; path=/'; document.title = 's3cret-title'")
        return await client.pages()


async def open_tabs(browser: RunningChromium, expected: dict[str, str] | None = None) -> dict[str, str]:
    """The open tabs by target id: now, or once they are those that are expected, or after some seconds."""
    end = time.monotonic() + SECONDS
    async with client_of(browser.endpoint) as client:
        while (found := await client.pages()) != expected and expected is not None and time.monotonic() < end:
            pass
        return found


@pytest.mark.slow
def test_a_killed_daemon_leaves_the_browser_as_it_was(
    run: Any, new_shell: Shell, running: RunningChromium, tmp_path: Path, shop: Shop
) -> None:
    here = {"XDG_CONFIG_HOME": str(tmp_path / "config")}
    before = run(users_tab(running, f"{shop.url}/?s3cret-address"))
    assert "with its logins and 2 tabs" in new_shell.ok("attach", "chromium", **here)
    new_shell.ok("--session", "attached", "goto", f"{shop.url}/plants/boston-fern")
    assert "s3cret-login" in new_shell.ok("--session", "attached", "cookies", "list")
    asks = "addEventListener('beforeunload', (event) => event.preventDefault())"
    new_shell.ok("--session", "attached", "eval", asks)
    new_shell.ok("--session", "attached", "press", "Tab")  # only a page that was used may ask
    assert len(run(open_tabs(running))) == 3
    (daemon,) = new_shell.daemons()
    os.kill(daemon, signal.SIGKILL)
    assert run(open_tabs(running, before)) == before
    assert "with its logins and 2 tabs" in new_shell.ok("attach", "chromium", **here), "it can be joined again"
    new_shell.ok("--session", "attached", "close")
    assert run(open_tabs(running, before)) == before


@pytest.mark.slow
def test_nothing_of_the_users_goes_to_disk(
    run: Any, new_shell: Shell, running: RunningChromium, tmp_path: Path, shop: Shop
) -> None:
    here = {"XDG_CONFIG_HOME": str(tmp_path / "config")}
    run(users_tab(running, f"{shop.url}/?s3cret-address"))
    new_shell.ok("attach", "chromium", **here)
    tabs = new_shell.json("--session", "attached", "tabs", "--json")["data"]["result"]
    number = next(str(tab["number"]) for tab in tabs if tab["title"] == "s3cret-title")
    new_shell.ok("--session", "attached", "tab", "switch", number)
    new_shell.ok("--session", "attached", "observe")
    new_shell("--session", "attached", "click", "Nothing of this name")
    new_shell("--session", "attached", "tab", "close", number)
    new_shell.ok("--session", "attached", "goto", f"{shop.url}/plants/boston-fern")
    assert "s3cret-login" in new_shell.ok("--session", "attached", "cookies", "list")
    new_shell.ok("daemon", "stop")
    written = [file for file in new_shell.home.rglob("*") if file.is_file()]
    assert written and not [file for file in written if b"s3cret" in file.read_bytes()]
