"""The connection to a browser that says what the test wants, right or wrong. No browser."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oryn.browsers.common.tab_state import DocumentGone
from oryn.browsers.webkit import variant
from oryn.browsers.webkit.connection import AutomationOptions, WebKitConnection
from oryn.browsers.webkit.error_mapping import BodyGone, RequestGone, error_from_answer
from oryn.browsers.webkit.session import InnerSession
from oryn.browsers.webkit.target import WebKitTarget
from oryn.browsers.webkit.transport import FROM_BROWSER, TO_BROWSER, MalformedWire, WireReader
from oryn.errors import (
    BrowserFailed,
    ElementNotInteractable,
    ElementStale,
    InternalError,
    InvalidValue,
    NotSupported,
    OrynError,
    PageCrashed,
    ScriptError,
    TabNotFound,
    Timeout,
)

AUTOMATION = (2, "Automation", "oryn", "null", False)


def tab(number: int) -> tuple[int, str, str, str, bool]:
    return (number, "WebPage", "", "about:blank", False)


def packed(name: str, *parameters: Any) -> bytes:
    """A message from the browser."""
    body = name.encode() + b"\0" + variant.encode(FROM_BROWSER[name], parameters)
    return len(body).to_bytes(4, "big") + b"\1" + body


class StandIn:
    """The browser's end of the socket."""

    def __init__(self, end: socket.socket) -> None:
        self._end = end
        self._buffer = b""
        self.outer: dict[int, list[dict[str, Any]]] = {}
        """Commands to the targets, by number."""

    def write(self, data: bytes) -> None:
        self._end.sendall(data)

    def say(self, name: str, *parameters: Any) -> None:
        self.write(packed(name, *parameters))

    def list(self, *rows: tuple[int, str, str, str, bool], connection: int = 1) -> None:
        self.say("SetTargetList", connection, list(rows))

    def answer(self, target: int, **message: Any) -> None:
        self.say("SendMessageToFrontend", 1, target, json.dumps(message))

    def event(self, target: int, method: str, **params: Any) -> None:
        self.answer(target, method=method, params=params)

    def inner(self, target: int, inner: str, **message: Any) -> None:
        self.event(target, "Target.dispatchMessageFromTarget", targetId=inner, message=json.dumps(message))

    def create(self, target: int, inner: str, **info: Any) -> None:
        self.event(target, "Target.targetCreated", targetInfo={"targetId": inner, "type": "page", **info})

    async def take(self) -> tuple[str, tuple[Any, ...]]:
        """The next message from Oryn: its name and parameters."""
        while len(self._buffer) < 5 or len(self._buffer) < 5 + int.from_bytes(self._buffer[:4], "big"):
            self._buffer += await asyncio.get_running_loop().sock_recv(self._end, 1 << 16)
        end = 5 + int.from_bytes(self._buffer[:4], "big")
        found, _, parameters = self._buffer[5:end].partition(b"\0")
        self._buffer = self._buffer[end:]
        name = found.decode()
        return name, () if name == "StartAutomationSession" else variant.decode(TO_BROWSER[name], parameters)

    async def next(self, name: str) -> tuple[Any, ...]:
        """The parameters of the next message from Oryn, which must have this name."""
        found, parameters = await self.take()
        assert found == name
        return parameters

    async def command(self, method: str) -> dict[str, Any]:
        """The next command to a target."""
        message: dict[str, Any] = json.loads((await self.next("SendMessageToBackend"))[2])
        assert message["method"] == method
        return message

    async def inner_command(self, method: str) -> dict[str, Any]:
        """The next command to an inner target."""
        message: dict[str, Any] = json.loads((await self.command("Target.sendMessageToTarget"))["params"]["message"])
        assert message["method"] == method
        return message

    async def open_tab(self) -> None:
        """Answer `attach`."""
        assert await self.next("Setup") == (1, 1)
        assert (await self.command("Target.setPauseOnStart"))["params"] == {"pauseOnStart": True}
        self.create(1, "page-1")

    def close(self) -> None:
        self._end.close()


Pair = tuple[WebKitConnection, StandIn]


@pytest.fixture
def silent() -> Iterator[tuple[socket.socket, StandIn]]:
    """Both ends of a connection on which nothing has been said."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        ours = socket.create_connection(server.getsockname())
        theirs, _ = server.accept()
    for each in (ours, theirs):
        each.setblocking(False)
    yield ours, StandIn(theirs)
    ours.close()
    theirs.close()


@pytest.fixture
def pair(silent: tuple[socket.socket, StandIn], run: Any) -> Iterator[Pair]:
    """A connection that is open, and its browser, which has one tab."""
    connection = WebKitConnection()
    run(opened(connection, *silent))
    yield connection, silent[1]
    run(ended(connection))


async def opened(connection: WebKitConnection, ours: socket.socket, browser: StandIn) -> None:
    opening = asyncio.create_task(connection.open(ours))
    await browser.next("StartAutomationSession")
    browser.say("DidStartAutomationSession", "MiniBrowser", "2.0")
    browser.list(tab(1), AUTOMATION)
    await opening
    assert await browser.next("Setup") == (1, 2)


async def ended(connection: WebKitConnection) -> None:
    connection.close()


async def attached(pair: Pair) -> WebKitTarget:
    connection, browser = pair
    target = connection.attach(connection.tabs[0])
    await browser.open_tab()
    await target.wait_for_session(5)
    return target


async def settled(connection: WebKitConnection, browser: StandIn) -> None:
    """Wait until all that the browser has said has arrived."""
    waiting = asyncio.ensure_future(connection.automation.call("Automation.settle"))
    while "Automation.settle" not in str((parameters := (await browser.take())[1])[-1]):
        pass
    browser.answer(2, id=json.loads(parameters[2])["id"], result={})
    await waiting


# --- the wire ---


@given(st.lists(st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"))), st.data())
def test_messages_arrive_in_any_parts(texts: list[str], data: st.DataObject) -> None:
    stream = b"".join(packed("SendMessageToFrontend", 1, number, text) for number, text in enumerate(texts))
    reader, found = WireReader(), []
    while stream:
        size = data.draw(st.integers(1, max(1, len(stream))))
        found += reader.feed(stream[:size])
        stream = stream[size:]
    assert found == [("SendMessageToFrontend", (1, number, text)) for number, text in enumerate(texts)]


def test_the_other_byte_order() -> None:
    body = b"SendMessageToFrontend\0" + (1).to_bytes(8, "big") + (7).to_bytes(8, "big") + b"{}\0"
    message = len(body).to_bytes(4, "big") + b"\0" + body
    assert WireReader().feed(message) == [("SendMessageToFrontend", (1, 7, "{}"))]


def test_messages_for_others_are_passed_over() -> None:
    body = b"DidSetupInspectorClient\0\0"
    other = len(body).to_bytes(4, "big") + b"\1" + body
    assert WireReader().feed(other + packed("DidStartAutomationSession", "a", "b")) == [
        ("DidStartAutomationSession", ("a", "b"))
    ]


@pytest.mark.parametrize(
    "data",
    [
        b"HTTP/1.1 400 Bad Request\r\n",
        b"SSH-2.0-OpenSSH\r\n",
        b"\0\0\0\4\1abcd",  # no name
        b"\0\0\0\x18\1SetTargetList\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
    ],
)
def test_what_is_no_message(data: bytes) -> None:
    with pytest.raises(MalformedWire):
        WireReader().feed(data)


# --- the start ---


@pytest.mark.parametrize("words", [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\0\0\0\4\1abcd"])
async def test_a_port_that_answers_something_else(silent: tuple[socket.socket, StandIn], words: bytes) -> None:
    ours, browser = silent
    browser.write(words)
    with pytest.raises(BrowserFailed, match="no WebKit browser"):
        await WebKitConnection().open(ours)


async def test_a_browser_that_answers_nothing(silent: tuple[socket.socket, StandIn]) -> None:
    ours, _ = silent
    connection = WebKitConnection()
    with pytest.raises(BrowserFailed, match="did not open its automation session"):
        await connection.open(ours, timeout=0.05)
    connection.close()


async def test_a_browser_that_closes_the_connection(silent: tuple[socket.socket, StandIn]) -> None:
    ours, browser = silent
    browser.close()
    with pytest.raises(BrowserFailed, match="the browser has ended"):
        await WebKitConnection().open(ours)


def test_the_options_are_capabilities() -> None:
    assert AutomationOptions().capabilities() == {}
    options = AutomationOptions(accept_insecure_certificates=True, proxy="socks5://127.0.0.1:1")
    data = variant.encode("(sa{sv})", ("oryn", options.capabilities()))
    assert data.count(b"socks5://127.0.0.1:1") == 3 and data.count(b"acceptInsecureCert") == 2


# --- commands ---


async def test_answers_come_in_any_order(pair: Pair) -> None:
    connection, browser = pair
    first, second = (connection.automation.send(f"Automation.{name}") for name in ("one", "two"))
    numbers = [(await browser.command(f"Automation.{name}"))["id"] for name in ("one", "two")]
    browser.answer(2, id=numbers[1], result={"n": 2})
    browser.answer(2, id=numbers[0], error={"message": "WindowNotFound"})
    assert await second == {"n": 2}
    with pytest.raises(TabNotFound):
        await first


async def test_a_large_message(pair: Pair) -> None:
    connection, browser = pair
    answer = connection.automation.send("Automation.picture")
    number = (await browser.command("Automation.picture"))["id"]
    message = packed("SendMessageToFrontend", 1, 2, json.dumps({"id": number, "result": {"data": "x" * (8 << 20)}}))
    await asyncio.get_running_loop().run_in_executor(None, browser_sends, browser, message)
    assert len((await answer)["data"]) == 8 << 20


def browser_sends(browser: StandIn, data: bytes) -> None:
    browser._end.setblocking(True)
    browser.write(data)


async def test_half_of_a_surrogate_pair_is_sent(pair: Pair) -> None:
    connection, browser = pair
    connection.automation.send("Automation.keys", {"text": "\ud83d"})
    assert (await browser.command("Automation.keys"))["params"] == {"text": "\ud83d"}


async def test_commands_fail_when_the_connection_ends(pair: Pair) -> None:
    connection, browser = pair
    target = await attached(pair)
    waiting = [connection.automation.send("Automation.one"), target.session.send("Page.enable")]
    browser.close()
    for each in (*waiting, connection.automation.send("Automation.two"), target.session.send("Page.enable")):
        with pytest.raises(BrowserFailed, match="the browser has ended"):
            await each


@pytest.mark.parametrize(
    ("method", "message", "kind"),
    [
        ("Automation.evaluateJavaScriptFunction", "JavaScriptError;no such thing", ScriptError),
        ("Automation.performMouseInteraction", "TargetOutOfBounds", ElementNotInteractable),
        ("Automation.navigateBrowsingContext", "Timeout", Timeout),
        ("Automation.handle", "NotImplemented", NotSupported),
        ("Automation.anything", "InvalidParameter;The parameter 'x' was not found.", InternalError),
        ("Runtime.evaluate", "Missing injected script for given executionContextId", DocumentGone),
        ("DOM.resolveNode", "Missing node for given nodeId", ElementStale),
        ("DOM.getBoxModel", "'DOM.getBoxModel' was not found", NotSupported),
        ("Tracing.start", "'Tracing' domain was not found", NotSupported),
        ("Network.getResponseBody", "Missing content of resource for given requestId", BodyGone),
        ("Network.interceptContinue", "Missing pending intercept request for given requestId", RequestGone),
        ("Page.setCookie", "Invalid value for key domain in given cookie", InvalidValue),
        ("Page.setCookie", "some other failure", InternalError),
        ("Page.setCookie", "", InternalError),
    ],
)
def test_failures_are_errors(method: str, message: str, kind: type[OrynError]) -> None:
    code = -32601 if message.startswith("'") else -32000
    assert type(error_from_answer(method, {"code": code, "message": message})) is kind


# --- tabs ---


async def test_the_page_of_a_tab(pair: Pair) -> None:
    _, browser = pair
    target = await attached(pair)
    session = target.session
    seen: list[dict[str, Any]] = []
    session.on("Page.frameNavigated", seen.append)
    answer = session.send("Runtime.evaluate", {"expression": "1"})
    number = (await browser.inner_command("Runtime.evaluate"))["id"]
    browser.answer(1, id=number, result={})  # of `Target.sendMessageToTarget`
    browser.inner(1, "page-1", method="Page.frameNavigated", params={"frame": {"id": "0.1"}})
    browser.inner(1, "page-1", id=number, result={"value": 1})
    assert await answer == {"value": 1}
    assert seen == [{"frame": {"id": "0.1"}}]


async def test_a_tab_that_closes(pair: Pair) -> None:
    connection, browser = pair
    target = await attached(pair)
    answer = target.session.send("Page.enable")
    browser.list(AUTOMATION)
    with pytest.raises(TabNotFound):
        await answer
    assert isinstance(target.ended, TabNotFound)
    assert connection.tabs == []


async def test_a_tab_that_closes_before_its_inspector_opens(pair: Pair) -> None:
    connection, browser = pair
    target = connection.attach(connection.tabs[0])
    browser.list(AUTOMATION)
    with pytest.raises(TabNotFound):
        await target.wait_for_session(5)


async def test_an_inspector_that_does_not_open(pair: Pair) -> None:
    connection, _ = pair
    with pytest.raises(Timeout):
        await connection.attach(connection.tabs[0]).wait_for_session(0.05)


async def test_a_tab_that_is_left(pair: Pair) -> None:
    connection, browser = pair
    target = await attached(pair)
    connection.detach(target, TabNotFound("left"))
    with pytest.raises(TabNotFound, match="left"):
        await target.session.call("Page.enable")
    assert await browser.next("FrontendDidClose") == (1, 1)


async def test_a_hundred_tabs(pair: Pair) -> None:
    connection, browser = pair
    numbers = range(10, 110)
    browser.list(AUTOMATION, *(tab(number) for number in numbers))
    await settled(connection, browser)
    targets = [connection.attach(row) for row in connection.tabs]
    for number in reversed(numbers):
        browser.create(number, f"page-{number}")
    sessions = [await target.wait_for_session(5) for target in targets]
    assert [session.id for session in sessions] == [f"page-{number}" for number in numbers]
    answers = [session.send("Page.enable") for session in sessions]
    browser.list(AUTOMATION, *(tab(number) for number in numbers if number % 2))
    await settled(connection, browser)
    assert [answer.done() for answer in answers] == [number % 2 == 0 for number in numbers]


async def test_lists_of_other_processes_are_their_own(pair: Pair) -> None:
    connection, browser = pair
    target = await attached(pair)
    browser.list(connection=2)
    await settled(connection, browser)
    assert target.ended is None and [row.id for row in connection.tabs] == [1]


async def test_the_end_of_the_automation_session_and_the_next(pair: Pair) -> None:
    connection, browser = pair
    target = await attached(pair)
    lost = asyncio.Event()
    connection.on_automation_lost = lost.set
    former = connection.automation
    answer = former.send("Automation.one")
    await browser.command("Automation.one")
    browser.list(tab(1))
    await asyncio.wait_for(lost.wait(), 5)
    with pytest.raises(PageCrashed):
        await answer
    assert target.ended is None
    starting = asyncio.create_task(connection.start_automation())
    await browser.next("StartAutomationSession")
    browser.list(tab(1), (3, *AUTOMATION[1:]))
    await starting
    assert await browser.next("Setup") == (1, 3)
    assert connection.automation is not former
    answer = connection.automation.send("Automation.two")
    browser.answer(3, id=(await browser.command("Automation.two"))["id"], result={"n": 2})
    assert await answer == {"n": 2}


# --- pages that another process takes over ---


async def test_a_page_in_another_process(pair: Pair) -> None:
    _, browser = pair
    target = await attached(pair)
    former = target.session
    set_up: list[InnerSession] = []
    committed: list[InnerSession] = []

    def prepare(session: InnerSession) -> None:
        set_up.append(session)
        session.send("Page.enable")

    target.follow(prepare, committed.append)
    await browser.inner_command("Page.enable")
    lost = former.send("Runtime.evaluate")
    await browser.inner_command("Runtime.evaluate")
    browser.create(1, "page-2", isProvisional=True, isPaused=True)
    await browser.inner_command("Page.enable")  # before it is resumed
    assert (await browser.command("Target.resume"))["params"] == {"targetId": "page-2"}
    assert target.session is former and not lost.done()
    browser.event(1, "Target.didCommitProvisionalTarget", oldTargetId="page-1", newTargetId="page-2")
    browser.event(1, "Target.targetDestroyed", targetId="page-1")
    with pytest.raises(DocumentGone):
        await lost
    with pytest.raises(DocumentGone):
        await former.call("Runtime.evaluate")
    assert set_up == [former, target.session] and committed == [target.session]
    assert target.session.id == "page-2"
    answer = target.session.send("Runtime.evaluate")
    number = (await browser.inner_command("Runtime.evaluate"))["id"]
    browser.inner(1, "page-2", id=number, result={"value": 2})
    assert await answer == {"value": 2}


async def test_a_navigation_to_another_process_that_fails(pair: Pair) -> None:
    connection, browser = pair
    target = await attached(pair)
    former = target.session
    browser.create(1, "page-2", isProvisional=True)
    browser.event(1, "Target.targetDestroyed", targetId="page-2")
    await settled(connection, browser)
    assert target.session is former and former.ended is None


async def test_a_command_that_meets_the_exchange(pair: Pair) -> None:
    """The browser has destroyed the inner target before the command arrives: it says so, and nothing waits."""
    _, browser = pair
    target = await attached(pair)
    answer = target.session.send("Runtime.evaluate")
    number = (await browser.inner_command("Runtime.evaluate"))["id"]
    browser.answer(1, id=number, error={"code": -32000, "message": "Missing target for given targetId"})
    with pytest.raises(DocumentGone):
        await answer


async def test_a_page_whose_process_has_gone(pair: Pair) -> None:
    connection, browser = pair
    target = await attached(pair)
    answer = target.session.send("Runtime.evaluate")
    browser.event(1, "Target.targetDestroyed", targetId="page-1")
    with pytest.raises(DocumentGone):
        await answer
    browser.create(1, "page-3")
    await settled(connection, browser)
    assert target.session.id == "page-3" and target.session.ended is None
