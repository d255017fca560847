"""Whole lines to the user's Firefox."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.extension.driver import Driven
from tests.extension.firefox.conftest import IDLE_MILLISECONDS
from tests.extension.test_console import REPORTED, REPORTED_MESSAGES, cleared
from tests.headless.test_console import steady

FORM = """<title>Form</title><label>Name <input id=name></label>
<button onclick="said.textContent = `Hello ${document.querySelector('#name').value}`">Say</button><p id=said></p>"""


async def test_a_form_is_filled_in(driven: Driven) -> None:
    await driven.show(FORM)
    assert '[1] input/text "Name"\n[2] button "Say"' in await driven.ok("observe")
    assert 'value: "Ann"' in await driven.ok('type "Name" "Ann"')
    assert '+ text "Hello Ann"' in await driven.ok('click "Say"')


async def test_frames_of_other_origins_are_part_of_the_page(driven: Driven) -> None:
    driven.pages["/inner"] = "<button onclick=\"this.textContent = 'pressed'\">Inner</button>"
    other = driven.pages.url("/inner").replace("127.0.0.1", "localhost")
    await driven.show(f"<title>Outer</title><button>Outer</button><iframe src='{other}'></iframe>")
    assert '"Inner"' in await driven.ok("observe")
    assert '"pressed"' in await driven.ok('click "Inner"')


async def test_a_closed_shadow_root_is_read(driven: Driven) -> None:
    await driven.show(
        "<div id=host></div><script>host.attachShadow({mode: 'closed'}).innerHTML = '<button>Hidden</button>'</script>"
    )
    assert '[1] button "Hidden"' in await driven.ok("observe")


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("1 + 1", "2"),
        ("await Promise.resolve(4)", "4"),
        ("document.querySelector('h1')", "h1#top"),
        ("new Map([[1, 2]])", "Map(1)"),
    ],
)
async def test_scripts_run_in_the_pages_own_world(driven: Driven, expression: str, value: str) -> None:
    await driven.show("<h1 id=top>Top</h1>")
    assert (await driven.value(expression)).strip('"') == value


async def test_an_error_in_a_script_is_reported(driven: Driven) -> None:
    await driven.show("<h1>Top</h1>")
    answer = await driven("eval \"throw new TypeError('no such thing')\"")
    assert answer.startswith("error eval") and "TypeError: no such thing\n" in answer


async def test_a_screenshot_is_of_the_viewport(driven: Driven) -> None:
    await driven.show("<h1>Top</h1>")
    answer, files = await driven.with_files("screenshot")
    assert answer.startswith("ok"), answer
    (picture,) = files.values()
    assert picture.startswith(b"\x89PNG")
    assert int.from_bytes(picture[16:20]) >= 1280


async def test_tabs_are_opened_switched_and_closed(driven: Driven) -> None:
    await driven.show("<title>One</title>")
    driven.pages["/two"] = "<title>Two</title>"
    assert '"Two"' in await driven.ok(f"tab new {driven.pages.url('/two')}")
    tabs = await driven.ok("tabs")
    assert '"One"' in tabs and '"Two"' in tabs
    await driven.ok("tab close")
    assert '"One"' in await driven.ok("title")


async def test_a_link_opens_a_tab(driven: Driven) -> None:
    driven.pages["/two"] = "<title>Two</title>"
    await driven.show("<title>One</title><a href='/two' target=_blank>Open</a>")
    answer = await driven.ok('click "Open"')
    assert '"Two"' in answer or "/two" in answer, answer


async def test_commands_that_need_a_debugger_are_not_supported(driven: Driven) -> None:
    await driven.show("<title>One</title>")
    assert (await driven("clipboard read")).startswith("error clipboard read: not supported in this mode")


async def test_the_console_is_what_a_script_in_the_page_reports(driven: Driven) -> None:
    await cleared(driven)
    await driven.show(REPORTED)
    assert steady(await driven("console")).startswith(REPORTED_MESSAGES)
    await driven.ok('click "Throw"')
    assert "late" in await driven.ok("errors")


async def test_a_quiet_connection_outlasts_the_idle_time_of_the_event_page(driven: Driven) -> None:
    await driven.show("<title>Kept</title>")
    await driven.ok('eval "globalThis.kept = 7"')
    with pytest.raises(TimeoutError):  # neither a lost connection, which would begin a new one, nor any message
        await asyncio.wait_for(driven.server.connections.get(), 3 * IDLE_MILLISECONDS / 1000)
    assert await driven.value("kept") == "7"


async def test_nothing_has_failed_in_the_extension(driven: Driven) -> None:
    browser: Any = driven.browser
    assert browser.errors == []
