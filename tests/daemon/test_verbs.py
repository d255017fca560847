"""Every verb of the action vocabulary (docs/spec/daemon-protocol.md#vocabulary) on every backend: what is refused is
what the tables of differences say, which the documentation prints."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from oryn.browsers.common.differences import Difference
from oryn.browsers.extension import differences as remote
from oryn.browsers.webkit import differences as embedded
from oryn.daemon.vocabulary import translate_action
from oryn.language import api_vocabulary
from oryn.language.json_codec import line_from_json
from scripts.extension import copy
from scripts.extension.builder import PYODIDE
from scripts.extension.paired_browser import PairedBrowser
from tests.command_coverage import used
from tests.daemon.daemon_process import RunningDaemon
from tests.daemon.test_extension import extension_url, pair
from tests.headless.conftest import Pages

pytestmark = [pytest.mark.whole_browser, pytest.mark.timeout(300)]

PAGE = """<title>Shop</title><button>Buy</button><label>Name <input id=name></label>
<label>Photo <input type=file id=photo></label><p style='height: 3000px'>Ferns</p>"""

Rows = tuple[Difference, ...]
REMOTE: Rows = (*remote.DIFFERENCES, *remote.HOST_DIFFERENCES)
BACKENDS: Mapping[str, tuple[str, Rows]] = {
    "headless": ("headless", ()),
    "playwright": ("playwright", ()),
    "embedded": ("embedded", embedded.DIFFERENCES),
    "the user's browser": ("extension", REMOTE),
    "the user's browser without its debugger": (
        "extension",
        (*REMOTE, *remote.WITHOUT_DEBUGGER, *remote.HOST_WITHOUT_DEBUGGER),
    ),
}
"""The backend of each, and the rows of its tables of refused commands."""
WITHOUT_A_PERSON = {
    "captcha solve": "captcha_not_configured",
    "login": "timeout",
}
"""What verbs answer that need a person: one who has chosen a service, one who logs in in time."""
UNAVAILABLE = ("browser_not_found", "backend_unavailable")


def verbs(pages: Pages, folder: Path) -> list[tuple[str, dict[str, Any]]]:
    """The actions of the vocabulary, in an order in which each can be done."""
    photo = folder / "photo.txt"
    photo.write_text("fern")
    return [
        ("navigate", {"url": pages.url("/")}),
        ("snapshot", {}),
        ("click", {"selector": "button"}),
        ("fill", {"selector": "#name", "value": "Ada"}),
        ("scroll", {"direction": "down"}),
        ("key", {"combo": "End"}),
        ("hover", {"selector": "button"}),
        ("upload", {"selector": "#photo", "files": [str(photo)]}),
        ("screenshot", {"path": str(folder / "view.png")}),
        ("screenshot", {"path": str(folder / "page.png"), "full_page": True}),
        ("screenshot", {"path": str(folder / "part.png"), "selector": "#name"}),
        ("pdf", {"path": str(folder / "page.pdf")}),
        ("eval", {"expression": "document.title"}),
        ("wait", {"ms": 1}),
        ("wait", {"network_idle": True}),
        ("tab", {"action": "list"}),
        ("tab", {"action": "new", "url": pages.url("/")}),
        ("tab", {"action": "switch", "index": 1}),
        ("tab", {"action": "close"}),
        ("network", {"action": "start"}),
        ("navigate", {"url": pages.url("/")}),
        ("network", {"action": "list"}),
        ("network", {"action": "stop"}),
        ("network", {"action": "detail", "index": 1}),
        ("captcha", {}),
        ("captcha", {"action": "solve"}),
        ("login", {"url": pages.url("/"), "timeout": 1}),
        ("close", {}),
    ]


def expected_error(action: str, args: Mapping[str, Any], rows: Rows) -> tuple[str, str | None]:
    """The field of the answer that says why an action fails, and its value: as a table has it, or as a person would
    have to help. None if it is done."""
    name, arguments = translate_action(action, args)
    command = line_from_json(name, arguments, api_vocabulary()).command
    assert command is not None
    forms = {*used(command), command.spec.name}
    if command.spec.name == "network stop" and any(row.covers("network start") for row in rows):
        return "error_kind", "not_running"  # as it could not begin
    if row := next((row for row in rows for form in forms if row.covers(form)), None):
        return "error", row.message
    return "error_kind", WITHOUT_A_PERSON.get(command.spec.name)


@asynccontextmanager
async def browser_of(backend: str, daemon: RunningDaemon, folder: Path, trusted: bool) -> AsyncIterator[None]:
    """The user's own browser, paired with the daemon, while the block runs; nothing for other backends."""
    if backend != "extension":
        yield
        return
    browser = PairedBrowser(copy(folder / "extension"), folder)
    try:
        async with daemon.client.stream("GET", "/events?type=extension.connected") as stream, asyncio.timeout(60):
            code = await browser.asks_for(extension_url(daemon), trusted_input=trusted)
            assert (await pair(daemon, code))["ok"]
            async for line in stream.aiter_lines():
                if line.startswith("data:"):
                    break
        yield
    finally:
        await browser.close()


@pytest.mark.slow
@pytest.mark.parametrize("name", BACKENDS)
async def test_every_verb_does_what_the_tables_say(
    name: str, daemon_of: Callable[..., RunningDaemon], pages: Pages, tmp_path: Path
) -> None:
    backend, rows = BACKENDS[name]
    if backend == "extension" and not PYODIDE.is_dir():
        pytest.skip("needs Node and Pyodide; 'make test' installs them")
    if backend == "playwright":
        pytest.importorskip("playwright")
    pages["/"] = PAGE
    daemon = daemon_of()
    trusted = not name.endswith("without its debugger")
    wrong: list[str] = []
    async with browser_of(backend, daemon, tmp_path, trusted):
        for action, args in verbs(pages, tmp_path):
            answer = await daemon.ask({"action": action, "args": args}, backend=backend)
            if answer.get("error_kind") in UNAVAILABLE:
                pytest.skip(f"{backend} is not installed: {answer['error']}")
            field, expected = expected_error(action, args, rows)
            if answer.get(field) != expected:
                wrong.append(f"{action} {json.dumps(args)}: {answer['text']}")
    assert wrong == []
