"""The bar on controlled tabs: what a person sees and does there, what a page can't, and that the scanner sees none."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest

from scripts.extension.browser import ExtendedBrowser, Target
from tests.extension.banner import Tab
from tests.headless.conftest import Pages

BUTTONS = "".join(f"<button style='flex:1' id=b{n} onclick='clicked.push(this.id)'>B{n}</button>" for n in range(24))
PAGE = f"""<!doctype html><title>Fern</title><meta name=description content=Ferns><body style="margin:0">
<script>clicked = []; for (const kind of ['pointerdown', 'mousedown', 'pointerup', 'mouseup'])
  addEventListener(kind, () => clicked.push(kind), true)</script>
<div style="position:fixed;inset:0 0 auto 0;height:30px;display:flex">{BUTTONS}</div>
<main style="padding:80px 20px"><h1>Ferns</h1><p>They like shade.</p><label>Search <input></label></main>"""

LISTEN = """if (globalThis.stops) stops.splice(0), marks.splice(0);
else chrome.runtime.onMessage.addListener((message) => {
  if (message.type === 'mark') marks.push(message); else stops.push(message.type); });
globalThis.stops ??= []; globalThis.marks ??= []; 0"""

Show = Callable[..., Awaitable[Tab]]


async def in_pages(worker: Target, connected: bool) -> None:
    """Have the scripts in the pages that are loaded from now on, as if a server were connected; or no longer."""
    await worker.call("storage.session.set", {"connected": connected})
    wanted = json.dumps(connected)
    await worker.until(f"chrome.scripting.getRegisteredContentScripts().then(all => Boolean(all.length) === {wanted})")


@pytest.fixture
def show(extension_browser: ExtendedBrowser, pages: Pages, run: Any) -> Iterator[Show]:
    """`tab = await show(html)`: a tab with that page and the bar on it; `bar=False` for none."""
    opened: list[Tab] = []

    async def showing(html: str = PAGE, bar: bool = True) -> Tab:
        worker = await extension_browser.awake()  # the browser ends one that has been idle for half a minute
        await worker.evaluate(LISTEN)
        await in_pages(worker, True)
        pages["/fern"] = html
        page = await extension_browser.open(pages.url("/fern"))
        opened.append(Tab(page, worker, await extension_browser.tab_number(page)))
        if bar:
            await opened[-1].send("show")
        return opened[-1]

    async def close() -> None:
        for tab in opened:
            await extension_browser.close_tab(tab.page)
        await in_pages(await extension_browser.awake(), False)

    yield showing
    run(close())


@pytest.mark.slow
async def test_banner_names_the_endpoint_and_its_button_stops(show: Show) -> None:
    tab = await show()
    assert await tab.text() == "Oryn controls this tab for localhost:8080MarkStop"
    await tab.press_stop()
    assert await tab.worker.until("stops.length && stops") == ["stop"]
    assert await tab.page.evaluate("clicked") == [], "the page does not hear of it"
    await tab.send("hide")
    assert await tab.bar() is None
    assert await tab.page.evaluate("document.documentElement.lastElementChild.localName") == "body"


@pytest.mark.slow
async def test_a_press_beside_the_button_is_the_pages(show: Show) -> None:
    tab = await show()
    left, top, _, bottom = await tab.button("mark")
    await tab.press(left - 60, (top + bottom) / 2)  # on the bar's words
    assert (await tab.page.evaluate("clicked"))[-1].startswith("b")
    assert await tab.worker.evaluate("stops") == []


@pytest.mark.slow
async def test_a_press_after_mark_is_the_users_and_the_page_hears_nothing(show: Show) -> None:
    tab = await show()
    await tab.page.evaluate(
        "for (const kind of ['click', 'focus', 'contextmenu']) addEventListener(kind, () => clicked.push(kind), true)"
    )
    await tab.press_mark()
    await tab.press(40, 100)
    assert await tab.worker.until("marks.length && marks") == [
        {"type": "mark", "x": 40, "y": 100, "width": 0, "height": 0}
    ]
    assert await tab.page.evaluate("clicked") == []
    await tab.press(40, 100)  # one mark for each press of the button
    assert await tab.page.evaluate("clicked.length") > 0
    assert await tab.worker.evaluate("marks.length") == 1


@pytest.mark.slow
async def test_a_drag_after_mark_is_a_region(show: Show) -> None:
    tab = await show()
    await tab.press_mark()
    await tab.drag(200, 180, (60, 100))
    area = {"type": "mark", "x": 60, "y": 100, "width": 140, "height": 80}
    assert await tab.worker.until("marks.length && marks") == [area]
    assert await tab.page.evaluate("clicked") == []


@pytest.mark.slow
async def test_escape_ends_marking(show: Show) -> None:
    tab = await show()
    await tab.press_mark()
    await tab.page.evaluate("addEventListener('keydown', () => clicked.push('key'), true)")
    for kind in ("keyDown", "keyUp"):
        await tab.page.session.call("Input.dispatchKeyEvent", {"type": kind, "key": "Escape"}, timeout=10)
    await tab.press(40, 100)
    assert "key" not in await tab.page.evaluate("clicked")
    assert await tab.page.evaluate("clicked.length") > 0
    assert await tab.worker.evaluate("marks") == []


@pytest.mark.slow
async def test_a_page_marks_nothing(show: Show) -> None:
    """Neither by events of its own, nor while the user is pointing."""
    tab = await show()
    left, top, right, bottom = await tab.button("mark")
    forge = """(() => { for (const kind of ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click'])
        for (const target of [document.querySelector('[data-oryn-banner]'), document.body, window])
        target.dispatchEvent(new PointerEvent(kind, { clientX: %s, clientY: %s, bubbles: true, composed: true }));
        })()"""
    await tab.page.evaluate(forge % ((left + right) / 2, (top + bottom) / 2))
    await tab.page.evaluate(forge % (40, 100))
    await tab.press_mark()
    await tab.page.evaluate(forge % (40, 100))
    await tab.press(60, 120)
    assert [(mark["x"], mark["y"]) for mark in await tab.worker.until("marks.length && marks")] == [(60, 120)]


@pytest.mark.slow
async def test_the_bar_says_what_the_agent_has_answered(show: Show) -> None:
    tab = await show()
    message = {"banner": "show", "endpoint": "ws://localhost:8080/", "notes": "Note 1 done: It is green"}
    await tab.worker.call("tabs.sendMessage", tab.number, message, {"frameId": 0})
    assert await tab.text() == "Oryn controls this tab for localhost:8080Note 1 done: It is greenMarkStop"
    left, top, right, bottom = await tab.button("notes")
    await tab.press((left + right) / 2, (top + bottom) / 2)
    assert await tab.worker.until("stops.length && stops") == ["notes"]
    assert "green" not in await tab.page.evaluate("document.documentElement.outerHTML")


@pytest.mark.slow
async def test_a_page_does_not_press_it(show: Show) -> None:
    tab = await show()
    left, top, right, bottom = await tab.button()
    x, y = (left + right) / 2, (top + bottom) / 2
    await tab.page.evaluate(
        "(() => { const bar = document.querySelector('[data-oryn-banner]'); "
        f"const at = {{ clientX: {x}, clientY: {y}, bubbles: true, composed: true }}; "
        "bar.click(); for (const kind of ['pointerdown', 'mousedown', 'mouseup', 'click']) "
        "for (const target of [bar, document.body, window]) target.dispatchEvent(new MouseEvent(kind, at)); })()"
    )
    assert await tab.page.evaluate("document.querySelector('[data-oryn-banner]').shadowRoot") is None
    await tab.press_stop()
    assert await tab.worker.until("stops.length && stops") == ["stop"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "attack",
    [
        "document.querySelector('[data-oryn-banner]').remove()",
        "document.documentElement.append(Object.assign(document.createElement('div'), { popover: 'manual' })); "
        "document.documentElement.lastChild.append(document.querySelector('[data-oryn-banner]'))",
        "document.documentElement.innerHTML = '<body><p>Other</p></body>'",
        "document.replaceChild(document.documentElement.cloneNode(), document.documentElement); "
        "document.documentElement.append(document.createElement('body'))",
        "document.open(); document.write('<p>Other'); document.close()",
        "new MutationObserver(() => document.querySelector('[data-oryn-banner]')?.remove())"
        ".observe(document.documentElement, { childList: true }); "
        "document.querySelector('[data-oryn-banner]').remove(); "
        "setTimeout(() => document.documentElement.remove(), 300); "
        "setTimeout(() => document.append(document.createElement('html')), 350); "
        "setTimeout(() => document.documentElement.append(document.createElement('body')), 400)",
        "document.head.append(Object.assign(document.createElement('style'), { textContent: "
        "'* { display: none !important; opacity: 0 !important; zoom: 0.1 !important } "
        "html, body { display: block !important }' }))",
        "Object.assign(document.querySelector('[data-oryn-banner]'), "
        "{ style: 'display: none !important; transform: scale(0)', hidden: true, inert: true })",
        "document.body.insertAdjacentHTML('beforeend', '<img name=documentElement><form name=body><input name=hidden>"
        "</form><img name=elementFromPoint>'); document.querySelector('[data-oryn-banner]').remove()",
        "Object.assign(document.body.appendChild(document.createElement('div')), { popover: 'manual', "
        "style: 'inset: 0; width: 100%; height: 100%; background: #fff' }).showPopover()",
        "document.body.appendChild(document.createElement('dialog')).showModal()",
        "document.documentElement.inert = true",
    ],
    ids=["remove", "move", "rewrite", "replace", "open", "fight", "style", "own", "clobber", "cover", "modal", "inert"],
)
async def test_a_page_does_not_get_rid_of_it(show: Show, attack: str) -> None:
    tab = await show()
    await tab.page.evaluate(f"{{ {attack} }}")
    # The bar looks after itself once a second; until then a press there is the page's.
    async with asyncio.timeout(60):
        while not await tab.worker.evaluate("stops.length"):
            left, top, right, bottom = await tab.button()
            if 23 < bottom - top < 25:  # its size is its own
                await tab.press((left + right) / 2, (top + bottom) / 2)
    assert "Oryn controls this tab for localhost:8080" in await tab.text()


async def test_what_covers_it_comes_to_lie_below(show: Show) -> None:
    tab = await show()
    alone = await tab.picture()
    cover = "position: fixed; inset: 0; width: 100%; height: 100%; border: 0; background: #fff"
    await tab.page.evaluate(
        "Object.assign(document.body.appendChild(document.createElement('div')), "
        f"{{ popover: 'manual', style: '{cover}' }}).showPopover()"
    )
    await tab.send("hide")
    covered = await tab.picture()
    await tab.send("show")
    assert await tab.picture() not in (alone, covered)


@pytest.mark.slow
async def test_the_scanner_does_not_see_it(show: Show) -> None:
    tab = await show(bar=False)
    questions: list[dict[str, Any]] = [
        {"cmd": "scan", "include_positions": True},
        {"cmd": "tree"},
        {"cmd": "get_text"},
        {"cmd": "get_text", "selector": "html"},
        {"cmd": "get_html"},
        {"cmd": "get_html", "outer": False},
        {"cmd": "find", "target": {"css": "html > *"}},
        {"cmd": "find", "target": {"css": "div:not(body *)"}},
        {"cmd": "find", "target": {"xpath": "/html/*"}},
        {"cmd": "find", "target": {"text": "Stop"}, "any": True},
        {"cmd": "exists", "selector": "[data-oryn-banner]"},
        {"cmd": "extract", "source": "text"},
    ]
    before = [await tab.ask(**question) for question in questions]
    await tab.send("show")
    assert await tab.bar()
    for question, expected in zip(questions, before, strict=True):
        assert await tab.ask(**question) == expected, question


@pytest.mark.slow
async def test_its_coming_and_going_is_no_change_of_the_page(show: Show) -> None:
    tab = await show(bar=False)
    settled = asyncio.create_task(tab.ask(cmd="wait_for", condition="change", timeout=1500))
    for banner in ("show", "away", "show", "hide", "show"):
        await tab.send(banner)
    assert (await settled)["code"] == "TIMEOUT", "nothing changed"


@pytest.mark.slow
@pytest.mark.parametrize("force", [False, True])
async def test_what_is_done_below_its_button_is_done(show: Show, force: bool) -> None:
    tab = await show()
    elements = (await tab.ask(cmd="scan"))["data"]["elements"]
    ids = {each["text"]: each["id"] for each in elements if each.get("text", "").startswith("B")}
    for number in range(24):
        place = (await tab.ask(cmd="locate", id=ids[f"B{number}"], force=force))["data"]
        left, top, right, bottom = await tab.button()
        assert not (left <= place["x"] <= right and top <= place["y"] <= bottom)
        await tab.press(place["x"], place["y"])
        assert (await tab.page.evaluate("clicked.splice(0)"))[-1] == f"b{number}"
    assert await tab.worker.evaluate("stops") == []
    await tab.press_stop()
    assert await tab.worker.until("stops.length && stops") == ["stop"], "where it went, it still works"


@pytest.mark.slow
async def test_no_picture_shows_it(show: Show) -> None:
    tab = await show(bar=False)
    without = await tab.picture()
    await tab.send("show")
    assert await tab.picture() != without
    assert await tab.send("away") is True
    assert await tab.picture() == without
    assert await tab.back() is True
    assert await tab.picture() != without
    await tab.send("away")
    await tab.send("hide")
    assert await tab.back() is False, "what has come to its end meanwhile stays away"
    assert await tab.send("away") is False
    assert await tab.picture() == without


@pytest.mark.slow
async def test_what_the_engine_says_to_a_document_reaches_it(show: Show) -> None:
    """Before it takes a picture, the engine sends the bar away by the id of the document."""
    tab = await show()
    frame = json.dumps({"tabId": tab.number, "frameId": 0})
    answers = await tab.worker.evaluate(
        "(async () => { const host = new oryn.Host(() => {}, () => {}); host.rest();"
        f"const {{ documentId }} = await chrome.webNavigation.getFrame({frame});"
        "const say = (message) => host.call('tabs.sendMessage',"
        f" JSON.stringify([{tab.number}, message, {{ documentId }}]));"
        "return [await say({ banner: 'away' }), await say({ banner: 'show' }), await say({ oryn: 'closing' })]; })()"
    )
    assert [json.loads(each) for each in answers] == [{"value": True}, {"value": True}, {"value": False}]


@pytest.mark.slow
async def test_a_page_that_is_no_html_goes_without(
    extension_browser: ExtendedBrowser, show: Show, pages: Pages
) -> None:
    tab = await show(bar=False)
    pages["/image.svg"] = (200, {"Content-Type": "image/svg+xml"}, '<svg xmlns="http://www.w3.org/2000/svg"/>')
    await tab.page.session.call("Page.navigate", {"url": pages.url("/image.svg")})
    await tab.until("document.documentElement.localName === 'svg'")
    assert await tab.send("show") is True
    assert await tab.bar() is None


@pytest.mark.slow
async def test_a_page_that_is_gone_back_to_has_none_by_itself(show: Show, pages: Pages) -> None:
    tab = await show()
    pages["/moss"] = "<title>Moss</title>"
    await tab.page.session.call("Page.navigate", {"url": pages.url("/moss")})
    await tab.until("document.title === 'Moss'")
    await tab.page.evaluate("void setTimeout(() => history.back())")
    await tab.until("document.title === 'Fern'")
    assert await tab.page.evaluate("document.querySelector('[data-oryn-banner]')") is None
    await tab.send("show")
    await tab.press_stop()
    assert await tab.worker.until("stops.length && stops") == ["stop"]


@pytest.mark.slow
async def test_it_goes_with_its_extension(fresh_browser: ExtendedBrowser, pages: Pages) -> None:
    pages["/fern"] = PAGE
    worker = await fresh_browser.worker()
    await in_pages(worker, True)
    page = await fresh_browser.open(pages.url("/fern"))
    tab = Tab(page, worker, await fresh_browser.tab_number(page))
    await tab.send("show")
    assert await tab.bar()
    await worker.evaluate("void setTimeout(() => chrome.runtime.reload())")
    await page.until("!document.querySelector('[data-oryn-banner]')")
