"""The parts of the backend that need no browser: numbers of tabs, who is in reach, what refusals mean, the scanner's
three pings."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from oryn.browsers.base import Checkpoint
from oryn.browsers.common.network_errors import ErrorPage
from oryn.browsers.common.tab_state import DocumentGone
from oryn.browsers.extension import error_mapping, scanner_client
from oryn.browsers.extension.bridge import Bridge
from oryn.browsers.extension.channel import ExtensionChannel
from oryn.browsers.extension.tab_registry import TabAccess, TabRegistry
from oryn.browsers.extension.tabs import ExtensionTabs
from oryn.errors import CannotAccessPage, FrameNotFound, LastTab, OrynError, ScannerNotReady, TabNotFound, Timeout


def tab(number: int, url: str = "http://a.example/", *, window: int = 1, active: bool = False) -> dict[str, Any]:
    return {"id": number, "windowId": window, "index": number, "url": url, "title": f"t{number}", "active": active}


class Browser:
    """A host whose calls answer what a test says: a value, what makes one, or an error's message."""

    def __init__(self, **answers: Any) -> None:
        self.answers: dict[str, Any] = {
            "runtime_getPlatformInfo": {"os": "linux"},
            "storage_session_get": {},
            "tabs_query": [tab(7, active=True)],
            "windows_getLastFocused": {"id": 1},
            "webNavigation_getAllFrames": [
                {"frameId": 0, "parentFrameId": -1, "documentId": "D1", "url": "http://a.example/"}
            ],
            **answers,
        }
        self.called: list[tuple[str, Any]] = []
        self.deliver: Callable[[str, str], None] = lambda event, arguments: None

    def attach(self, deliver: Callable[[str, str], None]) -> None:
        self.deliver = deliver

    async def call(self, name: str, arguments: str) -> str:
        self.called.append((name, json.loads(arguments)))
        answer = self.answers.get(name.replace(".", "_"))
        if callable(answer):
            answer = answer(*json.loads(arguments))
        return json.dumps({"error": answer.message} if isinstance(answer, Refused) else {"value": answer})

    def emit(self, event: str, *arguments: Any) -> None:
        self.deliver(event, json.dumps(arguments))

    def times(self, name: str) -> int:
        return sum(called == name for called, _ in self.called)

    def listen(self, event: str, options: str) -> None: ...
    def unlisten(self, event: str) -> None: ...
    def open(self, url: str) -> int:
        raise AssertionError

    def send(self, socket: int, text: str) -> None: ...
    def close(self, socket: int, code: int, reason: str) -> None: ...
    def post(self, port: int, message: str) -> None: ...
    def engine(self) -> str:
        return "{}"


class Refused:
    def __init__(self, message: str) -> None:
        self.message = message


async def tabs_of(browser: Browser, scope: str = "active") -> ExtensionTabs:
    bridge = Bridge(browser)
    tabs = ExtensionTabs(bridge, lambda: scope)
    bridge.attach()
    await tabs.start()
    return tabs


# --- numbers and reach ---


def test_numbers_stay_and_are_not_used_again() -> None:
    reach = TabAccess()
    assert [reach.number(tab) for tab in (30, 10, 30)] == [1, 2, 1]
    reach.forget(10)
    assert reach.number(40) == 3
    again = TabAccess()
    again.restore(json.loads(json.dumps(reach.to_json())))
    assert [again.number(tab) for tab in (30, 40, 50)] == [1, 3, 4]


def test_a_tab_with_another_id_keeps_its_number_and_its_reach() -> None:
    reach = TabAccess()
    reach.number(30)
    reach.on_opened(30)
    reach.on_replaced(30, 31)
    assert reach.number(31) == 1
    assert 31 in reach
    assert 30 not in reach


def registry(scope: str = "active") -> TabRegistry:
    tabs = TabRegistry(lambda: scope)
    tabs.replace_all([tab(1, active=True), tab(2), tab(3, "chrome://settings/"), tab(4, window=2, active=True)])
    tabs.on_focused(1)
    return tabs


def test_only_the_tab_in_front_is_in_reach() -> None:
    tabs = registry()
    assert tabs.accessible_tabs() == [1]
    assert tabs.active == 1
    with pytest.raises(LastTab):
        tabs.closable(1)
    tabs.on_activated(2, 1)
    assert tabs.accessible_tabs() == [2]
    with pytest.raises(TabNotFound, match="tab not found"):
        tabs.tab_of_number(1)
    tabs.on_focused(2)
    assert tabs.accessible_tabs() == [4]
    tabs.on_focused(-1)  # no window of the browser has the focus: the last one counts
    assert tabs.accessible_tabs() == [4]


def test_all_tabs_but_the_browsers_own_are_in_reach() -> None:
    tabs = registry("all")
    assert tabs.accessible_tabs() == [1, 2, 4]
    assert [row.number for row in tabs.rows(current=1)] == [1, 2, 3]
    tabs.on_activated(3, 1)
    assert tabs.active is None  # it has no number as long as nobody has gone there


def test_opened_tab_is_accessible_until_the_user_activates_it() -> None:
    tabs = registry()
    tabs.access.on_opened(2)
    tabs.access.on_deactivated(1)
    tabs.on_activated(2, 1)  # nobody but the user: Oryn's own changes are marked
    assert tabs.accessible_tabs() == [2]
    tabs.access.on_deactivated(1)
    tabs.on_removed(2)
    assert tabs.successors[2] == 1


def test_granted_tab_is_accessible_until_it_is_revoked() -> None:
    tabs = registry()
    tabs.access.on_opened(2)
    tabs.on_activated(2, 1)
    tabs.on_activated(1, 1)  # the user has looked at it, and gone on
    assert tabs.accessible_tabs() == [1, 2]
    tabs.access.revoke(2)
    assert tabs.accessible_tabs() == [1]


def test_a_tab_that_comes_to_the_front_does_not_hide_which_was_there() -> None:
    tabs = registry()
    tabs.on_created(tab(5))
    assert tabs.active_tab_near(2, 5) == 1, "it has not come yet"
    tabs.on_activated(5, 1)
    assert tabs.active_tab_near(2, 5) == 1
    assert tabs.active_tab_near(9, 5) is None


def test_after_the_last_session_every_tab_is_the_users() -> None:
    tabs = registry()
    tabs.access.on_opened(2)
    assert tabs.accessible_tabs() == [1, 2]
    tabs.access.revoke_all()
    assert tabs.accessible_tabs() == [1]


async def test_numbers_outlast_the_worker() -> None:
    first = await tabs_of(browser := Browser(tabs_query=[tab(7, active=True), tab(8), tab(9)]), "all")
    assert [row.number for row in first.rows()] == [1, 2, 3]
    browser.emit("tabs.onRemoved", 8, {})
    first.keep_access(7)
    await asyncio.sleep(0)  # what nobody waits for is done in the next turn
    stored = [about for name, about in browser.called if name == "storage.session.set"][-1][0]
    again = await tabs_of(Browser(storage_session_get=stored, tabs_query=[tab(9, active=True), tab(7), tab(6)]))
    assert [(row.number, row.title) for row in again.rows()] == [(1, "t7"), (3, "t9")]
    assert again.active == 3


# --- what refusals mean ---


@pytest.mark.parametrize(("part", "failure"), error_mapping._MESSAGES)
def test_known_messages(part: str, failure: Any) -> None:
    kind, message, _ = failure
    error = error_mapping.from_chrome(f"Error: {part}.")
    assert type(error) is kind
    assert error.message == message


def test_unknown_messages_are_quoted() -> None:
    assert isinstance(error_mapping.from_chrome(""), OrynError)
    assert error_mapping.from_chrome("Whatever.").message == "the browser refused: Whatever."


@pytest.mark.parametrize(
    ("url", "restricted"),
    [
        ("http://a.example/", False),
        ("about:blank", False),
        ("about:srcdoc", False),
        ("file:///x", False),
        ("blob:http://a.example/1", False),
        ("", False),
        ("about:version", True),
        ("chrome://settings", True),
        ("chrome-extension://abc/x.html", True),
        ("devtools://devtools/", True),
        ("view-source:http://a.example/", True),
        ("edge://settings", True),
        ("blob:chrome-extension://abc/1", True),
        ("https://chromewebstore.google.com/detail/x", True),
        ("https://chrome.google.com/webstore/detail/x", True),
        ("https://chrome.google.com/", False),
        ("https://chromewebstore.google.com.a.example/", False),
    ],
)
def test_restricted_pages(url: str, restricted: bool) -> None:
    assert error_mapping.is_restricted(url) is restricted


def test_blank_page_answers_page_queries_without_a_scanner() -> None:
    about = {"title": "t", "width": 800, "height": 600}
    blank = scanner_client.page_data("about:blank", about)
    page = scanner_client.answer_blank_page({"cmd": "page"}, blank)
    assert page is not None
    assert page["data"]["viewport"] == {"width": 800, "height": 600}
    assert scanner_client.answer_blank_page({"cmd": "click"}, blank) is None
    failed = scanner_client.page_data("chrome-error://chromewebdata/", about)
    error = ErrorPage("https://a.example/", "net::ERR_CERT_DATE_INVALID")
    assert error.answer({"cmd": "page"}, failed)["data"]["title"] == "t"
    assert error.answer({"cmd": "scan"}, failed)["data"]["elements"] == []
    with pytest.raises(CannotAccessPage, match="ERR_CERT_DATE_INVALID"):
        error.answer({"cmd": "find", "target": {"text": "Proceed"}}, failed)


# --- the scanner ---


async def test_a_scanner_that_does_not_come_is_pinged_three_times() -> None:
    browser = Browser(
        tabs_sendMessage=Refused("Could not establish connection. Receiving end does not exist."),
        scripting_executeScript=[{"result": None}],
    )
    page = (await tabs_of(browser)).page(7)
    await page.before_command()
    browser.called.clear()
    with pytest.raises(ScannerNotReady, match="scanner not ready"):
        await page.scanner({"cmd": "page"})
    pings = [about for name, about in browser.called if name == "tabs.sendMessage" and about[1] == {"oryn": "ping"}]
    assert len(pings) == 3


async def test_a_page_that_began_without_the_scanner_gets_it() -> None:
    there = False

    def message(_: int, message: dict[str, Any], __: Any = None) -> Any:
        if not there:
            return Refused("Could not establish connection. Receiving end does not exist.")
        return '{"ok": true, "data": {"url": "u"}}' if message["oryn"] == "scan" else True

    def script(injection: dict[str, Any]) -> Any:
        nonlocal there
        assert injection["files"] == ["scanner.js", "content.js"]
        there = True
        return [{"result": None}]

    page = (await tabs_of(Browser(tabs_sendMessage=message, scripting_executeScript=script))).page(7)
    assert await page.scanner({"cmd": "page"}) == {"ok": True, "data": {"url": "u"}}


async def test_a_page_that_no_extension_may_see() -> None:
    browser = Browser(
        tabs_sendMessage=Refused("Could not establish connection. Receiving end does not exist."),
        scripting_executeScript=Refused("Cannot access contents of the page."),
    )
    page = (await tabs_of(browser)).page(7)
    with pytest.raises(CannotAccessPage, match="cannot access page"):
        await page.scanner({"cmd": "page"})
    assert not page.crashed


async def test_input_is_not_given_twice_and_reads_are() -> None:
    messages = []

    def message(_: int, message: dict[str, Any], __: Any = None) -> Any:
        messages.append(message)
        if len(messages) == 1:
            return Refused("The message port closed before a response was received.")
        return '{"ok": true, "data": {}}'

    browser = Browser(tabs_sendMessage=message)
    page = (await tabs_of(browser)).page(7)
    assert (await page.scanner_client.run({"cmd": "page"}, page.frame_tree.top, 5))["ok"]
    messages.clear()
    with pytest.raises(DocumentGone):
        await page.scanner_client.run({"cmd": "pointer"}, page.frame_tree.top, 5)
    assert len(messages) == 1


async def test_a_frame_that_goes_on_while_it_is_read_is_read_where_it_is() -> None:
    """Nothing has told yet which document is there now, as on a machine that is busy."""
    inner = {"frameId": 5, "parentFrameId": 0, "documentId": "F1", "url": "http://b.example/"}

    def message(_: int, message: dict[str, Any], to: dict[str, Any]) -> Any:
        if message["oryn"] != "scan":
            return {"reads": True, "name": "", "origin": "http://b.example"}
        if to.get("documentId") == "F1":
            inner["documentId"] = "F2"
            return Refused("The message port closed before a response was received.")
        return json.dumps({"ok": True, "data": {"asked": to["documentId"]}})

    top = {"frameId": 0, "parentFrameId": -1, "documentId": "D1", "url": "http://a.example/"}
    browser = Browser(tabs_sendMessage=message, webNavigation_getAllFrames=lambda _: [top, inner])
    page = (await tabs_of(browser)).page(7)
    await page.frame_tree.refresh()
    frame = page.frame_tree.get("5")
    assert frame is not None
    assert (await page.scanner_client.run({"cmd": "page"}, frame, 5))["data"] == {"asked": "F2"}
    inner["frameId"], inner["documentId"] = 6, "F1"  # the frame itself goes, and another comes
    frame.document = "F1"
    with pytest.raises(FrameNotFound):
        await page.scanner_client.run({"cmd": "page"}, frame, 5)


class SlowBridge:
    """A bridge whose page answers as long as `answers` is true."""

    def __init__(self) -> None:
        self.answers = True

    async def call(self, name: str, *arguments: Any) -> Any:
        if not self.answers:
            await asyncio.Event().wait()


async def test_a_page_is_unresponsive_if_nothing_is_answered_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    bridge: Any = SlowBridge()
    channel = ExtensionChannel(bridge, 7)
    await channel.script({})
    bridge.answers = False
    with pytest.raises(Timeout):
        await channel.script({}, timeout=0.01)
    assert not channel.is_unresponsive  # one late answer, of a page that has just answered
    monkeypatch.setattr("oryn.browsers.extension.channel.UNRESPONSIVE_SECONDS", 0)
    assert channel.is_unresponsive
    bridge.answers = True
    await channel.script({})
    assert not channel.is_unresponsive


async def test_commands_to_a_tab_that_closes_end() -> None:
    browser = Browser()
    tabs = await tabs_of(browser)
    page = tabs.page(7)
    checkpoint = page.checkpoint()
    browser.emit("tabs.onRemoved", 7, {"windowId": 1, "isWindowClosing": False})
    effects = await page.settle(checkpoint, limit=1)
    assert effects.closed
    with pytest.raises(TabNotFound, match="the tab is closed"):
        await page.scanner({"cmd": "page"})


async def test_a_navigation_from_its_events_alone() -> None:
    browser = Browser()
    page = (await tabs_of(browser)).page(7)
    about = {"tabId": 7, "frameId": 0, "url": "http://a.example/old"}
    request = {**about, "requestId": "1", "type": "main_frame"}
    checkpoint: Checkpoint = page.checkpoint()
    browser.emit("webNavigation.onBeforeNavigate", about)
    browser.emit("webRequest.onBeforeRequest", request)
    browser.emit("webRequest.onBeforeRedirect", {**request, "redirectUrl": "http://a.example/new"})
    request["url"] = about["url"] = "http://a.example/new"
    browser.emit("webRequest.onBeforeRequest", request)
    answered = {**request, "statusCode": 418, "statusLine": "HTTP/1.1 418 I'm a teapot", "responseHeaders": []}
    browser.emit("webRequest.onResponseStarted", answered)
    assert page.requests.in_flight(checkpoint) == 1
    browser.emit("webRequest.onCompleted", request)
    browser.emit("webNavigation.onCommitted", {**about, "documentId": "D2"})
    assert page.navigations.reached("commit")
    assert not page.navigations.reached("ready")
    browser.emit("webNavigation.onDOMContentLoaded", {**about, "documentId": "D2"})
    browser.emit("webNavigation.onCompleted", {**about, "documentId": "D2"})
    assert page.navigations.reached("load")
    attempt = page.navigations.latest(checkpoint)
    assert attempt is not None
    found = page.navigations.describe(attempt)
    assert (found.url, found.status, found.status_text) == ("http://a.example/new", 418, "I'm a teapot")
    assert found.redirects == ("http://a.example/old",)
    # One that is loaded in advance, or kept for later, is none of the tab's.
    browser.emit("webNavigation.onCommitted", {**about, "documentId": "D3", "documentLifecycle": "prerender"})
    assert page.frame_tree.top.document == "D2"
