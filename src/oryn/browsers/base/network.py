"""What a session's network must offer: what it sends, what it is answered, and the log of it all."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from oryn.errors import NotSupported

Fields = tuple[tuple[str, str], ...]
"""Header names and values, in order; a name may come twice."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a rule answers with in the place of the server. `fields` have at least a content type where there is a
    body."""

    status: int = 200
    fields: Fields = ()
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class Rule:
    """What happens to requests whose URL fits `pattern` (`patterns.url_pattern`): they fail (`block`), or get `reply`
    instead of the server's answer, or, with neither, are only marked in the log."""

    pattern: str
    block: bool = False
    reply: Reply | None = None


@dataclass(frozen=True, slots=True)
class Speed:
    """A kind of connection: the least time to an answer in seconds, and bytes a second."""

    latency: float
    download: float
    upload: float


# What Chromium's developer tools call slow 3G, fast 3G (slow 4G by its new name) and fast 4G.
# https://source.chromium.org/chromium/chromium/src/+/main:third_party/devtools-frontend/src/front_end/core/sdk/NetworkManager.ts
SPEEDS: Mapping[str, Speed] = {
    "slow-3g": Speed(2.0, 50_000, 50_000),
    "fast-3g": Speed(0.5625, 180_000, 84_375),
    "slow-4g": Speed(0.5625, 180_000, 84_375),
    "fast-4g": Speed(0.165, 1_012_500, 168_750),
}
"""The connections that `throttle` knows by name."""


@dataclass(frozen=True, slots=True)
class Login:
    """Who to be when a server or a proxy asks (HTTP authentication). `origins` are the only servers that get it; none
    means all."""

    user: str
    password: str = field(repr=False)
    origins: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Phases:
    """How long the parts of an exchange took, in seconds; None where there was no such part."""

    blocked: float | None = None
    dns: float | None = None
    connect: float | None = None
    """With `ssl`."""
    ssl: float | None = None
    send: float | None = None
    wait: float | None = None
    receive: float | None = None


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and what became of it. Each hop of a redirect is one of its own."""

    number: int
    """From 1 in each session, in the order in which they were sent."""
    method: str
    url: str
    kind: str
    """`document`, `stylesheet`, `script`, `image`, `font`, `xhr`, `fetch`, `websocket`, … in lower case."""
    started: float
    """Unix time in seconds."""
    seconds: float | None = None
    """From the request to the end of the answer; None while it is under way."""
    status: int | None = None
    status_text: str = ""
    failure: str | None = None
    """Why there is no answer: `net::ERR_…` and the reason in words."""
    size: int | None = None
    """Bytes that came over the wire, headers included."""
    cached: bool = False
    rule: str | None = None
    """The pattern of the rule that it fits."""
    next: int | None = None
    """The number of the request that it was redirected to."""
    protocol: str = ""
    server: str = ""
    """`127.0.0.1:8000`, or empty where it is not known."""
    mime: str = ""
    request_fields: Fields = ()
    response_fields: Fields = ()
    phases: Phases = field(default_factory=Phases)
    document: str | None = None
    """A token of the top document that it belongs to, the same for the request that brought that document."""


@dataclass(frozen=True, slots=True)
class Body:
    """What a request or an answer carried. Without `content`, `missing` says why."""

    content: bytes | None
    missing: str = ""


@dataclass(frozen=True, slots=True)
class Transcript:
    """An exchange with its bodies; None where there is none."""

    exchange: Exchange
    sent: Body | None = None
    received: Body | None = None


class Network:
    """One session's network. What it is told holds for every tab, and until it is told otherwise."""

    # --- extra headers ---

    @property
    def headers(self) -> Mapping[str, Mapping[str, str]]:
        """Extra headers by domain; those of every request under the empty one."""
        raise NotSupported

    async def set_headers(self, headers: Mapping[str, str], domain: str = "") -> None:
        """Send `headers` with every request, or with those to `domain` and the domains below it. They take the place of
        those that were set there before; none at all ends it."""
        raise NotSupported

    # --- rules ---

    @property
    def rules(self) -> Sequence[Rule]:
        """The last one that fits a request holds."""
        raise NotSupported

    async def add_rule(self, rule: Rule) -> None:
        """A rule with the same pattern goes."""
        raise NotSupported

    async def drop_rules(self, pattern: str | None = None) -> int:
        """Drop all rules, or the one with this pattern. How many there were."""
        raise NotSupported

    # --- the log ---

    def exchanges(self) -> list[Exchange]:
        """The latest exchanges (a thousand at least), oldest first."""
        raise NotSupported

    async def transcript(self, number: int, *, timeout: float = 30) -> Transcript | None:
        """One of them with its bodies, or None when there is no such number."""
        raise NotSupported

    @property
    def recorder(self) -> Callable[[Transcript], None] | None:
        """Who gets each exchange that has ended, with its bodies, or None."""
        raise NotSupported

    async def record(self, recorder: Callable[[Transcript], None] | None, *, timeout: float = 30) -> None:
        """Tell `recorder` of each exchange that begins from now on, once it has ended. With None, tell the one before
        of those that are still under way, as far as they have come, and then no more."""
        raise NotSupported

    # --- what the network is like ---

    @property
    def offline(self) -> bool:
        raise NotSupported

    async def set_offline(self, offline: bool) -> None:
        raise NotSupported

    async def throttle(self, speed: Speed | None) -> None:
        """None is full speed."""
        raise NotSupported

    async def set_login(self, login: Login | None) -> None:
        """Answer servers that ask for HTTP authentication with `login`, or no more."""
        raise NotSupported

    async def take_over(self, other: Network) -> None:
        """Have the headers, rules and login that `other`, of a browser of the same kind, has now, and be offline if it
        is."""
        raise NotSupported
