"""Which hosts a session may speak to: rules over the hosts of URLs. Pure.

A rule is a host (`example.org`, `127.0.0.1`, `[::1]`) and means that host alone, or `*.example.org` and means it and
every host below it. With a port (`localhost:3000`) it is for that port alone. The browser's own URL parser has the last
word on what a URL's host is: what is asked here of a request is the URL as the browser is about to send it.
https://url.spec.whatwg.org/#host-parsing
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from ipaddress import ip_address
from typing import Literal
from urllib.parse import SplitResult, urlsplit

from oryn.records import Record

Limit = Literal["allowed_domains", "denied_domains", "files_root"]
"""The setting that refuses something."""

_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443, "ftp": 21}
# What shows or hands on what the browser has already. A `data:` page is whatever its URL says; what it asks for is
# looked at like the requests of any other page.
_LOCAL = frozenset({"about", "blob", "chrome-error", "chrome-extension", "data"})
_AROUND = ("view-source:", "filesystem:")
"""Schemes whose URL has another one inside."""
# What a URL parser drops, and what it reads as a slash: https://url.spec.whatwg.org/#concept-basic-url-parser
_EDGES = "".join(map(chr, range(0x21)))
_DROPPED = str.maketrans("", "", "\t\n\r")

_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?")
_HOST_AND_PORT = re.compile(r"(\[[^\]]*\]|[^:\[\]]+):([0-9]{1,5})")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
# IDNA 2003, which Python knows, reads these as something else than browsers do (UTS #46, non-transitional).
_DEVIATING = frozenset("ßς\u200c\u200d")


_REASONS: Mapping[Limit, str] = {
    "allowed_domains": "is not in allowed_domains",
    "denied_domains": "is in denied_domains",
    "files_root": "is outside the allowed folders",
}


class Refusal(Record):
    """`what` is the host that is refused, or the scheme of a URL without one (`file:`); of a file, its URL."""

    what: str
    limit: Limit

    def __str__(self) -> str:
        return f"{self.what} {_REASONS[self.limit]}"


class Rule(Record):
    """`host` is lower case, punycode, without a final dot or brackets; `below`: and every host below it."""

    host: str
    below: bool = False
    port: int | None = None

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'*.' if self.below else ''}{host}{'' if self.port is None else f':{self.port}'}"

    def fits(self, host: str, port: int | None) -> bool:
        if self.port is not None and self.port != port:
            return False
        return host == self.host or (self.below and host.endswith(f".{self.host}"))


class Domains(Record):
    """Where `allowed` is given, nothing else is; what is `denied` is not, also where it is allowed."""

    allowed: tuple[Rule, ...] | None = None
    denied: tuple[Rule, ...] = ()

    @classmethod
    def of(cls, allowed: Iterable[str] | None, denied: Iterable[str] | None) -> Domains:
        """Of rules as text. Raises `ValueError`."""
        return cls(None if allowed is None else tuple(map(rule_of, allowed)), tuple(map(rule_of, denied or ())))

    def __bool__(self) -> bool:
        return self.allowed is not None or bool(self.denied)

    def refusal(self, url: str) -> Refusal | None:
        """Why nothing may be asked of `url`, or None where it may."""
        url = url.strip(_EDGES).translate(_DROPPED)
        for around in _AROUND:
            if url[: len(around)].lower() == around:
                return self.refusal(url[len(around) :])
        scheme = url.partition(":")[0].lower()
        if scheme in _LOCAL:
            return None
        host, port = _place(url.replace("\\", "/"))
        shown = f"[{host}]" if ":" in host else host
        if host and any(rule.fits(host, port) for rule in self.denied):
            return Refusal(shown, "denied_domains")
        if self.allowed is None:
            return None
        if scheme not in _PORTS or not host:
            return Refusal(f"{scheme}:", "allowed_domains")
        return None if any(rule.fits(host, port) for rule in self.allowed) else Refusal(shown, "allowed_domains")


def rule_of(text: str) -> Rule:
    """Raises `ValueError` for what is no host, such as a whole URL."""
    rest = text.strip().lower()
    below = rest.startswith("*.")
    found = _HOST_AND_PORT.fullmatch(rest.removeprefix("*."))
    name, port = (found[1], int(found[2])) if found else (rest.removeprefix("*."), None)
    if port is not None and not 0 < port < 65_536:
        raise ValueError(text)
    host = _address(name)
    if host is None:
        host = ".".join(map(_label, name.removesuffix(".").split(".")))
        if _NUMBER.fullmatch(host.rpartition(".")[2]):
            raise ValueError(text)  # browsers read what ends with a number as an address
    elif below:
        raise ValueError(text)
    return Rule(host, below, port)


def _address(name: str) -> str | None:
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


def _place(url: str) -> tuple[str, int | None]:
    """The host and the port of a URL; the host is empty where there is none."""
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").rstrip(".")
        return host, _port(parts)
    except ValueError:
        return "", None


def _port(parts: SplitResult) -> int | None:
    return parts.port if parts.port is not None else _PORTS.get(parts.scheme)
