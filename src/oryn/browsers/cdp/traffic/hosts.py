"""The hosts that a session may speak to, as flags of the browser's process. Pure.

Requests are refused one by one (`interception.py`). Beneath that the names of other hosts do not resolve, which also
holds for what no protocol stops: WebSockets, service and shared workers, speculative loads, connections and look-ups
ahead of a request, WebTransport, WebRTC over TCP. WebRTC over UDP is switched off as a whole.
https://source.chromium.org/chromium/chromium/src/+/main:net/base/host_mapping_rules.h
"""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

from oryn.domains import Domains, Rule

_NOWHERE = "~NOTFOUND"
# Else packets could go to any address, without a name to look up. The first is what Chromium listens to today, the
# second what it was called before; of a name that it does not know, a browser says nothing.
_NO_PACKETS = (
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
)


def arguments(domains: Domains, proxy: str = "") -> tuple[str, ...]:
    """Flags for a browser whose requests go through `proxy`, if any: through one the proxy alone looks names up."""
    if not domains:
        return ()
    rules = ", ".join(_rules(domains, proxy))
    return (*((f"--host-resolver-rules={rules}",) if rules else ()), *_NO_PACKETS)


def _rules(domains: Domains, proxy: str) -> Iterator[str]:
    for rule in domains.denied:
        if rule.port is None:  # else other ports of the host are allowed
            yield from (f"MAP {name} {_NOWHERE}" for name in _names(rule))
    if domains.allowed is None:
        return
    yield f"MAP * {_NOWHERE}"
    for rule in domains.allowed:
        yield from (f"EXCLUDE {name}" for name in _names(rule))
    if through := urlsplit(proxy).hostname:
        yield f"EXCLUDE {through}"


def _names(rule: Rule) -> Iterator[str]:
    """Patterns of the names that the resolver is asked for, which may have the dot that ends a whole name."""
    for name in (rule.host, f"*.{rule.host}") if rule.below else (rule.host,):
        yield name
        yield f"{name}."
