"""The frames of a tab: which there are, whose they are, and that they follow the page."""

from __future__ import annotations

import pytest

from oryn.browsers.webkit.page import WebKitPage
from tests.embedded.single_page import javascript, page
from tests.headless.conftest import Pages

__all__ = ["page"]


@pytest.fixture(autouse=True)
def no_pages(pages: Pages) -> None:
    pages.bodies.clear()


async def show(page: WebKitPage, pages: Pages, html: str) -> None:
    pages["/"], pages["/in"] = html, "<p>in"
    await page.goto(pages.url("/"))


async def test_every_kind_of_frame_has_its_place_and_its_origin(page: WebKitPage, pages: Pages) -> None:
    other = pages.url("/in", host="localhost")
    await show(
        page,
        pages,
        f"<iframe></iframe><iframe src='/in' name=n></iframe><iframe srcdoc='<p>'></iframe>"
        f"<iframe src='{other}'></iframe><iframe sandbox src='/in'></iframe>"
        "<iframe sandbox=allow-scripts srcdoc=x></iframe><iframe src='data:text/html,x'></iframe>",
    )
    same, opaque = pages.url("").rstrip("/"), ""
    rows = [(node.url, node.origin, node.is_readable_by_parent()) for node in page.frame_tree.top.children]
    assert rows == [
        ("about:blank", same, True),
        (pages.url("/in"), same, True),
        ("about:srcdoc", same, True),
        (other, pages.url("", host="localhost"), False),
        (pages.url("/in"), opaque, False),
        ("about:srcdoc", opaque, False),
        ("data:text/html,x", opaque, False),
    ]
    assert [frame.name for frame in page.frames()][2] == "n"
    assert len(page.roots()) == 5


async def test_each_document_has_an_execution_context_unless_its_sandbox_forbids_scripts(
    page: WebKitPage, pages: Pages
) -> None:
    await show(page, pages, "<iframe src='/in'></iframe><iframe sandbox src='/in'></iframe>")
    first, sandboxed = page.frame_tree.top.children
    assert first.context is not None and sandboxed.context is None
    assert page.frame_tree.node_of_context(first.context) is first
    answer = await page.channel.call(
        "Runtime.evaluate", {"expression": "parent !== self", "returnByValue": True, "contextId": first.context}
    )
    assert answer["result"]["value"] is True


async def test_frames_come_and_go(page: WebKitPage, pages: Pages) -> None:
    await show(page, pages, "<iframe src='/in'></iframe>")
    await javascript(page, "document.body.append(document.createElement('iframe')); 1")
    await page.channel.signal.until(lambda: len(page.frames()) == 3, 5)
    assert [frame.url for frame in page.frames()][1:] == [pages.url("/in"), "about:blank"]
    await javascript(page, "document.querySelector('iframe').remove()")
    await page.channel.signal.until(lambda: len(page.frames()) == 2, 5)
    assert [frame.url for frame in page.frames()][1:] == ["about:blank"]


async def test_frames_lie_within_frames(page: WebKitPage, pages: Pages) -> None:
    pages["/outer"] = "<iframe src='/in'></iframe>"
    await show(page, pages, "<iframe src='/outer'></iframe>")
    assert [(frame.url, frame.level) for frame in page.frames()] == [
        (pages.url("/"), 0),
        (pages.url("/outer"), 1),
        (pages.url("/in"), 2),
    ]


async def test_another_document_in_a_frame_has_another_context(page: WebKitPage, pages: Pages) -> None:
    await show(page, pages, "<iframe src='/in'></iframe>")
    node = page.frame_tree.top.children[0]
    loader, context = node.loader, node.context
    await javascript(page, "frames[0].location = '/in?2'")
    await page.channel.signal.until(lambda: node.loader != loader and node.context is not None, 5)
    assert (node.url, node.context == context) == (pages.url("/in?2"), False)


async def test_a_url_within_the_document_of_a_frame_is_read_when_asked_for(page: WebKitPage, pages: Pages) -> None:
    await show(page, pages, "<iframe src='/in'></iframe>")
    await javascript(page, "frames[0].history.pushState(1, '', '/pushed')")
    await page.frame_tree.refresh()
    assert page.frames()[1].url == pages.url("/pushed")
