"""URLs: which hosts a session may use, the origin of a page, patterns of URLs, and the address of a browser that is
already running.

A domain rule is a host (`example.org`, `127.0.0.1`, `[::1]`), which matches that host alone, or `*.example.org`, which
matches it and every host below it. With a port (`localhost:3000`) it matches that port alone. The browser's own URL
parser decides what a URL's host is: the URLs checked here are those that the browser is about to request.
https://url.spec.whatwg.org/#host-parsing

The address of a browser may start with `ws://` or `wss://`. It is the DevTools endpoint itself then, whose user, path
or query may contain an API key. If it starts with `http://` or `https://`, it is that of a browser's port, which
reports its endpoint at `/json/version`. https://chromedevtools.github.io/devtools-protocol/#endpoints"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from ipaddress import ip_address
from typing import Literal
from urllib.parse import SplitResult, urlsplit, urlunsplit

from oryn.core.records import Record
from oryn.errors import InvalidValue

Limit = Literal["allowed_domains", "denied_domains", "files_root"]
"""The setting that forbids a request."""

_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443, "ftp": 21}
_WEB_SCHEMES = ("http", "https")
# Schemes of content that the browser has already. The requests of a `data:` page are checked like any other page's.
_LOCAL = frozenset({"about", "blob", "chrome-error", "chrome-extension", "data"})
_WRAPPER_SCHEMES = ("view-source:", "filesystem:")
"""Schemes whose URL contains another one."""
# Characters that a URL parser removes: https://url.spec.whatwg.org/#concept-basic-url-parser
_STRIPPED = "".join(map(chr, range(0x21)))
_REMOVED = str.maketrans("", "", "\t\n\r")

_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?")
_HOST_AND_PORT = re.compile(r"(\[[^\]]*\]|[^:\[\]]+):([0-9]{1,5})")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
# Python's IDNA 2003 maps these to other names than browsers do (UTS #46, non-transitional).
_DEVIATING = frozenset("ßς\u200c\u200d")

_REASONS: Mapping[Limit, str] = {
    "allowed_domains": "is not in allowed_domains",
    "denied_domains": "is in denied_domains",
    "files_root": "is outside the allowed folders",
}


class DomainRefusal(Record):
    """Why a request is not allowed.

    `what`: the host, or the scheme of a URL without one (`file:`); for a file, its URL. `limit`: the setting."""

    what: str
    limit: Limit

    def __str__(self) -> str:
        return f"{self.what} {_REASONS[self.limit]}"


class DomainRule(Record):
    """One rule of `allowed_domains` or `denied_domains`.

    `host`: lower case, punycode, without a final dot or brackets. `below`: also matches every subdomain. `port`: the
    only port that matches, or None for all."""

    host: str
    below: bool = False
    port: int | None = None

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'*.' if self.below else ''}{host}{'' if self.port is None else f':{self.port}'}"

    def matches(self, host: str, port: int | None) -> bool:
        if self.port is not None and self.port != port:
            return False
        return host == self.host or (self.below and host.endswith(f".{self.host}"))

    def common(self, other: DomainRule) -> DomainRule | None:
        """The rule for what both match; None if that is nothing."""
        for narrow, wide in ((self, other), (other, self)):
            if wide.matches(narrow.host, wide.port) and (wide.below or not narrow.below):
                break
        else:
            return None
        if None not in (self.port, other.port) and self.port != other.port:
            return None
        return DomainRule(narrow.host, narrow.below, other.port if self.port is None else self.port)


class DomainPolicy(Record):
    """The hosts that a session may send requests to.

    `allowed`: the only hosts, or None for all. `denied`: hosts that are excluded, even if allowed."""

    allowed: tuple[DomainRule, ...] | None = None
    denied: tuple[DomainRule, ...] = ()

    @classmethod
    def of(cls, allowed: Iterable[str] | None, denied: Iterable[str] | None) -> DomainPolicy:
        """Return the policy for rules as text. Raises `ValueError` if a rule is invalid."""
        return cls(
            None if allowed is None else tuple(map(parse_domain_rule, allowed)),
            tuple(map(parse_domain_rule, denied or ())),
        )

    def __bool__(self) -> bool:
        return self.allowed is not None or bool(self.denied)

    def refusal(self, url: str) -> DomainRefusal | None:
        """Return why requests to `url` are not allowed, or None if they are."""
        url = url.strip(_STRIPPED).translate(_REMOVED)
        for around in _WRAPPER_SCHEMES:
            if url[: len(around)].lower() == around:
                return self.refusal(url[len(around) :])
        scheme = url.partition(":")[0].lower()
        if scheme in _LOCAL:
            return None
        host, port = _host_and_port(url.replace("\\", "/"))
        name = f"[{host}]" if ":" in host else host
        if host and any(rule.matches(host, port) for rule in self.denied):
            return DomainRefusal(name, "denied_domains")
        if self.allowed is None:
            return None
        if scheme not in _PORTS or not host:
            return DomainRefusal(f"{scheme}:", "allowed_domains")
        return (
            None if any(rule.matches(host, port) for rule in self.allowed) else DomainRefusal(name, "allowed_domains")
        )


def common_rules(some: Iterable[DomainRule], others: Sequence[DomainRule]) -> tuple[DomainRule, ...]:
    """The rules for what a rule of both lists matches, without repeats."""
    found = (each.common(other) for each in some for other in others)
    return tuple(dict.fromkeys(each for each in found if each is not None))


def parse_domain_rule(text: str) -> DomainRule:
    """Parse a rule. Raises `ValueError` if it is not a host, such as a whole URL."""
    rest = text.strip().lower()
    below = rest.startswith("*.")
    found = _HOST_AND_PORT.fullmatch(rest.removeprefix("*."))
    name, port = (found[1], int(found[2])) if found else (rest.removeprefix("*."), None)
    if port is not None and not 0 < port < 65_536:
        raise ValueError(text)
    host = _ip_address(name)
    if host is None:
        host = ".".join(map(_label, name.removesuffix(".").split(".")))
        if _NUMBER.fullmatch(host.rpartition(".")[2]):
            raise ValueError(text)  # browsers read what ends with a number as an address
    elif below:
        raise ValueError(text)
    return DomainRule(host, below, port)


def _ip_address(name: str) -> str | None:
    """An IP address in the spelling of URLs, without brackets, or None for a name."""
    bracketed = name.startswith("[") and name.endswith("]")
    try:
        address = ip_address(name[1:-1] if bracketed else name)
    except ValueError:
        return None
    return None if bracketed and address.version == 4 else address.compressed


def _label(label: str) -> str:
    if not label.isascii():
        if _DEVIATING & set(label):
            raise ValueError(label)
        label = label.encode("idna").decode("ascii")  # its errors are ValueErrors
    if not _LABEL.fullmatch(label):
        raise ValueError(label)
    return label


def _host_and_port(url: str) -> tuple[str, int | None]:
    """The host and the port of a URL; an empty host if it has none."""
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").rstrip(".")
        port = _PORTS.get(parts.scheme) if parts.port is None else parts.port
        return host, port
    except ValueError:
        return "", None


_USER_INFORMATION = re.compile(r"([a-z][a-z0-9+.-]*:[/\\]{2,})[^/\\?#]*@", re.IGNORECASE)


def without_credentials(url: str) -> str:
    """Return a URL without a user and password, as a document's URL is in most browsers (RFC 3986 §3.2.1)."""
    found = _USER_INFORMATION.match(url) if "@" in url else None
    return found[1] + url[found.end() :] if found else url


def origin_of(url: str) -> str | None:
    """Return the origin of a web URL, `https://shop.example`, as the vault binds values to it; None for any other URL.

    https://html.spec.whatwg.org/multipage/browsers.html#origin"""
    try:
        parts = urlsplit(url)
        host = (
            (parts.hostname or "").encode("idna").decode() if not (parts.hostname or "").isascii() else parts.hostname
        )
        port = parts.port
    except ValueError:
        return None
    if parts.scheme not in _WEB_SCHEMES or not host:
        return None
    host = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{host}" + (f":{port}" if port not in (None, _PORTS[parts.scheme]) else "")


# --- patterns of URLs, and domains of headers ---

_NOT_IN_DOMAINS = frozenset("/?#@ \t\"'\\*")


def url_pattern(pattern: str) -> re.Pattern[str]:
    """A pattern to `search` URLs for, as in `wait url` and `intercept`: with `*`, which matches any text, the whole URL
    must match; without it, the URL must contain the pattern."""
    return re.compile(wildcard_expression(pattern) if "*" in pattern else re.escape(pattern), re.DOTALL)


def wildcard_expression(pattern: str) -> str:
    """The regular expression (with `re.DOTALL`) of the texts that match a pattern as a whole; `*` is any text.

    Each piece between two `*` is looked for once, behind the piece before it. To try later places of a piece would not
    help, and would take time that grows with a power of the text's length."""
    first, *pieces = pattern.split("*")
    found = "".join(f"(?>.*?{re.escape(piece)})" for piece in pieces[:-1] if piece)
    last = f".*{re.escape(pieces[-1])}" if pieces else ""
    return rf"\A{re.escape(first)}{found}{last}\Z"


def clean_domain(text: str) -> str:
    """The canonical form of a domain of `headers`: `example.com`, `localhost:8000`. Raises `InvalidValue`."""
    domain = text.lower().removeprefix("*.").strip(".")
    if not domain or _NOT_IN_DOMAINS & set(domain):
        raise InvalidValue(f"not a domain: {text}", "Give a host such as example.com or localhost:8000.")
    return domain


def matches_domain(domain: str, url: str) -> bool:
    """Whether the host of a URL is `domain` or a subdomain of it. A domain with a port matches only that port."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2] if has_port(domain) else _host_of(parts)
    return host == domain or host.endswith(f".{domain}")


def has_port(domain: str) -> bool:
    """Whether a domain ends with a port: `localhost:8000`, but not `[::1]`."""
    return domain.rpartition(":")[2].isdigit() and not domain.endswith("]")


def _host_of(parts: SplitResult) -> str:
    host = (parts.hostname or "").lower()
    return f"[{host}]" if ":" in host else host


# --- addresses of browsers ---

REDACTED = "••••"
_BROWSER_SCHEMES = ("ws", "wss", "http", "https")
_LOOPBACK_HOSTS = ("localhost", "::1", "[::1]")


def parse_browser_url(value: object) -> str:
    """Return the complete address; a bare `host:port` is a browser's port, and a bare word the name of a browser that
    runs on this computer. Raises `ValueError` for anything else."""
    if isinstance(value, str) and value.isascii() and value.isalpha() and value != "localhost":
        return value.lower()
    if not isinstance(value, str) or any(character <= " " for character in value):
        raise ValueError("no address")
    text = value if "://" in value else f"http://{value}"
    parts = urlsplit(text)
    if parts.scheme not in _BROWSER_SCHEMES or not parts.hostname or parts.fragment or parts.port == 0:
        raise ValueError("no address of a browser")
    return text


def redact_browser_url(address: object) -> object:
    """Mask the user and query of an address, because services put API keys there.

    An invalid address is masked whole if it may contain a key; for error messages, any value is accepted."""
    if not isinstance(address, str) or not ("@" in address or "?" in address):
        return address
    try:
        parts = urlsplit(parse_browser_url(address))
    except ValueError:
        return REDACTED
    _, at, host = parts.netloc.rpartition("@")
    return urlunsplit((parts.scheme, f"{REDACTED if at else ''}{at}{host}", parts.path, parts.query and REDACTED, ""))


def is_loopback_url(address: str) -> bool:
    """Return whether the address is this computer's own."""
    host = urlsplit(address).hostname or ""
    return host in _LOOPBACK_HOSTS or host.startswith("127.")


def resolve_devtools_endpoint(address: str, reported: str) -> str:
    """Return the WebSocket URL of the DevTools endpoint that a browser has `reported` at its port, `address`.

    Host, user and query come from `address`, because the browser does not know the address by which it is reached."""
    port, endpoint = urlsplit(address), urlsplit(reported)
    scheme = {"http": "ws", "https": "wss"}[port.scheme]
    return urlunsplit((scheme, port.netloc, endpoint.path, endpoint.query or port.query, ""))
