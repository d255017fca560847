"""Whole lines to the user's Firefox."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.extension.driver import PairedBrowser
from tests.extension.firefox.conftest import IDLE_MILLISECONDS
from tests.extension.test_console import REPORTED, REPORTED_MESSAGES, cleared
from tests.headless.test_console import without_times

FORM = """<title>Form</title><label>Name <input id=name></label>
<button onclick="said.textContent = `Hello ${document.querySelector('#name').value}`">Say</button><p id=said></p>"""


async def test_a_form_is_filled_in(paired_browser: PairedBrowser) -> None:
    await paired_browser.show(FORM)
    assert '[1] input/text "Name"\n[2] button "Say"' in await paired_browser.ok("observe")
    assert 'value: "Ann"' in await paired_browser.ok('type "Name" "Ann"')
    assert '+ text "Hello Ann"' in await paired_browser.ok('click "Say"')


async def test_frames_of_other_origins_are_part_of_the_page(paired_browser: PairedBrowser) -> None:
    paired_browser.pages["/inner"] = "<button onclick=\"this.textContent = 'pressed'\">Inner</button>"
    other = paired_browser.pages.url("/inner").replace("127.0.0.1", "localhost")
    await paired_browser.show(f"<title>Outer</title><button>Outer</button><iframe src='{other}'></iframe>")
    assert '"Inner"' in await paired_browser.ok("observe")
    assert '"pressed"' in await paired_browser.ok('click "Inner"')


async def test_a_closed_shadow_root_is_read(paired_browser: PairedBrowser) -> None:
    await paired_browser.show(
        "<div id=host></div><script>host.attachShadow({mode: 'closed'}).innerHTML = '<button>Hidden</button>'</script>"
    )
    assert '[1] button "Hidden"' in await paired_browser.ok("observe")


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("1 + 1", "2"),
        ("await Promise.resolve(4)", "4"),
        ("document.querySelector('h1')", "h1#top"),
        ("new Map([[1, 2]])", "Map(1)"),
    ],
)
async def test_scripts_run_in_the_pages_own_world(paired_browser: PairedBrowser, expression: str, value: str) -> None:
    await paired_browser.show("<h1 id=top>Top</h1>")
    assert (await paired_browser.value(expression)).strip('"') == value


async def test_an_error_in_a_script_is_reported(paired_browser: PairedBrowser) -> None:
    await paired_browser.show("<h1>Top</h1>")
    answer = await paired_browser("eval \"throw new TypeError('no such thing')\"")
    assert answer.startswith("error eval") and "TypeError: no such thing\n" in answer


async def test_a_screenshot_is_of_the_viewport(paired_browser: PairedBrowser) -> None:
    await paired_browser.show("<h1>Top</h1>")
    answer, files = await paired_browser.with_files("screenshot")
    assert answer.startswith("ok"), answer
    (picture,) = files.values()
    assert picture.startswith(b"\x89PNG")
    assert int.from_bytes(picture[16:20]) >= 1280


async def test_tabs_are_opened_switched_and_closed(paired_browser: PairedBrowser) -> None:
    await paired_browser.show("<title>One</title>")
    paired_browser.pages["/two"] = "<title>Two</title>"
    assert '"Two"' in await paired_browser.ok(f"tab new {paired_browser.pages.url('/two')}")
    tabs = await paired_browser.ok("tabs")
    assert '"One"' in tabs and '"Two"' in tabs
    await paired_browser.ok("tab close")
    assert '"One"' in await paired_browser.ok("title")


async def test_a_link_opens_a_tab(paired_browser: PairedBrowser) -> None:
    paired_browser.pages["/two"] = "<title>Two</title>"
    await paired_browser.show("<title>One</title><a href='/two' target=_blank>Open</a>")
    answer = await paired_browser.ok('click "Open"')
    assert '"Two"' in answer or "/two" in answer, answer


async def test_commands_that_need_a_debugger_are_not_supported(paired_browser: PairedBrowser) -> None:
    await paired_browser.show("<title>One</title>")
    assert (await paired_browser("clipboard read")).startswith("error clipboard read: not supported in this mode")


async def test_the_console_is_what_a_script_in_the_page_reports(paired_browser: PairedBrowser) -> None:
    await cleared(paired_browser)
    await paired_browser.show(REPORTED)
    assert without_times(await paired_browser("console")).startswith(REPORTED_MESSAGES)
    await paired_browser.ok('click "Throw"')
    assert "late" in await paired_browser.ok("errors")


async def test_a_quiet_connection_outlasts_the_idle_time_of_the_event_page(paired_browser: PairedBrowser) -> None:
    await paired_browser.show("<title>Kept</title>")
    await paired_browser.ok('eval "globalThis.kept = 7"')
    with pytest.raises(TimeoutError):  # neither a lost connection, which would begin a new one, nor any message
        await asyncio.wait_for(paired_browser.server.connections.get(), 3 * IDLE_MILLISECONDS / 1000)
    assert await paired_browser.value("kept") == "7"


async def test_nothing_has_failed_in_the_extension(paired_browser: PairedBrowser) -> None:
    browser: Any = paired_browser.browser
    assert browser.errors == []
