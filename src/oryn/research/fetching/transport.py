"""How requests leave: over kept connections to addresses that were looked at, or through the user's proxy.

A transport of httpx (https://www.python-httpx.org/advanced/transports/), so that a client may be made of it too.
"""

from __future__ import annotations

import importlib.util
import ssl
import urllib.request
from collections.abc import AsyncIterable, AsyncIterator, Mapping
from typing import Any, cast

import httpcore
import httpx

from oryn.errors import ConfigurationError
from oryn.research.fetching.addresses import name_objection
from oryn.research.fetching.connecting import CheckedBackend, Resolve, not_allowed, resolve
from oryn.research.fetching.options import FetchOptions
from oryn.research.fetching.steps import host_of, parsed

KEPT_FOR = 15.0
"""Seconds for which a connection that nobody uses stays open."""
KEPT = 40


class Transport(httpx.AsyncBaseTransport):
    """`resolve` and `network` (what makes connections to addresses) are for tests. `proxies` are those of the
    environment unless given: URLs by scheme (`http`, `https`, `all`), and under `no` the hosts without one.

    Raises `AddressNotAllowed`, and what `fetching.failures.FOREIGN` lists."""

    def __init__(
        self,
        options: FetchOptions,
        *,
        proxies: Mapping[str, str] | None = None,
        resolve: Resolve = resolve,
        network: httpcore.AsyncNetworkBackend | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._options = options
        environment = urllib.request.getproxies_environment() if options.environment else {}
        self._proxies = dict(environment if proxies is None else proxies)
        self._tls = tls
        self._backend = CheckedBackend(allow_private=options.allow_private, resolve=resolve, inner=network)
        self._pools: dict[str | None, httpcore.AsyncConnectionPool] = {}

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        url = request.url
        proxy = self._proxy(url)
        answer = await self._pool(proxy).handle_async_request(
            httpcore.Request(
                request.method,
                httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
                headers=request.headers.raw,
                content=cast(AsyncIterable[bytes], request.stream),
                extensions=request.extensions,
            )
        )
        stream = _Stream(cast(AsyncIterable[bytes], answer.stream))
        return httpx.Response(
            answer.status,
            headers=answer.headers,
            stream=stream,
            extensions={**answer.extensions, "oryn_proxied": proxy is not None},
            request=request,
        )

    async def look(self, url: httpx.URL) -> None:
        """Whether somebody else (a browser) may ask for `url`, by its host's addresses now. Raises as above."""
        if self._proxy(url) is None:
            await self._backend.addresses(host_of(url), url.port or (443 if url.scheme == "https" else 80))

    async def aclose(self) -> None:
        for pool in self._pools.values():
            await pool.aclose()
        self._pools.clear()

    def _proxy(self, url: httpx.URL) -> str | None:
        """What the proxy resolves is the proxy's care; what shows in the URL is ours."""
        proxy = proxy_of(url, self._proxies)
        if proxy is not None and not self._options.allow_private and (what := name_objection(host_of(url))):
            raise not_allowed(host_of(url), what)
        return proxy

    def _pool(self, proxy: str | None) -> httpcore.AsyncConnectionPool:
        if proxy not in self._pools:
            self._tls = self._tls or httpx.create_ssl_context()
            self._pools[proxy] = _made(proxy, self._options, self._tls, self._backend)
        return self._pools[proxy]


class _Stream(httpx.AsyncByteStream):
    """A body, as httpx wants it."""

    def __init__(self, inner: AsyncIterable[bytes]) -> None:
        self._inner = inner

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._inner:
            yield piece

    async def aclose(self) -> None:
        await self._inner.aclose()  # type: ignore[attr-defined]


def proxy_of(url: httpx.URL, proxies: Mapping[str, str]) -> str | None:
    """The proxy for a URL, or None. `NO_PROXY` as Python's own client reads it."""
    name = host_of(url)
    host = f"[{name}]" if ":" in name else name
    place = host if url.port is None else f"{host}:{url.port}"
    proxy = proxies.get(url.scheme) or proxies.get("all")
    if not proxy or urllib.request.proxy_bypass_environment(place, dict(proxies)):  # type: ignore[attr-defined]
        return None
    return proxy if "://" in proxy else f"http://{proxy}"


def _made(
    proxy: str | None, options: FetchOptions, tls: ssl.SSLContext, backend: httpcore.AsyncNetworkBackend
) -> httpcore.AsyncConnectionPool:
    common: dict[str, Any] = {
        "ssl_context": tls,
        "max_connections": options.connections,
        "max_keepalive_connections": KEPT,
        "keepalive_expiry": KEPT_FOR,
    }
    if proxy is None:
        return httpcore.AsyncConnectionPool(network_backend=backend, **common)
    try:
        url = parsed(proxy)
    except ValueError as error:
        raise ConfigurationError(
            "the proxy of the environment is no URL", "Set HTTPS_PROXY to http://host:port."
        ) from error
    where = httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=b"/")
    common["proxy_auth"] = (url.username, url.password) if url.username else None
    if url.scheme in ("http", "https"):
        return httpcore.AsyncHTTPProxy(where, **common)
    if url.scheme in ("socks5", "socks5h"):
        if importlib.util.find_spec("socksio") is None:
            raise ConfigurationError("a SOCKS proxy needs socksio", "Install it: pip install socksio.")
        return httpcore.AsyncSOCKSProxy(where, **common)
    raise ConfigurationError(f"the proxy of the environment is {url.scheme}:", "http, https and socks5 can be used.")
