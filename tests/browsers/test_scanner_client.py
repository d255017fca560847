"""The scanner in the page: there from the start, out of the page's reach, and told which elements only listen."""

from __future__ import annotations

import asyncio

import pytest

from oryn.browsers.common import scanner_client
from oryn.browsers.common.tab_state import DocumentGone
from oryn.errors import InternalError

pytestmark = pytest.mark.browser


async def listed(page, **request) -> list[str]:
    response = await page.scanner({"cmd": "scan", **request})
    return [element["text"] for element in response["data"]["elements"]]


async def test_elements_that_only_listen_are_listed(page, server):
    await page.goto(
        server.page("<div id=a>One</div><div>Two</div><script>a.addEventListener('click', () => 0)</script>")
    )
    assert await listed(page) == ["One"]


async def test_hints_are_collected_once(page, server, monkeypatch):
    await page.goto(server.page("<div id=a>One</div><script>a.addEventListener('click', () => 0)</script>"))
    await listed(page)
    hints = page.frame_tree.top.hints
    assert (hints.positions, hints.used) == ([5], True)
    monkeypatch.setattr(page.scanner_client, "refresh", None)
    assert await listed(page) == ["One"]
    assert page.frame_tree.top.hints is hints


async def test_an_action_brings_new_hints(page, server, point):
    await page.goto(
        server.page(
            """<button id=go>Go</button><div id=a>One</div>
            <script>go.onclick = () => a.addEventListener('click', () => 0)</script>"""
        )
    )
    assert await listed(page) == ["Go"]
    checkpoint = page.checkpoint()
    await page.mouse.click(*await point("#go"))
    await page.settle(checkpoint)
    assert await listed(page) == ["Go", "One"]


async def test_old_hints_are_renewed_while_nobody_waits(page, server, monkeypatch):
    monkeypatch.setattr(scanner_client, "STALE_SECONDS", 0)
    await page.goto(server.page("<div id=a>One</div>"))
    assert await listed(page) == []
    await page.evaluate("void a.addEventListener('click', () => 0)")
    await listed(page)
    await asyncio.gather(*page.scanner_client._refreshing)
    assert await listed(page) == ["One"]


@pytest.mark.parametrize(
    "trick",
    [
        "Object.defineProperty(document, 'querySelectorAll', {get() { throw 1 }})",
        "Array.prototype.push = () => { throw 1 }",
        "Array.prototype.toJSON = () => 'mine'",
        "globalThis.getEventListeners = () => ({click: []})",
    ],
)
async def test_a_page_can_spoil_hints_and_nothing_else(page, server, trick):
    await page.goto(server.page(f"<button>Go</button><script>{trick}</script>"))
    assert "Go" in await listed(page)


async def test_it_is_there_when_scripts_of_the_page_begin(page, server):
    await page.goto(server.page("<script>document.title = typeof __oryn_scanner</script><button>Go</button>"))
    assert await page.evaluate("document.title") == "undefined"
    assert await listed(page) == ["Go"]


async def test_a_page_that_writes_itself_anew(page, server):
    await page.goto(server.page("<p>old</p>"))
    await page.evaluate("document.open(); document.write('<button>New</button>'); document.close()")
    assert await listed(page) == ["New"]


@pytest.mark.slow
async def test_a_tab_that_shows_nothing_yet(browser):
    await browser.new_tab("about:blank")
    assert (await browser.page.scanner({"cmd": "version"}))["data"]["protocol"] == "1.1"
    await browser.close_tab()


async def test_scripts_that_are_lost_are_loaded_again(page, server):
    await page.goto(server.page("<button>Go</button>"))
    page.frame_tree.top.worlds.scanner = None
    assert await listed(page) == ["Go"]


async def test_numbers_of_elements_last_between_requests(page, server):
    await page.goto(server.page("<button>Go</button>"))
    [element] = (await page.scanner({"cmd": "scan"}))["data"]["elements"]
    located = await page.scanner({"cmd": "locate", "id": element["id"]})
    assert located["ok"]


async def test_an_error_of_the_scanner_does_not_repeat_an_act(page, server, monkeypatch):
    """Its message may be that of a scanner which is missing."""
    await page.goto(server.page("<button>Go</button>"))
    await listed(page)
    failing = "function(request){document.documentElement.title += 'x'; return missing(request)}"
    monkeypatch.setattr("oryn.browsers.chromium.scanner_client._CALL", failing)
    with pytest.raises(InternalError, match="missing is not defined"):
        await page.scanner({"cmd": "pointer"})
    assert await page.evaluate("document.documentElement.title") == "x"


async def test_an_act_is_sent_again_if_the_scanner_was_missing(page, server):
    await page.goto(server.page("<button onfocus='document.title = 1 + document.title'>Go</button>"))
    [element] = (await page.scanner({"cmd": "scan"}))["data"]["elements"]
    node = page.frame_tree.top
    params = {"frameId": node.id, "worldName": "empty"}
    created = await page.channel.call("Page.createIsolatedWorld", params)
    node.worlds.scanner = created["executionContextId"]
    response = await page.scanner({"cmd": "focus", "id": element["id"]})
    assert response["code"] in ("ELEMENT_NOT_FOUND", "ELEMENT_STALE")  # the numbers are those of the other scanner
    await page.scanner({"cmd": "scan"})
    assert (await page.scanner({"cmd": "focus", "id": element["id"]}))["ok"]


@pytest.mark.parametrize(
    ("request_", "times"), [({"cmd": "page"}, 2), ({"cmd": "scroll", "direction": "down"}, 1), ({"cmd": "submit"}, 1)]
)
async def test_only_reads_are_repeated_in_the_next_document(page, server, monkeypatch, request_, times):
    await page.goto(server.page("<button>Go</button>"))
    sent = []

    async def call(node, request, timeout):
        sent.append(request)
        raise DocumentGone("the document went away")

    monkeypatch.setattr(page.scanner_client, "call", call)
    with pytest.raises(DocumentGone):
        await page.scanner_client.run(request_, page.frame_tree.top, 5)
    assert len(sent) == times
