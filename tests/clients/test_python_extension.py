"""Mode "remote" of the Python library with the real extension, paired through its popup: the live cases of
`protocol.json`, as far as they are about pages."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path
from typing import Any

import pytest

from oryn import Oryn
from oryn.errors import ConnectionLost
from scripts.extension import copy
from scripts.extension.builder import PYODIDE
from scripts.extension.paired_browser import PairedBrowser
from scripts.ports import free_port
from tests.clients.conftest import PROTOCOL
from tests.headless.conftest import Pages

pytestmark = pytest.mark.whole_browser

WAIT = 120.0
"""Seconds that a browser may take to come on a busy machine."""


def page_steps(steps: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The steps that no session of its own is asked for in: such a browser has one."""
    return [step for step in steps if "session" not in step["send"] and "@work" not in step["send"]]


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.skipif(shutil.which("node") is None or not PYODIDE.is_dir(), reason="needs Node and Pyodide")
@pytest.mark.parametrize("case", PROTOCOL["live"]["cases"], ids=lambda case: case["name"])
async def test_live(case: dict[str, Any], site: Pages, home: Path, tmp_path: Path) -> None:
    for path, page in case["pages"].items():
        site[path] = page
    host, port = site.url("").removeprefix("http://"), free_port()

    def here(text: str) -> str:
        return text.replace("{site}", host)

    browser = PairedBrowser(copy(tmp_path / "extension"), tmp_path)
    try:
        code = await browser.asks_for(f"ws://localhost:{port}")
        async with asyncio.timeout(WAIT), Oryn("remote", port=port, pair=code) as oryn:
            for step in page_steps(case["steps"]):
                assert await oryn.send(here(step["send"])) == here(step["answer"])
            asked = asyncio.create_task(oryn.send("wait 60s"))
            await oryn.send("@tab1 url")  # sent later, and answered
            await browser.close()
            with pytest.raises(ConnectionLost, match="the connection to the browser was lost before the answer"):
                await asked
    finally:
        await browser.close()
