"""Network options of a browser process: proxy, certificates, cache, and host rules as command-line flags. Pure.

This module is imported only if such settings are used.

Requests to hosts outside the policy are refused one by one (`cdp/network/interception.py`). In addition, the names of
other hosts do not resolve, which covers what the protocol can't intercept: WebSockets, service and shared workers,
speculative loads, preconnects and DNS prefetches, WebTransport, WebRTC over TCP. WebRTC over UDP is switched off.
https://chromium.googlesource.com/chromium/src/+/main/net/docs/proxy.md
https://source.chromium.org/chromium/chromium/src/+/main:net/base/host_mapping_rules.h"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from oryn.browsers.base.network import HttpCredentials

if TYPE_CHECKING:
    from oryn.browsers.cdp.network.client_certificate import ClientCertificate
    from oryn.core.urls import DomainPolicy, DomainRule


@dataclass(frozen=True, slots=True)
class NetworkOptions:
    """How a browser reaches the network.

    proxy: `http://host:port` (or `https`, `socks4`, `socks5`), without credentials.
    proxy_bypass: hosts to reach without the proxy, in Chromium's syntax.
    cache: whether the browser uses its HTTP cache.
    certificate_pins: base64 SHA-256 hashes of public keys whose certificates are accepted although untrusted."""

    proxy: str = ""
    proxy_login: HttpCredentials | None = None
    proxy_bypass: str = ""
    cache: bool = True
    ignore_certificate_errors: bool = False
    certificate_pins: tuple[str, ...] = ()
    client_certificate: ClientCertificate | None = None

    def arguments(self) -> tuple[str, ...]:
        """Flags of the browser's process, without credentials, because other processes can read them."""
        pins = ",".join(self.certificate_pins)
        return (
            *((f"--proxy-server={self.proxy}",) if self.proxy else ()),
            *((f"--proxy-bypass-list={self.proxy_bypass}",) if self.proxy_bypass else ()),
            *((f"--ignore-certificate-errors-spki-list={pins}",) if pins else ()),
        )

    def context_params(self) -> dict[str, str]:
        """Parameters of `Target.createBrowserContext`, for a session that shares a browser process."""
        params = {"proxyServer": self.proxy, "proxyBypassList": self.proxy_bypass}
        return {name: value for name, value in params.items() if value}


def split_proxy_login(url: str) -> tuple[str, HttpCredentials | None]:
    """A proxy's URL without its credentials, and the credentials or None."""
    parts = urlsplit(url)
    address = parts.netloc.rpartition("@")[2]
    login = HttpCredentials(unquote(parts.username), unquote(parts.password or "")) if parts.username else None
    return f"{parts.scheme}://{address}", login


_NOT_FOUND = "~NOTFOUND"
# Otherwise packets could go to any address without a name lookup. The first is the present name of the flag, the second
# its former name; a browser ignores a name that it does not know.
_WEBRTC_FLAGS = (
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
)


def host_rule_arguments(domains: DomainPolicy, proxy: str = "") -> tuple[str, ...]:
    """Flags that keep a browser from hosts that the policy denies. With a `proxy` only the proxy resolves names, so
    its own host is excepted."""
    if not domains:
        return ()
    rules = ", ".join(_rules(domains, proxy))
    return (*((f"--host-resolver-rules={rules}",) if rules else ()), *_WEBRTC_FLAGS)


def _rules(domains: DomainPolicy, proxy: str) -> Iterator[str]:
    for rule in domains.denied:
        if rule.port is None:  # otherwise other ports of the host are allowed
            yield from (f"MAP {name} {_NOT_FOUND}" for name in _name_patterns(rule))
    if domains.allowed is None:
        return
    yield f"MAP * {_NOT_FOUND}"
    for rule in domains.allowed:
        yield from (f"EXCLUDE {name}" for name in _name_patterns(rule))
    if proxy_host := urlsplit(proxy).hostname:
        yield f"EXCLUDE {proxy_host}"


def _name_patterns(rule: DomainRule) -> Iterator[str]:
    """Patterns of the names of a rule, with and without the final dot of a fully qualified name."""
    for name in (rule.host, f"*.{rule.host}") if rule.below else (rule.host,):
        yield name
        yield f"{name}."
