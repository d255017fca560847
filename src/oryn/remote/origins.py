"""Who may open a WebSocket to a server on loopback: extensions and programs, no page.

A page may connect to loopback too, also under a name that its owner points there (DNS rebinding); the browser says
whose it is in `Origin`, which a page can't forge. https://www.rfc-editor.org/rfc/rfc6455#section-10.2
"""

from __future__ import annotations

import re
from ipaddress import ip_address

_EXTENSION = re.compile(r"(chrome|moz|safari-web)-extension://[A-Za-z0-9-]+")


def is_extension(origin: str | None) -> bool:
    """Whether a connection with this `Origin` may be an extension's: a program has none."""
    return origin is None or _EXTENSION.fullmatch(origin) is not None


def is_loopback(host: str) -> bool:
    """Whether a `Host` header, with or without a port, or an address alone names this computer."""
    name = host if host.endswith("]") or host.count(":") > 1 > host.count("[") else re.sub(r":[0-9]{1,5}$", "", host)
    if name.lower().rstrip(".") == "localhost":
        return True
    try:
        return ip_address(name.removeprefix("[").removesuffix("]")).is_loopback
    except ValueError:
        return False
