"""All of Oryn's pages as axe sees them, narrow and wide, light and dark; and what the hub's windows make of what pages
and plugins say, which is data."""

from __future__ import annotations

import json
import struct
import zlib
from base64 import b64encode
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from oryn.browsers.chromium import ChromiumBrowser
from oryn.engine import Options, Session
from tests.axe import needs_axe, violations
from tests.extension.hub_page import (
    ARGUMENTS,
    CLOCK,
    MAIL,
    NOW,
    SEND,
    UNKNOWN,
    open_hub_page,
    question,
    review_state,
    wish,
)
from tests.extension.popup import Popup, state
from tests.headless.conftest import Pages
from tests.host.agent.test_page import SNAPSHOT, step
from tests.test_stylesheet import DOCUMENTS


def png(side: int = 8, *, claimed: int | None = None) -> str:
    """A red picture as a `data:` URL. `claimed` is the side that its header has instead."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", claimed or side, claimed or side, 8, 2, 0, 0, 0))
    rows = zlib.compress((b"\0" + b"\xff\0\0" * side) * side)
    data = b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", rows) + chunk(b"IEND", b"")
    return f"data:image/png;base64,{b64encode(data).decode()}"


@pytest.fixture(scope="module")
def browser(run: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChromiumBrowser]:
    headless = ChromiumBrowser(runtime_dir=Path(tmp_path_factory.mktemp("runtime")))
    run(headless.start())
    yield headless
    run(headless.close())


class Window:
    """A page of Oryn's in a context of its own."""

    def __init__(self, session: Session, pages: Pages, bundles: Path) -> None:
        self.session = session
        self.pages = pages
        self.bundles = bundles

    async def hub(self, name: str, message: dict[str, Any]) -> None:
        await open_hub_page(self.session, self.pages, self.bundles, name, message)

    async def popup(self, first: dict[str, Any]) -> None:
        await Popup(self.session, self.pages, self.bundles).open(first)

    async def document(self, text: str) -> None:
        self.pages["/document"] = text
        await self.say(f"goto {self.pages.url('/document')}")

    async def say(self, line: str) -> None:
        answer = await self.session.execute(line)
        assert answer.error is None, answer.render()

    async def js(self, expression: str) -> Any:
        return await self.session.page.evaluate(expression)

    async def until(self, expression: str) -> None:
        await self.say(f"wait until {json.dumps(expression)}")

    async def text(self, selector: str = "body") -> str:
        found: str = await self.js(f"document.querySelector({json.dumps(selector)}).innerText")
        return found


@pytest.fixture
def window(browser: ChromiumBrowser, pages: Pages, bundles: Path, run: Any, tmp_path: Path) -> Iterator[Window]:
    pages.bodies.clear()
    session = Session(ChromiumBrowser(runtime_dir=tmp_path, shared_with=browser), options=Options(timeout=60))
    run(session.execute("viewport 520 640"))
    yield Window(session, pages, bundles)
    run(session.close())


TRANSCRIPT = [*step(), {"kind": "message", "role": "user", "content": SNAPSHOT}, *step(outcome="error")[1:]]


def transcript() -> str:
    from oryn.agent.runner.page import render_page

    return "".join(render_page(TRANSCRIPT))


PAGES: dict[str, Callable[[Window], Awaitable[None]]] = {
    "call": lambda each: each.hub("consent", question(plugins=[{**MAIL, "icon": png()}])),
    "wish": lambda each: each.hub("consent", wish()),
    "waiting": lambda each: each.hub("consent", {"type": "nothing"}),
    "permissions": lambda each: each.hub("review", review_state()),
    "no permissions": lambda each: each.hub("review", review_state(plugins=[], enabled=[], grants=[])),
    "popup": lambda each: each.popup(state()),
    "pairing": lambda each: each.popup(state(status="pairing", code="K7P2QX", code_expires=4e12)),
    "steps": lambda each: each.document(transcript()),
    **{name: (lambda each, text=text: each.document(text)) for name, text in DOCUMENTS.items()},  # type: ignore[misc]
}


@pytest.mark.slow
@needs_axe
@pytest.mark.parametrize("name", PAGES)
async def test_axe_finds_nothing(window: Window, name: str) -> None:
    """On the live page neither: `tests/daemon/test_live_page_for_everybody.py`."""
    await PAGES[name](window)
    assert await violations(window.say, window.js) == {}


# --- what the consent window says ---


@pytest.mark.slow
async def test_the_plugin_the_tool_and_the_arguments_are_in_words(window: Window) -> None:
    await window.hub("consent", question())
    assert await window.text("h1") == "https://shop.example.com"
    assert await window.text("#wish") == "wants to call this tool:"
    card = await window.text(".plugin")
    for part in ("Mail 2.1.0", "by Ada Byron · mail.example.org", "Extension mail@plugins.example", "Send a message"):
        assert part in card
    rows = await window.js(
        "[...document.querySelectorAll('#argument-rows tr')].map((row) => row.innerText.split('\\t'))"
    )
    assert [(name.strip(), value.strip()) for name, value in rows] == [
        ("to", "bob@example.org"),
        ("message", "Hello Bob,\nshall we meet?"),
        ("options › urgent", "true"),
        ("options › copies[1]", "a@example.org"),
        ("options › copies[2]", "c@example.org"),
        ("options › none", "empty list"),
        ("attempts", "3"),
        ("count", "3"),
        ("reply", "null"),
        ("note", "empty text"),
    ]
    kinds = (
        "[...document.querySelectorAll('#argument-rows tr')].slice(6, 8).map((row) => row.cells[1].firstChild.tagName)"
    )
    assert await window.js(kinds) == ["CODE", "SPAN"], "the number and the text"
    assert not await window.js("document.querySelector('#raw').open")
    assert json.loads(await window.js("document.querySelector('#arguments').textContent")) == ARGUMENTS
    assert await window.js("[...document.querySelectorAll('.primary')].map((each) => each.innerText)") == [
        "Allow this call"
    ]


async def test_several_tools_stand_below_their_plugins(window: Window) -> None:
    await window.hub("consent", wish())
    assert await window.text("#wish") == "wants to use these 3 tools:"
    cards = await window.js("[...document.querySelectorAll('#tools > li')].map((each) => each.innerText)")
    assert [SEND["title"] in cards[0], NOW["title"] in cards[1], UNKNOWN["name"] in cards[2]] == [True] * 3
    assert "of the server that is connected" in cards[1] and "no plugin has this tool" in cards[2]
    assert await window.js("document.querySelector('#insecure').checkVisibility()")


@pytest.mark.slow
async def test_arguments_that_are_cut_off_or_many(window: Window) -> None:
    await window.hub("consent", question(argumentsText='{"a": "xxx', omitted=7))
    assert await window.js("document.querySelector('#raw').open")
    assert await window.text("#omitted") == "7 more characters are not displayed."
    many = {f"name{number}": number for number in range(100)}
    await window.hub("consent", question(arguments=many))
    assert await window.js("document.querySelectorAll('#argument-rows tr').length") == 40
    assert await window.text("#omitted") == "60 more values are in the JSON below."
    await window.hub("consent", question(arguments={"long": "x" * 5000}))
    assert "3,800 more characters are in the JSON below" in await window.text("#argument-rows")
    await window.hub("consent", question(arguments={}))
    assert await window.js("document.querySelector('#no-arguments').checkVisibility()")


# --- hostile ---

EVIL = '<img src=x onerror="globalThis.hit = 1"><script>globalThis.hit = 1</script>'
DISGUISES = [
    "Oryn\u202emoc.live",
    "Or\u200byn",
    "O\u2060ryn",
    "Oryn\u3164",
    "Or\u00adyn",
    "Oryn\U000e0041",
    "\u2800Oryn",
    "Oryn\ufe0f",
    "Oryn\u2066x",
]
NO_ICONS = {
    "svg": f"data:image/svg+xml;base64,{b64encode(b'<svg onload=alert(1)>').decode()}",
    "svg by another name": f"data:image/png;base64,{b64encode(b'<svg onload=alert(1)>').decode()}",
    "address": "https://spy.example/icon.png",
    "script": "javascript:globalThis.hit = 1",
    "bomb": png(claimed=30000),
    "no base64": "data:image/png;base64,%%%",
    "damaged": png()[:-40],
}
NO_HOMEPAGES = [
    "javascript:alert(1)",
    " java\nscript:alert(1)",
    "data:text/html,x",
    "file:///etc/passwd",
    "chrome://settings",
    "https://bank.example@evil.example/",
    "https://:x@evil.example/",
    "//evil.example",
    "mail",
]


def evil_plugin(**changes: Any) -> dict[str, Any]:
    return {**MAIL, "name": EVIL, "author": EVIL, "version": f"1.0.0-{EVIL}", "homepage": EVIL, "icon": EVIL, **changes}


@pytest.mark.slow
async def test_what_a_plugin_or_a_page_says_is_text(window: Window) -> None:
    tool = {**SEND, "title": EVIL, "description": EVIL}
    await window.hub("consent", question(tools=[tool], plugins=[evil_plugin()], arguments={EVIL: EVIL}))
    assert (await window.text()).count("<script>") >= 6
    plugin = {**evil_plugin(), "tools": [{"name": "x", "title": EVIL, "description": EVIL, "inputSchema": {}}]}
    entry = {"plugin": plugin, "disabled": False, "missed": 0, "lastSeen": 0}
    await window.hub("review", review_state(plugins=[entry]))
    assert "<script>" in await window.text()
    assert await window.js("[globalThis.hit, document.querySelectorAll('li img, li script').length]") == [None, 0]


@pytest.mark.slow
@pytest.mark.parametrize("name", DISGUISES)
async def test_a_name_has_no_character_that_nobody_sees(window: Window, name: str) -> None:
    await window.hub("consent", question(plugins=[{**CLOCK, "extensionId": MAIL["extensionId"], "name": name}]))
    shown = await window.text(".identity h3 bdi")
    assert "\\u{" in shown and shown.isascii()


@pytest.mark.slow
async def test_a_name_is_one_short_line_in_its_own_direction(window: Window) -> None:
    name = "Mail\n\n\n" + "wide " * 100 + "Z" + "\u0301" * 50
    await window.hub("consent", question(plugins=[{**MAIL, "name": name}]))
    shown = await window.text(".identity h3 bdi")
    assert len(shown) <= 80 and "\n" not in shown and shown.startswith("Mail wide") and shown.endswith("…")
    await window.hub("consent", question(plugins=[{**MAIL, "name": "Z" + "\u0301" * 50}]))
    assert await window.text(".identity h3 bdi") == "Z" + "\u0301" * 3
    await window.hub("consent", question(plugins=[{**MAIL, "name": " "}]))
    assert await window.text(".identity h3 bdi") == "without a name"


@pytest.mark.slow
@pytest.mark.parametrize("kind", NO_ICONS)
async def test_what_is_no_picture_is_no_icon(window: Window, kind: str) -> None:
    await window.hub("consent", question(plugins=[{**MAIL, "icon": NO_ICONS[kind]}]))
    await window.until("!document.getElementById('deny').disabled")  # a second later
    assert await window.text(".icon") == "M"
    assert await window.js("document.querySelectorAll('.icon *').length") == 0


@pytest.mark.slow
async def test_a_picture_is_drawn(window: Window) -> None:
    await window.hub("consent", question(plugins=[{**MAIL, "icon": png()}]))
    await window.until("document.querySelector('.icon canvas')")
    pixel = "[...document.querySelector('.icon canvas').getContext('2d').getImageData(40, 40, 1, 1).data]"
    assert await window.js(pixel) == [255, 0, 0, 255]


@pytest.mark.slow
@pytest.mark.parametrize("homepage", NO_HOMEPAGES)
async def test_only_pages_of_the_web_are_homepages(window: Window, homepage: str) -> None:
    await window.hub("consent", question(plugins=[{**MAIL, "homepage": homepage}]))
    assert await window.js("document.querySelectorAll('a').length") == 0


@pytest.mark.slow
async def test_a_homepage_shows_its_host_as_the_address_bar_does(window: Window) -> None:
    await window.hub("consent", question(plugins=[{**MAIL, "homepage": "https://\u0430pple.com/a?b"}]))
    link = "(({href, textContent, target, rel}) => [href, textContent, target, rel])(document.querySelector('a'))"
    host = "xn--pple-43d.com"
    assert await window.js(link) == [f"https://{host}/a?b", host, "_blank", "noopener noreferrer"]
