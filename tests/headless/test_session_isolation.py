"""Nothing that is said to one session reaches another of the same host: a table of what might."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from oryn.browsers.chromium import ChromiumBrowser
from oryn.engine import Options, Session
from oryn.sessions.sessions import Sessions
from tests.headless.conftest import executed

pytestmark = pytest.mark.browser

PAGE = """<title>Page</title><button onclick="fetch('/ping')">Go</button>
<iframe srcdoc="<button>Inner</button>"></iframe><script>console.log(document.title)</script>"""

RESOURCES: dict[str, tuple[list[str], str]] = {
    "cookies": (['cookies set taste "sweet"'], "cookies list"),
    "localStorage": (['storage set lang "en"'], "storage list"),
    "sessionStorage": (['storage set lang "en" --session'], "storage list --session"),
    "element numbers": (["observe"], "click 1"),
    "references": (["snapshot"], "click @e1"),
    "history": (["goto /ping", "back"], "forward"),
    "address": (["goto about:blank"], "url"),
    "tabs": (["tab new about:blank"], "tabs"),
    "the chosen frame": (['frame css("iframe")'], "text"),
    "answers to dialogs": (["dialog auto dismiss"], "eval \"confirm('Sure?')\""),
    "headers": (['headers set {"X-Mine": "1"}'], "headers"),
    "interception": (['intercept "*/ping" --status 418'], "eval \"fetch('/ping').then(answer => answer.status)\""),
    "offline": (["offline on"], "eval \"fetch('/ping').then(answer => answer.ok)\""),
    "requests": (["eval \"fetch('/mine').then(answer => answer.status)\""], "requests --filter mine"),
    "console": (["eval \"console.log('mine')\""], "console"),
    "errors": (["eval \"void setTimeout(() => { throw Error('mine') })\""], "errors"),
    "viewport": (["viewport 300 200"], 'eval "innerWidth"'),
    "user agent": (['useragent "Mine"'], 'eval "navigator.userAgent"'),
    "time zone": (["timezone Asia/Tokyo"], 'eval "Intl.DateTimeFormat().resolvedOptions().timeZone"'),
    "media": (["media color-scheme dark"], "eval \"matchMedia('(prefers-color-scheme: dark)').matches\""),
    "held keys": (["keydown shift"], "keys"),
    "intents": (["define mine:\n  url"], "intents --session"),
}
"""What is done in one session, and how another would notice."""


@pytest.fixture
def sessions(browser: ChromiumBrowser, pages: Any, run: Any) -> Iterator[Sessions]:
    """A host with two sessions on the same page."""
    pages.bodies.clear()
    pages["/"], pages["/ping"], pages["/mine"] = PAGE, "pong", "mine"

    def make(name: str, _: Any = None) -> Session:
        return Session(ChromiumBrowser(runtime_dir=Path("/nowhere"), shared_with=browser), name, Options(timeout=60))

    sessions = Sessions(make, make("one"))

    async def begin() -> None:
        await sessions.execute("session new two")
        for name in ("one", "two"):
            answer = await executed(sessions.execute, f"@{name} goto {pages.url()}")
            assert answer.ok, answer.render()

    run(begin())
    yield sessions
    run(sessions.close())


async def answer_of(sessions: Sessions, name: str, line: str) -> str:
    """The answer of one session, without its name and the time of day."""
    answer = (await sessions.execute(f"@{name} {line}")).render().replace(f"@{name} ", "", 1)
    return re.sub(r"\d\d:\d\d:\d\d", "", answer)


@pytest.mark.slow
@pytest.mark.parametrize("resource", RESOURCES)
async def test_session_changes_do_not_affect_another_session(sessions, resource):
    lines, look = RESOURCES[resource]
    for line in lines:
        answer = await answer_of(sessions, "one", line)
        assert not answer.startswith("error"), answer
    mine, others = await answer_of(sessions, "one", look), await answer_of(sessions, "two", look)
    assert mine != others, "the test changes nothing"
    await sessions.execute("session new three")
    await sessions.execute(f"@three goto {await address(sessions, 'two')}")
    assert others == await answer_of(sessions, "three", look)


async def address(sessions: Sessions, name: str) -> str:
    return str((await sessions.execute(f"@{name} url")).data)


async def test_scripts_of_pages(sessions, tmp_path):
    file = tmp_path / "mine.js"
    file.write_text("window.mine = true")
    assert (await answer_of(sessions, "one", f"script add {file}")).startswith("ok")
    assert await answer_of(sessions, "one", "script list") != await answer_of(sessions, "two", "script list")
    for name, expected in (("one", "| true"), ("two", "| false")):
        await sessions.execute(f"@{name} refresh")
        assert (await answer_of(sessions, name, "eval \"'mine' in window\"")).endswith(expected)
