"""What comes in several steps by timers stands in the answer of the act that began it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from oryn.browsers.common.tab_state import DocumentGone

FOLLOWED = {
    "a button that its result replaces": (
        "<button onclick=\"this.remove(), setTimeout(() => out.innerHTML = '<p>Saved', 100)\">Go</button>",
        ['- [1] button "Go"', '+ text "Saved"'],
    ),
    "a list that is emptied and filled again": (
        "<button onclick=\"out.innerHTML = '', setTimeout(() => out.innerHTML = '<p>Fern', 90)\">Go</button>",
        ['+ text "Fern"'],
    ),
    "a removal that is taken back": (
        '<p>Row <button onclick="const row = parentNode; row.remove(); setTimeout(() => {'
        " document.body.append(row); out.textContent = 'Not allowed' }, 150)\">Go</button></p>",
        ['+ text "Not allowed"'],
    ),
    "a form that thanks": (
        "<form onsubmit=\"event.preventDefault(); this.innerHTML = '';"
        " setTimeout(() => this.innerHTML = '<p>Thanks', 60)\"><button>Go</button></form>",
        ['- [1] button/submit "Go"', '+ text "Thanks"'],
    ),
}


@pytest.mark.parametrize(("markup", "expected"), FOLLOWED.values(), ids=FOLLOWED)
async def test_what_follows_a_removal_is_in_its_answer(oryn: Any, markup: str, expected: list[str]) -> None:
    await oryn.show(f"{markup}<div id=out><p>Old</p></div>")
    answer = await oryn.ok('click "Go"')
    assert all(line in answer for line in expected), answer


@pytest.mark.usefixtures("default_grace")
@pytest.mark.parametrize("busy_from", [40, 200])
async def test_the_timer_of_a_busy_page_is_late_but_in_its_answer(oryn: Any, busy_from: int) -> None:
    busy = "for (const end = Date.now() + 500; Date.now() < end;);"
    begun = f"setTimeout(() => {{ {busy} }}, {busy_from}); setTimeout(() => out.textContent = 'Dark', 300)"
    await oryn.show(f'<button onclick="{begun}">Theme</button><p id=out>')
    assert '+ text "Dark"' in await oryn.ok('click "Theme"')


@pytest.mark.slow
@pytest.mark.usefixtures("default_grace")
async def test_an_answer_that_is_slow_to_come_is_not_the_last_word(oryn: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page was looked at before it changed, and the time for that was over when the answer had come."""
    begun = "setTimeout(() => out.textContent = 'Dark', 300); over = new Promise((done) => setTimeout(done, 600))"
    await oryn.show(f'<button onclick="{begun}">Theme</button><p id=out>')
    await oryn.ok("observe")
    page = oryn.session.page
    read, delayed = page.scanner, asyncio.Event()

    async def slowly(request: dict[str, Any], *arguments: Any, **named: Any) -> dict[str, Any]:
        answer: dict[str, Any] = await read(request, *arguments, **named)
        if request["cmd"] == "scan" and not delayed.is_set():
            delayed.set()
            await page.evaluate("over")
        return answer

    monkeypatch.setattr(page, "scanner", slowly)
    assert '+ text "Dark"' in await oryn.ok('click "Theme"')
    assert delayed.is_set()


async def test_a_page_that_leaves_while_its_changes_are_read(oryn: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The click is done, so its answer is about the next page, and no error."""
    oryn.pages["/there"] = "<title>There</title><h1>There</h1>"
    await oryn.show("<button onclick=\"out.textContent = 'Leaving'\">Later</button><p id=out>")
    page = oryn.session.page
    read, left = page.scanner, asyncio.Event()

    async def leave(request: dict[str, Any], *arguments: Any, **named: Any) -> dict[str, Any]:
        if request["cmd"] == "scan" and not left.is_set():
            left.set()
            arrived = asyncio.ensure_future(page.wait_for_navigation(timeout=60))
            await asyncio.sleep(0)  # it waits before the page leaves
            await page.evaluate("location = '/there'")
            await arrived
            raise DocumentGone("the document went away", "Run 'observe'.")
        return dict(await read(request, *arguments, **named))

    await oryn.ok("observe")
    monkeypatch.setattr(page, "scanner", leave)
    assert '"There"' in await oryn.ok('click "Later"')
    assert left.is_set()
