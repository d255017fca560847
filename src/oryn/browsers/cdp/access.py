"""How a session's browser reaches the network: through which proxy, which certificates it trusts, with or without its
cache. Pure; a start that says nothing of it does not import it.

https://chromium.googlesource.com/chromium/src/+/main/net/docs/proxy.md
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from oryn.browsers.base.network import Login

if TYPE_CHECKING:
    from oryn.browsers.cdp.traffic.client_certificate import ClientCertificate


@dataclass(frozen=True, slots=True)
class Access:
    """`proxy` is `http://host:port` (or `https`, `socks4`, `socks5`), `proxy_bypass` the hosts that it is not for, in
    Chromium's form. `certificate_pins` are base64 SHA-256 hashes of public keys: certificates with one of them are
    accepted although nobody vouches for them."""

    proxy: str = ""
    proxy_login: Login | None = None
    proxy_bypass: str = ""
    cache: bool = True
    ignore_certificate_errors: bool = False
    certificate_pins: tuple[str, ...] = ()
    client_certificate: ClientCertificate | None = None

    def arguments(self) -> tuple[str, ...]:
        """Flags of the browser's process. The login is not among them: every process may read those of another."""
        pins = ",".join(self.certificate_pins)
        return (
            *((f"--proxy-server={self.proxy}",) if self.proxy else ()),
            *((f"--proxy-bypass-list={self.proxy_bypass}",) if self.proxy_bypass else ()),
            *((f"--ignore-certificate-errors-spki-list={pins}",) if pins else ()),
        )

    def context(self) -> dict[str, str]:
        """Parameters of `Target.createBrowserContext`, for a session beside others."""
        wanted = {"proxyServer": self.proxy, "proxyBypassList": self.proxy_bypass}
        return {name: value for name, value in wanted.items() if value}


def proxy_of(url: str) -> tuple[str, Login | None]:
    """A proxy's URL without its login, and the login."""
    parts = urlsplit(url)
    place = parts.netloc.rpartition("@")[2]
    login = Login(unquote(parts.username), unquote(parts.password or "")) if parts.username else None
    return f"{parts.scheme}://{place}", login
