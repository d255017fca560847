"""Dialogs: answered, reported, waiting; none of them hangs a command."""

from __future__ import annotations

import asyncio

import pytest

from oryn.browsers.base import Dialog
from oryn.browsers.common.dialogs import MAX_AUTOMATIC_ANSWERS
from oryn.errors import DialogNotPresent, DialogOpen

pytestmark = pytest.mark.browser


async def opened(page):
    """Wait for a dialog that stays open."""
    assert await page.channel.signal.until(lambda: page.dialog is not None, 5)


@pytest.mark.parametrize(
    ("policy", "kind", "result"),
    [
        ("accept", "confirm", True),
        ("dismiss", "confirm", False),
        ("accept", "prompt", "there"),
        ("dismiss", "prompt", None),
        ("dismiss", "alert", None),
    ],
)
async def test_policies(browser, page, server, policy, kind, result):
    browser.dialog_policy = policy
    await page.goto(server.url("/ok"))
    assert await page.evaluate(f"{kind}('Hello', 'there')") == result


async def test_off_leaves_alerts_open(browser, page, server):
    browser.dialog_policy = "off"
    await page.goto(server.url("/ok"))
    with pytest.raises(DialogOpen):
        await page.evaluate("alert('wait')")
    assert await page.answer_dialog(True) == Dialog("alert", "wait", answer="accepted")


async def test_prompts_take_text(page, server):
    await page.goto(server.page("<script>setTimeout(() => document.title = prompt('Name?', 'nobody'), 50)</script>"))
    await opened(page)
    assert page.dialog == Dialog("prompt", "Name?", "nobody")
    assert (await page.answer_dialog(True, "Ada")).answer == "accepted"
    assert page.dialog is None
    assert await page.evaluate("document.title") == "Ada"


async def test_while_one_is_open_everything_says_so(page, server):
    await page.goto(server.page("<script>setTimeout(() => confirm('Go on?'), 50)</script>"))
    await opened(page)
    for command in (
        page.scanner({"cmd": "scan"}),
        page.evaluate("1"),
        page.mouse.click(1, 1),
        page.keyboard.press(["enter"]),
        page.keyboard.type("x"),
        page.screenshot(),
        page.wait_for("load"),
        page.reload(),
    ):
        with pytest.raises(DialogOpen, match="a confirm dialog is open") as caught:
            await command
        assert "'Go on?'" in (caught.value.hint or "")
    checkpoint = page.checkpoint()
    assert (await page.settle(checkpoint)).busy is None


async def test_what_is_in_flight_ends_when_one_opens(page, server):
    await page.goto(server.page("<script>setTimeout(() => confirm('Now?'), 100)</script>"))
    with pytest.raises(DialogOpen):
        await page.evaluate("new Promise(() => {})")


async def test_answering_none(page):
    with pytest.raises(DialogNotPresent):
        await page.answer_dialog(True)


@pytest.mark.slow
async def test_goto_leaves_an_open_dialog_behind(browser, page, server):
    await page.goto(server.page("<script>setTimeout(() => confirm('Stay?'), 50)</script>"))
    await opened(page)
    await browser.revive()
    assert (await browser.page.goto(server.url("/ok"))).status == 200
    assert browser.page.dialog is None


async def test_a_dialog_while_loading(browser, page, server):
    with pytest.raises(DialogOpen):
        await page.goto(server.page("<script>document.title = confirm('First?')</script>"))
    await page.answer_dialog(False)
    await page.wait_for("load")
    assert await page.evaluate("document.title") == "false"


@pytest.mark.slow
async def test_alerts_without_end(browser, page, server):
    with pytest.raises(DialogOpen):
        await page.goto(server.page("<script>for (;;) alert('again')</script>"), timeout=10)
    assert page.dialogs.since(page.channel.checkpoint()) == []
    assert page.dialog == Dialog("alert", "again")
    async with asyncio.timeout(10):
        await browser.revive()
        assert (await browser.page.goto(server.url("/ok"))).status == 200
    assert await browser.page.evaluate("1 + 1") == 2


async def test_few_alerts_are_no_flood(page, server):
    await page.goto(server.page(f"<script>for (let i = 1; i < {MAX_AUTOMATIC_ANSWERS}; i++) alert(i)</script>"))
    assert page.dialog is None


async def test_beforeunload_is_accepted_and_told(page, server, point):
    await page.goto(server.page("<a id=go href=/ok>Go</a><script>onbeforeunload = () => 'stay'</script>"))
    checkpoint = page.checkpoint()
    await page.mouse.click(*await point("#go"))
    effects = await page.settle(checkpoint)
    assert [dialog.kind for dialog in effects.dialogs] == ["beforeunload"]
    assert page.url == server.url("/ok")


@pytest.mark.slow
async def test_dialogs_of_a_frame_in_another_process(page, server):
    frame = server.page("<script>setTimeout(() => confirm('Inside?'), 50)</script>")
    await page.goto(server.page(f"<iframe src='{frame.replace('127.0.0.1', 'localhost')}'></iframe>"), until="ready")
    await opened(page)
    assert page.dialog is not None
    assert page.dialog.message == "Inside?"
    await page.answer_dialog(True)
    assert await page.evaluate("1") == 1
