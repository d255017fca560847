"""`intercept`, `headers` and `goto --headers` in the user's own browser, where the user allows its debugger: in the
tabs of the session, for as long as it lasts, and nowhere else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from scripts.extension.browser import ExtendedBrowser
from tests.extension.conftest import RecordingServer
from tests.extension.driver import PairedBrowser, paired_browser, trusted
from tests.extension.popup_user import User, paired_with
from tests.extension.test_requests import ICON
from tests.headless.conftest import Pages

__all__ = ["paired_browser", "trusted"]

FRAMED = '<iframe src="{other}/inner"></iframe>'
ASK = "fetch('/data').then(answer => answer.text()).catch(() => 'refused')"


class Served:
    """Serves pages, and records the header X-A of the requests for them."""

    def __init__(self, oryn: PairedBrowser) -> None:
        self._pages = oryn.pages
        self._requests: list[tuple[str, str | None]] = []
        self["/data"] = "from the server"

    def __setitem__(self, path: str, page: Any) -> None:
        def answer(request: Any) -> Any:
            self._requests.append((path, request.headers["X-A"]))
            return page

        self._pages[path] = answer

    def __call__(self, path: str) -> list[str | None]:
        return [header for each, header in self._requests if each == path]


@pytest.fixture
def session(trusted: PairedBrowser, run: Any) -> Iterator[PairedBrowser]:
    """The session goes on with the next test: take everything back."""
    yield trusted
    for line in ("intercept clear", "headers clear"):
        run(trusted.ok(line))


@pytest.fixture
def sent(session: PairedBrowser) -> Served:
    return Served(session)


@pytest.mark.slow
async def test_headers_of_every_request(session: PairedBrowser, sent: Served) -> None:
    await session.show(f"{ICON}before")
    await session.ok('headers set {"X-A": "b"}')
    assert await session.ok("headers") == 'ok headers\n\nX-A: "b"'
    sent["/after"] = f"{ICON}after"
    await session.ok(f"goto {session.pages.url('/after')}")
    await session.value(ASK)
    assert sent("/after") == sent("/data") == ["b"]
    await session.ok("headers clear")
    await session.value(ASK)
    assert sent("/data") == ["b", None]


async def test_headers_for_one_domain(session: PairedBrowser, sent: Served) -> None:
    await session.ok('headers set localhost {"X-A": "b"}')
    sent["/page"] = f"{ICON}page"
    await session.ok(f"goto {session.pages.url('/page')}")
    await session.ok(f"goto {session.pages.url('/page', 'localhost')}")
    assert sent("/page") == [None, "b"]


async def test_headers_of_one_navigation(session: PairedBrowser, sent: Served) -> None:
    sent["/once"] = f"{ICON}once"
    await session.ok(f'goto {session.pages.url("/once")} --headers {{"X-A": "b"}}')
    await session.value(ASK)
    assert (sent("/once"), sent("/data")) == (["b"], [None])


@pytest.mark.parametrize("line", ['headers set {"cookie": "a=b"}', 'goto {page} --headers {"Cookie": "a=b"}'])
async def test_cookies_are_no_header_of_an_agent(session: PairedBrowser, sent: Served, line: str) -> None:
    answer = await session(line.replace("{page}", session.pages.url("/data")))
    assert ": not supported in this mode\n\n# hint\nCookies are the user's" in answer
    assert not sent("/data")


@pytest.mark.slow
async def test_requests_are_blocked_and_answered(session: PairedBrowser, sent: Served) -> None:
    await session.show(f"{ICON}page")
    assert await session.value(ASK) == "from the server"
    assert await session.ok('intercept "*/data" --block') == 'ok intercept "*/data" --block\n\nblock "*/data"'
    assert await session.value(ASK) == "refused"
    await session.ok("""intercept "*/data" --respond '{"a": 1}'""")
    assert await session.value(ASK) == '{"a": 1}'
    assert '"*/data"' in await session.ok("requests --last 1")
    await session.ok("intercept clear")
    assert await session.value(ASK) == "from the server"


@pytest.mark.slow
async def test_a_frame_in_another_process_and_a_worker_are_no_way_around(session: PairedBrowser, sent: Served) -> None:
    inner = f"{ICON}<script>new Worker('/worker').onmessage = ({{data}}) => document.body.append(data)</script>"
    sent["/inner"] = inner
    javascript = {"Content-Type": "text/javascript"}
    sent["/worker"] = (200, javascript, f"{ASK}.then(postMessage)")
    await session.ok("""intercept "*/data" --respond '"mocked"'""")
    await session.ok('headers set {"X-A": "b"}')
    await session.show(ICON + FRAMED.replace("{other}", session.pages.url("", "localhost")))
    await session.ok("frame css(iframe)")
    await session.ok("wait until \"document.body.textContent.includes('mocked')\"")
    await session.ok("frame main")
    assert sent("/inner") == sent("/worker") == ["b"]
    assert sent("/data") == []


@pytest.mark.slow
async def test_what_is_set_stays_in_the_tabs_of_the_session(session: PairedBrowser, sent: Served) -> None:
    """The attack: to listen in on, or change, what the user does in a tab that commands no longer reach."""
    for path in ("/mine", "/other"):
        sent[path] = f"{ICON}page"
    mine = await session.browser.open(session.pages.url("/mine"))
    await session.ok("""intercept "*/data" --respond '"mocked"'""")
    await session.ok('headers set {"X-A": "b"}')
    assert await mine.evaluate(ASK) == '"mocked"'
    other = await session.browser.open(session.pages.url("/other"))  # the user goes to another tab
    await mine.until(f"{ASK}.then(text => text === 'from the server')")
    assert await other.evaluate(ASK) == "from the server"  # the user's own, before any command
    await session.ok("title")
    assert await other.evaluate(ASK) == '"mocked"'  # a tab of the session, from its first command on
    assert await mine.evaluate(ASK) == "from the server"
    assert set(sent("/data")) == {None}
    for each in (other, mine):
        await session.browser.close_tab(each)


@pytest.mark.slow
async def test_what_is_set_ends_with_the_session(session: PairedBrowser, sent: Served) -> None:
    await session.show(f"{ICON}page")
    await session.ok('intercept "*/data" --block')
    await session.ok('headers set {"X-A": "b"}')
    assert session.target is not None
    assert await session.target.evaluate(ASK) == "refused"
    await session.user.asks(type="disconnect")
    await session.user.asks(type="revoke", endpoint=session.server.url)
    await session.user.sees("state.status === 'disconnected' && !state.paired.length")
    await session.target.until(f"{ASK}.then(text => text === 'from the server')")
    assert set(sent("/data")) == {None}
    session.connection, _ = await paired_with(session.user, session.server)
    await session.user.sees("state.status === 'connected'")
    await session.show(f"{ICON}again")
    assert (await session.ok("headers"), await session.value(ASK)) == ("ok headers\n\nnone", "from the server")


@pytest.mark.slow
async def test_a_worker_that_ends_holds_nothing_back(
    fresh_browser: ExtendedBrowser, recording_server: RecordingServer, pages: Pages
) -> None:
    user = await User.at(fresh_browser)
    connection, _ = await paired_with(user, recording_server)
    await user.asks(type="settings", changes={"trusted_input": True})
    await user.sees("state.settings.trusted_input && state.status === 'connected'")
    pages["/"], pages["/data"] = f"{ICON}page", "from the server"
    page = await fresh_browser.open(pages.url())
    await connection.send('1:intercept "*/data" --block')
    assert (await recording_server.next()).startswith("1:ok ")
    assert await page.evaluate(ASK) == "refused"
    await fresh_browser.kill_worker()
    await page.until(f"{ASK}.then(text => text === 'from the server')")
