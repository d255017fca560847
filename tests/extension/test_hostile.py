"""What a page can't do, even one that has its process to itself; and that what the documentation says is tested."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scripts.extension.browser import ExtendedBrowser, Target
from tests.extension.conftest import RecordingServer
from tests.extension.popup_user import User, paired_with
from tests.headless.conftest import Pages

PROJECT = Path(__file__).parent.parent.parent
PAGE = PROJECT / "docs" / "remote-security.md"


@pytest.fixture
def hostile(extension_browser: ExtendedBrowser, pages: Pages, run: Any) -> Iterator[Target]:
    """A page, of which the test looks into the world of the content scripts: as if they were the page's own."""
    pages["/hostile"] = "<title>Hostile</title>"
    page = run(extension_browser.open(pages.url("/hostile")))
    yield page
    run(extension_browser.close_tab(page))


@pytest.fixture
def user(extension_browser: ExtendedBrowser, recording_server: RecordingServer, run: Any) -> Iterator[User]:
    user = run(User.at(extension_browser))
    run(paired_with(user, recording_server))
    run(user.sees("state.status === 'connected'"))
    yield user
    run(user.asks(type="disconnect"))
    run(user.asks(type="revoke", endpoint=recording_server.url))
    run(user.sees("state.status === 'disconnected' && !state.paired.length"))
    run(extension_browser.close_tab(user.page))


@pytest.mark.parametrize("area", ["local", "sync", "session"])
async def test_page_processes_can_not_read_what_is_stored(user: User, hostile: Target, area: str) -> None:
    for call in ("get()", "set({wanted: true, trusted_input: true})", "clear()"):
        script = f"chrome.storage.{area}.{call}.then(JSON.stringify, (error) => error.message)"
        assert "Access to storage is not allowed" in str(await hostile.evaluate_in_extension(script)), call
    assert (await user.sees("state.paired.length"))["settings"]["trusted_input"] is False


async def test_compromised_page_process_can_only_stop(user: User, hostile: Target) -> None:
    for message in (
        '{type: "settings", changes: {tab_scope: "all", trusted_input: true}}',
        '{type: "allow", endpoint: "wss://evil.example"}',
        '{type: "new_code"}',
        '{type: "disconnect"}',
        '{type: "stop", endpoint: "wss://evil.example"}',
        "7",
    ):
        await hostile.evaluate_in_extension(f"chrome.runtime.sendMessage({message}).catch(() => {{}}), 1")
    await hostile.evaluate_in_extension('chrome.runtime.sendMessage({type: "stop"}).catch(() => {}), 1')
    state = await user.sees("state.status === 'disconnected'")
    assert state["detail"] == "stopped"
    assert state["settings"] | {"endpoint": ""} == {
        "endpoint": "",
        "auto_connect": False,
        "tab_scope": "active",
        "trusted_input": False,
        "allowlist": [],
    }


async def test_the_web_has_no_way_to_the_extension(hostile: Target, extension_browser: ExtendedBrowser) -> None:
    assert await hostile.evaluate("globalThis.chrome?.runtime?.sendMessage === undefined")
    script = f"fetch('chrome-extension://{extension_browser.id}/manifest.json').then(() => 'read', () => 'refused')"
    assert await hostile.evaluate(script) == "refused"


def named() -> list[str]:
    return re.findall(r"`(tests/[a-z_/]+\.py::\w+)`", PAGE.read_text("utf-8"))


@pytest.mark.parametrize("name", named())
def test_documented_tests_exist(name: str) -> None:
    file, _, function = name.partition("::")
    tree = ast.parse((PROJECT / file).read_text("utf-8"))
    assert function in {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
