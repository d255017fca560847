"""`oryn attach`: a session in a browser that somebody has started."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.shell import Shell
from tests.headless.attached_browser import RunningChromium

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


def test_a_running_browser_is_joined(shell: Shell, running: RunningChromium, tmp_path: Path) -> None:
    here = {"XDG_CONFIG_HOME": str(tmp_path / "config")}
    assert shell.ok("attach", "--list", **here) == f"Chromium  {running.endpoint}\n"
    joined = shell.ok("attach", "chromium", "--session", "mine", **here)
    assert joined == "joined Chromium: oryn --session mine goto …\n"
    details = shell.json("session", "--session", "mine", "--json")["data"]["result"]
    assert str(running.port) in details["endpoint"]
    assert shell.ok("goto", "about:blank", "--session", "mine").startswith("ok goto about:blank")
    shell.ok("close", "--session", "mine")
    assert running.process.poll() is None, "it is not ours to end"
    code, out, err = shell("attach", "edge", **here)
    assert (
        (code, out) == (3, "") and "no running edge accepts DevTools connections" in err and "chrome://inspect" in err
    )
