"""`console …` and `errors …`."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from oryn.engine import escape
from oryn.engine.answer import Answer
from oryn.engine.execute.registry import handles
from oryn.language import Console, ConsoleClear, Errors, ErrorsClear

if TYPE_CHECKING:
    from oryn.browsers.base.console import Message
    from oryn.engine.session import Session


@handles(Console)
async def console(session: Session, command: Console) -> Answer:
    found = [
        message
        for message in session.browser.console.messages()
        if (command.level is None or command.level == message.level)
        and (command.filter is None or command.filter in message.text)
    ]
    return _shown(found, command.last, levels=True)


@handles(ConsoleClear)
async def console_clear(session: Session, command: ConsoleClear) -> Answer:
    return _dropped(session.browser.console.clear_messages())


@handles(Errors)
async def errors(session: Session, command: Errors) -> Answer:
    return _shown(session.browser.console.errors(), command.last, levels=False)


@handles(ErrorsClear)
async def errors_clear(session: Session, command: ErrorsClear) -> Answer:
    return _dropped(session.browser.console.clear_errors())


def _dropped(count: int) -> Answer:
    return Answer(lines=[f"{count} dropped"], data=count)


def _shown(found: Sequence[Message], last: int | None, *, levels: bool) -> Answer:
    shown = found if last is None else found[len(found) - min(last, len(found)) :]
    answer = Answer(data=[asdict(message) for message in shown])
    if shown:
        answer.block = "\n".join(row(message, levels=levels) for message in shown)
    else:
        answer.lines = ["none"]
    if hidden := len(found) - len(shown):
        answer.notes.append(f"{hidden} earlier left out by --last")
    return answer


def row(message: Message, *, levels: bool = True) -> str:
    """`12:03:04 error app.js:12 not found`, in local time. Further lines of a message are indented, so that none of
    them can pass for a message of its own."""
    parts = [time.strftime("%H:%M:%S", time.localtime(message.time))]
    if levels:
        parts.append(message.level)
    if place := _place(message):
        parts.append(place)
    return " ".join([*parts, "\n  ".join(message.text.splitlines())])


def _place(message: Message) -> str:
    """`app.js:12`, `/:3` of a page without a file's name."""
    if not message.url:
        return ""
    path = urlsplit(escape.url(message.url)).path
    name = path.rstrip("/").rpartition("/")[2] or "/"
    return escape.shortened(name, 60) if message.line is None else f"{escape.shortened(name, 60)}:{message.line}"
