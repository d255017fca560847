"""Notes of a browser's user: marked by the bar, written in a window of the extension's, told to the agent, answered."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest

from oryn.browsers.base import Rect
from oryn.engine import Session
from oryn.engine.person_notes import Mark, new_mark_id
from oryn.errors import NoteNotFound
from oryn.extension.popup.notes import UserNotes
from scripts.extension.browser import WAIT, Target
from tests.extension.banner import Tab
from tests.extension.driver import PairedBrowser, paired_browser, untrusted

__all__ = ["paired_browser", "untrusted"]

PAGE = """<title>Fern</title><style>body { margin: 0; padding: 60px 0 } button { width: 200px; height: 40px }</style>
<script>heard = []; for (const kind of ['keydown', 'keypress', 'keyup', 'input', 'pointerdown', 'click', 'paste'])
  addEventListener(kind, event => heard.push(event.type), true)</script>
<button>Save</button><p>Ferns love shade.</p>"""


async def bar_of(oryn: PairedBrowser) -> Tab:
    assert oryn.target is not None
    return await Tab.of(oryn.browser, oryn.target)


async def window_of(oryn: PairedBrowser) -> Target:
    """The window in which the user writes, as soon as it is there."""
    async with asyncio.timeout(WAIT):
        while True:  # nothing tells when it comes
            found = await oryn.browser._root("Target.getTargets")
            for each in found["targetInfos"]:
                if each["url"].endswith("/popup/note.html"):
                    return await oryn.browser._attach(each["targetId"])
            await asyncio.sleep(0.05)


async def write(window: Target, selector: str, text: str, button: str) -> None:
    await window.evaluate(f"document.querySelector({selector!r}).value = {text!r}")
    await window.evaluate(f"document.querySelector({button!r}).click()")


@pytest.mark.slow
async def test_a_note_of_the_browsers_user(untrusted: PairedBrowser) -> None:
    oryn = untrusted
    await oryn.show(PAGE)
    await oryn.ok("observe")
    tab = await bar_of(oryn)
    await tab.press_mark()
    await tab.press(20, 80)
    window = await window_of(oryn)
    try:
        await window.until("document.querySelector('#note')?.hidden === false")
        assert await window.evaluate("document.querySelector('#label').textContent") == '[1] button "Save"'
        await window.until("document.querySelector('#picture').naturalWidth > 40")
        # What is too long stays.
        await write(window, "#words", "x" * 3000, "#note button")
        await window.until("document.querySelector('#problem').textContent.includes('at most 2,000')")
        assert await window.evaluate("document.querySelector('#words').value.length") == 3000
        await write(window, "#words", "make it green", "#note button")
        await window.until("document.querySelector('#notes').textContent.includes('make it green')")
        assert '# note from the person: [1] button "Save": make it green (note 1)' in await oryn.ok("title")
        # The page has heard nothing, and has no trace of it.
        assert await oryn.value("heard.length") == "0"
        assert "green" not in await oryn.ok("html")
        listed = await oryn.ok("notes")
        assert '1 [1] button "Save": make it green' in listed
        await oryn.ok('notes done 1 "It is green now."')
        await window.until("document.querySelector('#notes').textContent.includes('Agent: It is green now.')")
        assert "Note 1 done: It is green now." in await tab.text()
        await oryn.ok("click 1")
        await window.evaluate("document.querySelector('[aria-label^=Remove]').click()")
        await window.until("!document.querySelector('#notes li')")
        assert (await oryn.ok("notes")).endswith("no notes")
    finally:
        await oryn.browser.close_tab(window)


class RecordingCalls:
    """The browser's functions, as far as the notes call them."""

    def __init__(self) -> None:
        self.names: list[str] = []

    async def call(self, name: str, *arguments: Any) -> Any:
        self.names.append(name)
        return {"id": 1}

    def on(self, event: str, listener: Any) -> None:
        raise AssertionError


MESSAGES = [
    None,
    {"type": "mark"},
    {"type": "mark", "x": "1", "y": 2, "width": 0, "height": 0},
    {"type": "mark", "x": 1e9, "y": 0, "width": 0, "height": 0},
    {"type": "mark", "x": float("nan"), "y": 0, "width": 0, "height": 0},
    {"type": "mark", "x": 1, "y": True, "width": 0, "height": 0},
    {"type": "mark", "x": 1, "y": 1, "width": -5, "height": 0},
]


@pytest.mark.parametrize("message", MESSAGES)
async def test_a_message_that_is_none_opens_no_window(message: Any) -> None:
    calls = RecordingCalls()

    async def session_of(tab: int) -> Session | None:
        return cast(Session, object())  # which is not asked for anything

    notes = UserNotes(calls, session_of, lambda: None)
    await notes.mark(message, 7)
    assert notes.state() == {"mark": None, "rows": []}
    assert calls.names == []


async def test_a_tab_that_nobody_controls_has_no_marks() -> None:
    calls = RecordingCalls()

    async def session_of(tab: int) -> Session | None:
        return None

    notes = UserNotes(calls, session_of, lambda: None)
    for tab in (7, None, "7"):
        await notes.mark({"type": "mark", "x": 1, "y": 1, "width": 0, "height": 0}, tab)
    assert calls.names == []


async def test_notes_are_for_whoever_controls_the_browser() -> None:
    async def session_of(tab: int) -> Session | None:
        return None

    user = UserNotes(RecordingCalls(), session_of, lambda: None)
    user.bind("wss://one.example/")
    mark = Mark(new_mark_id(), "https://a.example/", "A", None, None, None, Rect(0, 0, 9, 9))
    user.notes.mark(mark)
    assert await user.handle({"type": "note_add", "mark": mark.id, "text": "make it green"})
    user.bind("wss://one.example/")
    assert [note.text for note in user.notes] == ["make it green"]
    user.bind("")
    user.bind("wss://other.example/")
    assert list(user.notes) == []
    with pytest.raises(NoteNotFound):
        await user.handle({"type": "note_done", "number": 1})
    assert not await user.handle({"type": "connect"})
