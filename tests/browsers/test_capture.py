"""What is kept of a console, from events alone: no browser."""

from __future__ import annotations

from typing import Any

import pytest

from oryn.browsers.cdp.console import ConsoleRecorder
from oryn.browsers.cdp.console_messages import to_message
from oryn.browsers.common.console_events import MAX_BYTES, MAX_EVENTS, RingBuffer


class FakeSession:
    """Hands events to those that listen."""

    def __init__(self) -> None:
        self.handlers: dict[str, Any] = {}

    def on(self, event: str, handler: Any) -> None:
        self.handlers[event] = handler

    def send(self, method: str) -> None:
        assert method == "Log.enable"

    def log(self, moment: float, kind: str = "log") -> None:
        arguments = [{"type": "string", "value": f"at {moment}"}]
        self.handlers["Runtime.consoleAPICalled"]({"type": kind, "args": arguments, "timestamp": moment})


class FakePage:
    def __init__(self, session: FakeSession, target_id: str = "tab") -> None:
        self.target_id = target_id
        self.channel = type("Channel", (), {"session": session})()


@pytest.fixture
def capture():
    return ConsoleRecorder()


def connect(capture, target_id="tab"):
    session = FakeSession()
    page = FakePage(session, target_id)
    capture.attach(page, session)
    return page, session


def texts(capture):
    return [to_message(source, event).text for source, event in capture.messages.events()]


def test_a_new_conversation_is_not_told_the_old_messages_again(capture):
    _, session = connect(capture)
    session.log(1.0)
    session.log(2.0)
    _, again = connect(capture)
    for moment in (1.0, 2.0, 3.0):
        again.log(moment)
    assert texts(capture) == ["at 1.0", "at 2.0", "at 3.0"]


def test_tabs_have_times_of_their_own(capture):
    _, late = connect(capture, "late")
    late.log(9.0)
    _, early = connect(capture, "early")
    early.log(1.0)
    assert texts(capture) == ["at 9.0", "at 1.0"]


def test_a_tab_that_has_closed_is_forgotten(capture):
    page, session = connect(capture)
    session.log(1.0)
    capture.detach(page, session)
    assert capture._newest == {} and texts(capture) == ["at 1.0"]


def test_a_ring_is_bounded_in_number_and_weight():
    ring = RingBuffer()
    for number in range(MAX_EVENTS + 1):
        ring.add("console", {"n": number}, 1)
    assert len(ring.events()) == MAX_EVENTS and ring.events()[0] == ("console", {"n": 1})
    ring.add("console", {"n": "heavy"}, MAX_BYTES - 10)
    assert len(ring.events()) == 11
    ring.add("console", {"n": "heavier"}, 2 * MAX_BYTES)
    assert ring.events() == [("console", {"n": "heavier"})]
    assert (ring.clear(), ring.events()) == (1, [])
