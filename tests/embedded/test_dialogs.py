"""Dialogs: noticed at once, answered by the policy or by a command; none of them hangs anything."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from oryn.browsers.base import Dialog
from oryn.browsers.common.dialogs import MAX_AUTOMATIC_ANSWERS
from oryn.errors import DialogNotPresent, DialogOpen
from tests.embedded.input_tab import INPUT_PAGE, InputTab, tab
from tests.headless.conftest import Pages

__all__ = ["tab"]


@pytest.fixture(autouse=True)
def displayed(run: Any, tab: InputTab, pages: Pages) -> Iterator[None]:
    pages.bodies.clear()
    pages["/"] = INPUT_PAGE
    tab.tabs.policy = None
    run(tab.goto(pages.url("/")))
    yield

    async def end() -> None:
        while tab.dialog is not None:
            await tab.answer_dialog(True)

    run(end())


async def opened(tab: InputTab) -> Dialog:
    """Wait for a dialog that stays open."""
    assert await tab.channel.signal.until(lambda: tab.dialog is not None, 5)
    assert tab.dialog is not None
    return tab.dialog


async def later(tab: InputTab, script: str) -> None:
    """Run a script in the page once this has returned."""
    await tab.js(f"setTimeout(() => {{ {script} }}, 0); 0")


@pytest.mark.parametrize(
    ("policy", "call", "result"),
    [
        ("accept", "confirm('Hello')", True),
        ("dismiss", "confirm('Hello')", False),
        ("accept", "prompt('Hello', 'there')", "there"),
        ("dismiss", "prompt('Hello', 'there')", None),
        ("dismiss", "alert('Hello')", None),
        (None, "alert()", None),
    ],
)
async def test_policies(tab: InputTab, policy, call, result) -> None:
    tab.tabs.policy = policy
    checkpoint = tab.checkpoint()
    assert await tab.js(call) == result
    [dialog] = tab.dialogs.since(checkpoint)
    assert dialog.answer == ("accepted" if policy != "dismiss" else "dismissed")


async def test_a_script_that_opens_one_is_interrupted(tab: InputTab) -> None:
    with pytest.raises(DialogOpen, match="a confirm dialog is open"):
        await tab.js("document.title = confirm('Sure?')")
    assert tab.dialog == Dialog("confirm", "Sure?")
    assert await tab.answer_dialog(True) == Dialog("confirm", "Sure?", answer="accepted")
    assert await tab.js("document.title") == "true"


async def test_a_click_that_opens_one_returns(tab: InputTab) -> None:
    await tab.js("button.onclick = () => { document.title = String(prompt('Name?', 'Ann')) }; 0")
    for text, title in (("Bob", "Bob"), (None, "Ann"), ("", "")):
        await tab.mouse.click(50, 50)
        assert await opened(tab) == Dialog("prompt", "Name?", "Ann")
        await tab.answer_dialog(True, text)
        assert await tab.js("document.title") == title
    await tab.mouse.click(50, 50)
    await opened(tab)
    await tab.answer_dialog(False)
    assert await tab.js("document.title") == "null"


async def test_while_one_is_open_everything_says_so(tab: InputTab) -> None:
    await later(tab, "confirm('Go on?')")
    await opened(tab)
    for command in (
        tab.scanner({"cmd": "scan"}),
        tab.mouse.click(1, 1),
        tab.keyboard.press(["enter"]),
        tab.keyboard.type("x"),
        tab.channel.call("Runtime.evaluate", {"expression": "1"}),
    ):
        with pytest.raises(DialogOpen, match="a confirm dialog is open") as caught:
            await command
        assert "'Go on?'" in (caught.value.hint or "")


async def test_what_is_in_flight_ends_when_one_opens(tab: InputTab) -> None:
    await later(tab, "setTimeout(() => confirm('Now?'), 50)")
    answer = await tab.channel.call("Runtime.evaluate", {"expression": "new Promise(() => {})"})
    with pytest.raises(DialogOpen):
        await tab.channel.call("Runtime.awaitPromise", {"promiseObjectId": answer["result"]["objectId"]})


async def test_keys_after_one_that_opens_it_arrive_once_it_is_answered(tab: InputTab) -> None:
    await tab.js("first.onkeydown = () => { first.onkeydown = null; alert('Typed') }; 0")
    tab.tabs.policy = "off"
    await tab.mouse.click(50, 210)
    await tab.keyboard.type("abc")
    await opened(tab)
    await tab.answer_dialog(True)
    end = asyncio.get_running_loop().time() + 5
    while await tab.js("first.value") != "abc":
        assert asyncio.get_running_loop().time() < end


async def test_alerts_in_a_loop_stay_open_after_a_few(tab: InputTab) -> None:
    checkpoint = tab.checkpoint()
    tab.channel.check()
    await later(tab, "for (let round = 0; round < 15; round++) alert(round)")
    assert (await opened(tab)).message == str(MAX_AUTOMATIC_ANSWERS)
    assert tab.dialogs.is_flooded
    assert len(tab.dialogs.since(checkpoint)) == MAX_AUTOMATIC_ANSWERS + 1


async def test_answering_none(tab: InputTab) -> None:
    with pytest.raises(DialogNotPresent):
        await tab.answer_dialog(True)


async def test_a_frame_that_may_open_none_opens_none(tab: InputTab, pages: Pages) -> None:
    pages["/"] = "<iframe sandbox='allow-scripts' srcdoc='<script>alert(1); document.title = 1</script>'></iframe>"
    checkpoint = tab.checkpoint()
    await tab.goto(pages.url("/"))
    assert await tab.js("1") == 1
    assert tab.dialogs.since(checkpoint) == []


async def test_one_of_a_document_without_the_script_is_found(tab: InputTab) -> None:
    # As in the first document of a tab that a page opens: the page has functions that nobody has replaced.
    tab.scanner_client.on_report.pop("dialog")
    try:
        with pytest.raises(DialogOpen):
            await tab.js("document.title = String(prompt('Unseen'))")
        assert tab.dialog == Dialog("prompt", "Unseen")
        await tab.answer_dialog(True, "text")
        assert await tab.js("document.title") == "text"
        with pytest.raises(DialogOpen):
            await tab.js("alert('Unseen')")
        assert tab.dialog == Dialog("confirm", "Unseen")
        await tab.answer_dialog(True)
    finally:
        tab.scanner_client.on_report["dialog"] = tab.dialogs.on_report


async def test_the_page_sees_the_browser_s_own_functions(tab: InputTab) -> None:
    looks = await tab.js(
        """['alert', 'confirm', 'prompt'].map((name) => {
          const own = window[name], other = Function.prototype.toString.call(open).replace('open', name);
          const isConstructor = () => { try { new own(); return true } catch { return false } };
          return [own.name, own.length, Function.prototype.toString.call(own) === other, 'prototype' in own,
            JSON.stringify(Reflect.ownKeys(own)), isConstructor(), own instanceof Function,
            JSON.stringify(Object.getOwnPropertyDescriptor(window, name))];
        })"""
    )
    descriptor = '{"writable":true,"enumerable":true,"configurable":true}'
    assert looks == [
        [name, 0, True, False, '["length","name"]', False, True, descriptor] for name in ("alert", "confirm", "prompt")
    ]


async def test_a_message_becomes_a_text_once(tab: InputTab) -> None:
    tab.tabs.policy = "accept"
    checkpoint = tab.checkpoint()
    script = "let times = 0; confirm({ toString: () => String(++times) }); times"
    assert await tab.js(f"(() => {{ {script.replace('; times', '; return times')} }})()") == 1
    with pytest.raises(AssertionError, match="TypeError"):
        await tab.js("alert(Symbol())")
    assert [dialog.message for dialog in tab.dialogs.since(checkpoint)] == ["1"]


async def test_dialogs_are_answered_before_others_wait(tab: InputTab) -> None:
    tab.tabs.policy = "accept"
    begin = asyncio.get_running_loop().time()
    assert await tab.js("[1, 2, 3].map((number) => confirm(number))") == [True, True, True]
    assert asyncio.get_running_loop().time() - begin < 1
