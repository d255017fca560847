"""Where a request came from, through proxies (docs/spec/daemon-protocol.md#proxies).

Any client can send `Forwarded` (https://www.rfc-editor.org/rfc/rfc7239) and `X-Forwarded-…`. Oryn believes only what a
proxy of `trusted_proxies` has added. Proxies append, so the lists are read from right to left, as long as the address
that an element was added by is a trusted proxy's."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Any

from oryn.core.records import Record
from oryn.errors import RequestError

SOCKET = "socket"
"""The address of a client of the Unix socket."""
CLIENT_KEY = "oryn.client"
"""The key of the client in the scope of an ASGI application."""
MAX_HOPS = 32
"""Maximum number of elements in a list of proxies."""

_SCHEMES = {"http": "http", "https": "https", "ws": "http", "wss": "https"}
_FORWARDED_HEADERS = (b"x-forwarded-for", b"x-forwarded-proto", b"x-forwarded-host")


class RequestOrigin(Record):
    """Where a request comes from: the client's IP address, and the scheme and the `Host` that it has used."""

    address: str
    scheme: str
    host: str


def origin_in(scope: Mapping[str, Any]) -> RequestOrigin:
    """The origin of a request, from its ASGI scope, in which the middleware has put it."""
    origin: RequestOrigin = scope[CLIENT_KEY]
    return origin


class _Hop(Record):
    """What a proxy says of the connection that it received: empty if it does not say."""

    address: str = ""
    scheme: str = ""
    host: str = ""


class TrustedProxies:
    """The proxies whose headers are believed: IP addresses and networks. Raises `ValueError` for an invalid one."""

    def __init__(self, networks: Iterable[str] = ()) -> None:
        self._networks = tuple(map(ip_network, networks))

    def origin_of(self, scope: Mapping[str, Any]) -> RequestOrigin:
        """The origin of a request; its host is empty unless the request has exactly one `Host`.

        Raises `RequestError` for headers of a trusted proxy that are invalid or contradict each other."""
        hosts = [value.decode("latin-1").lower() for name, value in scope["headers"] if name == b"host"]
        host = hosts[0] if len(hosts) == 1 else ""
        client = scope.get("client")
        direct = RequestOrigin(str(client[0]) if client else SOCKET, _SCHEMES[scope["scheme"]], host)
        if self._networks and self._trusts(direct.address):
            return self._forwarded(direct, scope["headers"])
        return direct

    def _forwarded(self, direct: RequestOrigin, headers: Iterable[tuple[bytes, bytes]]) -> RequestOrigin:
        values: dict[bytes, list[str]] = {}
        for name, value in headers:
            if name == b"forwarded" or name in _FORWARDED_HEADERS:
                values.setdefault(name, []).append(value.decode("latin-1"))
        standard = _standard_hops(values.pop(b"forwarded", []))
        usual = _usual_hops(*(_split(values.get(name, [])) for name in _FORWARDED_HEADERS))
        found = self._walk(direct, standard or usual)
        if standard and usual and self._walk(direct, usual).address != found.address:
            # A proxy that appends only one of them passes the client's own values of the other.
            raise RequestError(
                "Forwarded and X-Forwarded-For contradict each other",
                "The proxy must remove the one that it does not set.",
            )
        return found

    def _walk(self, direct: RequestOrigin, hops: Sequence[_Hop]) -> RequestOrigin:
        found = direct
        for hop in reversed(hops):
            if not self._trusts(found.address):
                break
            address = _address(hop.address)
            found = RequestOrigin(
                address or found.address,
                _scheme(hop.scheme) if hop.scheme else found.scheme,
                hop.host.lower() if hop.host else found.host,
            )
            if not address:  # the proxy does not say whose request it was: nothing before it is believed
                break
        return found

    def _trusts(self, address: str) -> bool:
        try:
            found = ip_address(address)
        except ValueError:
            return False
        mapped = found.ipv4_mapped if isinstance(found, IPv6Address) else None
        one: IPv4Address | IPv6Address = mapped or found
        return any(one.version == network.version and one in network for network in self._networks)


def _split(values: Iterable[str]) -> list[str]:
    return [part.strip() for value in values for part in value.split(",") if part.strip()]


def _standard_hops(values: Iterable[str]) -> list[_Hop]:
    """The elements of `Forwarded`. Raises `RequestError`."""
    hops = []
    for element in _split_quoted(",".join(values), ","):
        pairs = {}
        for pair in _split_quoted(element, ";"):
            name, _, value = pair.partition("=")
            pairs[name.strip().lower()] = _unquoted(value.strip())
        hops.append(_Hop(pairs.get("for", ""), pairs.get("proto", ""), pairs.get("host", "")))
    return _limited(hops)


def _split_quoted(text: str, separator: str) -> list[str]:
    """Split a text at a separator that is not in a quoted string, in one pass: a stranger has written it."""
    parts, start, quoted, escaped = list[str](), 0, False, False
    for place, character in enumerate(text):
        if escaped:
            escaped = False
        elif quoted and character == "\\":
            escaped = True
        elif character == '"':
            quoted = not quoted
        elif character == separator and not quoted:
            parts.append(text[start:place])
            start = place + 1
    return [*parts, text[start:]] if text else []


def _unquoted(value: str) -> str:
    if len(value) < 2 or not (value.startswith('"') and value.endswith('"')):
        return value
    return value[1:-1].replace('\\"', '"').replace("\\\\", "\\")


def _usual_hops(addresses: list[str], schemes: list[str], hosts: list[str]) -> list[_Hop]:
    """The elements of `X-Forwarded-…`: many proxies append to the addresses, and replace the other two."""
    size = max(len(addresses), 1 if schemes or hosts else 0)
    schemes, hosts = _aligned(schemes, size), _aligned(hosts, size)
    addresses = [""] * (size - len(addresses)) + addresses
    return _limited([_Hop(*parts) for parts in zip(addresses, schemes, hosts, strict=True)])


def _aligned(values: list[str], size: int) -> list[str]:
    """One value for each hop; if there are fewer, the last one is that of all."""
    return values if len(values) == size else values[-1:] * size or [""] * size


def _limited(hops: list[_Hop]) -> list[_Hop]:
    if len(hops) > MAX_HOPS:
        raise RequestError(
            f"the request passed more than {MAX_HOPS} proxies", "The proxy in front must replace the header."
        )
    return hops


def _address(text: str) -> str:
    """The IP address of a node, without its port; empty if the proxy hides it. Raises `RequestError`."""
    if not text or text.lower() == "unknown" or text.startswith("_"):
        return ""
    bracketed = re.fullmatch(r"\[([^\]]*)\](?::[0-9]+)?", text)
    plain = re.fullmatch(r"([0-9.]+)(?::[0-9]+)?", text)
    try:
        return ip_address(bracketed[1] if bracketed else plain[1] if plain else text).compressed
    except ValueError:
        raise RequestError(
            f"a proxy forwards for {text[:60]!r}, which is no IP address", "The proxy must send the client's address."
        ) from None


def _scheme(text: str) -> str:
    if text.lower() not in _SCHEMES:
        raise RequestError(f"a proxy forwards the scheme {text[:20]!r}", "It must be http or https.")
    return _SCHEMES[text.lower()]
