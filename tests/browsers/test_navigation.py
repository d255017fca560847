"""Navigations: what they answer, how they fail, and that none of them hangs."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from oryn.browsers.cdp.connection import CdpConnection
from oryn.browsers.common.navigation import NavigationTracker
from oryn.browsers.common.tab_state import TabState
from oryn.errors import NavigationError, Timeout

pytestmark = pytest.mark.browser


async def test_goto_answers_with_url_and_status(page, server):
    url = server.url("/ok?title=Hello")
    navigation = await page.goto(url)
    assert (navigation.url, navigation.status, navigation.status_text) == (url, 200, "OK")
    assert page.url == url
    assert await page.evaluate("document.readyState") == "complete"


async def test_a_new_tab_navigates_once_it_is_set_up(browser, server, monkeypatch):
    """Otherwise the first requests of the document may go unreported: the browser repeats in another process what was
    not answered yet, when the document runs there already."""
    sent: list[str] = []
    enabling: set[int] = set()
    held_back: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
    transmit, receive = CdpConnection.transmit, CdpConnection.receive_message

    def noting(connection: CdpConnection, message: dict[str, Any]) -> None:
        sent.append(message["method"])
        if message["method"] == "Network.enable":
            enabling.add(message["id"])
        transmit(connection, message)

    def holding(connection: CdpConnection, message: dict[str, Any]) -> None:
        if message.get("id") in enabling:
            held_back.put_nowait(message)
        else:
            receive(connection, message)

    monkeypatch.setattr(CdpConnection, "transmit", noting)
    monkeypatch.setattr(CdpConnection, "receive_message", holding)
    page = browser.page_of(await browser.blank_tab())
    going = asyncio.ensure_future(page.goto(server.url("/ok")))
    assert await page.channel.signal.until(lambda: page.frame_tree.is_initialized, 5)
    answer = await held_back.get()  # which may come after those of later commands that the renderer has no part in
    await page.channel.session.call("Page.getNavigationHistory")
    assert "Page.navigate" not in sent
    receive(page.channel.session.connection, answer)
    assert (await going).status == 200


async def test_another_document_has_another_token(page, server):
    await page.goto(server.url("/ok"))
    first = page.document
    await page.goto(server.url("/ok#part"))
    assert page.document == first
    await page.reload()
    assert page.document != first


async def test_redirects_are_told(page, server):
    navigation = await page.goto(server.url("/redirect?times=2"))
    assert navigation.url == server.url("/ok")
    assert navigation.redirects == (server.url("/redirect?times=2"), server.url("/redirect?times=1"))


async def test_a_redirect_by_script_is_followed(page, server):
    first = server.page(f"<script>location.replace({server.url('/ok')!r})</script>")
    navigation = await page.goto(first)
    assert navigation.url == server.url("/ok")
    assert navigation.redirects == (first,)


@pytest.mark.parametrize("body", ["gone", ""])
async def test_an_http_error_is_an_answer(page, server, body):
    assert (await page.goto(server.url(f"/status?code=503&body={body}"))).status == 503


async def test_same_document(page, server):
    await page.goto(server.url("/ok"))
    navigation = await page.goto(server.url("/ok#part"))
    assert navigation.same_document
    assert navigation.url == page.url == server.url("/ok#part")


async def test_a_file_is_no_page(page, server):
    await page.goto(server.url("/ok"))
    navigation = await page.goto(server.url("/download"))
    assert navigation.download is not None
    assert navigation.download.filename == "table.csv"
    assert navigation.download.url == server.url("/download")
    assert page.url == server.url("/ok")


async def test_an_answer_without_content_leaves_the_page(page, server):
    await page.goto(server.url("/ok"))
    assert (await page.goto(server.url("/nothing"))).status == 204
    assert page.url == server.url("/ok")


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://no-such-host.invalid/", "the host's name does not resolve (net::ERR_NAME_NOT_RESOLVED)"),
        ("http://127.0.0.1:9/", "the browser refuses this port (net::ERR_UNSAFE_PORT)"),
        ("file:///no/such/file", "there is no such file (net::ERR_FILE_NOT_FOUND)"),
    ],
)
async def test_a_failed_load_says_why(page, url, reason):
    with pytest.raises(NavigationError) as caught:
        await page.goto(url)
    assert caught.value.message == f"{url} did not load: {reason}"
    assert caught.value.hint


@pytest.mark.slow
async def test_a_dropped_connection(page, server):
    with pytest.raises(NavigationError, match="without an answer"):
        await page.goto(server.url("/drop"))
    assert (await page.goto(server.url("/ok"))).status == 200


async def test_not_a_url(page):
    with pytest.raises(NavigationError, match="not a URL"):
        await page.goto("http://[")


async def test_a_page_that_never_finishes_stays_as_far_as_it_has_come(page, server):
    with pytest.raises(Timeout, match=r"did not finish loading within 0\.5 s"):
        await page.goto(server.url("/endless"), timeout=0.5)
    assert page.url == server.url("/endless")
    assert (await page.scanner({"cmd": "scan"}))["data"]["page"]["title"] == "endless"
    assert (await page.goto(server.url("/ok"))).status == 200


async def test_a_server_that_never_answers_leaves_the_page(page, server):
    await page.goto(server.url("/ok"))
    with pytest.raises(Timeout, match="did not begin to load"):
        await page.goto(server.url("/silent"), timeout=0.5)
    assert page.url == server.url("/ok")
    assert await page.evaluate("document.title") == "ok"


@pytest.mark.parametrize("wait_until", ["commit", "ready", "load", "idle"])
async def test_how_far_to_wait(page, server, wait_until):
    # What is not waited for never comes, so that a slow machine sees the same.
    image = "/silent" if wait_until in ("commit", "ready") else "/slow?seconds=0.2"
    fetched = "/slow?seconds=0.4" if wait_until == "idle" else "/silent"
    url = server.page(f"<img src={image}><script>fetch('{fetched}').catch(() => 0)</script>")
    await page.goto(url, until=wait_until)
    state = await page.evaluate("[document.readyState, performance.getEntriesByType('resource').length]")
    assert (
        state
        in {
            "commit": (["loading", 0], ["interactive", 0]),
            "ready": (["interactive", 0],),
            "load": (["complete", 1],),
            "idle": (["complete", 2],),
        }[wait_until]
    )


async def test_wait_for_what_is_reached(page, server):
    await page.goto(server.url("/ok"))
    await page.wait_for("load")
    await page.wait_for("ready")
    await page.wait_for("idle")


async def test_waiting_for_idle_says_what_is_in_flight(page, server):
    await page.goto(server.page("<script>fetch('/silent')</script>"))
    with pytest.raises(Timeout, match="1 request in flight"):
        await page.wait_for("idle", timeout=0.7)


async def test_history(page, server):
    await page.goto(server.url("/ok?title=one"))
    await page.goto(server.url("/ok?title=two"))
    assert (await page.history(-1)).url == server.url("/ok?title=one")
    assert (await page.history(1)).url == server.url("/ok?title=two")
    with pytest.raises(NavigationError, match="no page to go forward to"):
        await page.history(1)


async def test_history_within_the_document(page, server):
    await page.goto(server.url("/ok"))
    await page.goto(server.url("/ok#part"))
    navigation = await page.history(-1)
    assert navigation.same_document
    assert navigation.url == server.url("/ok")


async def test_reload(page, server):
    await page.goto(server.url("/ok"))
    await page.evaluate("window.kept = true")
    assert (await page.reload()).status == 200
    assert await page.evaluate("window.kept") is None
    assert (await page.reload(hard=True)).status == 200


async def test_headers_go_with_the_navigation_alone(page, server):
    server.headers.clear()
    await page.goto(server.url("/headers"), headers={"X-Token": "secret", "User-Agent": "Mine"})
    document, image = server.headers[:2]
    assert (document["X-Token"], document["User-Agent"]) == ("secret", "Mine")
    assert "X-Token" not in image
    await page.reload()
    assert "X-Token" not in server.headers[2]


async def test_headers_do_not_follow_to_another_host(page, server):
    server.headers.clear()
    elsewhere = server.url("/headers", host="localhost")
    await page.goto(server.url(f"/headers?to={elsewhere}"), headers={"X-Token": "secret"})
    assert page.url == elsewhere
    assert ["X-Token" in headers for headers in server.headers[:2]] == [True, False]


async def test_wait_for_navigation(page, server):
    await page.goto(server.page(f"<script>setTimeout(() => location = {server.url('/ok')!r}, 100)</script>"))
    navigation = await page.wait_for_navigation(timeout=60)
    assert (navigation.url, navigation.status) == (server.url("/ok"), 200)


async def test_wait_for_navigation_within_the_document(page, server):
    await page.goto(server.page("<script>setTimeout(() => history.pushState(0, '', '?x'), 100)</script>"))
    assert (await page.wait_for_navigation(timeout=60)).same_document


async def test_wait_for_navigation_that_does_not_come(page, server):
    await page.goto(server.url("/ok"))
    with pytest.raises(Timeout, match="did not navigate"):
        await page.wait_for_navigation(timeout=0.2)


async def test_beforeunload_does_not_hold_a_page(page, server, point):
    await page.goto(server.page("<button id=b>b</button><script>onbeforeunload = () => 'stay'</script>"))
    await page.mouse.click(*await point("#b"))
    assert (await page.goto(server.url("/ok"))).status == 200


def test_a_navigation_that_the_old_page_has_replaced():
    navigations = NavigationTracker(TabState(), lambda: SimpleNamespace(loader="", url=""))
    ours = navigations.begin("1", "https://oryn.test/ours")
    navigations.begin("2", "https://oryn.test/old")  # the old page reloads itself
    navigations.record_commit("1", ours.url)
    assert navigations.is_superseded(ours)
    navigations.record_commit("2", "https://oryn.test/old")
    navigations.begin("3", "https://oryn.test/old")  # and does it again
    assert navigations.is_superseded(ours)


def test_a_navigation_of_the_new_page_replaces_nothing():
    navigations = NavigationTracker(TabState(), lambda: SimpleNamespace(loader="", url=""))
    ours = navigations.begin("1", "https://oryn.test/ours")
    navigations.record_commit("1", ours.url)
    navigations.begin("2", "https://oryn.test/next")
    assert not navigations.is_superseded(ours)


async def test_data_and_blank(page):
    assert (await page.goto("data:text/html,<title>inline</title>")).status is None
    assert await page.evaluate("document.title") == "inline"
    assert (await page.goto("about:blank")).url == "about:blank"


async def test_a_download_says_its_size(page, server, point):
    await page.goto(server.page("<a id=get href=/download>Get</a>"))
    checkpoint = page.checkpoint()
    await page.mouse.click(*await point("#get"))
    effects = await page.settle(checkpoint)
    (download,) = effects.downloads
    assert (download.filename, download.url, download.size) == ("table.csv", server.url("/download"), 8)
    assert effects.navigation is None
