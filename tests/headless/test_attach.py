"""Sessions in a browser that runs already (`--browser-url`): a tenant who leaves everything as it was."""

from __future__ import annotations

import asyncio
import logging
import re
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from oryn.browsers.chromium import ChromiumBrowser, attach
from oryn.core import urls
from oryn.engine import Options, Session
from oryn.sessions.sessions import Sessions
from tests.headless.attached_browser import RunningChromium, client_of, relay_to, running, speaking

__all__ = ["running"]

pytestmark = [pytest.mark.browser, pytest.mark.whole_browser]


class AttachedSession:
    """A session attached to a browser, with the shorthand of the tests."""

    def __init__(self, address: str, folder: Path, shared_with: ChromiumBrowser | None = None) -> None:
        self.browser = ChromiumBrowser(runtime_dir=folder / "run", endpoint=address, shared_with=shared_with)
        self.session = Session(self.browser, options=Options(timeout=60, download_folder=folder / "downloads"))

    async def __call__(self, line: str) -> str:
        return (await self.session.execute(line)).render()

    async def ok(self, line: str) -> str:
        answer = await self(line)
        assert answer.startswith("ok"), answer
        return answer


@pytest.fixture
def attach_session(run: Any, tmp_path: Path) -> Iterator[Callable[..., AttachedSession]]:
    made: list[AttachedSession] = []

    def make(address: str, shared_with: ChromiumBrowser | None = None) -> AttachedSession:
        made.append(AttachedSession(address, tmp_path, shared_with))
        return made[-1]

    yield make
    for each in made:
        run(each.session.close())
    assert not (tmp_path / "run").exists() or list((tmp_path / "run").iterdir()) == []


@pytest.fixture
def page_url(pages: Any) -> str:
    """A page with a button, served."""
    pages.bodies.clear()
    pages["/"] = "<title>Shop</title><button onclick='document.title = \"Sold\"'>Buy</button>"
    return str(pages.url())


# --- the ways in ---


@pytest.mark.slow
@pytest.mark.parametrize("form", ["{endpoint}", "http://127.0.0.1:{port}", "localhost:{port}"])
async def test_a_session_works_as_in_a_browser_of_its_own(running, attach_session, page_url, form):
    oryn = attach_session(urls.parse_browser_url(form.format(endpoint=running.endpoint, port=running.port)))
    place = page_url.removeprefix("http://").rstrip("/")
    assert await oryn(f"goto {page_url}") == f'ok goto {page_url}\n\n@ {place} "Shop"'
    assert "[1] button" in await oryn("observe")
    await oryn.ok("click 1")
    assert (await oryn.ok("title")).endswith('"Sold"')
    assert len(await oryn.browser.tabs()) == 1


@pytest.mark.slow
async def test_attached_session_leaves_other_tabs_unchanged(running, attach_session, page_url, pages):
    pages["/mine"] = "<title>Mine</title>"
    async with client_of(running.endpoint) as client:
        mine = (await client("Target.createTarget", {"url": pages.url("/mine")}))["targetId"]
        script = "document.cookie = 'who=me'; localStorage.setItem('who', 'me'); window.kept = 1"
        async with asyncio.timeout(10):
            while await client.evaluate(mine, "document.title") != "Mine":
                pass
        await client.evaluate(mine, script)
        before = await client.pages()
        oryn = attach_session(running.endpoint)
        await oryn.ok(f"goto {pages.url('/mine')}")
        assert "who" not in await oryn.ok("cookies list")
        assert '"Mine"' in await oryn.ok("tabs")
        assert len(await oryn.browser.tabs()) == 1
        await oryn.ok("tab new about:blank")
        await oryn.ok("cookies clear")
        assert set(await client.pages()) > set(before)
        await oryn.session.close()
        assert await client.pages() == before
        assert (await client("Target.getBrowserContexts"))["browserContextIds"] == []
        assert await client.evaluate(mine, "[document.cookie, localStorage.who, kept].join()") == "who=me,me,1"
        await client("Target.closeTarget", {"targetId": mine})
    assert running.process.poll() is None


@pytest.mark.slow
async def test_tabs_that_others_open_meanwhile_are_not_held(running, attach_session, page_url):
    oryn = attach_session(running.endpoint)
    await oryn.ok(f"goto {page_url}")
    async with client_of(running.endpoint) as client:
        other = (await client("Target.createTarget", {"url": page_url}))["targetId"]
        async with asyncio.timeout(10):
            while await client.evaluate(other, "document.title") != "Shop":
                pass
        assert len(await oryn.browser.tabs()) == 1
        await client("Target.closeTarget", {"targetId": other})
    assert '"Shop"' in await oryn.ok("title")


@pytest.mark.slow
async def test_sessions_share_the_connection(running, attach_session, page_url):
    async with relay_to(running.endpoint) as relay:
        first = attach_session(relay.url)
        second = attach_session(relay.url, shared_with=first.browser)
        for each in (first, second):
            await each.ok(f"goto {page_url}")
        assert len(relay.paths) == 1
        await first.ok("cookies set who first")
        assert "first" not in await second.ok("cookies list")
        await first.session.close()
        assert '"Shop"' in await second.ok("title")
        assert len(relay.open) == 1
        await second.session.close()
        third = attach_session(relay.url, shared_with=first.browser)
        await third.ok(f"goto {page_url}")
        assert len(relay.paths) == 2
        await third.session.close()


async def test_a_session_says_where_it_is(running, attach_session):
    oryn = attach_session(f"{running.endpoint}?token=s3cret")
    sessions = Sessions(lambda *_: oryn.session, oryn.session)
    answer = await sessions.execute("session")
    assert f"endpoint: {running.endpoint}?••••" in answer.render()
    assert answer.data["endpoint"] == f"{running.endpoint}?••••"
    assert "anyone" not in (await sessions.execute("url")).render()


# --- connections that break ---


@pytest.mark.slow
async def test_a_connection_that_breaks_is_made_again(running, attach_session, page_url):
    async with relay_to(running.endpoint) as relay:
        oryn = attach_session(relay.url)
        await oryn.ok(f"goto {page_url}")
        relay.received.clear()
        waiting = asyncio.create_task(oryn('wait until "false"'))
        await asyncio.wait_for(relay.received.wait(), 10)
        relay.drop()
        lost = "the browser closed the connection\n\n# hint\nRun 'goto' to connect again."
        assert await waiting == f'error wait until "false": {lost}'
        assert await oryn("observe") == f"error observe: {lost}"
        assert '"Shop"' in await oryn.ok(f"goto {page_url}")
        assert len(relay.paths) == 2
        await oryn.session.close()


@pytest.mark.slow
async def test_a_browser_that_has_ended(run, attach_session, page_url, tmp_path):
    browser = RunningChromium(tmp_path)
    await browser.ready()
    oryn = attach_session(browser.endpoint)
    await oryn.ok(f"goto {page_url}")
    await asyncio.to_thread(browser.end)
    assert (await oryn("observe")).startswith("error observe: the browser closed the connection\n")
    assert (await oryn(f"goto {page_url}")) == (
        f"error goto {page_url}: no browser answers at {browser.endpoint}\n\n"
        "# hint\nStart it with --remote-debugging-port and give its ws:// address."
    )


# --- a browser that allows no contexts ---


@pytest.mark.slow
async def test_session_without_a_context_owns_only_its_tabs(running, attach_session, page_url, pages):
    pages["/pop"] = f"<title>Pop</title><button onclick=\"window.open('{page_url}')\">Open</button>"
    async with relay_to(running.endpoint) as relay, client_of(running.endpoint) as client:
        relay.refused = {"Target.createBrowserContext"}
        mine = (await client("Target.createTarget", {"url": page_url}))["targetId"]
        async with asyncio.timeout(10):
            while await client.evaluate(mine, "document.title") != "Shop":
                pass
        await client.evaluate(mine, "document.cookie = 'who=me'")
        before = await client.pages()
        first = attach_session(relay.url)
        second = attach_session(relay.url, shared_with=first.browser)
        await first.ok(f"goto {pages.url('/pop')}")
        await second.ok(f"goto {page_url}")
        assert len(await first.browser.tabs()) == len(await second.browser.tabs()) == 1
        assert "who" in await first.ok("cookies list")
        assert "tab 2" in await first.ok('click "Open"')
        assert len(await second.browser.tabs()) == 1
        await first.ok("tab new about:blank")
        await first.ok("tab close 3")
        assert '"Shop"' in await first.ok("tab switch 2")
        await second.session.close()
        assert len(await first.browser.tabs()) == 2
        await first.session.close()
        assert await client.pages() == before
        assert await client.evaluate(mine, "document.cookie") == "who=me"
        await client.evaluate(mine, "document.cookie = 'who=me; Max-Age=0'")
        await client("Target.closeTarget", {"targetId": mine})


@pytest.mark.slow
async def test_closed_last_tab_is_replaced_without_a_context(running, attach_session, page_url):
    async with relay_to(running.endpoint) as relay:
        relay.refused = {"Target.createBrowserContext"}
        oryn = attach_session(relay.url)
        await oryn.ok(f"goto {page_url}")
        tab = oryn.browser._tabs.current
        oryn.browser._connection.root.send("Target.closeTarget", {"targetId": tab.target_id})
        await oryn.browser._tabs.changed.until(lambda: oryn.browser._tabs.current not in (None, tab), 10)
        assert '"Shop"' in await oryn.ok(f"goto {page_url}")
        assert len(relay.paths) == 1
        await oryn.session.close()


async def test_a_browser_that_gives_no_tabs_can_not_be_driven(running, attach_session):
    async with relay_to(running.endpoint) as relay:
        relay.refused = {"Target.createBrowserContext", "Target.createTarget"}
        place = relay.url
        assert await attach_session(relay.url)("observe") == (
            f"error observe: the browser at {place} can't be driven: Target.createTarget: Not allowed\n\n"
            "# hint\nGive its DevTools endpoint, ws://…/devtools/browser/…, or http:// and its debugging port."
        )


# --- files ---

FILES = (
    "<title>Files</title><input type=file aria-label=Letter onchange='document.title = this.files[0].name'>"
    "<a href='data:text/csv,a' download='table.csv'>Table</a>"
)


@pytest.mark.slow
async def test_files_go_both_ways_where_the_browser_is_here(running, attach_session, pages, tmp_path):
    pages["/files"] = FILES
    oryn = attach_session(running.endpoint)
    (tmp_path / "letter.txt").write_text("x")
    await oryn.ok(f"goto {pages.url('/files')}")
    await oryn.ok(f'upload "Letter" {tmp_path / "letter.txt"}')
    assert '"letter.txt"' in await oryn.ok("title")
    assert "table.csv" in await oryn.ok('click "Table"')
    assert (tmp_path / "downloads" / "table.csv").read_text() == "a"


@pytest.mark.slow
async def test_files_stay_where_the_browser_is_elsewhere(running, attach_session, pages, tmp_path):
    pages["/files"] = FILES
    async with relay_to(running.endpoint) as relay:
        relay.refused = {"SystemInfo.getProcessInfo"}
        oryn = attach_session(relay.url)
        (tmp_path / "letter.txt").write_text("x")
        await oryn.ok(f"goto {pages.url('/files')}")
        assert await oryn(f'upload "Letter" {tmp_path / "letter.txt"}') == (
            f'error upload "Letter" {tmp_path / "letter.txt"}: the browser runs on another computer and sees no files of '
            "this one\n\n# hint\nUpload them there."
        )
        answer = await oryn.ok('click "Table"')
        assert "table.csv" in answer
        assert "not supported: the browser runs on another computer" in answer
        assert not (tmp_path / "downloads").exists()
        await oryn.session.close()


# --- what is no browser ---

GIVE = "\n\n# hint\nGive its DevTools endpoint, ws://…/devtools/browser/…, or http:// and its debugging port."


@pytest.mark.parametrize("scheme", ["ws", "http"])
async def test_unreachable_endpoint_is_reported_without_its_secrets(attach_session, scheme):
    answer = await attach_session(f"{scheme}://ada:s3cret@127.0.0.1:9/x?token=s3cret")("observe")
    assert answer.startswith(f"error observe: no browser answers at {scheme}://••••@127.0.0.1:9/x?••••\n\n# hint\n")
    assert "s3cret" not in answer


async def test_the_endpoint_of_a_page_is_told_apart(attach_session):
    answer = await attach_session("ws://127.0.0.1:9/devtools/page/1")("observe")
    assert answer == f"error observe: ws://127.0.0.1:9/devtools/page/1 is the endpoint of one page{GIVE}"


SAYINGS = {
    "500": b"Host header is specified and is not an IP address or localhost.",
    "list": b"[]",
    "url": b'{"webSocketDebuggerUrl": 3}',
}


class StatusHandler(BaseHTTPRequestHandler):
    """Answers 200 and the text that the path names, or the status that it does."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        name = self.path.split("/")[1]
        status = int(name) if name.isdigit() else 200
        body = SAYINGS.get(name, b"<html>")
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture(scope="module")
def web() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), StatusHandler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("path", ["", "/404", "/list", "/url"])
async def test_a_web_server_is_no_browser(attach_session, web, path):
    answer = await attach_session(f"http://{web}{path}")("observe")
    assert answer == f"error observe: what answers at http://{web}{path} is no browser's debugging port{GIVE}"


async def test_a_browser_that_does_not_answer_to_the_name(attach_session, web):
    answer = await attach_session(f"http://{web}/500")("observe")
    assert answer == (
        f"error observe: the browser at http://{web}/500 does not answer to this name\n\n# hint\nGive its IP address."
    )


@pytest.mark.parametrize(
    ("status", "hint"),
    [
        (401, "Check the key in its address."),
        (429, "It has as many clients as it takes: try again later."),
        (502, "Check its address."),
    ],
)
async def test_a_service_that_refuses(attach_session, web, status, hint):
    answer = await attach_session(f"ws://{web}/{status}/x?token=s3cret")("observe")
    place = f"ws://{web}/{status}/x?••••"
    assert answer == f"error observe: {place} refused the connection with status {status}\n\n# hint\n{hint}"


@pytest.mark.parametrize(
    "said", ["hello", "[1]", {"id": 1, "error": {"message": "no such method"}}, {"id": 1, "result": {}}]
)
async def test_a_web_socket_that_is_no_browser(attach_session, said):
    async with speaking(lambda message: said if isinstance(said, str) else said | {"id": message["id"]}) as url:
        answer = await attach_session(url)("observe")
        assert answer == f"error observe: what answers at {url} is no browser's DevTools endpoint{GIVE}"


async def test_a_browser_that_is_too_old(attach_session):
    version = {"result": {"product": "HeadlessChrome/80.0.3987.0", "protocolVersion": "1.3"}}
    async with speaking(lambda message: {"id": message["id"], **version}) as url:
        assert await attach_session(url)("observe") == (
            f"error observe: the browser at {url} is too old: Chrome/80\n\n# hint\nAttach to version 112 or later."
        )


@pytest.mark.parametrize("scheme", ["ws", "http"])
async def test_one_that_never_answers(attach_session, monkeypatch, scheme):
    async def never_answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    silent = await asyncio.start_server(never_answer, "127.0.0.1", 0)
    place = f"{scheme}://127.0.0.1:{silent.sockets[0].getsockname()[1]}"
    async with silent:
        oryn = attach_session(place)
        assert (await oryn("observe --timeout 300ms")).startswith(
            "error observe --timeout 300ms: not done after 0.3 s\n"
        )
        monkeypatch.setattr(attach, "CONNECT_SECONDS", 0.3)
        assert (
            await attach_session(place)("observe")
            == f"error observe: no browser answered at {place} within 0.3 s{GIVE}"
        )
        await oryn.session.close()


async def test_a_web_socket_that_never_answers(attach_session, monkeypatch):
    monkeypatch.setattr(attach, "CONNECT_SECONDS", 0.3)
    async with speaking(lambda _: None) as url:
        assert await attach_session(url)("observe") == f"error observe: no browser answered at {url} within 0.3 s{GIVE}"


async def test_keys_are_passed_on_and_told_nobody(running, attach_session, page_url, caplog):
    caplog.set_level(logging.DEBUG, "oryn")
    async with relay_to(running.endpoint) as relay:
        relay.token = "s3cret"
        assert "s3cre" not in await attach_session(f"{relay.url}?token=s3cre")("observe")
        oryn = attach_session(f"{relay.url}?token=s3cret")
        await oryn.ok(f"goto {page_url}")
        assert relay.paths[-1].endswith("?token=s3cret")
        relay.drop()
        assert "s3cret" not in await oryn("observe")
        await oryn.session.close()
    assert not re.search("s3cret", caplog.text)


LIGHTPANDA = '{"Browser": "Lightpanda/1.0", "Protocol-Version": "1.3", "webSocketDebuggerUrl": "ws://127.0.0.1:9333/"}'


@pytest.mark.parametrize(
    ("name", "head", "body"),
    [("Firefox", "404 Not Found\r\nserver: httpd.js", "<html>"), ("Lightpanda", "200 OK", LIGHTPANDA)],
)
async def test_another_browser_with_a_debugging_port_is_not_supported(attach_session, name, head, body):
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(f"HTTP/1.1 {head}\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode())
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    place = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server:
        found = await attach_session(place).session.execute("observe")
    assert found.error is not None and found.error.code == "NOT_SUPPORTED"
    assert found.error.message == f"the browser at {place} is {name}, which is not supported"


async def test_an_endpoint_without_a_command_that_is_needed_is_no_bug(attach_session):
    """As Lightpanda's WebSocket, which says that it is Chrome."""
    known = {"Browser.getVersion": {"product": "Chrome/124.0.6367.29"}, "Target.setDiscoverTargets": {}}

    def answer(message: dict[str, Any]) -> dict[str, Any]:
        if message["method"] in known:
            return {"id": message["id"], "result": known[message["method"]]}
        return {"id": message["id"], "error": {"code": -32601, "message": f"'{message['method']}' wasn't found"}}

    async with speaking(answer) as url:
        found = await attach_session(url).session.execute("observe")
    assert found.error is not None and found.error.code == "NOT_SUPPORTED"
    assert "does not know" in found.error.message
