"""`Session.generation`: when the numbers and references that were told become invalid, and when they don't."""

from __future__ import annotations

from typing import Any

import pytest

from oryn.engine import Options, Session

pytestmark = pytest.mark.browser

PAGE = """<title>Here</title><button onclick="this.after('once more ', document.createElement('button'))">Add</button>
<a href="/there">Go</a><button onclick="setTimeout(() => location = '/there', 50)">Later</button>
<a href="#below">Within</a><form action="/there"><input name=q></form>"""


async def _changes_generation(oryn: Any, line: str) -> bool:
    before = oryn.session.generation
    assert oryn.session.generation == before
    await oryn.ok(line)
    after: int = oryn.session.generation
    assert after >= before
    assert oryn.session.generation == after
    return after > before


async def _here(oryn: Any) -> None:
    oryn.pages["/there"] = "<title>There</title><button>Back</button>"
    oryn.pages["/moved"] = (302, {"Location": "/there"}, "")
    await oryn.show(PAGE)


async def test_it_is_0_until_there_was_a_page(oryn, browser):
    await oryn.ok("help click")
    assert Session(browser, options=Options()).element_index.generation == 0
    await _here(oryn)
    assert oryn.session.generation > 0


@pytest.mark.parametrize("line", ["snapshot", "refresh", "goto about:blank"])
async def test_generation_grows_with_each_new_numbering(oryn, line):
    await _here(oryn)
    assert await _changes_generation(oryn, line)
    assert await _changes_generation(oryn, line)


@pytest.mark.parametrize(
    "line",
    [
        "observe",
        "observe --minimal",
        "click 1",
        "click 4",
        "type 5 x",
        "url",
        "text",
        "scroll down",
        "observe --diff",
        "hover 1",
        "tabs",
        "html",
    ],
)
async def test_generation_is_unchanged_if_numbers_stay_valid(oryn, line):
    await _here(oryn)
    await oryn.ok("observe")
    assert not await _changes_generation(oryn, line)


@pytest.mark.parametrize("line", ["click 2", "goto /moved", "eval \"location = '/there'\"", "submit 5", "press enter"])
async def test_generation_grows_with_each_new_document(oryn, line):
    await _here(oryn)
    await oryn.ok("observe")
    await oryn.ok("focus 5")
    if not await _changes_generation(oryn, line):  # the page is on its way
        before = oryn.session.generation
        await oryn.ok("wait url /there")
        assert oryn.session.generation > before
    assert await _changes_generation(oryn, "back")


async def test_a_script_that_leaves_between_two_commands(oryn):
    await _here(oryn)
    await oryn.ok("observe")
    before = oryn.session.generation
    await oryn.ok("click 3")
    if oryn.session.page.url == oryn.pages.url():
        await oryn.session.page.wait_for_navigation(timeout=60)
    assert oryn.session.generation > before


@pytest.mark.slow
async def test_tabs_make_it_grow(oryn):
    await _here(oryn)
    assert await _changes_generation(oryn, f"tab new {oryn.pages.url('/there')}")
    *_, first, second = [tab.number for tab in await oryn.session.browser.tabs()]
    for line in (f"tab switch {first}", f"tab switch {second}", "tab close"):
        assert await _changes_generation(oryn, line), line


async def test_reading_the_generation_keeps_references(oryn):
    await _here(oryn)
    await oryn.ok("observe")
    assert oryn.session.generation == oryn.session.generation
    await oryn.ok("click 4")
    await oryn.ok("snapshot")
    await oryn.ok("click @e1")
    assert "+ [" in await oryn.ok("click 1")
