"""`clipboard read` and `write`, and what pages copy and paste."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from oryn.browsers.chromium import ChromiumBrowser
from oryn.engine import Options, Session

pytestmark = pytest.mark.whole_browser

PAGE = """<!doctype html><title>clip</title><input id=i aria-label=Field><textarea aria-label=Notes></textarea><p id=p>Some words</p>
<button onclick="navigator.clipboard.writeText('from the page').then(() => document.title = 'copied')">Copy</button>
<button onclick="navigator.clipboard.write([new ClipboardItem({'text/plain': new Blob(['as an item'], {type: 'text/plain'})})]).then(() => document.title = 'written')">Item</button>
<button onclick="getSelection().selectAllChildren(p); document.execCommand('copy')">Old way</button>
<button onclick="navigator.clipboard.readText().then((t) => document.title = t, (e) => document.title = e.name)">Peek</button>
<script>addEventListener('paste', (e) => { document.title = 'pasted ' + e.clipboardData.getData('text/plain') + (e.isTrusted ? ' trusted' : '') });</script>"""


@pytest.mark.slow
async def test_written_clipboard_text_is_read_and_pasted(oryn: Any) -> None:
    await oryn.show(PAGE)
    assert await oryn('clipboard write "one\\ntwo"') == r'ok clipboard write "one\ntwo"'
    assert await oryn("clipboard read") == "ok clipboard read\n\n| one\n| two"
    await oryn.ok('focus "Notes"')
    assert r'value: "one\ntwo"' in await oryn("press control+v")
    assert '"pasted one two trusted"' in await oryn("title")
    await oryn.ok('clipboard write "next"')
    await oryn.ok('focus "Field"')
    assert 'value: "next"' in await oryn("press control+v")


@pytest.mark.slow
async def test_text_copied_by_keys_is_in_the_clipboard(oryn: Any) -> None:
    await oryn.show(PAGE)
    await oryn.ok('type "Field" "typed words"')
    await oryn.ok("press control+a")
    await oryn.ok("press control+c")
    assert await oryn("clipboard read") == "ok clipboard read\n\n| typed words"
    await oryn.ok("press end")
    assert 'value: "typed wordstyped words"' in await oryn("press control+v")
    await oryn.ok("press control+a")
    await oryn.ok("press control+x")
    assert (await oryn("clipboard read")).endswith("| typed wordstyped words")
    assert (await oryn('value "Field"')).endswith('""')


async def test_with_keys_that_are_held(oryn: Any) -> None:
    await oryn.show(PAGE)
    await oryn.ok('clipboard write "held"')
    await oryn.ok('focus "Field"')
    await oryn.ok("keydown control")
    assert 'value: "held"' in await oryn("keydown v")
    await oryn.ok("keyup all")


async def test_a_password_field_takes_it_too(oryn: Any) -> None:
    """While it has the focus, the browser does not let a script write to its clipboard."""
    await oryn.show("<input type=password id=secret aria-label=Password>")
    await oryn.ok('clipboard write "hunter22"')
    await oryn.ok('focus "Password"')
    await oryn.ok("press control+v")
    assert (await oryn("eval secret.value")).endswith("| hunter22")
    assert (await oryn("clipboard read")).endswith("| hunter22")


async def test_text_copied_by_pages_is_in_the_clipboard(oryn: Any) -> None:
    await oryn.show(PAGE)
    for button, text in (("Copy", "from the page"), ("Item", "as an item"), ("Old way", "Some words")):
        await oryn.ok(f'click "{button}"')
        assert await oryn("clipboard read") == f"ok clipboard read\n\n| {text}"


async def test_a_page_that_copies_something_else_than_is_selected(oryn: Any) -> None:
    await oryn.show(
        PAGE
        + "<script>document.oncopy = (e) => { e.clipboardData.setData('text/plain', 'swapped'); e.preventDefault() }</script>"
    )
    await oryn.ok('type "Field" "selected"')
    await oryn.ok("press control+a")
    await oryn.ok("press control+c")
    assert (await oryn("clipboard read")).endswith("| swapped")


async def test_a_page_can_not_read_it_and_does_not_hang(oryn: Any) -> None:
    await oryn.show(PAGE)
    await oryn.ok('clipboard write "private"')
    await oryn.ok("click Peek")
    assert '"NotAllowedError"' in await oryn("title")


async def test_copied_in_one_page_pasted_in_another(oryn: Any) -> None:
    await oryn.show(PAGE)
    await oryn.ok("click Copy")
    await oryn.show(PAGE, "/other")
    await oryn.ok('focus "Field"')
    assert 'value: "from the page"' in await oryn("press control+v")


@pytest.mark.slow
async def test_in_a_frame_of_another_origin(oryn: Any) -> None:
    oryn.pages["/inner"] = "<input aria-label=Inner>"
    await oryn.show(f"<iframe src={oryn.pages.url('/inner', 'localhost')}></iframe>")
    await oryn.ok('clipboard write "across"')
    await oryn.ok('click "Inner"')
    assert 'value: "across"' in await oryn("press control+v")
    await oryn.ok('type "Inner" "back"')
    await oryn.ok("press control+a")
    await oryn.ok("press control+c")
    assert (await oryn("clipboard read")).endswith("| back")


async def test_pages_see_nothing_of_ours(oryn: Any) -> None:
    await oryn.show(PAGE)
    assert (
        await oryn("eval \"Object.getOwnPropertyNames(globalThis).filter((n) => n.includes('oryn')).join()\"")
    ).endswith("\n|")
    assert "[native code]" in await oryn('eval "String(navigator.clipboard.writeText)"')


@pytest.mark.slow
async def test_another_session_has_a_clipboard_of_its_own(oryn: Any, browser: ChromiumBrowser, tmp_path: Path) -> None:
    neighbour = ChromiumBrowser(runtime_dir=tmp_path, shared_with=browser)
    other = Session(neighbour, "other", Options(timeout=60))
    try:
        await oryn.show(PAGE)
        await oryn.ok('clipboard write "mine"')
        await oryn.ok('focus "Field"')
        await oryn.ok("press control+v")

        async def said(line: str) -> str:
            return (await other.execute(line)).render()

        await said(f"goto {oryn.pages.url('/')}")
        assert await said("clipboard read") == "ok clipboard read\n\nthe clipboard is empty"
        await said('focus "Field"')
        await said("press control+v")
        assert (await said('value "Field"')).endswith('""')
        await said("click Copy")
        assert (await said("clipboard read")).endswith("| from the page")
        assert (await oryn("clipboard read")).endswith("| mine")
        await oryn.ok('clear "Field"')
        assert 'value: "mine"' in await oryn("press control+v")
        await said('focus "Field"')
        assert 'value: "from the page"' in await said("press control+v")
    finally:
        await other.close()
