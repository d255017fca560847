"""The last messages of the DevTools protocol, both ways, in the report of a test that fails: of what happens once in a
thousand runs, nothing else is left.

A pytest plugin."""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Generator
from typing import Any

import pytest
from _pytest._code.code import ExceptionRepr

MAX_MESSAGES = 150
MAX_CHARACTERS = 320
"""Of one message: a script that Oryn adds to every document has more."""

_messages: deque[tuple[float, str, dict[str, Any]]] = deque(maxlen=MAX_MESSAGES)
_is_recording = False


def pytest_runtest_setup(item: pytest.Item) -> None:
    _messages.clear()
    if not _is_recording and item.get_closest_marker("browser") is not None:
        _record()


def _record() -> None:
    global _is_recording
    from oryn.browsers.cdp.connection import CdpConnection  # not on Pyodide

    transmit, receive_message = CdpConnection.transmit, CdpConnection.receive_message

    def transmitting(connection: CdpConnection, message: dict[str, Any]) -> None:
        _messages.append((time.monotonic(), "->", message))
        transmit(connection, message)

    def receiving(connection: CdpConnection, message: dict[str, Any]) -> None:
        _messages.append((time.monotonic(), "<-", message))
        receive_message(connection, message)

    CdpConnection.transmit, CdpConnection.receive_message = transmitting, receiving  # type: ignore[method-assign]
    _is_recording = True


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.failed and _messages and isinstance(report.longrepr, ExceptionRepr):
        # Not among the report's own sections, which are not shown of a test that runs again.
        report.longrepr.addsection("DevTools protocol", "\n".join(_line(*each) for each in _messages))
    return report


def _line(at: float, direction: str, message: dict[str, Any]) -> str:
    return f"{at:.3f} {direction} {json.dumps(message)[:MAX_CHARACTERS]}"
