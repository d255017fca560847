"""The interface of a session's network: headers, interception rules, the log of exchanges, and network conditions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from oryn.errors import NotSupported

Headers = tuple[tuple[str, str], ...]
"""Header names and values, in order; names may be repeated."""


@dataclass(frozen=True, slots=True)
class MockResponse:
    """The response of a rule, instead of the server's. `fields` are the headers, with at least a content type if there
    is a body."""

    status: int = 200
    fields: Headers = ()
    body: bytes = b""


_RULE_KINDS = {
    **{kind: kind for kind in ("document", "stylesheet", "script", "image", "font", "media")},
    **dict.fromkeys(("fetch", "xhr", "eventsource", "preflight"), "fetch"),
}
"""The kinds of rules, by kinds of requests. Browsers that hold a request of a script back do not tell how it was made.
All others are `other`."""


@dataclass(frozen=True, slots=True)
class InterceptionRule:
    """A rule for requests whose URL matches `pattern` (`core.urls.url_pattern`), and which are of `kind` unless it is
    None: `document`, `stylesheet`, `script`, `image`, `font`, `media`, `fetch` for all that scripts ask for, `other`.

    They fail (`block`), or get `reply` instead of the server's response, or their response is changed by `edit`
    (`core.json_edit`), or, with neither, are only marked in the log. This happens after `delay` seconds."""

    pattern: str
    block: bool = False
    reply: MockResponse | None = None
    kind: str | None = None
    delay: float = 0.0
    edit: Mapping[str, Any] | None = None

    @property
    def acts(self) -> bool:
        """Whether requests must be held back for it."""
        return self.block or self.reply is not None or self.edit is not None or self.delay > 0

    def is_for_kind(self, kind: str) -> bool:
        """Whether it is for requests of a kind of `Exchange.kind`."""
        return self.kind is None or self.kind == _RULE_KINDS.get(kind, "other")


@dataclass(frozen=True, slots=True)
class NetworkConditions:
    """A kind of connection: the least time to a response in seconds, and bytes per second."""

    latency: float
    download: float
    upload: float


# What Chromium's developer tools call slow 3G, fast 3G (slow 4G by its new name) and fast 4G.
# https://source.chromium.org/chromium/chromium/src/+/main:third_party/devtools-frontend/src/front_end/core/sdk/NetworkManager.ts
NETWORK_PRESETS: Mapping[str, NetworkConditions] = {
    "slow-3g": NetworkConditions(2.0, 50_000, 50_000),
    "fast-3g": NetworkConditions(0.5625, 180_000, 84_375),
    "slow-4g": NetworkConditions(0.5625, 180_000, 84_375),
    "fast-4g": NetworkConditions(0.165, 1_012_500, 168_750),
}
"""Presets of the command `throttle`."""


@dataclass(frozen=True, slots=True)
class HttpCredentials:
    """Credentials for HTTP authentication at a server or a proxy. Only servers at `origins` get them; all servers if it
    is empty."""

    user: str
    password: str = field(repr=False)
    origins: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Timings:
    """The durations of the phases of an exchange, in seconds; None if there was no such phase."""

    blocked: float | None = None
    dns: float | None = None
    connect: float | None = None
    """Includes `ssl`."""
    ssl: float | None = None
    send: float | None = None
    wait: float | None = None
    receive: float | None = None


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and its response. Each hop of a redirect is an exchange of its own."""

    number: int
    """From 1 in each session, in order of sending."""
    method: str
    url: str
    kind: str
    """`document`, `stylesheet`, `script`, `image`, `font`, `xhr`, `fetch`, `websocket`, … in lower case."""
    started: float
    """Unix time in seconds."""
    seconds: float | None = None
    """From the request to the end of the response; None while it is in flight."""
    status: int | None = None
    status_text: str = ""
    failure: str | None = None
    """Why there is no response: `net::ERR_…` and the reason in words."""
    size: int | None = None
    """Bytes received over the wire, headers included."""
    cached: bool = False
    rule: str | None = None
    """The pattern of the rule that matches."""
    unedited: str = ""
    """Why the rule could not change the response."""
    next: int | None = None
    """The number of the request that it was redirected to."""
    protocol: str = ""
    server: str = ""
    """`127.0.0.1:8000`, or empty if it is not known."""
    mime: str = ""
    request_fields: Headers = ()
    response_fields: Headers = ()
    phases: Timings = field(default_factory=Timings)
    document: str | None = None
    """A token of the top document that it belongs to, also for the request that loaded that document."""
    messages_sent: int = 0
    messages_received: int = 0
    """How many messages a web socket has sent and received; server-sent events are received."""


@dataclass(frozen=True, slots=True)
class StreamMessage:
    """A message of a web socket, or a server-sent event. https://html.spec.whatwg.org/multipage/server-sent-events.html"""

    request: int
    """The number of its exchange."""
    number: int
    """From 1 in its exchange."""
    time: float
    """Unix time in seconds."""
    sent: bool
    """Whether the page has sent it."""
    content: str | bytes
    """Bytes if it is binary. Of a long message only the beginning, at least 3,000 bytes."""
    size: int
    """Bytes of the whole content."""
    event: str = ""
    """The type of a server-sent event: `message` if the server names none."""
    event_id: str = ""


@dataclass(frozen=True, slots=True)
class Body:
    """The body of a request or a response. Without `content`, `missing` says why."""

    content: bytes | None
    missing: str = ""


@dataclass(frozen=True, slots=True)
class ExchangeWithBodies:
    """An exchange with the bodies sent and received; None if there is no body."""

    exchange: Exchange
    sent: Body | None = None
    received: Body | None = None


@dataclass(frozen=True, slots=True)
class HeldRequest:
    """A request that is held back until it is decided on. `body` is None if it has none; it may lack the files of a
    form, which browsers do not report."""

    method: str
    url: str
    body: bytes | None = None


@dataclass(frozen=True, slots=True)
class RequestFailure:
    """A request fails. `error` is `net::ERR_…`; None if it stays without an answer until the page gives it up."""

    error: str | None


class Responder(Protocol):
    """Answers requests in the place of servers (`Network.answer_by`)."""

    def covers(self, url: str) -> bool:
        """Whether requests to a URL are answered here and never reach a server. Their preflights are allowed."""

    def answer(self, request: HeldRequest) -> MockResponse | RequestFailure:
        """Return what a request gets. It is called once for each request that is sent, in order."""


class ExchangeRecorder(Protocol):
    """Takes what `Network.record` records."""

    def __call__(self, exchange: ExchangeWithBodies, /) -> None:
        """Takes an exchange that has ended."""

    def add_log(self, log: Mapping[str, Any]) -> None:
        """Takes the log of a HAR file that the backend has recorded by itself, instead of exchanges.
        http://www.softwareishard.com/blog/har-12-spec/#log"""


class Network:
    """One session's network. Settings apply to every tab, until they are changed."""

    # --- extra headers ---

    @property
    def headers(self) -> Mapping[str, Mapping[str, str]]:
        """Extra headers by domain; those under the empty domain are for every request."""
        raise NotSupported

    async def set_headers(self, headers: Mapping[str, str], domain: str = "") -> None:
        """Send `headers` with every request, or with those to `domain` and its subdomains. They replace earlier ones
        for the domain; an empty mapping removes them."""
        raise NotSupported

    # --- rules ---

    @property
    def rules(self) -> Sequence[InterceptionRule]:
        """The rules in order; the last one that matches a request applies."""
        raise NotSupported

    async def add_rule(self, rule: InterceptionRule) -> None:
        """Add a rule, which replaces one with the same pattern and kind. Raises `NotSupported` if the browser can't do
        what it says."""
        raise NotSupported

    async def remove_rules(self, pattern: str | None = None) -> int:
        """Remove all rules, or those with this pattern; how many there were."""
        raise NotSupported

    async def answer_by(self, responder: Responder | None) -> None:
        """Let `responder` answer the requests that it covers, unless a rule blocks or answers them. None lets them go
        to their servers again. Raises `NotSupported` if the browser can't hold each request back."""
        raise NotSupported

    # --- the log ---

    def exchanges(self) -> list[Exchange]:
        """The latest exchanges (a thousand at least), oldest first."""
        raise NotSupported

    def messages(self, number: int | None = None) -> list[StreamMessage]:
        """The latest messages of web sockets and server-sent events, oldest first: of the exchange with this number, a
        hundred at least if their content is short, or of all exchanges."""
        raise NotSupported

    @property
    def silent_kinds(self) -> frozenset[str]:
        """The kinds of exchanges whose messages the browser does not report, such as `eventsource`."""
        return frozenset()

    async def exchange_with_bodies(self, number: int, *, timeout: float = 30) -> ExchangeWithBodies | None:
        """An exchange with its bodies, or None if there is none with this number."""
        raise NotSupported

    @property
    def recorder(self) -> ExchangeRecorder | None:
        """The callback that gets each finished exchange with its bodies, or None."""
        raise NotSupported

    async def record(self, recorder: ExchangeRecorder | None, *, timeout: float = 30) -> None:
        """Call `recorder` with each exchange that begins from now on, once it has ended. None ends this: the earlier
        recorder gets the unfinished exchanges in their present state, or all of them as one log. Raises `BrowserFailed`
        if they are lost with the browser."""
        raise NotSupported

    # --- network conditions ---

    @property
    def offline(self) -> bool:
        """Whether the session is offline."""
        raise NotSupported

    async def set_offline(self, offline: bool) -> None:
        """Go offline, or online again."""
        raise NotSupported

    async def throttle(self, speed: NetworkConditions | None) -> None:
        """Limit the connection to `speed`; None removes the limit."""
        raise NotSupported

    async def set_credentials(self, login: HttpCredentials | None) -> None:
        """Use `login` for HTTP authentication from now on; None for no credentials."""
        raise NotSupported

    async def copy_from(self, other: Network) -> None:
        """Copy the headers, rules, credentials and offline state of `other`, which belongs to a browser of the same
        kind."""
        raise NotSupported
