"""Pictures, paper, traces and moving pictures, straight from the browser."""

from __future__ import annotations

import asyncio
import io
import json
import struct

import pytest

from oryn.browsers.base import Rect
from oryn.browsers.base.recording import Paper, Still
from oryn.errors import AlreadyRunning, BrowserFailed, FrameNotFound

pytestmark = pytest.mark.browser

A4 = Paper(8.27, 11.69, 0.4)


def png_size(image: bytes) -> tuple[int, int]:
    width, height = struct.unpack(">II", image[16:24])
    return width, height


async def test_the_viewport_the_page_and_a_part_of_it(page, server):
    await page.goto(server.page("<body style='margin:0'><div style='width:500px;height:2000px'>"))
    assert png_size(await page.screenshot()) == (1280, 720)
    assert png_size(await page.screenshot(full_page=True)) == (1280, 2000)
    assert png_size(await page.screenshot(clip=Rect(10, 1500, 300, 100))) == (300, 100)


async def test_a_page_without_end_is_cut(page, server):
    await page.goto(server.page("<body style='margin:0'><div style='height:100000px'>"))
    assert png_size(await page.screenshot(full_page=True)) == (1280, 16384)


async def test_quality_is_size(page, server):
    await page.goto(server.page("<p>" + "some words " * 500))
    small = await page.screenshot(format="jpeg", quality=10)
    assert len(small) * 1.5 < len(await page.screenshot(format="jpeg", quality=90))


async def test_where_frames_lie(page, server):
    """Frames in a process of their own, in each other, half outside of what is around them; nothing scrolls."""
    style = "style='position:absolute;left:20px;top:30px;width:200px;height:100px;border:5px solid;padding:1px'"
    inner = server.page("<b>in</b>").replace("127.0.0.1", "localhost")
    middle = server.page(f"<body style='height:5000px'><iframe {style.replace('30px', '80px')} src='{inner}'></iframe>")
    await page.goto(server.page(f"<body style='height:5000px'><iframe {style} src='{middle}'></iframe>"))
    _, outer, nested = page.frames()
    assert await page.frame_place(outer) == (Rect(26, 36, 200, 100), Rect(26, 36, 200, 100))
    assert await page.frame_place(nested) == (Rect(52, 122, 200, 100), Rect(52, 122, 174, 14))
    await page.evaluate("scrollTo(0, 10)")
    assert (await page.frame_place(nested))[0] == Rect(52, 112, 200, 100)
    await page.evaluate("document.querySelector('iframe').remove()")
    with pytest.raises(FrameNotFound):
        await page.frame_place(nested)


async def test_a_pdf_comes_in_pieces(page, server):
    pieces = []
    await page.goto(server.page("".join(f"<p>{number} {'words ' * 200}" for number in range(2000))))
    await page.pdf(A4, pieces.append)
    assert len(pieces) > 1
    assert b"".join(pieces).startswith(b"%PDF-") and b"".join(pieces).rstrip().endswith(b"%%EOF")


async def test_a_trace(browser, page, server):
    file = io.BytesIO()
    await browser.tracing.start()
    with pytest.raises(AlreadyRunning):
        await browser.tracing.start()
    await page.goto(server.page("traced"))
    assert await browser.tracing.stop(file.write) is True
    assert any(event["name"] == "navigationStart" for event in json.loads(file.getvalue())["traceEvents"])
    with pytest.raises(BrowserFailed):
        await browser.tracing.stop(file.write)


async def test_a_trace_that_is_not_wanted(browser):
    await browser.tracing.start()
    await browser.tracing.discard()
    await browser.tracing.discard()
    await browser.tracing.start()
    await browser.tracing.discard()
    assert browser.page.channel.session.connection.root.handlers["Tracing.tracingComplete"] == []


async def test_moving_pictures(page, server):
    stills: asyncio.Queue[Still] = asyncio.Queue()
    await page.goto(server.page("<body style='background:red'>"))
    await page.start_screencast(stills.put_nowait)
    first = await asyncio.wait_for(stills.get(), 10)
    assert first.image.startswith(b"\xff\xd8") and first.time > 1_700_000_000
    await page.evaluate("document.body.style.background = 'blue'")
    second = await asyncio.wait_for(stills.get(), 10)
    assert second.time > first.time and second.image != first.image
    await page.stop_screencast()
    await page.stop_screencast()
    assert page.channel.session.handlers["Page.screencastFrame"] == []
