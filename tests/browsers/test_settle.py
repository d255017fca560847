"""What an action started, and that the answer waits for its end and no longer."""

from __future__ import annotations

import pytest

from oryn.browsers.base import Dialog
from oryn.errors import DialogOpen
from scripts.ports import free_port

pytestmark = pytest.mark.browser


@pytest.fixture
def press(page, server, point):
    """Show a page, press its `#go`, and settle."""

    async def act(html: str, *, limit: float = 3):
        await page.goto(server.page(html))
        checkpoint = page.checkpoint()
        await page.mouse.click(*await point("#go"))
        return await page.settle(checkpoint, limit=limit)

    return act


async def test_nothing_happens(press):
    effects = await press("<button id=go>Go</button>")
    assert (effects.navigation, effects.dialogs, effects.tabs, effects.downloads) == (None, [], [], [])
    assert (effects.busy, effects.failed_load, effects.closed) == (None, None, False)


async def test_mutations_come_to_rest(press, page):
    await press(
        """<button id=go>Go</button><p id=p>0</p>
        <script>let n = 0;
          const step = () => { p.textContent = ++n; if (n < 9) requestAnimationFrame(step) };
          go.onclick = step</script>"""
    )
    assert await page.evaluate("p.textContent") == "9"


async def test_requests_are_awaited_and_what_they_change(press, page):
    effects = await press(
        """<button id=go>Go</button><p id=p></p>
        <script>go.onclick = async () => { await fetch('/slow?seconds=0.3'); p.textContent = 'one';
          await fetch('/slow?seconds=0.2'); p.textContent = 'two' }</script>"""
    )
    assert await page.evaluate("p.textContent") == "two"
    assert effects.busy is None


async def test_the_limit_holds(press):
    effects = await press("<button id=go onclick=\"fetch('/silent')\">Go</button>", limit=0.4)
    assert effects.busy == "1 request in flight"


async def test_a_body_that_nobody_reads_is_not_waited_for(press, page):
    effects = await press(
        """<button id=go>Go</button><p id=p></p><script>go.onclick = async () => {
          p.textContent = (await fetch('/uncached')).status }</script>"""
    )
    assert await page.evaluate("p.textContent") == "200"
    assert effects.busy is None


async def test_older_requests_do_not_count(press):
    effects = await press("<script>fetch('/silent')</script><button id=go>Go</button>")
    assert effects.busy is None


async def test_streams_and_pings_do_not_count(press):
    effects = await press(
        """<button id=go>Go</button>
        <script>go.onclick = () => {
          new EventSource('/silent'); navigator.sendBeacon('/silent'); new Image().src = '/silent' }</script>"""
    )
    assert effects.busy is None


async def test_a_page_that_never_rests(press):
    effects = await press(
        """<button id=go>Go</button><p id=p></p>
        <script>const step = () => { p.textContent = Math.random(); setTimeout(step) }; step()</script>""",
        limit=0.3,
    )
    assert effects.busy == "the page is still changing"


async def test_a_link(press, server, page):
    effects = await press("<a id=go href='/redirect?times=1'>Go</a>")
    assert effects.navigation is not None
    assert (effects.navigation.url, effects.navigation.status) == (server.url("/ok"), 200)
    assert effects.navigation.redirects == (server.url("/redirect?times=1"),)
    assert page.url == server.url("/ok")


async def test_a_slow_link_may_take_longer_than_the_limit(press):
    effects = await press("<a id=go href='/slow?seconds=0.6'>Go</a>", limit=0.2)
    assert effects.navigation is not None
    assert effects.navigation.status == 200


async def test_navigation_by_a_timer(press, server):
    effects = await press(f'<button id=go onclick="setTimeout(() => location = {server.url("/ok")!r}, 0)">Go</button>')
    assert effects.navigation is not None
    assert effects.navigation.url == server.url("/ok")


async def test_a_page_that_sends_on(press, server, page):
    onward = server.page(f"<script>location.replace({server.url('/ok')!r})</script>")
    effects = await press(f"<a id=go href='{onward}'>Go</a>")
    assert effects.navigation is not None
    assert page.url == effects.navigation.url == server.url("/ok")


async def test_a_form(press, page):
    effects = await press("<form action=/ok><input name=title value=sent><button id=go>Go</button></form>")
    assert effects.navigation is not None
    assert page.url.endswith("/ok?title=sent")


async def test_within_the_document(press, page):
    effects = await press("<button id=go onclick=\"history.pushState(0, '', '?next')\">Go</button>")
    assert effects.navigation is not None
    assert effects.navigation.same_document
    assert page.url.endswith("?next")


@pytest.mark.slow
async def test_a_load_that_fails(press):
    effects = await press(f"<a id=go href=http://127.0.0.1:{free_port()}/>Go</a>")
    assert effects.navigation is None
    assert effects.failed_load == "the connection was refused (net::ERR_CONNECTION_REFUSED)"


@pytest.mark.slow
async def test_a_page_that_does_not_finish(press, shared_browser):
    effects = await press("<a id=go href=/endless>Go</a>")
    assert effects.busy == "the page is still loading"
    assert effects.navigation is not None
    assert effects.navigation.status == 200


@pytest.mark.parametrize("href", ["javascript:void(0)", "/nothing"])
async def test_links_that_lead_nowhere(press, href):
    effects = await press(f"<a id=go href='{href}'>Go</a>", limit=600)  # longer than a test may take
    assert (effects.navigation, effects.failed_load, effects.busy) == (None, None, None)


async def test_a_link_for_another_program(press):
    effects = await press("<a id=go href=mailto:someone@example.org>Go</a>")
    assert (effects.navigation, effects.busy) == (None, None)
    assert effects.failed_load is not None
    assert "does not open URLs of this kind" in effects.failed_load


async def test_a_new_tab(press, server, browser):
    effects = await press("<a id=go href='/ok?title=second' target=_blank>Go</a>")
    [tab] = effects.tabs
    assert (tab.url, tab.title, tab.current) == (server.url("/ok?title=second"), "second", False)
    assert tab in await browser.tabs()


async def test_an_empty_new_tab(press):
    effects = await press("<button id=go onclick=\"window.open('')\">Go</button>")
    assert [tab.url for tab in effects.tabs] == ["about:blank"]


async def test_a_tab_that_closes_itself(press, browser, page, server):
    second_page = server.page("<button id=bye onclick=window.close()>Bye</button>")
    opened = await press(f"<a id=go href='{second_page}' target=_blank rel=opener>Go</a>")
    await browser.switch_tab(opened.tabs[0].number)
    second = browser.page
    box = await second.scanner({"cmd": "locate", "selector": "#bye"})
    assert box["ok"], box
    checkpoint = second.checkpoint()
    await second.mouse.click(box["data"]["x"], box["data"]["y"])
    effects = await second.settle(checkpoint)
    assert effects.closed
    assert browser.page is page


@pytest.mark.slow
async def test_the_last_tab_closes_itself(press, browser, page):
    opened = await press("<button id=go onclick=\"window.open('')\">Go</button>")
    await browser.switch_tab(opened.tabs[0].number)
    second = browser.page
    [first] = [tab.number for tab in await browser.tabs() if not tab.current]
    await browser.close_tab(first)
    checkpoint = second.checkpoint()
    await second.evaluate("close()")
    assert (await second.settle(checkpoint)).closed
    assert browser.page not in (page, second)
    assert (await browser.page.goto("about:blank")).url == "about:blank"


async def test_an_alert_is_answered_and_told(press):
    effects = await press("<button id=go onclick=\"alert('Saved')\">Go</button>")
    assert effects.dialogs == [Dialog("alert", "Saved", answer="accepted")]


async def test_a_question_waits(press, page):
    effects = await press("<button id=go onclick=\"document.title = confirm('Sure?')\">Go</button>")
    assert effects.dialogs == [Dialog("confirm", "Sure?")]
    with pytest.raises(DialogOpen):
        await page.scanner({"cmd": "scan"})
    await page.answer_dialog(True)
    assert await page.evaluate("document.title") == "true"


async def test_a_file_chooser(press):
    effects = await press("<input id=go type=file>")
    assert effects.file_chooser
