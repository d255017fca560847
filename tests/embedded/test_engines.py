"""The other engines of embedded mode, if they are installed: cog, which shows WPE WebKit too, and WebKitGTK."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from oryn.browsers.webkit import WebKitBrowser
from oryn.browsers.webkit.engines import ENGINES, EngineName, find_browser_program
from oryn.engine import Session
from oryn.errors import BrowserNotFound, BrowserUnsuitable
from tests.headless.conftest import OPTIONS, Driver, Pages
from tests.process_groups import await_end

pytestmark = pytest.mark.browser

PAGE = """<title>Form</title><input aria-label=Name>
<button onclick="out.textContent = `${prompt('Who?', 'Ann')} ${event.isTrusted}`">Ask</button>
<a href=/next target=_blank>Next</a><p id=out></p><iframe src=/inner></iframe>"""

SIZES = {"cog": (800, 600), "webkitgtk": (1280, 720)}
"""The viewports: that of cog can't be set."""


@pytest.fixture(params=[name for name in ENGINES if name != "wpe"])
def other(request: Any, run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[WebKitBrowser]:
    """A browser of another engine; it gets no display but its own."""
    name: EngineName = request.param
    engine = ENGINES[name]
    try:
        find_browser_program(engine)
    except BrowserNotFound:
        pytest.skip(f"needs {engine.packages}")
    if engine.needs_display and shutil.which("Xvfb") is None:
        pytest.skip("needs Xvfb")
    for variable in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(variable, raising=False)
    browser = WebKitBrowser(name, runtime_dir=tmp_path, load_timeout=20)
    try:
        run(browser.start())
    except BrowserUnsuitable as error:
        pytest.skip(error.message)
    yield browser
    run(browser.close())


async def test_a_session(other: WebKitBrowser, pages: Pages, tmp_path: Path) -> None:
    pages["/inner"] = "<button onclick=\"this.textContent = 'pressed'\">In</button>"
    pages["/next"] = "<title>Second</title>"
    driver = Driver(Session(other, "test", OPTIONS), pages)
    await driver.show(PAGE)
    assert 'value: "Ann ☃"' in await driver.ok('type "Name" "Ann ☃"')
    assert '"pressed"' in await driver.ok('click "In"')
    assert 'dialog prompt "Who?"' in await driver.ok('click "Ask"')
    assert '"Bob true"' in await driver.ok('dialog accept "Bob"')
    file = tmp_path / "view.png"
    await driver.ok(f"screenshot --output {file}")
    size = int.from_bytes(file.read_bytes()[16:20]), int.from_bytes(file.read_bytes()[20:24])
    assert size == SIZES[other.engine.name]
    assert "Second" in await driver.ok('click "Next"') + await driver.ok("tabs")


async def test_its_processes_end_with_it(other: WebKitBrowser) -> None:
    group = other.process_group
    assert group is not None
    os.getpgid(group)
    await other.close()
    await_end(group)
