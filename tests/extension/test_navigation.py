"""Moving in the user's own browser: what its events tell becomes the answers of the other modes."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from tests.extension.driver import PairedBrowser, paired_browser, trusted, untrusted

__all__ = ["paired_browser", "trusted", "untrusted"]


@pytest.mark.slow
async def test_goto_tells_where_it_came_to(untrusted: PairedBrowser) -> None:
    untrusted.pages["/b"] = "<title>Second</title>"
    untrusted.pages["/old"] = (302, {"Location": "/b"}, "")
    here = untrusted.pages.url("")[7:]
    await untrusted.show("<title>First</title>")
    assert await untrusted("goto /old") == f'ok goto /old\n\n@ {here}/b "Second"'
    assert await untrusted("back") == f'ok back\n\n@ {here} "First"'
    assert await untrusted("forward") == f'ok forward\n\n@ {here}/b "Second"'
    assert (await untrusted("forward")).startswith("error forward: there is no page to go forward to\n")
    assert (
        await untrusted("goto ./missing") == f'ok goto ./missing\n\n@ {here}/missing ""\n\n# note\nHTTP 404 Not Found'
    )
    assert (
        await untrusted("refresh --hard") == f'ok refresh --hard\n\n@ {here}/missing ""\n\n# note\nHTTP 404 Not Found'
    )


async def test_a_navigation_of_the_pages_own_is_followed(untrusted: PairedBrowser) -> None:
    untrusted.pages["/b"] = "<title>Second</title>"
    assert '/b "Second"' in await untrusted.show("<script>location = '/b'</script>", "/moves")


@pytest.mark.slow
async def test_what_stays_in_its_document(untrusted: PairedBrowser) -> None:
    await untrusted.show("<title>App</title><a name=x>x</a>", "/app")
    assert (await untrusted(f"goto {untrusted.pages.url('/app#x')}")).endswith('/app#x "App"')
    await untrusted.show(
        """<title>App</title><button onclick="history.pushState(0, '', '/results')">Search</button>""", "/app"
    )
    assert await untrusted('click "Search"') == 'ok click "Search"\n\n# changes\n~ url: /app → /results'


@pytest.mark.slow
async def test_an_answer_without_content_leaves_the_page(untrusted: PairedBrowser) -> None:
    untrusted.pages["/none"] = (204, {}, "")
    await untrusted.show("<title>Stays</title><a href=/none>None</a>")
    assert '"Stays"' in await untrusted.ok("goto /none")
    assert "the server answered 204, without a page" in await untrusted('click "None"')


@pytest.mark.slow
async def test_what_does_not_load_says_why_and_the_next_command_works(untrusted: PairedBrowser) -> None:
    answer = await untrusted("goto nowhere.invalid")
    assert "the host's name does not resolve (net::ERR_NAME_NOT_RESOLVED)" in answer
    assert "(net::ERR_UNSAFE_PORT)" in await untrusted("goto 127.0.0.1:1")
    assert (await untrusted("url")).endswith("chrome-error://chromewebdata/")
    assert "that is not a URL that the browser can open" in await untrusted("goto foo:bar")
    untrusted.pages["/empty"] = (500, {}, "")
    await untrusted.show("<title>fine</title>")
    assert "HTTP 500 Internal Server Error" in await untrusted("goto /empty")
    await untrusted.show("<title>fine</title>")


async def test_a_click_that_fails_to_navigate_says_why(untrusted: PairedBrowser) -> None:
    await untrusted.show("<a href='http://nowhere.invalid/'>Bad</a>")
    answer = await untrusted("click Bad")
    assert "the navigation failed: the host's name does not resolve (net::ERR_NAME_NOT_RESOLVED)" in answer


@pytest.mark.slow
async def test_a_page_that_does_not_answer(untrusted: PairedBrowser) -> None:
    await untrusted.show("<title>Here</title>")
    released = threading.Event()

    def held(_: Any) -> str:
        released.wait(30)
        return "late"

    untrusted.pages["/held"] = held
    answer = await untrusted("goto /held --timeout 1s")
    assert answer.startswith("error goto /held --timeout 1s: the page did not begin to load within 1 s\n")
    assert '"Here"' in await untrusted("title")
    released.set()  # what was given up comes no more
    assert '"Here"' in await untrusted("wait load")
    await untrusted.show("<title>Here again</title>")


async def test_a_click_waits_for_what_it_fetches(untrusted: PairedBrowser) -> None:
    untrusted.pages["/data"] = "Found"
    await untrusted.show(
        """<button onclick="fetch('/data').then(r => r.text()).then(show)">Load</button><p id=list></p>
        <script>const show = text => { list.innerHTML = `<a href=#>${text}</a>`; }</script>"""
    )
    assert '+ [2] link "Found"' in await untrusted("click Load")


@pytest.mark.slow
async def test_requests_that_do_not_end_are_told(untrusted: PairedBrowser) -> None:
    released = threading.Event()

    def held(_: Any) -> str:
        released.wait(30)
        return "late"

    untrusted.pages["/held"] = held
    untrusted.pages["/stream"] = (200, {"Content-Type": "text/event-stream"}, "data: x\n\n")
    await untrusted.show(
        """<button onclick="fetch('/held')">Wait</button><button onclick="new EventSource('/stream')">Stream</button>"""
    )
    answer = await untrusted("click Wait")
    assert "not quiet yet: 1 request in flight" in answer
    assert "1 request in flight" in await untrusted("wait idle --timeout 1s")
    released.set()
    assert (await untrusted("wait idle")).startswith("ok wait idle")
    assert await untrusted('click "Stream"') == 'ok click "Stream"\n\n# note\nnothing changed'


@pytest.mark.slow
async def test_a_page_from_the_back_forward_cache_is_another_document(untrusted: PairedBrowser) -> None:
    untrusted.pages["/b"] = "<title>Second</title>"
    await untrusted.show("<title>First</title><button>Kept</button>")
    await untrusted.ok("observe")
    await untrusted.ok("goto /b")
    await untrusted.ok("back")
    assert "element not found" in await untrusted("click 1")
    assert '[1] button "Kept"' in await untrusted("observe")


async def test_a_download_leaves_the_page_and_is_told(untrusted: PairedBrowser) -> None:
    untrusted.pages["/file"] = (200, {"Content-Disposition": "attachment; filename=words.txt"}, "hello")
    await untrusted.show("<title>Page</title>")
    answer = await untrusted("goto /file")
    assert '"Page"' in answer
    assert "the answer was a download; the page stays" in answer
    assert " 5 B" in answer.partition("+ download ")[2]


async def test_a_download_that_a_click_starts(trusted: PairedBrowser) -> None:
    trusted.pages["/file"] = "hello"
    await trusted.show("<title>Page</title><a href=/file download=words.txt>Get</a>")
    assert " 5 B" in (await trusted("click Get")).partition("+ download ")[2]


async def test_the_seeds_errors_of_what_this_mode_has_not(untrusted: PairedBrowser) -> None:
    await untrusted.show("<title>x</title>")
    for line in (
        'goto / --headers {"X-Test": "1"}',
        "goto data:text/html,hi",
        "pdf x.pdf",
        "cookies list",
        "trace start",
    ):
        assert ": not supported in this mode\n" in await untrusted(line)
