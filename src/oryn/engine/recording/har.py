"""Records network traffic as a HAR file. http://www.softwareishard.com/blog/har-12-spec/

Entries are written to an unnamed temporary file at once. So a recording may be larger than memory, and nothing of it is
left if the session ends before it is written."""

from __future__ import annotations

import base64
import json
import tempfile
import weakref
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, BinaryIO
from urllib.parse import parse_qsl, urlsplit

from oryn import __version__
from oryn.browsers.base.network import Body, Exchange, ExchangeWithBodies, Headers, Timings
from oryn.engine.output.exchanges import as_text

_CHUNK_BYTES = 1 << 20


class HarRecorder:
    """A recording in progress; `path` is its destination. Call it with each completed exchange. `mask` is applied to
    each entry before it is written."""

    def __init__(self, path: str | None = None, mask: Callable[[Any], Any] = lambda data: data) -> None:
        self.path = path
        self._mask = mask
        self.count = 0
        self._pages: dict[str, dict[str, Any]] = {}
        # The file is in memory while it is small, and unnamed on disk otherwise.
        self._entries = tempfile.SpooledTemporaryFile(max_size=_CHUNK_BYTES)
        self.close = weakref.finalize(self, self._entries.close)
        """Discards the recording; also called when the recorder is garbage-collected."""

    def __call__(self, transcript: ExchangeWithBodies) -> None:
        self._write(entry(transcript, self._page(transcript.exchange)))

    def add_log(self, log: Mapping[str, Any]) -> None:
        for page in log.get("pages", ()):
            self._pages[page["id"]] = self._mask(page)
        for form in log["entries"]:
            self._write(form)

    def _write(self, form: dict[str, Any]) -> None:
        masked = json.dumps(self._mask(form), ensure_ascii=True).encode()
        self._entries.write((b",\n" if self.count else b"") + masked)
        self.count += 1

    def _page(self, exchange: Exchange) -> str | None:
        """Return the page's id for an exchange's document, and create the page on first use."""
        if exchange.document is None:
            return None
        page = self._pages.get(exchange.document)
        if page is None:
            page = self._pages[exchange.document] = {
                "startedDateTime": iso_time(exchange.started),
                "id": f"page_{len(self._pages) + 1}",
                "title": self._mask(exchange.url),
                "pageTimings": {"onContentLoad": -1, "onLoad": -1},
            }
        identity: str = page["id"]
        return identity

    def write(self, file: BinaryIO, browser: str) -> None:
        """Write the whole file. `browser` is its name and version, `Chrome/156.0.1`."""
        name, _, version = browser.partition("/")
        head = {
            "version": "1.2",
            "creator": {"name": "Oryn", "version": __version__},
            "browser": {"name": name, "version": version},
            "pages": list(self._pages.values()),
        }
        file.write(b'{"log": ' + json.dumps(head).encode()[:-1] + b', "entries": [\n')
        self._entries.seek(0)
        while part := self._entries.read(_CHUNK_BYTES):
            file.write(part)
        file.write(b"\n]}}\n")


def entry(transcript: ExchangeWithBodies, page: str | None) -> dict[str, Any]:
    """Return one entry of the log. Pure."""
    exchange = transcript.exchange
    form: dict[str, Any] = {"pageref": page} if page else {}
    timings = dict(_timings(exchange.phases, exchange.seconds or 0.0))
    form |= {
        "startedDateTime": iso_time(exchange.started),
        "time": round(sum(value for name, value in timings.items() if value >= 0 and name != "ssl"), 3),
        "request": _request(exchange, transcript.sent),
        "response": _response(exchange, transcript.received),
        "cache": {},
        "timings": timings,
    }
    if exchange.server:
        host, _, port = exchange.server.rpartition(":")
        form |= {"serverIPAddress": host.strip("[]"), "connection": port}
    if exchange.failure:
        form["comment"] = exchange.failure
    return form


def iso_time(seconds: float) -> str:
    """Format Unix time as ISO 8601 with milliseconds and zone."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")


def _request(exchange: Exchange, sent: Body | None) -> dict[str, Any]:
    form: dict[str, Any] = {
        "method": exchange.method,
        "url": exchange.url,
        "httpVersion": _version(exchange.protocol),
        "cookies": list(_cookies_sent(exchange.request_fields)),
        "headers": _pairs(exchange.request_fields),
        "queryString": [
            {"name": name, "value": value}
            for name, value in parse_qsl(urlsplit(exchange.url).query, keep_blank_values=True)
        ],
        "headersSize": -1,
        "bodySize": len(sent.content) if sent and sent.content is not None else 0 if sent is None else -1,
    }
    if sent is not None:
        content = sent.content or b""
        text = as_text(content)
        posted: dict[str, Any] = {
            "mimeType": _header(exchange.request_fields, "content-type"),
            "params": [],
            "text": text,
        }
        if text is None:
            posted |= {"text": base64.b64encode(content).decode(), "comment": "base64"}
        form["postData"] = posted
    return form


def _response(exchange: Exchange, received: Body | None) -> dict[str, Any]:
    return {
        "status": exchange.status or 0,
        "statusText": exchange.status_text,
        "httpVersion": _version(exchange.protocol),
        "cookies": list(_cookies_set(exchange.response_fields)),
        "headers": _pairs(exchange.response_fields),
        "content": _content(exchange, received),
        "redirectURL": _header(exchange.response_fields, "location"),
        "headersSize": -1,
        "bodySize": -1,
    }


def _content(exchange: Exchange, received: Body | None) -> dict[str, Any]:
    content = received.content if received else None
    form: dict[str, Any] = {"size": len(content or b""), "mimeType": exchange.mime or "x-unknown"}
    if content is None:
        return form if received is None else form | {"comment": received.missing}
    text = as_text(content)
    if text is None:
        return form | {"text": base64.b64encode(content).decode(), "encoding": "base64"}
    return form | {"text": text}


def _timings(phases: Timings, seconds: float) -> Iterator[tuple[str, float]]:
    """Yield the duration of each phase in milliseconds; -1 if there was no such phase. Without phases, all of the time
    counts as waiting."""
    for name in ("blocked", "dns", "connect", "ssl"):
        yield name, _milliseconds(getattr(phases, name), -1)
    yield "send", _milliseconds(phases.send, 0)
    yield "wait", _milliseconds(seconds if phases.wait is None else phases.wait, 0)
    yield "receive", _milliseconds(phases.receive, 0)


def _milliseconds(seconds: float | None, absent: float) -> float:
    return absent if seconds is None else round(seconds * 1000, 3)


def _version(protocol: str) -> str:
    return {"h2": "HTTP/2.0", "h3": "HTTP/3.0", "": "unknown"}.get(protocol, protocol.upper())


def _pairs(fields: Headers) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in fields]


def _header(fields: Headers, wanted: str) -> str:
    return next((value for name, value in fields if name.lower() == wanted), "")


def _cookies_sent(fields: Headers) -> Iterator[dict[str, str]]:
    for part in filter(None, (part.strip() for part in _header(fields, "cookie").split(";"))):
        name, _, value = part.partition("=")
        yield {"name": name, "value": value}


def _cookies_set(fields: Headers) -> Iterator[dict[str, Any]]:
    for header, text in fields:
        if header.lower() != "set-cookie":
            continue
        first, *attributes = text.split(";")
        name, _, value = first.strip().partition("=")
        cookie: dict[str, Any] = {"name": name, "value": value}
        for attribute in attributes:
            key, _, said = attribute.strip().partition("=")
            match key.lower():
                case "path" | "domain":
                    cookie[key.lower()] = said
                case "secure":
                    cookie["secure"] = True
                case "httponly":
                    cookie["httpOnly"] = True
        yield cookie
