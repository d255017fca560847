"""Texts that come and go while an action is waited for, and what live regions say one after the other."""

from __future__ import annotations

import threading

import pytest

from tests.headless.conftest import Driver, changes
from tests.headless.test_reactions import GO

pytestmark = pytest.mark.usefixtures("default_grace")


APPENDED = "const it = document.createElement('div'); it.textContent = 'Saved'; out.append(it); setTimeout(() => it.remove(), 200)"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "flash"),
    [
        ("<div id=out></div>", APPENDED),
        ("<div id=out></div>", f"setTimeout(() => {{ {APPENDED} }}, 40)"),
        ("<p id=it hidden>Saved</p>", "it.hidden = false; setTimeout(() => { it.hidden = true }, 200)"),
        (
            "<style>#it { visibility: hidden; opacity: 0; transition: all .05s } #it.on { visibility: visible; opacity: 1 }</style>"
            "<p id=it>Saved</p>",
            "it.className = 'on'; setTimeout(() => { it.className = '' }, 250)",
        ),
        ("<dialog id=it>Saved</dialog>", "it.show(); setTimeout(() => it.close(), 200)"),
        ("<div popover id=it>Saved</div>", "it.showPopover(); setTimeout(() => it.hidePopover(), 200)"),
        ("<p id=it>3 ferns</p>", "it.textContent = 'Saved'; setTimeout(() => { it.textContent = '3 ferns' }, 200)"),
        (
            "<p id=it>3 ferns</p>",
            "it.firstChild.data = 'Saved'; setTimeout(() => { it.firstChild.data = '3 ferns' }, 200)",
        ),
        (
            "<div id=host></div><script>host.attachShadow({mode: 'open'}).innerHTML = '<p></p>'</script>",
            "const it = host.shadowRoot.firstChild; it.textContent = 'Saved'; setTimeout(() => { it.textContent = '' }, 200)",
        ),
    ],
    ids=["element", "late", "hidden", "class", "dialog", "popover", "taken back", "data", "shadow root"],
)
async def test_a_text_that_comes_and_goes_before_the_report(oryn: Driver, page: str, flash: str) -> None:
    """The page's request keeps the answer waiting until the text has gone."""
    held, shown = threading.Event(), threading.Event()
    oryn.pages["/held"] = lambda handler: (held.wait(20), "done")[1]
    oryn.pages["/shown"] = lambda handler: (held.set(), shown.set(), "ok")[2]
    await oryn.show(
        f"<button id=go>Go</button>{page}<script>go.onclick = () => {{ fetch('/held'); {flash};"
        "setTimeout(() => fetch('/shown'), 450) }</script>"
    )
    answer = await oryn.ok('click "Go"')
    assert '+ text "Saved" (gone again)' in changes(answer)
    assert "Saved" not in await oryn.ok("observe --diff")


@pytest.mark.slow
@pytest.mark.parametrize(
    "step",
    [
        "out.textContent = 'Loading'; setTimeout(() => { out.textContent = 'Saved 7 ferns' }, 150)",
        "out.innerHTML = '<p>Saving…</p>'; setTimeout(() => { out.innerHTML = '<p>Saved 7 ferns</p>' }, 150)",
        "let n = 0; const t = setInterval(() => { out.textContent = n++ < 3 ? `${n} ferns` : (clearInterval(t), 'Saved 7 ferns') }, 110)",
        "out.innerHTML = '<ul role=listbox><li role=option>Fern</ul>'; setTimeout(() => { out.innerHTML = '<p>Saved 7 ferns</p>' }, 150)",
    ],
    ids=["loading", "saving", "counting", "list"],
)
async def test_a_step_on_the_way_is_no_text_that_came_and_went(oryn: Driver, step: str) -> None:
    oryn.pages["/slow"] = "ok"
    held = threading.Event()
    oryn.pages["/held"] = lambda handler: (held.wait(20), "done")[1]
    oryn.pages["/shown"] = lambda handler: (held.set(), "ok")[1]
    await oryn.show(
        f"{GO}<script>go.onclick = () => {{ fetch('/held'); {step}; setTimeout(() => fetch('/shown'), 650) }}</script>"
    )
    answer = await oryn.ok('click "Go"')
    assert "Saved 7 ferns" in answer
    assert "again" not in answer


async def test_a_live_region_is_reported_with_the_last_that_it_said(oryn: Driver) -> None:
    held = threading.Event()
    oryn.pages["/held"] = lambda handler: (held.wait(20), "done")[1]
    oryn.pages["/shown"] = lambda handler: (held.set(), "ok")[1]
    await oryn.show(
        "<button id=go>Go</button><div role=status id=out></div><div aria-live=polite id=other></div><script>"
        "go.onclick = () => { fetch('/held'); ['Opened', '3 options', 'Focused Oslo', 'Chosen Oslo', ''].forEach((text, at) =>"
        "setTimeout(() => { out.textContent = text; other.innerHTML = text && `<span>Now ${text}</span>` }, 30 * at));"
        "setTimeout(() => fetch('/shown'), 300) }</script>"
    )
    assert changes(await oryn.ok('click "Go"')) == ['+ status "Chosen Oslo"', '+ status "Now Chosen Oslo"']


async def test_a_region_that_goes_on_speaking_is_reported_once(oryn: Driver) -> None:
    await oryn.show(
        "<button id=go>Go</button><div role=status id=out>Ready</div><script>go.onclick = () => { out.textContent = 'Searching';"
        "setTimeout(() => { out.textContent = '3 ferns' }, 20) }</script>"
    )
    assert changes(await oryn.ok('click "Go"')) == ['~ status "3 ferns"']
