"""Records the answers of servers for a test, and gives them again. Pure.

A request is matched by its method and URL, and by its body if it has one. The same request gets its answers in the
order of the recording, and then the last one again."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import urldefrag

from oryn.browsers.base.network import ExchangeWithBodies, Headers, HeldRequest, MockResponse, RequestFailure
from oryn.core.records import Record
from oryn.core.text_safety import shortened
from oryn.core.urls import origin_of
from oryn.engine.output.exchanges import as_text
from oryn.engine.recording.har import entry
from oryn.testing.har_file import EVENT_STREAM, ArchivedExchange, RecordedAnswers

Mask = Callable[[Any], Any]
"""Masks the secrets in JSON data."""

WITHHELD = "(withheld)"
MAX_URL_CHARACTERS = 300
_SECRET_FIELDS = frozenset({"cookie", "set-cookie", "authorization", "proxy-authorization"})
_SECRET_WORDS = re.compile(r"auth|api-?key|token|secret|passw|session|csrf|xsrf", re.IGNORECASE)
"""Headers of a request that may contain a secret under a name of their own."""
_NOT_REPLAYED = frozenset(
    {
        *("content-encoding", "content-length", "transfer-encoding", "connection", "set-cookie"),
        *("access-control-allow-origin", "access-control-allow-credentials"),
    }
)
"""Headers that are not true of a replayed answer. Which origin may read it is decided again, because the test may have
another base; what might not be read was recorded as a failure."""
_NEVER_AGAIN = b"\n\nretry: 2147483647\n\n"
"""Makes the page wait for weeks before it connects to an event stream again, which would repeat its events.
https://html.spec.whatwg.org/multipage/server-sent-events.html#processField"""
_ANY_BODY = "*"
"""In place of the digest of a body that the browser has not reported, such as a file's behind a redirect."""
_NOT_RECORDED = frozenset({"websocket", "preflight"})
_UNFINISHED = "net::ERR_ABORTED: the test ended before the answer"


class ArchiveScope(Record):
    """Which requests are recorded and replayed: those to other origins than the test's `base`, or all of the web."""

    base: str
    everything: bool = False

    def covers(self, url: str) -> bool:
        origin = origin_of(url)
        return origin is not None and (self.everything or origin != origin_of(self.base))


class UnmatchedRequest(Record):
    """A request that the archive has no answer for."""

    method: str
    url: str
    has_other_body: bool = False
    """Whether it has answers for other bodies."""

    @property
    def sentence(self) -> str:
        what = f"the HAR has no answer for {self.method} {shortened(self.url, MAX_URL_CHARACTERS)}"
        return f"{what} with this body" if self.has_other_body else what


class ArchiveRecorder:
    """Takes the exchanges of a session, as `browsers.base.network.ExchangeRecorder`, without secrets."""

    def __init__(self, scope: ArchiveScope, mask: Mask) -> None:
        self._scope, self._mask = scope, mask
        self._entries: list[tuple[float, int, dict[str, Any]]] = []

    def __call__(self, recorded: ExchangeWithBodies) -> None:
        exchange = recorded.exchange
        if exchange.kind not in _NOT_RECORDED and self._scope.covers(exchange.url):
            self._entries.append((exchange.started, exchange.number, self._form(entry(_completed(recorded), None))))

    def add_log(self, log: Mapping[str, Any]) -> None:
        for number, form in enumerate(log["entries"]):
            if self._scope.covers(form["request"]["url"]):
                self._entries.append((0.0, number, self._form(form)))

    def _form(self, form: dict[str, Any]) -> dict[str, Any]:
        form.pop("pageref", None)
        request, response = form["request"], form["response"]
        request["cookies"], response["cookies"] = [], []
        request["headers"] = [_without_secret(each, sent=True) for each in request["headers"]]
        response["headers"] = [_without_secret(each, sent=False) for each in response["headers"]]
        masked: dict[str, Any] = self._mask(form)
        return masked

    def entries(self) -> list[dict[str, Any]]:
        """The entries of a HAR file, in the order in which the requests were sent."""
        return [form for _, _, form in sorted(self._entries, key=lambda each: each[:2])]


def _completed(recorded: ExchangeWithBodies) -> ExchangeWithBodies:
    """The exchange as a fresh browser would have it."""
    exchange = recorded.exchange
    has_body = recorded.received is not None and recorded.received.content is not None
    if exchange.status == 304 and has_body:  # the browser has asked whether what it has is still valid
        return replace(recorded, exchange=replace(exchange, status=200, status_text="OK"))
    if exchange.seconds is None and exchange.failure is None:
        return replace(recorded, exchange=replace(exchange, failure=_UNFINISHED))
    return recorded


def _without_secret(field: Mapping[str, str], *, sent: bool) -> dict[str, str]:
    name = field["name"].lower()
    is_secret = name in _SECRET_FIELDS or (sent and _SECRET_WORDS.search(name) is not None)
    return {"name": field["name"], "value": WITHHELD if is_secret else field["value"]}


class ArchiveReplay:
    """Answers requests with what was recorded, as `browsers.base.network.Responder`."""

    def __init__(self, har: RecordedAnswers, scope: ArchiveScope, mask: Mask) -> None:
        self._scope, self._mask = scope, mask
        self._answers: dict[tuple[str, str, str], list[MockResponse | RequestFailure]] = {}
        self._places: dict[tuple[str, str, str], int] = {}
        """By what is asked for, how many answers were given."""
        self._addresses: set[tuple[str, str]] = set()
        self._unmatched: list[UnmatchedRequest] = []
        for exchange in har.exchanges:
            self._add(exchange, origin_of(har.base), origin_of(scope.base))

    def _add(self, exchange: ArchivedExchange, old: str | None, new: str | None) -> None:
        method, url = exchange.method, _moved(urldefrag(exchange.url).url, old, new)
        answer = exchange.answer
        if isinstance(answer, MockResponse):
            answer = replace(answer, fields=_replayed_fields(answer.fields, old, new))
        digest = _ANY_BODY if exchange.any_body else _digest(exchange.body)
        self._answers.setdefault((method, url, digest), []).append(answer)
        self._addresses.add((method, url))

    def covers(self, url: str) -> bool:
        return self._scope.covers(url)

    def answer(self, request: HeldRequest) -> MockResponse | RequestFailure:
        method, url = request.method, str(self._mask(urldefrag(request.url).url))
        text = as_text(request.body) if request.body is not None else None
        body = request.body if text is None else str(self._mask(text)).encode("utf-8", "surrogatepass")
        key = method, url, _digest(body)
        if key not in self._answers:
            key = method, url, _ANY_BODY
        answers = self._answers.get(key)
        if answers is None:
            self._unmatched.append(UnmatchedRequest(method, url, (method, url) in self._addresses))
            return RequestFailure("net::ERR_BLOCKED_BY_CLIENT")
        place = self._places.get(key, 0)
        self._places[key] = min(place + 1, len(answers) - 1)
        answer = answers[place]
        is_last = place == len(answers) - 1
        if is_last and isinstance(answer, MockResponse) and _is_event_stream(answer.fields):
            answer = replace(answer, body=answer.body + _NEVER_AGAIN)
        return answer

    @property
    def has_unmatched(self) -> bool:
        return bool(self._unmatched)

    def take_unmatched(self) -> list[UnmatchedRequest]:
        """The requests that were refused since the last call."""
        found, self._unmatched = list(dict.fromkeys(self._unmatched)), []
        return found


def _digest(body: bytes | None) -> str:
    """A short text that tells bodies apart; the boundary of a form's parts, which is different each time, does not
    count. https://www.rfc-editor.org/rfc/rfc2046#section-5.1.1"""
    if not body:
        return ""
    boundary = body.partition(b"\r\n")[0]
    return hashlib.sha256(body.replace(boundary, b"--") if boundary.startswith(b"--") else body).hexdigest()


def _moved(url: str, old: str | None, new: str | None) -> str:
    """A URL of the site that was recorded as one of the site that is tested."""
    if old and new and old != new and (url == old or url.startswith((f"{old}/", f"{old}?"))):
        return new + url[len(old) :]
    return url


def _replayed_fields(fields: Headers, old: str | None, new: str | None) -> Headers:
    return tuple(
        (name, _moved(value, old, new) if name.lower() == "location" else value)
        for name, value in fields
        if name.lower() not in _NOT_REPLAYED
    )


def _is_event_stream(fields: Headers) -> bool:
    return any(name.lower() == "content-type" and value.lower().startswith(EVENT_STREAM) for name, value in fields)
