"""Browsers that can't be driven are refused with the reason, and those that can't start at once."""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from oryn.browsers.webdriver import WebDriverBrowser
from oryn.browsers.webdriver.engines import ENGINES
from oryn.browsers.webdriver.trial import check_browser
from oryn.errors import BrowserFailed, BrowserUnsuitable

WPE = ENGINES["wpe"]


class FakeClient:
    """A session of a driver. `presses` arrive, and commands are answered `beside` one that waits, or after it."""

    def __init__(self, *, presses: bool = True, beside: bool = True) -> None:
        self.capabilities = {"browserName": "MiniBrowser", "browserVersion": "2.99.1"}
        self.commands: list[str] = []
        self._presses, self._beside = presses, beside
        self._ended = asyncio.Event()
        self._is_waiting = False

    async def get(self, path: str, *, timeout: float = 30) -> Any:
        raise AssertionError(path)

    delete = close = document = get

    async def post(self, path: str, body: dict[str, Any] | None = None, *, timeout: float = 30) -> Any:
        self.commands.append(path)
        script = (body or {}).get("script", "")
        if path == "/execute/async":
            self._ended.clear()
            self._is_waiting = True
            await self._ended.wait()
            self._is_waiting = False
        elif "endTrial" in script:
            has_waited = self._is_waiting and not self._beside
            self._ended.set()
            return has_waited
        elif "return presses" in script:
            return int(self._presses)
        return None


async def test_what_can_be_driven_is_tried_once_for_each_version(tmp_path: Path) -> None:
    passed = tmp_path / "cache" / "webkit-versions"
    client = FakeClient()
    await check_browser(client, WPE, passed)  # type: ignore[arg-type]
    assert "/actions" in client.commands and passed.stat().st_mode & 0o777 == 0o600
    for version, is_tried in (("2.99.1", False), ("2.99.2", True), ("2.99.1", False)):
        again = FakeClient()
        again.capabilities["browserVersion"] = version
        await check_browser(again, WPE, passed)  # type: ignore[arg-type]
        assert bool(again.commands) == is_tried
    passed.write_bytes(b"\xff")
    await check_browser(damaged := FakeClient(), WPE, passed)  # type: ignore[arg-type]
    assert damaged.commands


@pytest.mark.parametrize(
    ("behaviour", "fault"),
    [({"presses": False}, "drops the presses of the mouse"), ({"beside": False}, "while another one waits")],
)
async def test_what_can_not_is_refused(tmp_path: Path, behaviour: dict[str, bool], fault: str) -> None:
    passed = tmp_path / "webkit-versions"
    with pytest.raises(BrowserUnsuitable) as caught:
        await check_browser(FakeClient(**behaviour), WPE, passed)  # type: ignore[arg-type]
    assert caught.value.code == "BROWSER_UNSUITABLE" and caught.value.exit_code == 3
    assert "MiniBrowser/2.99.1 of WPEWebDriver can't be driven" in caught.value.message
    assert fault in caught.value.message and "headless" in (caught.value.hint or "")
    assert not passed.exists()


DRIVER = """#!{python}
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200), self.end_headers(), self.wfile.write(b'{{"value": {{"ready": true}}}}')
    def do_POST(self):
        print("MiniBrowser: error while loading shared libraries: libWPE.so.1: cannot open shared object file: No such"
              " file or directory", file=sys.stderr, flush=True)
        import time
        time.sleep(600)
HTTPServer(("127.0.0.1", int(sys.argv[1].partition("=")[2])), Handler).serve_forever()
"""


LIBRARY = "error while loading shared libraries: libX.so.2: cannot open shared object file"


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (DRIVER, "the browser can't start: the library libWPE.so.1 is not installed"),
        (
            f"#!/bin/sh\necho '{LIBRARY}' >&2",
            "the library libX.so.2 is not installed",
        ),
        ("#!/bin/sh\nexit 1", "ended as soon as it was started"),
    ],
    ids=["browser", "driver", "silent"],
)
async def test_what_does_not_start_is_reported_at_once(tmp_path: Path, program: str, message: str) -> None:
    """A driver never answers if its browser can't start."""
    file = tmp_path / "driver"
    file.write_text(program.format(python=sys.executable) if program == DRIVER else program)
    file.chmod(0o755)
    browser = WebDriverBrowser(runtime_dir=tmp_path / "run")
    browser.engine = WPE.replace(driver=str(file), browser=WPE.browser.replace(programs=(sys.executable,)))
    began = time.monotonic()
    with pytest.raises(BrowserFailed) as caught:
        await browser.start()
    assert message in caught.value.message
    assert time.monotonic() - began < 8, "the driver is waited for"
    await browser.close()
