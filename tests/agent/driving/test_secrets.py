"""What a model must not see: values of the vault, in whichever tab they stand; and what it is told of downloads."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from oryn.agent import Agent, BrowserTabProvider
from oryn.browsers.base import Browser
from oryn.browsers.chromium import ChromiumBrowser
from oryn.core.vault_secret import SecretRequest, VaultSecret
from oryn.engine import Options, Session
from tests.agent.driving.conftest import AgentDriver
from tests.headless.conftest import Pages

StartAgent = Callable[..., AgentDriver]
VALUE = "correct <horse> & battery"


class OneSecret:
    """A vault with one value, for any page."""

    async def secret(self, name: str, request: SecretRequest | None = None) -> VaultSecret:
        return VaultSecret(name, VALUE)

    async def values_to_mask(self, name: str) -> tuple[VaultSecret, ...]:
        return (await self.secret(name),)


@pytest.mark.slow
async def test_a_value_of_the_vault_is_shown_in_no_tab(browser: ChromiumBrowser, pages: Pages, tmp_path: Path) -> None:
    def make(tab: Browser) -> Session:
        session = Session(tab, options=Options(timeout=60))
        session.vault = OneSecret
        return session

    headless = ChromiumBrowser(runtime_dir=tmp_path, shared_with=browser)
    driver = AgentDriver(Agent("Log in", BrowserTabProvider(headless, make), text_limit=500), headless, pages)
    try:
        pages["/b"] = """<p id=out></p><button>x</button><script>new BroadcastChannel('c').onmessage = event => {
            out.textContent = event.data; document.querySelector('button').textContent = event.data }</script>"""
        pages["/api"] = (200, {}, "{}")
        await driver.show(
            """<input oninput="if (this.value.endsWith('battery')) send(this.value)"><script>function send(body) {
            new BroadcastChannel('c').postMessage(body); fetch('/api', {method: 'POST', body}) }</script>""",
            "/a",
        )
        await driver.do("open_tab", url=driver.url("/b"))
        told = await driver.do("type", id=1, value="{{vault:shop.password}}")
        assert 'value="••••"' in told
        other = driver.url("/b")
        told += await driver.do(
            "oryn", tab=other, line="wait until \"document.querySelector('button').innerText != 'x'\""
        )
        for action in ("observe", "text", "html"):
            told += await driver.do(action)
        told += await driver.do("value", id=1)
        assert "horse" not in told
        assert await driver.agent.picture() is None, "a page may show it"
        assert ">••••</button>" in told
        assert "| ••••" in told
        assert '<call method="POST" url="/api">\n    ••••\n' in told
    finally:
        await driver.agent.close()
        await headless.close()


@pytest.mark.slow
async def test_a_download_is_told_once(start_agent: StartAgent, tmp_path: Path) -> None:
    driver = start_agent(options=Options(timeout=60, download_folder=tmp_path / "downloads"))
    driver.pages["/file"] = (200, {"Content-Disposition": "attachment; filename=a.txt"}, "text")
    driver.pages["/b"] = "<button onclick='this.textContent = 1'>B</button>"
    await driver.show("<a href=/file>File</a>", "/a")
    await driver.do("open_tab", url=driver.url("/b"))
    told = await driver.do("click", id=1)
    assert "download" in told
    assert "no DOM change" not in told
    await driver.browser.wait_for_downloads([each.id for each in driver.browser.downloads()], timeout=60)
    await driver.do("hover", id=2)  # it may tell that the file is whole
    for number in (1, 2):
        assert "download" not in await driver.do("hover", id=number)


async def test_commands_without_page_effects_do_not_wait_for_a_change(start_agent: StartAgent) -> None:
    driver = start_agent(patience=600)
    await driver.show("<input value=Ann>", "/a")
    commands: list[tuple[str, dict[str, Any]]] = [
        ("cookies set", {"name": "a", "value": "1"}),
        ("keydown", {"key": "shift"}),
        ("keyup", {"key": "all"}),
        ("hover", {"id": 1}),
        ("eval", {"script": "1"}),
        ("wait", {"duration": 0.001}),
    ]
    for action, arguments in commands:
        assert "System" not in await driver.do(action, **arguments), action
