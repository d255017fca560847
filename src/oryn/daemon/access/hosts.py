"""The names of the daemon: which `Host` and `Origin` a request may have (docs/spec/daemon-protocol.md#authentication).

A web page of any name can send requests to an address, if the owner of the name lets it resolve there (DNS rebinding).
So a name counts only if it is one of loopback, or if the setting `allowed_hosts` has it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from ipaddress import ip_address

from oryn.core.urls import parse_domain_rule

_LOOPBACK = re.compile(r"(127\.0\.0\.1|localhost|\[::1\])(?::([0-9]{1,5}))?", re.ASCII | re.IGNORECASE)
"""A `Host` of this computer, with or without a port. https://www.rfc-editor.org/rfc/rfc9110#section-7.2 also allows an
empty port, which no client sends."""
_HOST = re.compile(r"([a-z0-9_.-]+|\[[0-9a-f:.]+\])(?::([0-9]{1,5}))?", re.ASCII | re.IGNORECASE)
_PORTS = {"http": 80, "https": 443}


class DaemonNames:
    """The names that requests may use for the daemon: those of loopback, and `allowed`, in the form of
    `allowed_domains`. Raises `ValueError` for a rule that is invalid."""

    def __init__(self, allowed: Iterable[str] = ()) -> None:
        self._rules = tuple(map(parse_domain_rule, allowed))

    def accepts(self, host: str, scheme: str, port: int | None) -> bool:
        """Whether a `Host` is a name of the daemon. `port` is the connection's, None for the Unix socket, to which no
        browser connects."""
        found = _LOOPBACK.fullmatch(host)
        if found is not None and (found[2] is None or port is None or int(found[2]) == port):
            return True
        found = _HOST.fullmatch(host)
        if found is None or not self._rules:
            return False
        name, number = _normalized(found[1].lower()), int(found[2] or _PORTS[scheme])
        return any(rule.matches(name, number) for rule in self._rules)


def is_loopback(host: str) -> bool:
    """Whether a `Host` is a name of loopback."""
    return _LOOPBACK.fullmatch(host) is not None


def _normalized(name: str) -> str:
    """An IPv6 address without brackets, in its usual spelling; any other name unchanged."""
    if not name.startswith("["):
        return name
    try:
        return ip_address(name[1:-1]).compressed
    except ValueError:
        return name
