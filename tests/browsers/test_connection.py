"""Commands, answers, events and ends, against a transport of our own; framing on a real socket."""

from __future__ import annotations

import asyncio
import gc
import json
import socket
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oryn.browsers.cdp.channel import CdpChannel
from oryn.browsers.cdp.connection import CdpConnection
from oryn.browsers.cdp.transport import PipeTransport
from oryn.browsers.common.events import Signal
from oryn.errors import BrowserFailed, DialogOpen, PageCrashed, TabNotFound, Timeout


class Wire:
    """A transport that keeps what was sent and says what a test wants."""

    def __init__(self, connection: CdpConnection) -> None:
        self.sent: list[dict[str, Any]] = []
        self.connection = connection
        self.open = True

    def send(self, message: bytes) -> None:
        self.sent.append(json.loads(message))

    def close(self) -> None:
        self.open = False

    def say(self, **message: Any) -> None:
        self.connection.receive(json.dumps(message))


@pytest.fixture
def wire():
    connection = CdpConnection()
    wire = Wire(connection)
    connection.attach(wire)
    return wire


async def test_answers_find_their_commands(wire):
    first = wire.connection.root.send("A.one", {"x": 1})
    second = wire.connection.session("S").send("B.two")
    assert wire.sent == [
        {"id": 1, "method": "A.one", "params": {"x": 1}},
        {"id": 2, "method": "B.two", "sessionId": "S"},
    ]
    wire.say(id=2, sessionId="S", result={"n": 2})
    wire.say(id=1, result={"n": 1})
    assert (await first, await second) == ({"n": 1}, {"n": 2})


async def test_events_reach_their_session_alone(wire):
    seen = []
    wire.connection.root.on("E", lambda event: seen.append(("root", event)))
    wire.connection.session("S").on("E", lambda event: seen.append(("S", event)))
    wire.say(method="E", params={"a": 1})
    wire.say(method="E", sessionId="S", params={})
    wire.say(method="E", sessionId="unknown", params={})
    wire.say(method="Other")
    assert seen == [("root", {"a": 1}), ("S", {})]


async def test_errors_are_ours(wire):
    future = wire.connection.root.send("Target.closeTarget")
    wire.say(id=1, error={"code": -32000, "message": "No target with given id found"})
    with pytest.raises(TabNotFound):
        await future


async def test_a_late_answer_is_nobodys(wire):
    with pytest.raises(Timeout):
        await wire.connection.root.call("A.slow", timeout=0.01)
    wire.say(id=1, result={})
    wire.say(id=77, result={})


async def test_the_end_of_a_session_ends_what_is_in_flight(wire):
    session = wire.connection.session("S")
    future, other = session.send("A.one"), wire.connection.root.send("A.two")
    wire.connection.end_session(session, TabNotFound("gone"))
    with pytest.raises(TabNotFound):
        await future
    with pytest.raises(TabNotFound):
        await session.call("A.three")
    assert not other.done()


async def test_the_end_of_the_connection_ends_everything():
    ends = []
    connection = CdpConnection(lambda: ends.append(True))
    connection.attach(Wire(connection))
    future = connection.session("S").send("A.one")
    connection.on_lost()
    connection.on_lost()
    assert ends == [True]
    with pytest.raises(BrowserFailed):
        await future
    with pytest.raises(BrowserFailed):
        await connection.root.call("A.two")


@pytest.mark.slow
async def test_a_failure_that_nobody_awaits_is_quiet(wire, caplog):
    gc.collect()  # what other tests have left behind may be loud
    caplog.clear()
    wire.connection.root.send("A.one")
    wire.say(id=1, error={"message": "whatever"})
    await asyncio.sleep(0)
    gc.collect()
    assert caplog.records == []


async def test_a_dialog_ends_what_the_renderer_would_answer(wire):
    channel = CdpChannel(wire.connection.session("S"))
    evaluate, navigate = channel.session.send("Runtime.evaluate"), channel.session.send("Page.navigate")
    channel.block(DialogOpen("open"))
    with pytest.raises(DialogOpen):
        await evaluate
    assert not navigate.done()
    with pytest.raises(DialogOpen):
        channel.check()
    channel.unblock()
    channel.check()
    channel.on_crashed()
    with pytest.raises(PageCrashed):
        await navigate
    with pytest.raises(PageCrashed):
        channel.check()


async def test_signals_wake_when_their_condition_holds():
    signal, state = Signal(), {"n": 0}
    waiting = asyncio.create_task(signal.until(lambda: state["n"] == 2, 5))
    for _ in range(2):
        await asyncio.sleep(0)
        assert not waiting.done()
        state["n"] += 1
        signal.notify()
    assert await waiting
    assert not await signal.until(lambda: False, 0.01)
    assert not await signal.until(lambda: False, -1)


@given(st.lists(st.binary(max_size=300).filter(lambda data: b"\0" not in data)), st.integers(1, 64))
def test_messages_survive_any_cut(messages, size):
    seen: list[bytes | str] = []
    pipe = PipeTransport(seen.append, lambda: None)
    stream = b"".join(message + b"\0" for message in messages)
    for start in range(0, len(stream), size):
        pipe.data_received(stream[start : start + size])
    assert seen == messages


@pytest.mark.skipif(sys.platform == "win32", reason="there the browser opens a port")
async def test_a_real_pipe():
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    arrived: asyncio.Queue[Any] = asyncio.Queue()
    pipe = PipeTransport(arrived.put_nowait, lambda: arrived.put_nowait(None), ours)
    await pipe.listen()
    pipe.send(b"hello")
    loop = asyncio.get_running_loop()
    assert await loop.run_in_executor(None, theirs.recv, 100) == b"hello\0"
    theirs.sendall(b"one\0two\0")
    assert [await arrived.get(), await arrived.get()] == [b"one", b"two"]
    theirs.close()
    assert await arrived.get() is None
    pipe.send(b"nobody listens")
    pipe.close()
