"""Renders HTTP requests, their responses, and the messages of web sockets and server-sent events as text and as JSON
data. Pure."""

from __future__ import annotations

import base64
import time
from collections.abc import Sequence
from typing import Any

from oryn.browsers.base.network import Body, Exchange, ExchangeWithBodies, Headers, StreamMessage
from oryn.core import text_safety

DEFAULT_LAST_MESSAGES = 20
"""The number of messages that are listed."""
ROW_CHARACTERS = 200
"""Characters of a message in a list of several requests."""
DATA_CHARACTERS = 4000
"""Characters of a message elsewhere. Fewer than are stored: a secret in the text that is masked is there as a whole, or
behind the end."""


def row(exchange: Exchange) -> str:
    """Render an exchange on one line: `[12] POST 200 fetch 34 ms 1.2 kB "https://a.org/api"`."""
    parts = [
        f"[{exchange.number}]",
        text_safety.plain(exchange.method),
        _outcome(exchange),
        text_safety.plain(exchange.kind),
    ]
    if (seconds := exchange.seconds) is not None:
        parts.append(f"{seconds * 1000:.0f} ms" if seconds < 10 else f"{seconds:.1f} s")
    if exchange.size is not None:
        parts.append(size_text(exchange.size))
    parts.append(f'"{text_safety.url(exchange.url)}"')
    if exchange.next is not None:
        parts.append(f"→ [{exchange.next}]")
    marks = ["cached"] if exchange.cached else []
    counts = ((exchange.messages_sent, "sent"), (exchange.messages_received, "received"))
    marks += [f"{count:,} {word}" for count, word in counts if count]
    if exchange.rule is not None:
        marks.append(f"intercept {text_safety.quoted(exchange.rule)}")
    if exchange.unedited:
        marks.append(f"not changed: {text_safety.plain(exchange.unedited)}")
    if marks:
        parts.append("{" + ", ".join(marks) + "}")
    text = " ".join(parts)
    return f"{text}: {text_safety.plain(exchange.failure)}" if exchange.failure else text


def _outcome(exchange: Exchange) -> str:
    if exchange.failure is not None:
        return "failed"
    return "pending" if exchange.status is None else str(exchange.status)


def size_text(size: float) -> str:
    """Format a size in bytes: `512 B`, `1.2 kB`, `3.4 MB`."""
    if size < 1000:
        return f"{size:.0f} B"
    return f"{size / 1000:.1f} kB" if size < 999_950 else f"{size / 1_000_000:.1f} MB"


def page_text(transcript: ExchangeWithBodies) -> str:
    """Render the request and the response as on the wire; bodies that are text as text."""
    exchange = transcript.exchange
    parts = [_message(f"{exchange.method} {exchange.url}", exchange.request_fields, transcript.sent)]
    if exchange.status is not None:
        head = f"{exchange.status} {exchange.status_text}".rstrip()
        parts.append(_message(head, exchange.response_fields, transcript.received))
    return "\n\n".join(parts)


def _message(head: str, fields: Headers, body: Body | None) -> str:
    lines = [head, *(f"{name}: {value}" for name, value in fields)]
    if body is not None and body.content:
        text = as_text(body.content)
        lines += ["", f"({len(body.content)} bytes that are no text)" if text is None else text]
    return "\n".join(lines)


def notes(transcript: ExchangeWithBodies) -> list[str]:
    """Return the reasons why bodies are missing."""
    bodies = (("the request's body", transcript.sent), ("the answer's body", transcript.received))
    return [f"{what} is not shown: {body.missing}" for what, body in bodies if body is not None and body.missing]


def as_text(content: bytes) -> str | None:
    """Decode UTF-8; None if the content is not text."""
    if b"\0" in content:
        return None
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return None


def summary(exchange: Exchange) -> dict[str, Any]:
    """Return an exchange without headers and bodies as JSON data."""
    return {
        "number": exchange.number,
        "method": exchange.method,
        "url": exchange.url,
        "type": exchange.kind,
        "status": exchange.status,
        "failure": exchange.failure,
        "seconds": None if exchange.seconds is None else round(exchange.seconds, 4),
        "size": exchange.size,
        "cached": exchange.cached,
        "rule": exchange.rule,
        "redirected_to": exchange.next,
        "started": exchange.started,
        "message_count": exchange.messages_sent + exchange.messages_received,
    }


def whole(transcript: ExchangeWithBodies) -> dict[str, Any]:
    """Return one exchange as JSON data; bodies are text, or else base64."""
    exchange = transcript.exchange
    return {
        **summary(exchange),
        "request": {"headers": _pairs(exchange.request_fields), "body": _body(transcript.sent)},
        "response": {
            "status_text": exchange.status_text,
            "headers": _pairs(exchange.response_fields),
            "body": _body(transcript.received),
        },
    }


def _pairs(fields: Headers) -> list[list[str]]:
    return [[name, value] for name, value in fields]


def _body(body: Body | None) -> dict[str, Any] | None:
    if body is None:
        return None
    if body.content is None:
        return {"missing": body.missing}
    text = as_text(body.content)
    return {"base64": base64.b64encode(body.content).decode()} if text is None else {"text": text}


# --- messages ---


def message_row(message: StreamMessage, limit: int = ROW_CHARACTERS, *, numbered: bool = True) -> str:
    """Render a message in local time: `[7] ← 12:03:04 {"price": 12}`. `numbered` says of which request it is. Further
    lines of a message are indented, so that none looks like another message."""
    parts = [f"[{message.request}]"] if numbered else []
    parts += ["→" if message.sent else "←", time.strftime("%H:%M:%S", time.localtime(message.time))]
    if message.event not in ("", "message"):
        parts.append(f"{message.event}:")
    return " ".join([*parts, _message_text(message, limit)])


def _message_text(message: StreamMessage, limit: int) -> str:
    if isinstance(message.content, bytes):
        return f"({message.size} bytes that are no text)"
    text = "\n  ".join(text_safety.shortened(message.content, limit).splitlines())
    return f"{text} ({size_text(message.size)})" if len(message.content) > limit else text


def with_messages(row: dict[str, Any], messages: Sequence[StreamMessage]) -> dict[str, Any]:
    """Return a request's JSON data with those of the messages that are its own."""
    return {**row, "messages": [message_data(each) for each in messages if each.request == row["number"]]}


def message_data(message: StreamMessage) -> dict[str, Any]:
    """Return a message as JSON data, of a long one the beginning."""
    content = message.content
    return {
        "request": message.request,
        "number": message.number,
        "time": message.time,
        "sent": message.sent,
        "size": message.size,
        "body": {"base64": base64.b64encode(content).decode()}
        if isinstance(content, bytes)
        else {"text": text_safety.shortened(content, DATA_CHARACTERS)},
        "event": message.event,
        "event_id": message.event_id,
    }
