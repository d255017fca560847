"""`clipboard` in the user's own browser, where the user allows its debugger. What the user has copied elsewhere stays
theirs until a command writes."""

from __future__ import annotations

import pytest

from tests.extension.driver import PairedBrowser, paired_browser, trusted, untrusted
from tests.extension.test_console import NEEDS
from tests.headless.test_clipboard import PAGE

__all__ = ["paired_browser", "trusted", "untrusted"]


@pytest.mark.slow
async def test_written_clipboard_text_is_read_and_pasted(trusted: PairedBrowser) -> None:
    await trusted.show(PAGE)
    assert await trusted('clipboard write "one\\ntwo"') == r'ok clipboard write "one\ntwo"'
    assert await trusted("clipboard read") == "ok clipboard read\n\n| one\n| two"
    await trusted.ok('focus "Notes"')
    assert r'value: "one\ntwo"' in await trusted("press control+v")
    assert '"pasted one two trusted"' in await trusted("title")
    await trusted.ok('clipboard write "next"')
    await trusted.ok('focus "Field"')
    assert 'value: "next"' in await trusted("press control+v")


@pytest.mark.slow
async def test_text_copied_by_keys_and_pages_is_in_the_clipboard(trusted: PairedBrowser) -> None:
    await trusted.show(PAGE)
    await trusted.ok('type "Field" "typed words"')
    await trusted.ok("press control+a")
    await trusted.ok("press control+c")
    assert await trusted("clipboard read") == "ok clipboard read\n\n| typed words"
    await trusted.ok("press end")
    assert 'value: "typed wordstyped words"' in await trusted("press control+v")
    await trusted.ok('click "Old way"')
    assert await trusted("clipboard read") == "ok clipboard read\n\n| Some words"


@pytest.mark.slow
async def test_each_session_pastes_its_own(trusted: PairedBrowser) -> None:
    """Also in the same tab: the browser has but one for the two."""
    await trusted.show(PAGE)
    number = next(line.split()[0].strip("[]") for line in (await trusted("tabs")).splitlines() if "(current)" in line)
    await trusted.ok('clipboard write "first"')
    await trusted.ok('focus "Field"')
    assert 'value: "first"' in await trusted("press control+v")
    await trusted.ok(f'@tab{number} clipboard write "second"')
    await trusted.ok(f'@tab{number} focus "Notes"')
    assert 'value: "second"' in await trusted(f"@tab{number} press control+v")
    await trusted.ok('focus "Field"')
    await trusted.ok("press control+a")
    await trusted.ok("press control+v")
    assert (await trusted('value "Field"')).endswith('"first"')
    assert await trusted("clipboard read") == "ok clipboard read\n\n| first"


async def test_it_needs_the_debugger(untrusted: PairedBrowser) -> None:
    assert await untrusted("clipboard read") == f"error clipboard read: {NEEDS}"
    assert await untrusted('clipboard write "a"') == f'error clipboard write "a": {NEEDS}'
