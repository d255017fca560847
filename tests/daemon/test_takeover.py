"""A person takes a session over on the live page: real mouse and keyboard on the picture, which the session's page gets
as trusted input, while the agent's commands wait."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import InvalidStatus

from oryn.browsers.chromium import ChromiumBrowser
from oryn.engine import Options, Session
from tests.daemon.daemon_process import RunningDaemon
from tests.daemon.live import LivePage, takeover_socket
from tests.headless.conftest import Pages

FORM = """<title>Form</title><style>* { margin: 0; font: 20px sans-serif }
  input, button, #pad { position: absolute; left: 100px; width: 300px; height: 40px }
  #user { top: 50px } #secret { top: 120px } #go { top: 190px } #pad { top: 260px; height: 200px; background: #ddd }
  #tall { height: 3000px }</style>
<input id=user aria-label=User><input id=secret type=password aria-label=Password><button id=go>Go</button>
<div id=pad>Pad</div><div id=tall></div><script>
  const seen = [];
  const note = (text) => (event) => seen.push(`${text(event)}${event.isTrusted ? '' : ' untrusted'}`);
  go.onclick = note(() => 'go');
  pad.ondblclick = note(() => 'double');
  pad.oncontextmenu = note(() => 'menu');
  user.onpaste = note((event) => 'paste ' + event.clipboardData.getData('text'));
  for (const kind of ['mousedown', 'mouseup'])
    pad.addEventListener(kind, note((event) => `${kind} ${event.button} ${event.clientX},${event.clientY}`));
  addEventListener('keydown', note((event) => `key ${event.ctrlKey ? 'ctrl+' : ''}${event.key}`));
</script>"""
USER, SECRET, GO, PAD = (200, 70), (200, 140), (200, 210), (200, 300)


@pytest.fixture
def form(pages: Pages) -> str:
    pages["/form"] = FORM
    return pages.url("/form")


async def seen(daemon: RunningDaemon) -> list[str]:
    """What the page has noted, as the agent sees it when it has the session again."""
    found: list[str] = (await daemon.ok("eval seen"))["data"]["result"]
    return found


async def mouse_events(daemon: RunningDaemon, kind: str = "mouse") -> list[tuple[str, str, tuple[int, ...]]]:
    """Kind, button and point of each press and release on the pad. All of them were trusted."""
    rows = [each.split(" ") for each in await seen(daemon) if each.startswith(kind)]
    assert all(len(row) == 3 for row in rows), rows
    return [(name, button, tuple(map(int, point.split(",")))) for name, button, point in rows]


@pytest.fixture
def other_person(
    viewer_browser: ChromiumBrowser, daemon: RunningDaemon, run: Any, tmp_path: Path
) -> Iterator[LivePage]:
    session = Session(
        ChromiumBrowser(runtime_dir=tmp_path / "other", shared_with=viewer_browser), options=Options(timeout=30)
    )
    yield LivePage(session, daemon)
    run(session.close())


@pytest.mark.slow
async def test_mouse_and_keyboard_reach_the_page_as_trusted_input(live: LivePage, form: str) -> None:
    await live.daemon.ok(f"goto {form}")
    await live.open()
    await live.until_text("#picture-state", "Live")
    await live.take_over()
    await live.press_at(*USER)
    await live.type_keys("Ada ß!")
    await live.session.page.keyboard.press(("tab",))
    await live.type_keys("x")
    await live.press_at(*GO)
    await live.press_at(*PAD, count=2)
    await live.press_at(*PAD, button="right")
    await live.give_back()
    assert (await live.daemon.ok("eval user.value"))["data"]["result"] == "Ada ß!"
    assert (await live.daemon.ok("eval secret.value"))["data"]["result"] == "x"
    noted = [each for each in await seen(live.daemon) if not each.startswith(("key", "mouse"))]
    assert noted == ["go", "double", "menu"]
    downs = await mouse_events(live.daemon, "mousedown")
    assert [button for _, button, _ in downs] == ["0", "0", "2"]
    assert all(point == pytest.approx(PAD, abs=2) for _, _, point in downs), "the picture is scaled"


@pytest.mark.slow
async def test_wheel_drag_and_key_combinations(live: LivePage, form: str) -> None:
    await live.daemon.ok(f"goto {form}")
    await live.open()
    await live.until_text("#picture-state", "Live")
    await live.take_over()
    await live.press_at(*USER)
    await live.type_keys("one")
    await live.session.page.keyboard.press(("control", "a"))
    await live.type_keys("two")
    mouse = live.session.page.mouse
    await mouse.press(*await live.place(*PAD))
    await mouse.release(*await live.place(PAD[0] + 50, PAD[1] + 30))
    await mouse.wheel(*await live.place(*PAD), 0, 400)
    await live.give_back()
    assert (await live.daemon.ok("eval user.value"))["data"]["result"] == "two"
    noted = await seen(live.daemon)
    assert "key ctrl+a" in noted
    (down, _, start), (up, _, end) = await mouse_events(live.daemon)
    assert (down, up) == ("mousedown", "mouseup")
    assert start == pytest.approx(PAD, abs=2) and end == pytest.approx((PAD[0] + 50, PAD[1] + 30), abs=2)
    await live.daemon.ok('wait until "scrollY === 400"')


@pytest.mark.slow
async def test_a_paste_reaches_the_page_and_not_the_sessions_clipboard(live: LivePage, form: str) -> None:
    await live.daemon.ok(f"goto {form}")
    await live.daemon.ok('clipboard write "the agent\'s"')
    await live.open()
    await live.until_text("#picture-state", "Live")
    await live.session.browser.clipboard.write("123456")
    await live.take_over()
    await live.press_at(*USER)
    await live.session.page.keyboard.press(("control", "v"))
    await live.give_back()
    assert (await live.daemon.ok("eval user.value"))["data"]["result"] == "123456"
    assert "paste 123456" in await seen(live.daemon)
    assert (await live.daemon.ok("clipboard read"))["text"].endswith("the agent's")


@pytest.mark.slow
async def test_the_agents_commands_wait_and_continue(live: LivePage, form: str) -> None:
    await live.daemon.ok(f"goto {form}")
    await live.open()
    await live.until_text("#picture-state", "Live")
    await live.take_over()
    refused = await live.daemon.ask('click "Go" --timeout 1s')
    assert refused["error_kind"] == "taken_over"
    assert refused["error"].startswith("a person has had this session since 20")
    assert refused["hint"] == "Run it again when they have given it back, on the live page ('oryn open')."
    assert (await live.daemon.status())["sessions"][0]["taken_over"] is not None
    assert (await live.daemon.ok("help click"))["ok"], "what needs no browser does not wait"
    waiting = asyncio.ensure_future(live.daemon.ask("eval user.value"))
    await live.press_at(*USER)
    await live.type_keys("Ada")
    assert not waiting.done()
    await live.give_back()
    answer = await waiting
    assert answer["ok"] and answer["data"]["result"] == "Ada", answer["text"]
    assert "a person took over this session meanwhile" in answer["text"]
    assert (await live.daemon.status())["sessions"][0]["taken_over"] is None


@pytest.mark.slow
async def test_a_running_command_ends_first(live: LivePage, form: str) -> None:
    await live.daemon.ok(f"goto {form}")
    await live.open()
    await live.until_text("#picture-state", "Live")
    running = asyncio.ensure_future(live.daemon.ask('wait until "window.done"'))
    await live.until("document.querySelector('#activity').textContent.startsWith('wait')")
    await live.say('click "Take over"')
    await live.until_text("#person-note", "Waiting until the agent's command has ended")
    assert await live.js("document.querySelector('#surface').hidden")
    await live.daemon.client.post("/command", json={"argv": ["close"]})
    await running
    await live.until_text("#person-note", "the session default was closed")
    assert await live.js("document.querySelector('#surface').hidden")
    assert (await live.daemon.status())["sessions"] == []


@pytest.mark.slow
async def test_a_session_that_is_closed_under_a_person(live: LivePage, form: str) -> None:
    await live.daemon.ok(f"goto {form}")
    await live.open()
    await live.until_text("#picture-state", "Live")
    await live.take_over()
    await live.daemon.client.post("/command", json={"argv": ["close"]})
    await live.until_text("#person-note", "the session default was closed")
    assert await live.js("document.querySelector('#surface').hidden")


@pytest.mark.slow
async def test_a_lost_connection_gives_back_and_lets_go_of_what_is_held(live: LivePage, form: str) -> None:
    await live.daemon.ok(f"goto {form}")
    await live.open()
    await live.until_text("#picture-state", "Live")
    await live.take_over()
    await live.session.page.mouse.press(*await live.place(*PAD))
    waiting = asyncio.ensure_future(live.daemon.ask("title"))
    await live.say("goto about:blank")
    assert (await waiting)["ok"]
    noted = [each.split()[0] for each in await seen(live.daemon) if each.startswith("mouse")]
    assert noted == ["mousedown", "mouseup"]


@pytest.mark.slow
async def test_two_people(live: LivePage, other_person: LivePage, form: str) -> None:
    await live.daemon.ok(f"goto {form}")
    await live.open()
    await other_person.open()
    await live.until_text("#picture-state", "Live")
    await live.take_over()
    await other_person.until("document.querySelector('#take-over').ariaDisabled === 'true'")
    await other_person.until_text("#person-note", "Another person has had this session since")
    await other_person.until_text("#sessions", "taken over")
    async with takeover_socket(live.daemon) as refused:  # a page that does not know it yet
        message = json.loads(await refused.recv())
        assert message["error"].startswith("another person has had this session since"), message
    await live.press_at(*USER)
    await live.type_keys("mine")
    await live.give_back()
    await other_person.until("document.querySelector('#take-over').ariaDisabled === 'false'")
    await other_person.take_over()
    await other_person.type_keys("")
    await other_person.press_at(*SECRET)
    await other_person.type_keys("theirs")
    await other_person.give_back()
    assert (await live.daemon.ok('eval "user.value + secret.value"'))["data"]["result"] == "minetheirs"


@pytest.mark.slow
async def test_by_keyboard_alone(live: LivePage, form: str) -> None:
    await live.daemon.ok(f"goto {form}")
    await live.daemon.ok("observe")
    await live.open()
    await live.until_text("#picture-state", "Live")
    await live.js("document.querySelector('#numbers').focus()")
    await live.until("!document.querySelector('#mark').disabled")
    await live.keys("tab", "tab")
    assert await live.focused() == "take-over"
    await live.keys("enter")
    await live.until("document.activeElement.id === 'surface'")
    await live.until("document.querySelector('#announcement').textContent.includes('F6 leaves the picture')")
    await live.keys("tab")
    await live.type_keys("Ada")
    await live.keys("tab")
    await live.type_keys("geheim")
    assert await live.focused() == "surface", "Tab goes to the page"
    await live.keys("f6")
    assert await live.focused() == "take-over"
    # The person's own command line does not wait.
    await live.say('type "Command for default" "click 3"')
    await live.keys("enter")
    await live.until_text("#answer", "ok click 3")
    await live.js("document.querySelector('#take-over').focus()")
    await live.keys("enter")
    await live.until("document.querySelector('#surface').hidden")
    assert await live.focused() == "take-over"
    assert (await live.daemon.ok('eval "user.value + secret.value"'))["data"]["result"] == "Adageheim"
    assert "go" in await seen(live.daemon)


@pytest.mark.slow
async def test_dialogs_and_tabs_of_the_page(live: LivePage, pages: Pages, form: str) -> None:
    pages["/ask"] = f"""<title>Ask</title><style>* {{ margin: 0 }} a, button {{ position: absolute; height: 40px }}
        button {{ top: 50px }} a {{ top: 120px; background: #ddd }}</style>
        <button onclick="document.title = prompt('<b>Name</b>?', 'Ada')">Ask a name</button>
        <a target=_blank href="{form}">Open the form</a>"""
    await live.daemon.ok(f"goto {pages.url('/ask')}")
    await live.open()
    await live.until_text("#picture-state", "Live")
    await live.take_over()
    await live.press_at(20, 70)
    await live.until("document.activeElement.id === 'page-dialog-input'")
    assert await live.text("#page-dialog-text") == "<b>Name</b>?"
    assert "alertdialog" in await live.say("snapshot")
    await live.keys("control+a")
    await live.type_keys("Grace")
    await live.keys("enter")
    await live.until("document.querySelector('#page-dialog').hidden")
    await live.until("document.activeElement.id === 'surface'")
    await live.press_at(20, 140)
    await live.until("document.querySelectorAll('#tabs button').length === 2")
    await live.until_text("#tabs [aria-pressed=true]", "Form")
    await live.press_at(*USER)
    await live.type_keys("in the new tab")
    await live.say('click css("#tabs button:first-child")')
    await live.until_text("#tabs [aria-pressed=true]", "Grace")
    await live.give_back()
    assert (await live.daemon.ok("title"))["data"]["result"] == "Grace"
    await live.daemon.ok("tab switch 2")
    assert (await live.daemon.ok("eval user.value"))["data"]["result"] == "in the new tab"


@pytest.mark.slow
async def test_what_a_person_types_is_in_no_file_or_event(live: LivePage, form: str) -> None:
    await live.daemon.ok(f"goto {form}")
    await live.open()
    await live.until_text("#picture-state", "Live")
    await live.take_over()
    await live.press_at(*SECRET)
    await live.type_keys("hunter22")
    await live.session.browser.clipboard.write("correcthorse")
    await live.session.page.keyboard.press(("control", "v"))
    await live.give_back()
    assert (await live.daemon.ok("eval secret.value.length"))["data"]["result"] == 20
    everything = json.dumps(live.daemon.rows()) + live.daemon.log()
    everything += await live.js("document.querySelector('#events').textContent")
    everything += "".join(
        file.read_text(errors="replace") for file in (live.daemon.home / "data" / "daemon").rglob("*") if file.is_file()
    )
    assert "hunter22" not in everything and "correcthorse" not in everything
    assert "session.taken_over" in everything


async def test_messages_that_are_not_valid(daemon: RunningDaemon, form: str) -> None:
    await daemon.ok(f"goto {form}")
    async with takeover_socket(daemon) as socket:

        async def message(kind: str) -> dict[str, Any]:
            while True:
                found: dict[str, Any] = json.loads(await socket.recv())
                if found["type"] == kind:
                    return found

        await message("taken")
        bad = ("no", "[]", "{}", '{"type": "move"}', '{"type": "text", "text": 5}', '{"type": "key", "key": "Bad"}')
        for text in bad:
            await socket.send(text)
            assert (await message("error"))["error_kind"] in ("invalid_request", "invalid_value"), text
        await socket.send('{"type": "move", "x": 1e99, "y": 0, "secret": "hunter22"}')
        assert "hunter22" not in json.dumps(await message("error"))
        await socket.send(b"binary")
        await socket.send('{"type": "give_back"}')
        assert (await message("ended"))["error"] is None


@pytest.mark.parametrize("name", ["nobody", "no%20name"])
async def test_a_session_that_does_not_exist(daemon: RunningDaemon, name: str) -> None:
    async with takeover_socket(daemon, name) as socket:
        assert json.loads(await socket.recv())["error_kind"] == "session_not_found"


@pytest.mark.slow
async def test_the_session_is_saved_with_what_the_person_did(
    daemon_of: Callable[..., RunningDaemon], live: LivePage, form: str
) -> None:
    daemon = daemon_of()
    live = LivePage(live.session, daemon)
    await daemon.ok(f"goto {form}", session="kept")
    await live.open()
    await live.until_text("#picture-state", "Live")
    await live.take_over()
    await live.say('type "Command for kept" "goto about:blank"')
    await live.keys("enter")
    await live.until_text("#answer", "ok goto")
    await daemon.stop()
    await live.until_text("#connection", "Reconnecting")
    assert await live.js("document.querySelector('#surface').hidden")


@pytest.mark.slow
async def test_the_focus_moves_to_the_button_if_the_takeover_ends(
    daemon_of: Callable[..., RunningDaemon], live: LivePage, form: str
) -> None:
    daemon = daemon_of()
    live = LivePage(live.session, daemon)
    await daemon.ok(f"goto {form}")
    await live.open()
    await live.until_text("#picture-state", "Live")
    await live.take_over()
    await daemon.stop()
    await live.until("document.querySelector('#surface').hidden")
    assert await live.focused() == "take-over"


@pytest.mark.slow
async def test_nobody_takes_over_without_the_token_or_the_key(daemon: RunningDaemon, live: LivePage, form: str) -> None:
    await daemon.ok(f"goto {form}")
    await live.open()
    key = await live.js("localStorage.getItem('oryn-key')")
    cookies = await live.session.browser.cookies()
    cookie = "; ".join(f"{each.name}={each.value}" for each in cookies)
    wrong: tuple[dict[str, str], ...] = (
        {"Cookie": cookie, "Origin": daemon.url},
        {"Cookie": cookie, "Origin": daemon.url, "Sec-WebSocket-Protocol": "oryn, oryn-key.wrong"},
        {"Cookie": cookie, "Sec-WebSocket-Protocol": f"oryn, oryn-key.{key}"},
        {"Origin": daemon.url, "Sec-WebSocket-Protocol": f"oryn, oryn-key.{key}"},
        {"Cookie": cookie, "Origin": "http://evil.example", "Sec-WebSocket-Protocol": f"oryn, oryn-key.{key}"},
        {"Authorization": "Bearer wrong"},
    )
    for headers in wrong:
        with pytest.raises(InvalidStatus):
            async with takeover_socket(daemon, **headers):
                pass
    assert (await daemon.status())["sessions"][0]["taken_over"] is None
