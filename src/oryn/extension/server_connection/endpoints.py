"""Which addresses the extension may connect to (docs/spec/extension-protocol.md#addresses): this computer, and servers
that its user has allowed. Pure.

Addresses are parsed more strictly than by a browser, so that none can mean one host here and another one there."""

from __future__ import annotations

import re
from collections.abc import Collection

from oryn.core.records import Record
from oryn.errors import EndpointNotAllowed

MAX_ADDRESS_CHARACTERS = 500
"""Characters of an address."""

_ADDRESS = re.compile(
    r"(?P<scheme>wss?)://(?P<host>localhost|\[[0-9a-f:]{2,39}\]|[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?)"
    r"(?::(?P<port>[0-9]{1,5}))?(?P<path>/[!$-;=?-Z_a-z~]*)?",
    re.ASCII,
)
_LOOPBACK = re.compile(r"localhost|\[::1\]|127(?:\.(?:0|[1-9][0-9]?|1[0-9]{2}|2[0-4][0-9]|25[0-5])){3}", re.ASCII)
_PORTS = {"ws": 80, "wss": 443}
_FORM = "It looks like ws://localhost:8080 or wss://agent.example.com/oryn."


class ServerEndpoint(Record):
    """A server's address. `url` is canonical: one address, one text."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def url(self) -> str:
        """The address."""
        return f"{self.origin}{self.path}"

    @property
    def origin(self) -> str:
        """The address without its path: users allow origins."""
        port = "" if self.port == _PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{self.host}{port}"

    @property
    def is_local(self) -> bool:
        """Whether the server is on this computer."""
        return _LOOPBACK.fullmatch(self.host) is not None

    @property
    def socket_url(self) -> str:
        """The URL to open. `localhost` has two addresses, and browsers try [::1] first, where another program may
        listen."""
        if (self.scheme, self.host) == ("ws", "localhost"):
            return self.replace(host="127.0.0.1").url
        return self.url

    @property
    def warning(self) -> str | None:
        """A warning for the user before connecting there, or None."""
        if self.is_local:
            return None
        return (
            f"{self.host} is not this computer: whoever runs it can read the pages that are open to it, and act in "
            "them as you."
        )


def read_endpoint(text: str) -> ServerEndpoint:
    """Parse an address in upper or lower case. Raises `EndpointNotAllowed` if it is not a valid WebSocket address."""
    address = text.strip()
    head, slash, rest = address.partition("://")
    host, mark, path = rest.partition("/")
    found = _ADDRESS.fullmatch(f"{head.lower()}{slash}{host.lower()}{mark}{path}")
    if found is None or len(address) > MAX_ADDRESS_CHARACTERS:
        raise EndpointNotAllowed(f"{address[:100]!r} is no address of a WebSocket server", _FORM)
    scheme = found["scheme"]
    port = int(found["port"] or _PORTS[scheme])
    if not 0 < port < 65536:
        raise EndpointNotAllowed(f"there is no port {port}", _FORM)
    path = found["path"] or ""
    return ServerEndpoint(scheme, found["host"], port, "" if path == "/" else path)


def require_allowed(endpoint: ServerEndpoint, allowlist: Collection[str]) -> None:
    """Raises `EndpointNotAllowed` unless the server is local, or its origin (`read_origin`) is on the allowlist."""
    if endpoint.is_local:
        return
    if endpoint.scheme != "wss":
        raise EndpointNotAllowed(
            f"{endpoint.host} is not this computer, and ws:// is not encrypted", f"Use wss://{endpoint.host}."
        )
    if endpoint.origin not in allowlist:
        raise EndpointNotAllowed(
            f"{endpoint.origin} is not on the list of allowed servers", "Allow it first if you trust its operator."
        )


def read_origin(text: str) -> str:
    """The origin of an address, for the allowlist. Raises `EndpointNotAllowed` if it can't be allowed."""
    endpoint = read_endpoint(text)
    require_allowed(endpoint, {endpoint.origin})
    return endpoint.origin
