"""`script` in the user's own browser, where the user allows its debugger: the file comes from the server's computer."""

from __future__ import annotations

import pytest

from tests.extension.driver import PairedBrowser, paired_browser, trusted, untrusted
from tests.extension.test_console import NEEDS

__all__ = ["paired_browser", "trusted", "untrusted"]

MARK_PAGE = "<p id=told></p><script>told.textContent = globalThis.mark ?? 'none'</script>"


async def added(oryn: PairedBrowser, content: str) -> str:
    answer, written = await oryn.with_files("script add ~/mine/mark.js", mark=content)
    assert not written
    return answer


@pytest.mark.slow
async def test_it_runs_before_the_pages_own_until_it_is_removed(trusted: PairedBrowser) -> None:
    await trusted.show(MARK_PAGE)
    assert await added(trusted, "globalThis.mark = 'first'") == (
        'ok script add ~/mine/mark.js\n\n1 "mark.js"\n\n# note\n'
        "it runs in pages loaded from now on: 'refresh' to run it in this one"
    )
    assert await trusted.value("told.textContent") == "none"
    await trusted.ok("refresh")
    assert await trusted.value("told.textContent") == "first"
    assert await trusted("script list") == 'ok script list\n\n1 "mark.js"'
    await trusted.ok("script remove 1")
    await trusted.ok("refresh")
    assert await trusted.value("told.textContent") == "none"
    assert await trusted("script list") == "ok script list\n\nno scripts"
    assert (await trusted("script remove 1")).startswith("error script remove 1: there is no script 1")


@pytest.mark.slow
async def test_it_runs_in_new_tabs_and_frames(trusted: PairedBrowser) -> None:
    trusted.pages["/frame"] = MARK_PAGE
    await trusted.show("<iframe src=/frame></iframe>")
    number = (await added(trusted, "globalThis.mark = location.pathname")).split("\n\n")[1].partition(" ")[0]
    await trusted.ok("refresh")
    assert await trusted.value("frames[0].told.textContent") == "/frame"
    await trusted.ok(f"tab new {trusted.pages.url('/frame')}")
    assert await trusted.value("told.textContent") == "/frame"
    await trusted.ok("tab close")
    await trusted.ok(f"script remove {number}")


async def test_script_with_a_syntax_error_is_rejected(trusted: PairedBrowser) -> None:
    await trusted.show(MARK_PAGE)
    assert (await added(trusted, "let = ;")).startswith("error script add ~/mine/mark.js: SyntaxError: ")
    assert await trusted("script list") == "ok script list\n\nno scripts"


async def test_a_file_that_was_not_sent(trusted: PairedBrowser) -> None:
    await trusted.show(MARK_PAGE)
    assert await trusted("script add /etc/hosts.js") == (
        "error script add /etc/hosts.js: not supported in this mode\n\n# hint\n"
        "The browser reads no files of the server's computer."
    )


async def test_it_needs_the_debugger(untrusted: PairedBrowser) -> None:
    assert await added(untrusted, "1") == f"error script add ~/mine/mark.js: {NEEDS}"
    assert await untrusted("script list") == f"error script list: {NEEDS}"
