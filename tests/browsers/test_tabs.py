"""Tabs, cookies, pictures, files: what a browser and its pages offer besides moving and input."""

from __future__ import annotations

import struct
from urllib.parse import urlsplit

import pytest

from oryn.browsers.base import Cookie, Rect
from oryn.errors import ElementNotFound, InvalidValue, LastTab, NavigationError, TabNotFound

pytestmark = pytest.mark.browser


@pytest.mark.slow
async def test_numbers_stay(browser, server):
    [first] = await browser.tabs()
    await browser.new_tab(server.url("/ok?title=second"))
    await browser.new_tab(server.url("/ok?title=third"))
    rows = await browser.tabs()
    assert [row.title for row in rows] == ["about:blank", "second", "third"]
    assert [row.current for row in rows] == [False, False, True]
    await browser.close_tab(rows[1].number)
    assert [row.number for row in await browser.tabs()] == [first.number, rows[2].number]


@pytest.mark.slow
async def test_switching(browser, server, page):
    [first] = await browser.tabs()
    await browser.new_tab(server.page("<button id=b onclick='document.title = \"pressed\"'>b</button>"))
    second = browser.page
    await browser.switch_tab(first.number)
    assert browser.page is page
    assert (await page.goto(server.url("/ok"))).status == 200
    # A tab in the background is drawn all the same.
    place = (await second.scanner({"cmd": "locate", "selector": "#b"}))["data"]
    await second.mouse.click(place["x"], place["y"])
    assert await second.evaluate("[document.title, document.visibilityState]") == ["pressed", "visible"]
    with pytest.raises(TabNotFound):
        await browser.switch_tab(999)


async def test_closing_the_current_one_goes_to_its_neighbour(browser, server, page):
    await browser.new_tab(server.url("/ok"))
    await browser.close_tab()
    assert browser.page is page


async def test_the_last_one_stays(browser):
    with pytest.raises(LastTab):
        await browser.close_tab()
    with pytest.raises(TabNotFound):
        await browser.close_tab(999)


async def test_a_closed_tab_says_so(browser, server):
    await browser.new_tab(server.url("/ok"))
    gone = browser.page
    await browser.close_tab()
    with pytest.raises(TabNotFound):
        await gone.scanner({"cmd": "scan"})


async def test_a_new_tab_that_does_not_load_is_there(browser):
    with pytest.raises(NavigationError):
        await browser.new_tab("http://no-such-host.invalid/")
    assert len(await browser.tabs()) == 2


# --- cookies ---


async def test_cookies(browser, page, server):
    await browser.clear_cookies()
    await page.goto(server.url("/cookie"))
    [cookie] = await browser.cookies()
    told = Cookie("taste", "sweet", "127.0.0.1", "/", None, False, True, "Lax")
    port = urlsplit(server.url("/")).port
    assert cookie == told.replace(priority="Medium", source_scheme="NonSecure", source_port=port)
    await browser.set_cookies(
        [Cookie("theme", "dark"), Cookie("far", "away", ".example.org", expires=4e9, secure=True)]
    )
    assert await page.evaluate("document.cookie") == "theme=dark"
    assert sorted(found.name for found in await browser.cookies()) == ["far", "taste", "theme"]
    assert sorted(found.name for found in await browser.cookies(page.url)) == ["taste", "theme"]
    await browser.delete_cookies([Cookie("theme", "")])
    assert [found.name for found in await browser.cookies(page.url)] == ["taste"]
    await browser.clear_cookies()
    assert await browser.cookies() == []


async def test_cookies_come_back_as_they_were(browser, page, server):
    await page.goto(server.url("/cookie"))
    before = await browser.cookies()
    await browser.clear_cookies()
    await browser.set_cookies(before)
    assert await browser.cookies() == before
    await browser.clear_cookies()


async def test_what_is_no_cookie(browser, page, server):
    await page.goto(server.url("/ok"))
    with pytest.raises(InvalidValue):
        await browser.set_cookies([Cookie("a;b", "c\nd")])


# --- pictures ---


def png_size(data: bytes) -> tuple[int, int]:
    width, height = struct.unpack(">II", data[16:24])
    return width, height


@pytest.mark.slow
async def test_screenshots(page, server):
    await page.goto(
        server.page("<body style='margin:0'><div style='height:3000px;background:linear-gradient(red,blue)'>")
    )
    assert png_size(await page.screenshot()) == (1280, 720)
    assert png_size(await page.screenshot(full_page=True)) == (1280, 3000)
    assert png_size(await page.screenshot(clip=Rect(10, 2000, 200, 100))) == (200, 100)
    assert (await page.screenshot(format="jpeg")).startswith(b"\xff\xd8")
    assert (await page.screenshot(format="webp"))[8:12] == b"WEBP"


async def test_the_viewport_is_as_asked_for(page):
    assert await page.evaluate("[innerWidth, innerHeight]") == [1280, 720]


# --- files ---


async def test_files_are_chosen(page, server, tmp_path):
    file = tmp_path / "note.txt"
    file.write_text("hello")
    await page.goto(server.page("<input id=f type=file><button id=b>b</button>"))
    found = await page.scanner({"cmd": "find", "target": {"css": "#f"}})
    await page.set_files(found["data"]["matches"][0]["id"], [str(file)])
    assert await page.evaluate("f.files[0].text()") == "hello"
    with pytest.raises(ElementNotFound):
        await page.set_files(999, [str(file)])
