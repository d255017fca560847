"""`UpstreamProxy`: the user's own proxy, which requests of a browser go through behind `forward_proxy`.

Names that it resolves are its own concern, as with plain fetching (`transport`); hosts in a URL are checked here."""

from __future__ import annotations

import base64
import re
import ssl
import urllib.request
from collections.abc import Mapping
from fnmatch import fnmatchcase
from urllib.parse import SplitResult, unquote, urlsplit

import httpcore
import httpx

from oryn.errors import ConfigurationError
from oryn.research.fetching.address_policy import non_public_host_reason
from oryn.research.fetching.pinned_connect import CheckedBackend, not_allowed

TIMEOUT_SECONDS = 15.0
MAX_RESPONSE_BYTES = 64 * 1024
_PORTS = {"http": 80, "https": 443, "socks5": 1080, "socks5h": 1080}


class UpstreamProxy:
    """`proxy` is the URL of the session's proxy, `bypass` the hosts that it is not for, in Chromium's form:
    `*.example.org`, `host:port`, `<local>`. Without a proxy of the session, those of the `environment` are used."""

    def __init__(
        self, proxy: str | None = None, bypass: str | None = None, environment: Mapping[str, str] | None = None
    ) -> None:
        self._proxy = proxy
        self._bypass = [rule for rule in re.split(r"[,;\s]+", bypass or "") if rule]
        self._environment = dict(urllib.request.getproxies_environment() if environment is None else environment)
        self._backend = CheckedBackend(allow_private=True)

    def is_for(self, url: str) -> bool:
        """Whether requests to `url` go through a proxy."""
        return self._proxy_for(url) is not None

    def fields_for(self, url: str) -> Mapping[str, str] | None:
        """The header fields that a complete request to the proxy needs besides; None if `url` is not requested in that
        form."""
        proxy = self._proxy_for(url)
        return None if proxy is None or proxy.scheme.startswith("socks") else _login(proxy)

    async def connect(self, url: str, *, tunnel: bool, allow_private: bool) -> httpcore.AsyncNetworkStream:
        """A connection to the server of `url`, or to the proxy if that takes complete requests. Raises
        `AddressNotAllowed`, `ConfigurationError`, and what httpcore does."""
        parts, proxy = urlsplit(url), self._proxy_for(url)
        host, port = parts.hostname or "", parts.port or (443 if tunnel else 80)
        assert proxy is not None
        if not allow_private and (what := non_public_host_reason(host)):
            raise not_allowed(host, what)
        if proxy.scheme not in _PORTS or not proxy.hostname:
            raise ConfigurationError(
                f"pages of research can't go through a {proxy.scheme}: proxy", "http, https and socks5 can be used."
            )
        stream = await self._backend.connect_tcp(proxy.hostname, proxy.port or _PORTS[proxy.scheme], TIMEOUT_SECONDS)
        try:
            if proxy.scheme == "https":
                stream = await stream.start_tls(ssl.create_default_context(), proxy.hostname, TIMEOUT_SECONDS)
            if proxy.scheme.startswith("socks"):
                await _through_socks(stream, proxy, host, port)
            elif tunnel:
                await _through_http(stream, proxy, host, port)
        except BaseException:
            await stream.aclose()
            raise
        return stream

    def _proxy_for(self, url: str) -> SplitResult | None:
        parts = urlsplit(url)
        host = parts.hostname or ""
        if self._proxy:
            port = parts.port or (443 if parts.scheme == "https" else 80)
            return None if any(_is_bypassed(rule, host, port) for rule in self._bypass) else urlsplit(self._proxy)
        from oryn.research.fetching.transport import proxy_of

        found = proxy_of(httpx.URL(url), self._environment)
        return urlsplit(found) if found else None


def _is_bypassed(rule: str, host: str, port: int) -> bool:
    """https://chromium.googlesource.com/chromium/src/+/main/net/docs/proxy.md#proxy-bypass-rules"""
    if rule.lower() == "<local>":
        return "." not in host and ":" not in host
    pattern = rule.lower().rpartition("://")[2]
    name, colon, only = pattern.rpartition(":")
    if colon and only.isdecimal() and not name.endswith(":"):
        if int(only) != port:
            return False
        pattern = name
    pattern = pattern.strip("[]")
    return fnmatchcase(host, f"*{pattern}" if pattern.startswith(".") else pattern)


def _login(proxy: SplitResult) -> dict[str, str]:
    if not proxy.username:
        return {}
    pair = f"{unquote(proxy.username)}:{unquote(proxy.password or '')}"
    return {"Proxy-Authorization": f"Basic {base64.b64encode(pair.encode()).decode()}"}


async def _through_http(stream: httpcore.AsyncNetworkStream, proxy: SplitResult, host: str, port: int) -> None:
    authority = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    lines = [f"CONNECT {authority} HTTP/1.1", f"Host: {authority}", *(f"{k}: {v}" for k, v in _login(proxy).items())]
    await stream.write("\r\n".join([*lines, "", ""]).encode("latin-1"), TIMEOUT_SECONDS)
    answer = b""
    while b"\r\n\r\n" not in answer:  # a server sends nothing before the tunnel is confirmed
        piece = await stream.read(1, TIMEOUT_SECONDS)
        if not piece or len(answer) > MAX_RESPONSE_BYTES:
            raise httpcore.ProxyError("the proxy hangs up")
        answer += piece
    if answer.split(b" ", 2)[1:2] != [b"200"]:
        raise httpcore.ProxyError(answer.partition(b"\r\n")[0].decode("latin-1"))


async def _through_socks(stream: httpcore.AsyncNetworkStream, proxy: SplitResult, host: str, port: int) -> None:
    """https://datatracker.ietf.org/doc/html/rfc1928, its login rfc1929"""
    user, password = unquote(proxy.username or "").encode(), unquote(proxy.password or "").encode()
    await stream.write(b"\5\1\2" if user else b"\5\1\0", TIMEOUT_SECONDS)
    method = (await _read_exactly(stream, 2))[1]
    if method == 2 and user:
        await stream.write(bytes([1, len(user)]) + user + bytes([len(password)]) + password, TIMEOUT_SECONDS)
        if (await _read_exactly(stream, 2))[1]:
            raise httpcore.ProxyError("the proxy refused the login")
    elif method != 0:
        raise httpcore.ProxyError("the proxy wants another login")
    name = host.encode("ascii", "replace")
    await stream.write(b"\5\1\0\3" + bytes([len(name)]) + name + port.to_bytes(2, "big"), TIMEOUT_SECONDS)
    _, failed, _, kind = await _read_exactly(stream, 4)
    if failed:
        raise httpcore.ProxyError(f"the proxy does not connect ({failed})")
    await _read_exactly(stream, {1: 4, 4: 16}.get(kind) or (await _read_exactly(stream, 1))[0])
    await _read_exactly(stream, 2)


async def _read_exactly(stream: httpcore.AsyncNetworkStream, size: int) -> bytes:
    found = b""
    while len(found) < size:
        piece = await stream.read(size - len(found), TIMEOUT_SECONDS)
        if not piece:
            raise httpcore.ProxyError("the proxy hangs up")
        found += piece
    return found
