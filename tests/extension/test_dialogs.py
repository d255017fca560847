"""Dialogs of pages in the user's own browser."""

from __future__ import annotations

import pytest

from tests.extension.driver import PairedBrowser, paired_browser, trusted, untrusted

__all__ = ["paired_browser", "trusted", "untrusted"]

ASKS = "<button onclick='this.textContent = confirm(`Sure?`)'>Ask</button>"


@pytest.mark.slow
async def test_an_alert_is_accepted_and_told(trusted: PairedBrowser) -> None:
    await trusted.show("<button onclick='alert(`Hello`); this.textContent = `after`'>Go</button>")
    assert await trusted("click Go") == (
        'ok click "Go"\n\n# changes\n+ dialog alert "Hello" (accepted)\n~ [1] button "after" {focused}'
    )


async def test_a_question_waits_for_its_answer(trusted: PairedBrowser) -> None:
    await trusted.show(ASKS)
    asked = await trusted("click Ask")
    assert '+ dialog confirm "Sure?"' in asked
    assert "dialog accept, or dialog dismiss" in asked
    assert (await trusted("observe")).startswith("error observe: a dialog is open")
    assert '"true"' in await trusted("dialog accept")
    await trusted.ok("click 1")
    assert '"false"' in await trusted("dialog dismiss")
    assert (await trusted("dialog accept")).startswith("error dialog accept: no dialog is open")


@pytest.mark.slow
async def test_one_in_a_frame_of_another_origin(trusted: PairedBrowser) -> None:
    trusted.pages["/inner"] = ASKS
    await trusted.show(f"<iframe src='{trusted.pages.url('/inner', 'localhost')}'></iframe>")
    assert '+ dialog confirm "Sure?"' in await trusted("click Ask")
    assert '"true"' in await trusted("dialog accept")


async def test_an_answer_in_words(trusted: PairedBrowser) -> None:
    await trusted.show("<button onclick='this.textContent = prompt(`Who?`, `you`)'>Ask</button>")
    await trusted.ok("click Ask")
    assert '"Ada"' in await trusted('dialog accept "Ada"')


async def test_one_that_opens_while_the_page_loads(trusted: PairedBrowser) -> None:
    await trusted.show("<title>t</title><script>alert('early')</script><p>rest")
    assert (await trusted("title")).endswith('"t"')


async def test_a_policy(trusted: PairedBrowser) -> None:
    await trusted.show(ASKS)
    await trusted.ok("dialog auto dismiss")
    assert '"false"' in await trusted("click Ask")
    await trusted.ok("dialog auto accept")
    assert '"true"' in await trusted("click 1")


@pytest.mark.slow
async def test_leaving_a_page_that_asks(trusted: PairedBrowser) -> None:
    await trusted.show("<label>a <input></label><script>onbeforeunload = (e) => { e.preventDefault() }</script>")
    await trusted.ok("type a text")
    await trusted.ok(f"goto {trusted.pages.url('/other')}")
    assert "/other" in await trusted("url")


@pytest.mark.slow
async def test_without_trusted_input_nobody_can_answer(untrusted: PairedBrowser) -> None:
    await untrusted.show(ASKS)
    for line in ("dialog accept", "dialog auto accept"):
        assert (await untrusted(line)).startswith(f"error {line}: not supported in this mode")
    assert untrusted.target is not None
    await untrusted.target.session.call("Page.enable")
    answer = await untrusted("click Ask --timeout 3s")
    assert answer.startswith("error click")
    assert "A dialog may be open" in answer
    assert "Real keys and mouse" in answer
    await untrusted.target.session.call("Page.handleJavaScriptDialog", {"accept": True})
    assert '"true"' in await untrusted("observe")
