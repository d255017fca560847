"""The live page in a real browser, which Oryn itself drives and which reaches nothing but this computer."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from oryn.browsers.chromium import ChromiumBrowser
from oryn.engine import Options, Session
from tests.daemon.live import CORNER, LivePage
from tests.headless.conftest import Pages
from tests.source_modules import PROJECT

# Six colours within a tenth of a second, and then blue.
FADE = """'let step = 0; const timer = setInterval(() => { step += 1; if (step > 6) clearInterval(timer);
  document.body.style.background = step > 6 ? "rgb(0, 0, 255)" : `rgb(0, ${step * 30}, 0)` }, 16)'""".replace("\n", "")


@pytest.mark.slow
async def test_sessions_appear_and_go(live: LivePage, live_shop: Callable[..., str]) -> None:
    await live.open()
    await live.until("!document.querySelector('#no-sessions').hidden")
    assert await live.text("#stage-title") == "No session"
    await live.daemon.ok(f"goto {live_shop()}", session="plants")
    await live.until_text("#sessions", "plants")
    await live.until("document.title === 'Fernhill – plants – Oryn'")
    assert await live.text("#stage-title") == "plants"
    await live.daemon.ok(f"goto {live_shop(path='/b')}", session="other")
    await live.until_text("#sessions", "other")
    assert await live.text("#sessions [aria-current]") == await live.text("#sessions li:first-child button")
    await live.say('click css("#sessions li:nth-child(2) button")')
    await live.until("document.title === 'Fernhill – other – Oryn'")
    await live.say("reload")
    await live.until("document.title === 'Fernhill – other – Oryn'")
    await live.daemon.ok({"argv": ["close"]}, session="other")
    await live.until("!document.querySelector('#sessions').innerText.includes('other')")
    assert await live.text("#stage-title") == "plants"


@pytest.mark.slow
async def test_the_picture_changes_with_the_page(live: LivePage, live_shop: Callable[..., str]) -> None:
    await live.daemon.ok(f"goto {live_shop()}")
    await live.open()
    await live.until(f"{CORNER}[0] > 200 && {CORNER}[2] < 60")
    assert await live.text("#picture-state") == "Live"
    assert await live.js("document.querySelector('#picture').getAttribute('aria-label')") == (
        "Picture of default: Fernhill"
    )
    await live.daemon.ok('click "Turn blue"')
    await live.until(f"{CORNER}[2] > 200 && {CORNER}[0] < 60")


@pytest.mark.slow
async def test_the_last_of_several_quick_changes_is_shown(live: LivePage, live_shop: Callable[..., str]) -> None:
    """The browser leaves out a change that comes while two pictures wait to be taken, and sends none after it."""
    await live.daemon.ok(f"goto {live_shop()}")
    await live.open()
    await live.until(f"{CORNER}[0] > 200 && {CORNER}[2] < 60")
    await live.daemon.ok(f"eval {FADE}")
    await live.until(f"{CORNER}[2] > 200 && {CORNER}[0] < 60")


@pytest.mark.slow
async def test_the_picture_follows_to_another_tab(live: LivePage, live_shop: Callable[..., str]) -> None:
    await live.daemon.ok(f"goto {live_shop()}")
    await live.open()
    await live.until(f"{CORNER}[0] > 200 && {CORNER}[2] < 60")
    await live.daemon.ok(f"tab new {live_shop('rgb(0, 0, 255)', '/blue')}")
    await live.until(f"{CORNER}[2] > 200 && {CORNER}[0] < 60")
    await live.daemon.ok("tab switch 1")
    await live.until(f"{CORNER}[0] > 200 && {CORNER}[2] < 60")


@pytest.mark.slow
async def test_looking_ends_no_film(live: LivePage, live_shop: Callable[..., str], tmp_path: Path) -> None:
    await live.daemon.ok(f"goto {live_shop()}")
    await live.daemon.ok(f"record start {tmp_path / 'film.webm'}")
    await live.open()
    await live.until(f"{CORNER}[0] > 200 && {CORNER}[2] < 60")
    await live.say("goto about:blank")
    await live.daemon.ok('click "Turn blue"')
    await live.open()
    await live.until(f"{CORNER}[2] > 200 && {CORNER}[0] < 60")
    film = (await live.daemon.ok("record stop", timeout_ms=120_000))["data"]["result"]
    assert film["frames"] >= 2
    # The film has ended; the pictures go on.
    await live.daemon.ok("reload")
    await live.until(f"{CORNER}[0] > 200 && {CORNER}[2] < 60")


@pytest.mark.slow
async def test_the_numbers_are_the_agents_and_looking_changes_none(
    live: LivePage, live_shop: Callable[..., str]
) -> None:
    await live.daemon.ok(f"goto {live_shop()}")
    await live.open()
    await live.until_text("#elements-note", "has not observed this page yet")
    observed = await live.daemon.ok("observe")
    generation = observed["snapshot_generation"]
    numbers = {each["text"]: each["id"] for each in observed["data"]["elements"]}
    await live.until("document.querySelectorAll('[role=option]').length === 3")
    for name, number in numbers.items():
        assert await live.js(f"document.querySelector('#element-{number} .label').textContent") == name
        box = await live.js(
            f"""(() => {{
              const mark = document.querySelector('.mark[data-number="{number}"]').getBoundingClientRect();
              const view = document.querySelector('#view').getBoundingClientRect();
              const scale = 1280 / view.width;
              return [(mark.x - view.x) * scale, (mark.y - view.y) * scale, mark.width * scale];
            }})()"""
        )
        place = (await live.daemon.ok(f"box {number}"))["data"]["result"]
        assert box == pytest.approx([place["x"], place["y"], place["width"]], abs=1.5)
    await live.say('click "Show numbers"')
    assert not await live.js("document.querySelector('.mark').checkVisibility()")
    after = await live.daemon.ok(f"click {numbers['Turn blue']}")
    assert after["snapshot_generation"] == generation
    assert after["text"].startswith(f"ok click {numbers['Turn blue']}")


@pytest.mark.slow
@pytest.mark.parametrize("look", ["observe --limit 1", 'observe --near "Turn blue" --limit 1', "observe --viewport"])
async def test_what_was_seen_in_part_is_shown(live: LivePage, live_shop: Callable[..., str], look: str) -> None:
    """Its numbers work, so they are there; and looking at it here changes none."""
    await live.daemon.ok(f"goto {live_shop()}")
    await live.open()
    await live.until_text("#elements-note", "has not observed this page yet")
    told = (await live.daemon.ok(look))["data"]["elements"]
    await live.until(f"document.querySelectorAll('[role=option]').length === {len(told)}")
    for element in told:
        number = element["id"]
        assert await live.js(f"document.querySelector('#element-{number} .label').textContent") == element["text"]
        assert await live.js(f"document.querySelector('.mark[data-number=\"{number}\"]').checkVisibility()")
    assert not await live.js("document.querySelector('#elements-note').checkVisibility()")
    assert not await live.js("document.querySelector('#observe').checkVisibility()")
    assert not await live.js("document.querySelector('.mark.unreported')")
    blue = next(each["id"] for each in told if each["text"] == "Turn blue")
    await live.daemon.ok(f"click {blue}")


@pytest.mark.slow
async def test_a_snapshot_is_a_look(live: LivePage, live_shop: Callable[..., str]) -> None:
    await live.daemon.ok(f"goto {live_shop()}")
    await live.open()
    await live.until_text("#elements-note", "has not observed this page yet")
    await live.daemon.ok("snapshot")
    await live.until_text("#elements-note", "The agent has a snapshot of this page with the references @e1 to @e")
    assert await live.js("document.querySelector('#observe').checkVisibility()")
    sight = (await live.daemon.client.get("/sessions/default/sight")).json()
    assert sight["observed"] and sight["references"] >= 3 and sight["elements"] == []
    await live.until(f"document.querySelectorAll('.mark').length === {len(sight['reference_boxes'])}")
    tree = (await live.daemon.ok("snapshot"))["text"]
    (button,) = [line for line in tree.splitlines() if '"Turn blue"' in line]
    reference = button.split("@e")[1].split("]")[0].split()[0]
    await live.until(f"document.querySelector('.mark[data-number=\"@e{reference}\"]')?.checkVisibility()")
    sight = (await live.daemon.client.get("/sessions/default/sight")).json()
    (shown,) = [each["box"] for each in sight["reference_boxes"] if each["number"] == int(reference)]
    box = (await live.daemon.ok(f"box @e{reference}"))["data"]["result"]
    assert shown == pytest.approx([box["x"], box["y"], box["width"], box["height"]], abs=1)
    await live.daemon.ok(f"click @e{sight['references']}")
    await live.daemon.ok("goto about:blank")
    await live.until_text("#elements-note", "has not observed this page yet")


@pytest.mark.slow
async def test_what_the_agent_has_not_been_told_is_set_off(live: LivePage, live_shop: Callable[..., str]) -> None:
    await live.daemon.ok(f"goto {live_shop()}")
    await live.daemon.ok("observe --limit 1")
    await live.daemon.ok('click "Turn blue"')
    await live.open()
    await live.until("document.querySelectorAll('[role=option]').length === 3")
    assert await live.js("document.querySelectorAll('.mark.unreported').length") == 2
    assert "not reported to the agent" in await live.text("[role=option]:last-child")


@pytest.mark.slow
async def test_events_come_can_be_paused_and_chosen(live: LivePage, live_shop: Callable[..., str]) -> None:
    await live.open()
    await live.daemon.ok(f"goto {live_shop()}", session="plants")
    await live.until("document.querySelector('#events').children.length === 3")
    kinds = await live.js("[...document.querySelectorAll('#events .type')].map((each) => each.textContent)")
    assert sorted(kinds) == ["action.finish", "action.start", "session.opened"]
    await live.say('click "Pause"')
    await live.daemon.ask("click 99", session="plants")
    await live.until_text("#events-lost", "2 waiting")
    assert await live.js("document.querySelector('#events').children.length") == 3
    await live.say('click "Pause"')
    await live.until("document.querySelector('#events').children.length === 5")
    assert await live.text("#events li.bad .action") == "✕ click element not found"
    await live.say('select "Event type" "session.opened"')
    assert await live.js("document.querySelector('#events').children.length") == 1
    await live.say('select "Event type" "All types"')
    await live.until_text("#events-session", "plants")
    await live.say('select "Event session" "plants"')
    assert await live.js("document.querySelector('#events').children.length") == 5


@pytest.mark.slow
async def test_the_history_is_searched_shown_whole_and_replayed(live: LivePage, live_shop: Callable[..., str]) -> None:
    await live.daemon.ok(f"goto {live_shop()}", session="seek")
    await live.daemon.ok('click "Turn blue"', session="seek")
    await live.daemon.ask('click "Nowhere at all"', session="seek")
    await live.daemon.ok('type "Password" "hunter2"', session="seek")
    await live.open()
    await live.until_text("#search-session", "seek")
    await live.say('select "Session" "seek"')
    await live.until("document.querySelectorAll('#rows .open').length === 4")
    assert "hunter2" not in await live.js("document.documentElement.innerHTML")
    first = await live.text("#rows tr:first-child")
    assert "secret hidden" in first and "Replay" not in first
    why = await live.js("document.querySelector('#rows .remark').title")
    assert "withheld" in why
    await live.say('type "Search" "TURN"')
    await live.until("document.querySelectorAll('#rows .open').length === 1")
    await live.say('click "Replay click \\"Turn blue\\""')
    await live.until_text("#answer", 'ok click "Turn blue"')
    rows = live.daemon.rows()
    assert rows[-1]["source_action_id"] == next(
        row["action_id"] for row in rows if row["session"] == "seek" and row["action"] == "click"
    )
    await live.say('clear "Search"')
    await live.say('check "Only errors"')
    await live.until("document.querySelectorAll('#rows .open').length === 1")
    await live.say('click css("#rows .open")')
    details = await live.text(".details:not([hidden])")
    assert "element_not_found" in details and 'click "Nowhere at all"' in details


@pytest.mark.slow
async def test_the_commands_of_a_program_are_under_it(live: LivePage, live_shop: Callable[..., str]) -> None:
    pytest.importorskip("pydantic_monty")
    text = f"goto('{live_shop()}')\nfor name in ['Turn blue', 'Nowhere at all']:\n    click(name, timeout=1)"
    answer = await live.daemon.ask({"action": "program", "args": {"text": text}}, session="loops")
    await live.open()
    await live.until_text("#search-session", "loops")
    await live.say('select "Session" "loops"')
    await live.until("document.querySelectorAll('#rows .open').length === 1")
    await live.say('click css("#rows .open")')
    await live.until_text(".commands", "Nowhere at all")
    items = (
        "[...document.querySelectorAll('.commands li')].map((each) => [...each.children].map((one) => one.innerText))"
    )
    goto, *clicks = await live.js(items)
    assert goto[0].startswith("goto ") and goto[1:] == ["done", "Replay"]
    assert clicks == [
        ['click "Turn blue" --timeout 1s', "done", "Replay"],
        ['click "Nowhere at all" --timeout 1s', "element not found", "Replay"],
    ]
    await live.say('type "Search" "Turn blue"')
    await live.until("document.querySelectorAll('#rows .inner .open').length === 1")
    await live.say('click css("#rows .open")')
    assert answer["action_id"] in await live.text(".details:not([hidden])")


@pytest.mark.slow
async def test_long_histories_come_in_pages(live: LivePage) -> None:
    for _ in range(60):
        await live.daemon.ok("tabs", session="pages")
    await live.open()
    await live.until_text("#search-session", "pages")
    await live.say('select "Session" "pages"')
    await live.until("document.querySelectorAll('#rows .open').length === 50")
    await live.say('click "Show older"')
    await live.until("document.querySelectorAll('#rows .open').length === 60")
    assert not await live.js("document.querySelector('#older').checkVisibility()")
    identifiers = await live.js("[...document.querySelectorAll('.details')].map((each) => each.id)")
    assert len(set(identifiers)) == 60
    # a search that is still to come does not take the older rows away
    changed = "document.querySelector('#search-text').dispatchEvent(new Event('input', {bubbles: true}))"
    await live.js(f"{changed}; {changed}; document.querySelector('#older').click()")
    await live.until("document.querySelectorAll('#rows .open').length === 60")


@pytest.mark.slow
async def test_new_rows_do_not_move_what_is_read(live: LivePage, live_shop: Callable[..., str]) -> None:
    await live.daemon.ok(f"goto {live_shop()}", session="still")
    await live.open()
    await live.until("document.querySelectorAll('#rows .open').length > 0")
    await live.js("document.querySelector('#rows .open').focus()")
    shown = await live.js("document.querySelectorAll('#rows .open').length")
    heights = await live.js("[...document.querySelectorAll('.panel')].map((each) => each.offsetTop)")
    await live.daemon.ok("tabs", session="still")
    await live.until_text("#history-new", "Show 1 new")
    assert await live.js("document.querySelectorAll('#rows .open').length") == shown
    assert await live.js("[...document.querySelectorAll('.panel')].map((each) => each.offsetTop)") == heights
    await live.say('click "Show 1 new"')
    await live.until(f"document.querySelectorAll('#rows .open').length === {min(50, shown + 1)}")


@pytest.mark.slow
async def test_a_command_is_sent_and_answered(live: LivePage, live_shop: Callable[..., str]) -> None:
    await live.daemon.ok(f"goto {live_shop()}", session="plants")
    await live.open()
    await live.until_text("#line-label", "Command for plants")
    await live.say('type "Command for plants" "observe --limit 1"')
    await live.keys("enter")
    await live.until_text("#answer", '[1] button "Turn blue"')
    await live.until("document.querySelector('#announcement').textContent.startsWith('observe done in')")
    await live.say('type "Command for plants" "clickk 1"')
    await live.keys("enter")
    await live.until_text("#answer", "error")
    await live.until("document.querySelector('#announcement').textContent.startsWith('unknown failed:')")


@pytest.mark.slow
async def test_what_a_page_says_stays_text(live: LivePage, pages: Pages) -> None:
    pages["/evil"] = """<title>&lt;img src=x onerror=alert(1)></title>
        <button>&lt;script>alert(1)&lt;/script></button><a href="javascript:1">&lt;b>bold&lt;/b></a>"""
    await live.daemon.ok(f"goto {pages.url('/evil')}")
    await live.daemon.ok("observe")
    await live.open()
    await live.until("document.querySelectorAll('[role=option]').length === 2")
    assert await live.text("#page-title") == "<img src=x onerror=alert(1)>"
    assert await live.js("document.querySelector('#element-1 .label').textContent") == "<script>alert(1)</script>"
    assert await live.js("document.querySelectorAll('main img:not(#note-picture), main script, main b').length") == 0


@pytest.mark.slow
async def test_half_a_character_breaks_nothing(live: LivePage, pages: Pages) -> None:
    pages["/half"] = """<button></button><script>
        document.querySelector('button').textContent = 'half \\ud83d'; document.title = '\\ud83d title'</script>"""
    await live.daemon.ok(f"goto {pages.url('/half')}", session="half")
    await live.daemon.ok("observe", session="half")
    half = rb'{"line": "click \"\ud83d\"", "session": "half"}'
    assert (await live.daemon.client.post("/command", content=half)).status_code < 500
    await live.open()
    await live.until("document.querySelectorAll('[role=option]').length === 1")
    assert await live.text("[role=option] .label") == "half ?"
    await live.until_text("#sessions", "? title")
    await live.until("document.querySelectorAll('#rows .open').length > 1")


@asynccontextmanager
async def hidden(live: LivePage) -> AsyncIterator[None]:
    """The page as a hidden tab has it."""
    script = """Object.defineProperty(document, 'hidden', { value: %s, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'))"""
    await live.js(script % "true")
    yield
    await live.js(script % "false")


@pytest.mark.slow
async def test_a_hidden_page_looks_at_nothing(live: LivePage, live_shop: Callable[..., str]) -> None:
    await live.daemon.ok(f"goto {live_shop()}")
    await live.open()
    await live.until_text("#picture-state", "Live")
    async with hidden(live):
        await live.until_text("#picture-state", "Paused")
        pictures = await live.js("document.querySelector('#picture').dataset.pictures")
        await live.daemon.ok('click "Turn blue"')
        assert await live.js("document.querySelector('#picture').dataset.pictures") == pictures
    await live.until_text("#picture-state", "Live")
    await live.until(f"{CORNER}[2] > 200 && {CORNER}[0] < 60")


@pytest.mark.slow
async def test_a_session_without_a_page_says_so(live: LivePage) -> None:
    await live.daemon.ask("goto http://127.0.0.1:1/", session="none")
    await live.daemon.ok("tabs", session="none")
    await live.open()
    await live.until_text("#sessions", "none")
    await live.daemon.ok({"argv": ["close"]}, session="none")
    await live.until_text("#picture-note", "is not running")


@pytest.mark.slow
async def test_the_page_says_when_the_daemon_is_gone_and_another_lets_it_in_no_more(
    daemon_of: Any, viewer_browser: ChromiumBrowser, run: Any, tmp_path: Path
) -> None:
    daemon = daemon_of()
    session = Session(
        ChromiumBrowser(runtime_dir=tmp_path / "viewer_browser", shared_with=viewer_browser),
        options=Options(timeout=30),
    )
    live = LivePage(session, daemon)
    try:
        await live.open()
        daemon.environment["ORYN_PORT"] = str(daemon.port)
        await daemon.stop()
        await live.until_text("#connection", "Reconnecting")
        daemon.start()
        await live.until_text("#connection", "Not logged in")
        assert "oryn open" in await live.text("#notice")
        await live.open()
        assert not await live.js("document.querySelector('#notice').checkVisibility()")
    finally:
        await session.close()


@pytest.mark.slow
async def test_a_dormant_session_shows_when_it_comes_back(
    daemon_of: Any, viewer_browser: ChromiumBrowser, live_shop: Callable[..., str], tmp_path: Path
) -> None:
    daemon = daemon_of()
    await daemon.ok(f"goto {live_shop()}", session="plants")
    await daemon.stop()
    daemon.start()
    session = Session(
        ChromiumBrowser(runtime_dir=tmp_path / "viewer_browser", shared_with=viewer_browser),
        options=Options(timeout=30),
    )
    live = LivePage(session, daemon)
    try:
        await live.open()
        await live.until_text("#sessions", "dormant")
        await live.until_text("#picture-note", "is not running")
        await daemon.ok("observe", session="plants")
        await live.until_text("#sessions", "running")
        await live.until(f"{CORNER}[0] > 200 && {CORNER}[2] < 60")
        await live.until("document.title === 'Fernhill – plants – Oryn'")
    finally:
        await session.close()


@pytest.mark.slow
async def test_a_link_in_another_sites_page_lets_in_too(live: LivePage, pages: Pages) -> None:
    url = (await live.daemon.client.post("/link")).json()["url"]
    pages["/chat"] = f'<a href="{url}">Oryn</a>'
    await live.say(f"goto {pages.url('/chat', host='localhost')}")
    await live.say('click "Oryn"')
    await live.until("document.querySelector('#connection')?.dataset.state === 'open'")
    assert "code=" not in await live.js("location.href")


async def test_another_sites_page_can_embed_nothing(live: LivePage, pages: Pages) -> None:
    """Another port of this computer is the same site: its requests have the cookie."""
    await live.open()
    url = live.daemon.url
    pages["/evil"] = f"""<img id=a src="{url}/live/icon.svg" onload="this.title='shown'" onerror="this.title='no'">
        <img id=b src="{url}/sessions/default/picture" onerror="this.title='no'"><iframe src="{url}/"></iframe>
        <script>fetch('{url}/status').then(() => b.alt = 'read', () => b.alt = 'no')</script>
        <script src="{url}/live/page.js" onerror="document.body.id='no'" onload="document.body.id='run'"></script>"""
    await live.session.execute(f"goto {pages.url('/evil')}")
    await live.until("a.title && b.title && b.alt && document.body.id")
    assert await live.js("[a.title, b.title, b.alt, document.body.id]") == ["no"] * 4
    await live.session.execute("console clear")


# --- notes of a person ---


async def mark_at(live: LivePage, x: float, y: float, to: tuple[float, float] | None = None) -> None:
    """Press Mark, and then a point of the picture, or drag from it to another."""
    await live.say('click css("#mark")')
    mouse = live.session.page.mouse
    await mouse.move(*await live.place(x, y))
    await mouse.press(*await live.place(x, y))
    if to is not None:
        await mouse.move(*await live.place(*to))
    await mouse.release(*await live.place(*(to or (x, y))))
    await live.until("!document.querySelector('#note').hidden && document.activeElement.id === 'note-words'")


@pytest.mark.slow
async def test_a_person_points_and_the_agent_answers(live: LivePage, live_shop: Callable[..., str]) -> None:
    await live.daemon.ok(f"goto {live_shop()}")
    box = (await live.daemon.ok('box "Turn blue"'))["data"]["result"]
    await live.open()
    await live.until("!document.querySelector('#mark').disabled")
    await mark_at(live, box["x"] + 5, box["y"] + 5)
    assert await live.text("#note-label") == '[1] button "Turn blue"'
    await live.until("document.querySelector('#note-picture').naturalWidth > 40")
    await live.type_keys("make it green")
    await live.keys("control+enter")
    await live.until_text("#notes", "make it green")
    await live.until("document.querySelector('#note-pins .mark span')?.textContent.endsWith(' 1')")
    await live.until("document.querySelector('#notes img').naturalWidth > 40")
    # The person's own commands do not take it from the agent.
    await live.say('type css("#line") "title"')
    await live.keys("enter")
    await live.until_text("#answer", "ok title")
    assert "note from the person" not in await live.text("#answer")
    answer = await live.daemon.ok("title")
    assert '# note from the person: [1] button "Turn blue": make it green (note 1)' in answer["text"]
    await live.until_text("#notes .remark", "read by the agent")
    await live.daemon.ok('notes answer 1 "Which green?"')
    await live.until_text("#notes", "Agent: Which green?")
    await live.say('type css("#note-reply-1") "That of the header"')
    await live.keys("enter")
    await live.until_text("#notes", "You: That of the header")
    await live.daemon.ok('notes done 1 "It is green now."')
    await live.until_text("#notes", "Agent: It is green now.")
    assert await live.text("#notes .remark") == "done"
    await live.until("!document.querySelector('#note-pins .mark')")
    await live.say('click css("#note-Remove-1")')
    await live.until("document.querySelector('#notes-part').hidden")


@pytest.mark.slow
async def test_a_drag_marks_a_region(live: LivePage, live_shop: Callable[..., str]) -> None:
    await live.daemon.ok(f"goto {live_shop()}")
    await live.open()
    await live.until("!document.querySelector('#mark').disabled")
    await mark_at(live, 5, 60, (600, 160))
    assert (await live.text("#note-label")).startswith("region 59")
    assert '[1] button "Turn blue"' in await live.text("#note-label")
    await live.type_keys("more room")
    await live.say('click "Send note"')
    await live.until_text("#notes", "more room")
    told = (await live.daemon.ok("title"))["text"]
    assert "# note from the person: region 59" in told


@pytest.mark.slow
async def test_marking_by_keyboard(live: LivePage, live_shop: Callable[..., str]) -> None:
    await live.daemon.ok(f"goto {live_shop()}")
    await live.daemon.ok("observe")
    await live.open()
    await live.until("document.querySelectorAll('[role=option]').length === 3")
    await live.until("!document.querySelector('#mark').disabled")
    await live.say('focus css("#mark")')
    await live.keys("enter")
    await live.until("document.querySelector('#mark').ariaPressed === 'true'")
    await live.say('focus css("#elements")')
    await live.keys("end", "home", "enter")
    await live.until("document.activeElement.id === 'note-words'")
    assert await live.text("#note-label") == '[1] button "Turn blue"'
    await live.keys("escape")
    await live.until("document.querySelector('#note').hidden && document.activeElement.id === 'mark'")


@pytest.mark.slow
async def test_a_note_that_is_too_long_stays_in_the_form(live: LivePage, live_shop: Callable[..., str]) -> None:
    await live.daemon.ok(f"goto {live_shop()}")
    await live.open()
    await live.until("!document.querySelector('#mark').disabled")
    await mark_at(live, 20, 20)
    await live.js("document.querySelector('#note-words').value = 'word '.repeat(2000)")
    await live.say('click "Send note"')
    await live.until_text("#note-problem", "and at most 2,000 are possible")
    assert await live.js("document.querySelector('#note-words').value.length") == 10_000
    assert await live.js("document.querySelector('#notes-part').hidden")


@pytest.mark.slow
async def test_axe_finds_nothing(live: LivePage, live_shop: Callable[..., str]) -> None:
    """https://github.com/dequelabs/axe-core"""
    await live.daemon.ok(f"goto {live_shop()}")
    await live.daemon.ok("observe")
    await live.open()
    await live.until("!document.querySelector('#mark').disabled")
    await mark_at(live, 20, 20)
    await live.type_keys("make it green")
    await live.keys("control+enter")
    await live.until_text("#notes", "make it green")
    await live.daemon.ok('notes answer 1 "Which green?"')
    await live.until_text("#notes", "Agent: Which green?")
    await mark_at(live, 20, 20)
    axe = (PROJECT / "node_modules/axe-core/axe.min.js").read_text()
    for scheme in ("light", "dark"):
        await live.say(f"media color-scheme {scheme}")
        await live.js(f"{axe}; undefined")
        found = await live.js(
            "axe.run().then(all => all.violations.map(each => [each.id, ...each.nodes.map(node => node.html)]))"
        )
        assert found == [], json.dumps(found, indent=1)
