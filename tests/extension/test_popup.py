"""The popup in a real browser: what it says of the worker's state, what it asks of the worker, and how it is used."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from oryn.browsers.chromium import ChromiumBrowser
from oryn.engine import Options, Session
from tests.daemon.test_live_page_for_everybody import CONTRASTS, NAMELESS
from tests.extension.popup import Popup, state
from tests.headless.conftest import Pages

ELSEWHERE = "wss://agents.example.org/oryn"
ORIGIN = "wss://agents.example.org"


@pytest.fixture(scope="module")
def browser(run: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChromiumBrowser]:
    headless = ChromiumBrowser(runtime_dir=Path(tmp_path_factory.mktemp("runtime")))
    run(headless.start())
    yield headless
    run(headless.close())


@pytest.fixture
def popup(browser: ChromiumBrowser, pages: Pages, bundles: Path, run: Any, tmp_path: Path) -> Iterator[Popup]:
    """The popup in a context of its own, as narrow as a browser shows it."""
    pages.bodies.clear()
    session = Session(ChromiumBrowser(runtime_dir=tmp_path, shared_with=browser), options=Options(timeout=60))
    run(session.execute("viewport 400 600"))
    yield Popup(session, pages, bundles)
    run(session.close())


def code(seconds: float = 250, **more: Any) -> dict[str, Any]:
    """A state with a code that holds so long."""
    return state(**{"status": "pairing", "code": "K7P2QX", "code_expires": (time.time() + seconds) * 1000, **more})


def rows() -> list[dict[str, Any]]:
    now = time.time() * 1000
    return [
        {"id": 9, "time": now, "tab": 1, "line": 'click "Buy"', "status": "running", "elapsed_ms": None},
        {"id": 8, "time": now - 900, "tab": None, "line": "observe", "status": "ok", "elapsed_ms": 52},
        {"id": 7, "time": now - 2000, "tab": 2, "line": "click 99", "status": "error", "elapsed_ms": 1830},
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("said", "title", "detail"),
    [
        (state(), "Not connected", "No server can read or control this browser."),
        (state(engine={"state": "loading"}), "Not connected", "The engine is starting."),
        (state(detail="the server said no"), "Not connected", "The server said no."),
        (state(status="connecting"), "Connecting to localhost:8080", ""),
        (
            state(status="pairing"),
            "localhost:8080 is not paired yet",
            "The server can do nothing until you give it the code below.",
        ),
        (
            state(status="connected"),
            "Connected to localhost:8080",
            "The server can read and control the active tab, and tabs that come from it.",
        ),
        (
            state(status="connected", settings={"tab_scope": "all"}),
            "Connected to localhost:8080",
            "The server can read and control all tabs.",
        ),
        (
            state(status="waiting", detail="no server answers there"),
            "No connection to localhost:8080",
            "No server answers there. Run “oryn remote” in a terminal.",
        ),
        (
            state(status="waiting", endpoint="ws://127.0.0.1:9000"),
            "No connection to 127.0.0.1:9000",
            "Run “oryn remote --port 9000” in a terminal.",
        ),
        (
            state(status="waiting", endpoint="ws://localhost:7720/extension", detail="no server answers there"),
            "No connection to localhost:7720/extension",
            "No server answers there. Run “oryn daemon start” in a terminal.",
        ),
        (
            code(status="waiting", detail="no server answers there"),
            "No connection to localhost:8080",
            "No server answers there. Run the command below in a terminal.",
        ),
        (
            state(status="waiting", endpoint=ELSEWHERE, detail="no server answers there"),
            "No connection to agents.example.org/oryn",
            "No server answers there. Check the address, and ask the server's operator whether it is running.",
        ),
        (
            state(status="waiting", detail="the connection was lost"),
            "No connection to localhost:8080",
            "The connection was lost.",
        ),
    ],
)
async def test_the_status_in_words(popup: Popup, said: dict[str, Any], title: str, detail: str) -> None:
    await popup.open(said)
    assert await popup.text("#status") == title
    assert await popup.text("#detail") == detail


@pytest.mark.slow
async def test_connecting_and_disconnecting(popup: Popup) -> None:
    await popup.open(state())
    assert await popup.js("document.querySelector('#endpoint').value") == "ws://localhost:8080"
    await popup.say('click "Connect"')
    assert await popup.received() == [{"type": "connect"}]
    assert await popup.text("#connect") == "Connecting"
    await popup.says(state(status="connecting"))
    assert not await popup.is_visible("#server")
    assert await popup.focused() == "disconnect", "the keyboard stays where the button was"
    await popup.says(state(status="connected", activity=rows()))
    await popup.until("document.querySelector('#announcement').textContent === 'Connected to localhost:8080'")
    await popup.say('click "Stop the running command"')
    await popup.say('click "Disconnect"')
    assert await popup.received() == [{"type": "stop"}, {"type": "disconnect"}]
    await popup.says(state())
    assert await popup.focused() == "connect"
    assert await popup.text("#connect") == "Connect"


@pytest.mark.slow
async def test_another_server_by_keyboard(popup: Popup) -> None:
    await popup.open(state())
    await popup.say('type css("#endpoint") "ws://localhost:9" --enter')
    assert await popup.received() == [
        {"type": "settings", "changes": {"endpoint": "ws://localhost:9"}},
        {"type": "connect"},
    ]
    await popup.says({"type": "refused", "message": "there is no port 0"})
    assert await popup.text("#notice") == "there is no port 0"
    assert await popup.js("document.querySelector('#endpoint').value") == "ws://localhost:9"
    await popup.says(state())
    assert await popup.is_visible("#notice"), "it stays until something else is done"
    assert await popup.js("document.querySelector('#endpoint').value") == "ws://localhost:9"
    await popup.keys("escape")
    assert await popup.js("document.querySelector('#endpoint').value") == "ws://localhost:8080"
    await popup.keys("enter")
    assert await popup.received() == [{"type": "connect"}]
    assert not await popup.is_visible("#notice")


@pytest.mark.slow
async def test_waiting_counts_down_and_can_be_cut_short(popup: Popup) -> None:
    await popup.open(state(status="waiting", detail="the connection was lost", retry_at=(time.time() + 30) * 1000))
    await popup.until("/Retrying in 2\\d s/.test(document.querySelector('#detail').textContent)")
    await popup.say('click "Retry now"')
    assert await popup.received() == [{"type": "connect"}]


@pytest.mark.slow
async def test_a_code_is_read_copied_and_replaced(popup: Popup) -> None:
    await popup.open(code())
    assert await popup.text("#code") == "K7P 2QX"
    assert await popup.js("document.querySelector('#code').getAttribute('aria-label')") == "K 7 P 2 Q X"
    assert await popup.js("parseFloat(getComputedStyle(document.querySelector('#code')).fontSize)") >= 30
    assert (await popup.text("#code-left")).startswith("Valid once, for 4:")
    assert await popup.text("#pair-command") == "oryn remote --pair K7P2QX"
    assert await popup.text("#pair-else") == 'Or in your own program: Oryn("remote", pair="K7P2QX").'
    await popup.say('click "Copy"')
    await popup.until("fake.copied === 'oryn remote --pair K7P2QX'")
    assert await popup.text("#copy") == "Copied"
    await popup.says(code(1.2))
    await popup.until("document.querySelector('#code-left').textContent === 'This code has expired. Press New code.'")
    assert await popup.js("document.querySelector('#copy').disabled")
    await popup.say('click "New code"')
    assert await popup.received() == [{"type": "new_code"}]
    await popup.says(code(endpoint="ws://localhost:7720/extension"))
    assert await popup.text("#pair-command") == "oryn daemon pair K7P2QX"
    await popup.says(code(endpoint="ws://localhost:9000"))
    assert await popup.text("#pair-command") == "oryn remote --port 9000 --pair K7P2QX"
    await popup.says(state(status="connected"))
    assert not await popup.is_visible("#pairing")


@pytest.mark.slow
async def test_pairing_before_and_after(popup: Popup) -> None:
    await popup.open(state())
    assert "Press Connect to get a code" in await popup.text("#pairing")
    assert not await popup.is_visible("#new-code")
    pairing = {"endpoint": "ws://localhost:8080", "since": 1795000000000, "last_used": 1795000500000}
    await popup.says(state(paired=[pairing]))
    assert not await popup.is_visible("#pairing")
    await popup.says(state(paired=[pairing], status="waiting", detail="the server does not know this browser any more"))
    await popup.say('click "Get a code"')
    assert await popup.received() == [{"type": "new_code"}]


@pytest.mark.slow
async def test_settings_are_the_workers(popup: Popup) -> None:
    await popup.open(state())
    for label in ("Connect when the browser starts", "All tabs", "Real keys and mouse"):
        await popup.say(f'check "{label}"')
    assert await popup.received() == [
        {"type": "settings", "changes": {"auto_connect": True}},
        {"type": "settings", "changes": {"tab_scope": "all"}},
        {"type": "settings", "changes": {"trusted_input": True}},
    ]
    await popup.says(state(settings={"tab_scope": "all"}))
    checked = "[...document.querySelectorAll('#settings :checked')].map(({name, value}) => name + ' ' + value)"
    assert await popup.js(checked) == ["tab_scope all"]


@pytest.mark.slow
async def test_a_server_elsewhere_is_added_with_a_warning_and_removed(popup: Popup) -> None:
    await popup.open(state())
    await popup.say(f'type css("#allow-url") "{ELSEWHERE}" --enter')
    assert await popup.received() == [], "nothing yet"
    assert "agents.example.org can read your pages" in await popup.text("#allow-confirmation")
    assert await popup.focused() == "allow-no", "what is done without thinking is the harmless thing"
    await popup.keys("escape")
    assert await popup.focused() == "allow-url"
    await popup.keys("enter")
    await popup.say('click "Add server"')
    assert await popup.received() == [{"type": "allow", "endpoint": ELSEWHERE}]
    await popup.says(state(settings={"allowlist": [ORIGIN, "wss://b.example"]}))
    assert (await popup.text("#allowed")).split() == [ORIGIN, "Remove", "wss://b.example", "Remove"]
    await popup.say(f'click "Remove {ORIGIN}"')
    assert await popup.received() == [{"type": "settings", "changes": {"allowlist": ["wss://b.example"]}}]
    await popup.says(state(settings={"allowlist": ["wss://b.example"]}))
    assert await popup.js("document.activeElement.getAttribute('aria-label')") == "Remove wss://b.example"


@pytest.mark.slow
async def test_connecting_elsewhere_asks_first(popup: Popup) -> None:
    await popup.open(state())
    await popup.say(f'type css("#endpoint") "{ELSEWHERE}" --enter')
    assert await popup.received() == []
    await popup.say('click "Add server"')
    change = {"type": "settings", "changes": {"endpoint": ELSEWHERE}}
    assert await popup.received() == [{"type": "allow", "endpoint": ELSEWHERE}, change, {"type": "connect"}]
    await popup.says(
        state(settings={"allowlist": [ORIGIN], "endpoint": ELSEWHERE}, endpoint=ELSEWHERE, warning="Beware.")
    )
    assert await popup.text("#warning") == "Beware."
    await popup.say('click "Connect"')
    assert await popup.received() == [{"type": "connect"}]


@pytest.mark.slow
async def test_pairings_are_revoked(popup: Popup) -> None:
    pairings = [
        {"endpoint": "ws://localhost:8080", "since": 1795000000000, "last_used": 1795000500000},
        {"endpoint": ELSEWHERE, "since": 1790000000000, "last_used": None},
    ]
    await popup.open(state(paired=pairings))
    text = await popup.text("#paired")
    assert "2026" in text and text.count("Since") == 2 and text.count("last used") == 1
    await popup.say('click "Revoke ws://localhost:8080"')
    assert await popup.received() == [{"type": "revoke", "endpoint": "ws://localhost:8080"}]
    await popup.says(state(paired=[]))
    assert "No server is paired" in await popup.text("#no-paired")


@pytest.mark.slow
async def test_activity_as_it_happens(popup: Popup) -> None:
    await popup.open(state())
    assert "appear here as they run" in await popup.text("#no-activity")
    asked = rows()
    tabs = [
        {"number": 1, "title": "Fern", "url": "https://fern.example/"},
        {"number": 2, "title": "", "url": "https://b/"},
    ]
    await popup.says(state(status="connected", activity=asked, controlled=tabs))
    marks = "[...document.querySelectorAll('#activity .mark')].map((each) => each.getAttribute('aria-label'))"
    assert await popup.js(marks) == ["running", "done", "failed"]
    told = "[...document.querySelectorAll('#activity .remark')].map((each) => each.textContent)"
    assert await popup.js(told) == ["tab 1", "52 ms", "tab 2, 1.8 s"]
    assert (await popup.text("#controlled")).split() == ["1", "Fern", "https://fern.example/", "2", "https://b/"]
    await popup.js("globalThis.kept = document.querySelector('#activity').children[1]")
    asked[0] |= {"status": "ok", "elapsed_ms": 310}
    await popup.says(state(status="connected", activity=asked))
    assert await popup.js(marks) == ["done", "done", "failed"]
    assert await popup.js("kept === document.querySelector('#activity').children[1]"), "rows stay that do not change"
    assert not await popup.is_visible("#tabs")


async def test_what_others_say_is_text(popup: Popup) -> None:
    evil = "<img src=x onerror='globalThis.evil = 1'><b>bold</b>"
    row = {**rows()[0], "line": evil}
    changes = {
        "status": "waiting",
        "detail": evil,
        "warning": evil,
        "activity": [row],
        "controlled": [{"number": 1, "title": evil, "url": evil}],
        "paired": [{"endpoint": evil, "since": 1, "last_used": 2}],
        "settings": {"allowlist": [evil]},
        "engine": {"version": evil},
    }
    await popup.open(state(**changes))
    await popup.says({"type": "refused", "message": evil})
    assert await popup.text("#notice") == evil
    assert await popup.js("document.querySelectorAll('b, main img').length") == 0
    assert await popup.js("globalThis.evil") is None


@pytest.mark.slow
async def test_the_worker_may_go_and_come_back(popup: Popup) -> None:
    await popup.open(state(status="connected"))
    await popup.js("fake.drop()")
    await popup.say('click "Disconnect"')
    await popup.until("fake.opened === 2")
    assert await popup.received() == [{"type": "disconnect"}], "what was said meanwhile is not lost"
    await popup.says(state())
    assert await popup.text("#status") == "Not connected"
    assert not await popup.is_visible("#notice"), "a restart is no trouble"
    await popup.js(
        "chrome.runtime.connect = () => ({ onMessage: { addListener() {} }, onDisconnect: { addListener() {} } })"
    )
    await popup.js("fake.drop()")
    await popup.until("document.querySelector('#notice').textContent.startsWith('The extension does not respond')")


@pytest.mark.slow
async def test_an_engine_that_fails(popup: Popup) -> None:
    await popup.open(state(engine={"state": "failed", "version": "0.1.0", "error": "out of memory"}))
    assert await popup.text("#notice") == (
        "The engine did not start: out of memory. Reload the extension at chrome://extensions. "
        "If that does not help, restart the browser."
    )
    assert await popup.text("#engine") == "Engine failed (0.1.0)"
    await popup.says(state(engine={"state": "ready"}))
    assert not await popup.is_visible("#notice")
    assert await popup.text("#engine") == "Engine 0.1.0, ready in 0.6 s from its snapshot"


@pytest.mark.slow
async def test_the_keyboard_reaches_everything(popup: Popup) -> None:
    await popup.open(code(activity=rows(), paired=[{"endpoint": ELSEWHERE, "since": 1, "last_used": 2}]))
    order = []
    for _ in range(11):
        await popup.keys("tab")
        order.append(await popup.focused())
        assert await popup.js("getComputedStyle(document.activeElement).outlineStyle") != "none", order[-1]
    assert order[:4] == ["disconnect", "stop", "copy", "new-code"]
    assert order[5:] == ["auto_connect", "tab_scope", "trusted_input", "allow-url", "Add", "Revoke"]
    assert await popup.js(NAMELESS) == []
    identifiers = await popup.js("[...document.querySelectorAll('[id]')].map((each) => each.id)")
    assert len(set(identifiers)) == len(identifiers)
    tree = await popup.say("snapshot")
    for row in (
        'region "localhost:8080 is not paired yet"',
        'region "Pairing"',
        'group "Tabs that a server may control"',
    ):
        assert row in tree, f"{row} is not in\n{tree}"


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_colours_can_be_told_apart(popup: Popup, scheme: str) -> None:
    await popup.say(f"media color-scheme {scheme}")
    full = {"activity": rows(), "warning": "Beware.", "paired": [{"endpoint": ELSEWHERE, "since": 1, "last_used": 2}]}
    await popup.open(code(**full))
    await popup.js("document.querySelector('#allow-url').value = 'wss://b.example'")
    await popup.say('click "Add"')
    await popup.says({"type": "refused", "message": "no"})
    assert await popup.js(CONTRASTS) == []
    await popup.says(state(status="connected", **full))
    assert await popup.js(CONTRASTS) == []


@pytest.mark.slow
@pytest.mark.parametrize("width", [320, 400, 800, 1280])
async def test_it_scrolls_one_way_only(popup: Popup, width: int) -> None:
    await popup.say(f"viewport {width} 600")
    long = "wss://" + "a-very-long-name-of-a-server." * 5 + "example/" + "path" * 20
    row = {**rows()[0], "line": "goto https://example.com/" + "x" * 300}
    await popup.open(
        code(
            endpoint=long,
            activity=[row],
            settings={"allowlist": [long], "endpoint": long},
            paired=[{"endpoint": long, "since": 1, "last_used": 2}],
            controlled=[{"number": 1, "title": "x" * 300, "url": long}],
            warning="x" * 300,
        )
    )
    assert await popup.js("document.documentElement.scrollWidth") == width


@pytest.mark.slow
async def test_nothing_turns_where_motion_is_reduced(popup: Popup) -> None:
    await popup.say("media reduced-motion reduce")
    await popup.open(state(status="connected", activity=rows()))
    assert await popup.js("document.getAnimations().length") == 0
