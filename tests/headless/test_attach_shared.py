"""Sessions in the context of a running browser's user: with their tabs and logins, as a guest who leaves no trace."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.server import serve

from oryn.browsers.chromium import ChromiumBrowser
from oryn.core.urls import DomainPolicy
from oryn.engine import Options, Session
from oryn.engine.policy.policy import Policy
from tests.headless.attached_browser import Client, Relay, RunningChromium, client_of, relay_to, running

__all__ = ["running"]

pytestmark = [pytest.mark.browser, pytest.mark.whole_browser]


class Guest:
    """A session in the context of the browser's user, with the shorthand of the tests."""

    def __init__(self, address: str, folder: Path, options: Options, **choices: Any) -> None:
        self.browser = ChromiumBrowser(runtime_dir=folder / "run", endpoint=address, shares_context=True, **choices)
        self.session = Session(self.browser, options=options)

    async def __call__(self, line: str) -> str:
        return (await self.session.execute(line)).render()

    async def ok(self, line: str) -> str:
        answer = await self(line)
        assert answer.startswith("ok"), answer
        return answer

    async def number_of(self, title: str) -> int:
        """The number of the tab with this title."""
        return next(tab.number for tab in await self.browser.tabs() if tab.title == title)

    async def refused(self, line: str) -> str:
        """The identifier under which a command waits for a person."""
        answer = await self.session.execute(line)
        assert answer.error is not None and answer.error.code == "CONFIRMATION_REQUIRED", answer.render()
        return str(answer.error.id)


@pytest.fixture
def attach(run: Any, tmp_path: Path) -> Iterator[Callable[..., Guest]]:
    made: list[Guest] = []

    def make(
        address: str,
        shared_with: ChromiumBrowser | None = None,
        keeps_connection: bool = False,
        **options: Any,
    ) -> Guest:
        whole = Options(timeout=60, download_folder=tmp_path / "downloads", **options)
        made.append(Guest(address, tmp_path, whole, shared_with=shared_with, keeps_connection=keeps_connection))
        return made[-1]

    yield make
    for each in made:
        run(each.session.close())


@asynccontextmanager
async def users_tabs(client: Client, pages: Any, *titles: str) -> AsyncIterator[dict[str, str]]:
    """Tabs of the browser's user with these titles, by title, each with a login at its site."""
    pages.bodies.clear()
    tabs = {}
    for title in titles:
        pages[f"/{title}"] = (
            f"<title>{title}</title><script>document.cookie = 'login={title}; path=/{title}'; window.kept = []</script>"
            f"<button onclick='kept.push(this.textContent)'>Buy</button>"
        )
        tabs[title] = (await client("Target.createTarget", {"url": pages.url(f"/{title}")}))["targetId"]
        async with asyncio.timeout(10):
            while await client.evaluate(tabs[title], "document.title") != title:
                pass
    try:
        yield tabs
    finally:
        for target in tabs.values():
            if target in await client.pages():
                await client("Target.closeTarget", {"targetId": target})
        await client("Storage.clearCookies")


@pytest.mark.slow
async def test_the_users_tabs_and_logins_are_there_and_stay(running, attach, pages):
    async with client_of(running.endpoint) as client, users_tabs(client, pages, "Inbox", "Bank") as tabs:
        before, jar = await client.pages(), (await client("Storage.getCookies"))["cookies"]
        oryn = attach(running.endpoint)
        listed = {tab.title: tab for tab in await started(oryn)}
        assert {"Inbox", "Bank"} <= set(listed)
        assert not any(tab.own or tab.current for tab in listed.values())
        assert await client.pages() == before, "attaching opens nothing"
        await oryn.ok(f"goto {pages.url('/Bank')}")
        assert 'login "Bank"' in await oryn.ok("cookies list")
        assert [tab.own for tab in await oryn.browser.tabs()].count(True) == 1
        await oryn.ok(f"tab switch {await oryn.number_of('Inbox')}")
        await oryn.ok('click "Buy"')
        assert await client.evaluate(tabs["Inbox"], "kept.join()") == "Buy"
        await oryn.session.close()
        assert await client.pages() == before
        assert (await client("Storage.getCookies"))["cookies"] == jar
        assert await client.evaluate(tabs["Inbox"], "kept.join()") == "Buy", "the tab was not loaded again"


async def started(oryn: Guest) -> list[Any]:
    await oryn.ok("tabs")
    return await oryn.browser.tabs()


# --- what never reaches a tab that the session has not opened ---


class Wire:
    """What a session sends to a browser, by the target that it goes to; "" is the browser itself."""

    def __init__(self) -> None:
        self.sent: dict[str, list[str]] = {}
        self._targets: dict[str, str] = {}

    def note_sent(self, message: dict[str, Any]) -> None:
        target = self._targets.get(message.get("sessionId", ""), "")
        self.sent.setdefault(target, []).append(message["method"])

    def note_received(self, message: dict[str, Any]) -> None:
        if message.get("method") == "Target.attachedToTarget":
            params = message["params"]
            self._targets[params["sessionId"]] = params["targetInfo"]["targetId"]


@asynccontextmanager
async def wired_relay(endpoint: str) -> AsyncIterator[tuple[Relay, Wire]]:
    """A relay to a browser, and the record of what goes through it."""
    wire = Wire()
    async with relay_to(endpoint, wire.note_sent, wire.note_received) as relay:
        yield relay, wire


SETTINGS = (
    "viewport 500x400",
    "useragent Robot",
    "media dark",
    "headers set X-Robot yes",
    "offline on",
    "offline off",
    "throttle slow-3g",
    "intercept */never* --block",
    'addscript "window.robot = 1"',
)


@pytest.mark.slow
async def test_nothing_of_the_sessions_reaches_the_users_tabs(running, attach, pages):
    async with (
        client_of(running.endpoint) as client,
        users_tabs(client, pages, "Inbox", "Bank") as tabs,
        wired_relay(running.endpoint) as (relay, wire),
    ):
        sizes = {title: await client.evaluate(each, "innerWidth") for title, each in tabs.items()}
        oryn = attach(relay.url, policy=Policy(domains=DomainPolicy.of(("127.0.0.1",), None)))
        await oryn.ok(f"goto {pages.url('/Bank')}")
        taken = [line for line in SETTINGS if (await oryn(line)).startswith("ok")]
        assert len(taken) >= 5, taken
        assert not wire.sent.keys() & set(tabs.values()), "no message goes to a tab that is not the session's"
        inbox = await oryn.number_of("Inbox")
        await oryn.ok(f"tab switch {inbox}")
        assert 'button "Buy"' in await oryn("observe")
        forbidden = {
            method
            for method in wire.sent[tabs["Inbox"]]
            if method.startswith(("Fetch.", "Emulation.", "WebAuthn.", "Network.set", "Network.emulate", "Browser."))
        } - {"Emulation.setFocusEmulationEnabled"}
        assert not forbidden
        assert tabs["Bank"] not in wire.sent
        assert (await oryn("viewport 300x300")).startswith("error"), "a setting is for the session's own tabs"
        for title, each in tabs.items():
            assert await client.evaluate(each, "innerWidth") == sizes[title]
            assert (
                await client.evaluate(each, "typeof robot + navigator.userAgent.includes('Robot')") == "undefinedfalse"
            )


async def test_what_would_reach_all_tabs_is_refused(running, attach, pages):
    async with client_of(running.endpoint) as client, users_tabs(client, pages, "Inbox"):
        oryn = attach(running.endpoint)
        await oryn.ok(f"goto {pages.url('/Inbox')}")
        for line in ("geolocation 1 2", "locale de-DE", "timezone Europe/Paris", "trace start"):
            answer = await oryn.session.execute(line)
            assert answer.error is not None and answer.error.code == "NOT_SUPPORTED", answer.render()
            assert "not this session's" in answer.render()


async def test_dialogs_of_the_users_tabs_wait_for_the_user(running, attach, pages):
    async with client_of(running.endpoint) as client, users_tabs(client, pages, "Inbox") as tabs:
        oryn = attach(running.endpoint)
        await started(oryn)
        await oryn.ok(f"tab switch {await oryn.number_of('Inbox')}")
        async with client_of(running.endpoint) as other:
            attached = await other("Target.attachToTarget", {"targetId": tabs["Inbox"], "flatten": True})
            session = attached["sessionId"]
            await other("Page.enable", {}, session)
            await other(
                "Runtime.evaluate", {"expression": "setTimeout(() => window.answer = confirm('Sell?'))"}, session
            )
            page = oryn.browser.page
            await asyncio.wait_for(page.channel.signal.until(lambda: page.dialog is not None, 10), 10)
            assert (await oryn("observe")).startswith("error")
            await oryn.session.close()
            assert await other("Page.handleJavaScriptDialog", {"accept": True}, session) == {}, "it was still open"
            answer = await other("Runtime.evaluate", {"expression": "window.answer"}, session)
            assert answer["result"]["value"] is True


async def test_domains_limit_what_is_done_in_the_users_tabs(running, attach, pages):
    async with client_of(running.endpoint) as client, users_tabs(client, pages, "Inbox") as tabs:
        oryn = attach(running.endpoint, policy=Policy(domains=DomainPolicy.of(("example.org",), None)))
        await started(oryn)
        answer = await oryn.session.execute(f"tab switch {await oryn.number_of('Inbox')}")
        assert answer.error is not None and answer.error.code == "DOMAIN_NOT_ALLOWED"
        assert await client.evaluate(tabs["Inbox"], "kept.length") == 0, "its requests are not refused"


@pytest.mark.slow
async def test_a_page_that_leaves_the_domains_under_the_session_is_no_longer_acted_on(running, attach, pages):
    async with client_of(running.endpoint) as client, users_tabs(client, pages, "Inbox") as tabs:
        oryn = attach(running.endpoint, policy=Policy(domains=DomainPolicy.of(("127.0.0.1",), None)))
        await started(oryn)
        await oryn.ok(f"tab switch {await oryn.number_of('Inbox')}")
        elsewhere = pages.url("/Inbox").replace("127.0.0.1", "localhost")
        await client.evaluate(tabs["Inbox"], f"location.href = {elsewhere!r}")
        await oryn.browser.wait_for_tabs(lambda rows: any(elsewhere in row.url for row in rows), timeout=10)
        for line in ("observe", 'click "Buy"', "text", "refresh", "goto 127.0.0.1"):
            answer = await oryn.session.execute(line)
            assert answer.error is not None and answer.error.code == "DOMAIN_NOT_ALLOWED", answer.render()
        await oryn.ok(f"tab new {pages.url('/Inbox')}")


@pytest.mark.parametrize("url", ["chrome://settings/passwords", "file:///etc/passwd", "view-source:file:///etc/passwd"])
async def test_pages_that_commands_may_not_open_are_no_tabs_to_switch_to(running, attach, url):
    async with client_of(running.endpoint) as client:
        target = (await client("Target.createTarget", {"url": url}))["targetId"]
        oryn = attach(running.endpoint, files_root=(Path("/nonexistent"),))
        rows = await started(oryn)
        number = next(row.number for row in rows if row.url.startswith(url[:12]))
        answer = await oryn.session.execute(f"tab switch {number}")
        assert answer.error is not None and answer.error.code in ("URL_NOT_ALLOWED", "PATH_NOT_ALLOWED"), (
            answer.render()
        )
        assert oryn.browser._tabs.current is None
        await client("Target.closeTarget", {"targetId": target})


# --- what waits for a person ---


async def test_what_would_end_something_of_the_users_waits_for_a_person(running, attach, pages, tmp_path):
    async with client_of(running.endpoint) as client, users_tabs(client, pages, "Inbox", "Bank") as tabs:
        jar = (await client("Storage.getCookies"))["cookies"]
        (tmp_path / "state.json").write_text('{"cookies": [], "origins": []}')
        oryn = attach(running.endpoint)
        await oryn.ok(f"goto {pages.url('/Bank')}")
        own = next(row.number for row in await oryn.browser.tabs() if row.own)
        inbox = await oryn.number_of("Inbox")
        for line in (
            "cookies clear",
            f"state load {tmp_path / 'state.json'}",
            f"state load {tmp_path / 'state.json'} --merge",
            "storage clear",
            "storage clear --session",
            f"tab close {inbox}",
        ):
            await oryn.refused(line)
        assert (await client("Storage.getCookies"))["cookies"] == jar
        assert tabs["Inbox"] in await client.pages()
        await oryn.ok(f"tab switch {inbox}")
        id = await oryn.refused("tab close")
        question = oryn.session.confirmations.command(id)
        assert question is not None
        assert (await oryn.session.confirmations.confirm(id)).ok
        assert tabs["Inbox"] not in await client.pages()
        await oryn.ok(f"tab close {own}")
        assert (await oryn("observe")).startswith("error observe: this session has no tab yet")
        assert tabs["Bank"] in await client.pages()


async def test_a_question_about_a_tab_names_it(running, attach, pages):
    async with client_of(running.endpoint) as client, users_tabs(client, pages, "Inbox"):
        oryn = attach(running.endpoint)
        await started(oryn)
        number = await oryn.number_of("Inbox")
        place = pages.url("/Inbox").removeprefix("http://")
        answer = await oryn.session.execute(f"tab close {number}")
        assert f'tab close {number}, a tab that this session has not opened ({place} "Inbox"), waits' in answer.render()


# --- tabs that come and go ---


async def test_a_tab_that_the_user_closes_under_an_act(running, attach, pages):
    async with client_of(running.endpoint) as client, users_tabs(client, pages, "Inbox") as tabs:
        oryn = attach(running.endpoint)
        await started(oryn)
        await oryn.ok(f"tab switch {await oryn.number_of('Inbox')}")
        waiting = asyncio.create_task(oryn('wait until "false"'))
        page = oryn.browser.page
        await page.channel.session.call("Runtime.evaluate", {"expression": "0"})
        await client("Target.closeTarget", {"targetId": tabs["Inbox"]})
        assert "the tab is closed" in await waiting
        assert (await oryn("observe")).startswith("error observe: this session has no tab yet")


async def test_the_session_never_falls_back_on_a_tab_of_the_users(running, attach, pages):
    async with client_of(running.endpoint) as client, users_tabs(client, pages, "Inbox", "Bank"):
        oryn = attach(running.endpoint)
        await oryn.ok(f"goto {pages.url('/Bank')}")
        own = next(row for row in await oryn.browser.tabs() if row.own)
        await oryn.ok("tab close")
        assert not any(row.current for row in await oryn.browser.tabs())
        assert own.number not in [row.number for row in await oryn.browser.tabs()]


@pytest.mark.slow
async def test_a_pop_up_of_the_sessions_tab_is_the_sessions_and_one_of_the_users_is_not(running, attach, pages):
    async with client_of(running.endpoint) as client, users_tabs(client, pages, "Inbox") as tabs:
        before = await client.pages()
        pages["/opener"] = f"<title>O</title><button onclick=\"window.open('{pages.url('/Inbox')}')\">Open</button>"
        oryn = attach(running.endpoint)
        await oryn.ok(f"goto {pages.url('/opener')}")
        await oryn.ok('click "Open"')
        assert await oryn.browser.wait_for_tabs(lambda rows: sum(row.own for row in rows) == 2, timeout=10)
        await oryn.ok(f"tab switch {await oryn.number_of('Inbox')}")
        opens = f"window.open('{pages.url('/Inbox')}#mine', '', 'noopener')"
        await client.evaluate(tabs["Inbox"], f"document.querySelector('button').onclick = () => {opens}, 0")
        await oryn.ok('click "Buy"')
        await oryn.browser.wait_for_tabs(lambda rows: any(row.url.endswith("#mine") for row in rows), timeout=10)
        assert not next(row for row in await oryn.browser.tabs() if row.url.endswith("#mine")).own
        await oryn.session.close()
        left = set(await client.pages()) - set(before)
        assert [url for target, url in (await client.pages()).items() if target in left] == [
            f"{pages.url('/Inbox')}#mine"
        ]
        for target in left:
            await client("Target.closeTarget", {"targetId": target})


@pytest.mark.slow
async def test_no_tab_comes_to_the_front_and_no_window_changes(running, attach, pages):
    async with client_of(running.endpoint) as client, users_tabs(client, pages, "Inbox") as tabs:
        await client("Target.activateTarget", {"targetId": tabs["Inbox"]})
        shown = "[document.visibilityState, innerWidth, innerHeight].join()"
        before = await client.evaluate(tabs["Inbox"], shown)
        assert before.startswith("visible")
        await client.evaluate(tabs["Inbox"], "addEventListener('visibilitychange', () => kept.push('hidden'))")
        oryn = attach(running.endpoint)
        await oryn.ok(f"goto {pages.url('/Inbox')}")
        await oryn.ok('click "Buy"')
        await oryn.ok("tab new about:blank")
        await oryn.session.close()
        assert await client.evaluate(tabs["Inbox"], shown) == before
        assert await client.evaluate(tabs["Inbox"], "kept.length") == 0


@pytest.mark.slow
async def test_two_sessions_of_one_browser_share_the_connection_and_list_each_other(running, attach, pages):
    async with (
        client_of(running.endpoint) as client,
        users_tabs(client, pages, "Inbox"),
        relay_to(running.endpoint) as relay,
    ):
        first = attach(relay.url)
        second = attach(relay.url, shared_with=first.browser)
        await first.ok(f"goto {pages.url('/Inbox')}#first")
        await second.ok(f"goto {pages.url('/Inbox')}#second")
        assert len(relay.paths) == 1
        rows = await second.browser.tabs()
        assert {row.url.partition("#")[2]: row.own for row in rows if "#" in row.url} == {
            "first": False,
            "second": True,
        }
        await first.session.close()
        assert await second.browser.wait_for_tabs(lambda rows: not any("#first" in row.url for row in rows), timeout=10)


@pytest.mark.slow
async def test_a_pop_up_outside_of_the_domains_is_not_looked_at(running, attach, pages):
    async with client_of(running.endpoint) as client, users_tabs(client, pages, "Inbox"):
        elsewhere = pages.url("/Inbox").replace("127.0.0.1", "localhost")
        pages["/opener"] = f"<title>O</title><button onclick=\"window.open('{elsewhere}')\">Open</button>"
        oryn = attach(running.endpoint, policy=Policy(domains=DomainPolicy.of(("127.0.0.1",), None)))
        await oryn.ok(f"goto {pages.url('/opener')}")
        await oryn('click "Open"')
        assert await oryn.browser.wait_for_tabs(lambda rows: sum(row.own for row in rows) == 2, timeout=10)
        popup = max(row.number for row in await oryn.browser.tabs() if row.own)
        await oryn(f"tab switch {popup}")
        if "localhost" in oryn.session.page.url:  # its request was under way
            answer = await oryn.session.execute("observe")
            assert answer.error is not None and answer.error.code == "DOMAIN_NOT_ALLOWED"
        else:
            assert "Buy" not in await oryn("observe")


# --- the connection, and the end of either side ---


@pytest.mark.slow
async def test_the_connection_outlives_the_sessions(running, attach, pages):
    pages["/"] = "<title>Shop</title>"
    async with relay_to(running.endpoint) as relay:
        first = attach(relay.url, keeps_connection=True)
        await first.ok(f"goto {pages.url()}")
        await first.session.close()
        assert len(relay.open) == 1, "the browser would ask its user about the next one"
        second = attach(relay.url, shared_with=first.browser)
        await second.ok(f"goto {pages.url()}")
        assert len(relay.paths) == 1
        await second.session.close()
        await first.browser._shared._disconnect()


@pytest.mark.slow
async def test_a_browser_that_does_not_answer_for_a_while_goes_on_afterwards(run, attach, pages, tmp_path):
    pages["/"] = "<title>Shop</title>"
    browser = RunningChromium(tmp_path)
    await browser.ready()
    oryn = attach(browser.endpoint)
    await oryn.ok(f"goto {pages.url()}")
    os.killpg(browser.process.pid, signal.SIGSTOP)
    try:
        assert (await oryn("observe --timeout 500ms")).startswith("error observe")
    finally:
        os.killpg(browser.process.pid, signal.SIGCONT)
    assert '"Shop"' in await oryn("title")
    await oryn.session.close()
    await asyncio.to_thread(browser.end)


@pytest.mark.slow
async def test_a_browser_that_ends_is_found_again_once_it_runs(attach, pages, tmp_path, monkeypatch):
    """As after an update: with the same user data folder, at another port."""
    pages["/"] = "<title>Shop</title>"
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    profile = tmp_path / "config" / "chromium"
    browser = RunningChromium(tmp_path, profile=profile)
    await browser.ready()
    oryn = attach("chromium")
    await oryn.ok(f"goto {pages.url()}")
    await asyncio.to_thread(browser.end)
    assert "the browser closed the connection" in await oryn("observe")
    assert "no running chromium accepts DevTools connections" in await oryn(f"goto {pages.url()}")
    (profile / "DevToolsActivePort").unlink(missing_ok=True)
    again = RunningChromium(tmp_path, profile=profile)
    await again.ready()
    assert '"Shop"' in await oryn.ok(f"goto {pages.url()}")
    await oryn.session.close()
    await asyncio.to_thread(again.end)


@asynccontextmanager
async def asking_browser(folder: Path, answer: Callable[[Any, Any], Any]) -> AsyncIterator[list[str]]:
    """What looks like Chrome with `chrome://inspect/#remote-debugging`: it answers each connection as its user does.
    Yields the connections."""
    asked: list[str] = []

    async def process_request(connection: Any, request: Any) -> Any:
        asked.append(request.path)
        return await answer(connection, request)

    async def silent(_: Any) -> None:
        pass

    async with serve(silent, "127.0.0.1", 0, process_request=process_request) as server:
        profile = folder / "config" / "google-chrome"
        profile.mkdir(parents=True)
        port = server.sockets[0].getsockname()[1]
        (profile / "DevToolsActivePort").write_text(f"{port}\n/devtools/browser/1f-2e")
        (profile / "SingletonLock").symlink_to(f"{socket.gethostname()}-{os.getpid()}")
        yield asked


async def test_a_user_who_refuses_the_connection(attach, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))

    async def refuse(connection: Any, _: Any) -> Any:
        return connection.respond(403, "Rejected")

    async with asking_browser(tmp_path, refuse) as asked:
        answer = await attach("chrome")("tabs")
        assert "refused the connection with status 403" in answer
        assert answer.endswith("If Chrome has asked whether to allow it, press Allow there the next time.")
        assert len(asked) == 1, "nothing asks again by itself"


@pytest.mark.slow
async def test_a_user_who_does_not_answer_is_asked_once(attach, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))

    async def wait(_: Any, __: Any) -> Any:
        await asyncio.Event().wait()

    async with asking_browser(tmp_path, wait) as asked:
        oryn = attach("chrome")
        assert "not done after 0.3 s" in await oryn("tabs --timeout 300ms")
        assert "not done after 0.3 s" in await oryn("tabs --timeout 300ms")
        assert len(asked) == 1
        await oryn.session.close()


async def test_two_sessions_are_answered_by_one_question(running, attach, tmp_path):
    async with relay_to(running.endpoint) as relay:
        first = attach(relay.url)
        second = attach(relay.url, shared_with=first.browser)
        await asyncio.gather(first.ok("tabs"), second.ok("tabs"))
        assert len(relay.paths) == 1


@pytest.mark.slow
async def test_downloads_of_the_sessions_tabs_are_the_sessions_and_those_of_the_users_are_not(attach, pages, tmp_path):
    folder, profile = tmp_path / "users", tmp_path / "profile"
    (profile / "Default").mkdir(parents=True)
    (profile / "Default" / "Preferences").write_text(json.dumps({"download": {"default_directory": str(folder)}}))
    folder.mkdir()
    pages["/files"] = "<title>Files</title><a href='data:text/csv,a' download='table.csv'>Table</a>"
    browser = RunningChromium(tmp_path, profile=profile)
    await browser.ready()
    async with client_of(browser.endpoint) as client:
        await client("Target.createTarget", {"url": pages.url("/files")})
        oryn = attach(browser.endpoint)
        await oryn.ok("tabs")
        async with asyncio.timeout(10):
            while not any(row.title == "Files" for row in await oryn.browser.tabs()):  # no event reports a title
                pass
        await oryn.ok(f"tab switch {await oryn.number_of('Files')}")
        assert "table.csv" not in (await oryn('click "Table"')).partition("# changes")[2]
        async with asyncio.timeout(10):
            while not (folder / "table.csv").exists():
                await client.pages()
        await oryn.ok(f"tab new {pages.url('/files')}")
        assert "table.csv" in await oryn.ok('click "Table"')
        assert (tmp_path / "downloads" / "table.csv").read_text() == "a"
        assert [file.name for file in folder.iterdir()] == ["table.csv"]
        await oryn.session.close()
    await asyncio.to_thread(browser.end)


@pytest.mark.slow
async def test_only_a_session_with_its_own_context_has_new_tabs_held(running, attach, pages, tmp_path):
    async with client_of(running.endpoint) as client, wired_relay(running.endpoint) as (relay, wire):
        oryn = attach(relay.url)
        await oryn.ok("tabs")
        assert "Target.setAutoAttach" not in wire.sent[""]
        private = ChromiumBrowser(runtime_dir=tmp_path / "run", endpoint=relay.url, shared_with=oryn.browser)
        await private.start()
        assert wire.sent[""].count("Target.setAutoAttach") == 1
        await private.close()
        assert wire.sent[""].count("Target.setAutoAttach") == 2
        await oryn.ok("tabs")  # the browser has done what was sent before
        target = (await client("Target.createTarget", {"url": "about:blank"}))["targetId"]
        await oryn.browser.wait_for_tabs(lambda rows: len(rows) > 1, timeout=10)
        assert target not in wire.sent, "it is left alone from now on"
        await client("Target.closeTarget", {"targetId": target})
