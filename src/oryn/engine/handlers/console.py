"""`console …` and `errors …`."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from oryn.core import text_safety
from oryn.engine.handlers.registry import handles
from oryn.engine.output.answer import Answer
from oryn.language import Console, ConsoleClear, Errors, ErrorsClear

if TYPE_CHECKING:
    from oryn.browsers.base.console import ConsoleMessage
    from oryn.engine.page.context import PageContext


@handles(Console)
async def console(context: PageContext, command: Console) -> Answer:
    found = [
        message
        for message in context.browser.console.messages()
        if (command.level is None or command.level == message.level)
        and (command.filter is None or command.filter in message.text)
    ]
    return _list_messages(found, command.last, levels=True)


@handles(ConsoleClear)
async def console_clear(context: PageContext, command: ConsoleClear) -> Answer:
    return _dropped(context.browser.console.clear_messages())


@handles(Errors)
async def errors(context: PageContext, command: Errors) -> Answer:
    return _list_messages(context.browser.console.errors(), command.last, levels=False)


@handles(ErrorsClear)
async def errors_clear(context: PageContext, command: ErrorsClear) -> Answer:
    return _dropped(context.browser.console.clear_errors())


def _dropped(count: int) -> Answer:
    return Answer(lines=[f"{count} dropped"], data=count)


def _list_messages(found: Sequence[ConsoleMessage], last: int | None, *, levels: bool) -> Answer:
    listed = found if last is None else found[len(found) - min(last, len(found)) :]
    answer = Answer(data=[asdict(message) for message in listed])
    if listed:
        answer.block = "\n".join(message_line(message, levels=levels) for message in listed)
    else:
        answer.lines = ["none"]
    if hidden := len(found) - len(listed):
        answer.notes.append(f"{hidden} earlier left out by --last")
    return answer


def message_line(message: ConsoleMessage, *, levels: bool = True) -> str:
    """Render a message in local time: `12:03:04 error app.js:12 not found`. Further lines of a message are indented, so
    that none of them looks like another message."""
    parts = [time.strftime("%H:%M:%S", time.localtime(message.time))]
    if levels:
        parts.append(message.level)
    if place := _place(message):
        parts.append(place)
    return " ".join([*parts, "\n  ".join(message.text.splitlines())])


def _place(message: ConsoleMessage) -> str:
    """Return the source position: `app.js:12`, or `/:3` if the URL has no file name."""
    if not message.url:
        return ""
    path = urlsplit(text_safety.url(message.url)).path
    name = path.rstrip("/").rpartition("/")[2] or "/"
    return (
        text_safety.shortened(name, 60) if message.line is None else f"{text_safety.shortened(name, 60)}:{message.line}"
    )
