"""The HTTP transport: kept-alive connections to checked addresses, or through the user's proxy.

A transport of httpx (https://www.python-httpx.org/advanced/transports/), so that a client may use it too."""

from __future__ import annotations

import importlib.util
import ssl
import urllib.request
from collections.abc import AsyncIterable, AsyncIterator, Mapping
from typing import Any, cast

import httpcore
import httpx

from oryn.errors import ConfigurationError
from oryn.research.fetching.address_policy import non_public_host_reason
from oryn.research.fetching.pinned_connect import CheckedBackend, Resolve, not_allowed, resolve
from oryn.research.fetching.request import FetchOptions, host_of, parse_url
from oryn.system.tls import client_ssl_context

KEEPALIVE_SECONDS = 15.0
"""The time for which an idle connection stays open."""
MAX_KEEPALIVE_CONNECTIONS = 40


class HttpTransport(httpx.AsyncBaseTransport):
    """Sends requests. `proxies` are URLs by scheme (`http`, `https`, `all`), and under `no` the hosts without a proxy;
    None uses those of the environment. `resolve` and `network` (the backend for connections) are for tests. Raises
    `AddressNotAllowed`, and `fetching.error_mapping.HTTP_ERRORS`."""

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
        stream = _ResponseStream(cast(AsyncIterable[bytes], answer.stream))
        return httpx.Response(
            answer.status,
            headers=answer.headers,
            stream=stream,
            extensions={**answer.extensions, "oryn_proxied": proxy is not None},
            request=request,
        )

    async def check(self, url: httpx.URL) -> None:
        """Check whether a browser may request `url`, by the current addresses of its host. Raises as above."""
        if self._proxy(url) is None:
            await self._backend.addresses(host_of(url), url.port or (443 if url.scheme == "https" else 80))

    async def aclose(self) -> None:
        for pool in self._pools.values():
            await pool.aclose()
        self._pools.clear()

    def _proxy(self, url: httpx.URL) -> str | None:
        """The proxy for a URL. Names that a proxy resolves are its own responsibility; what the URL shows is checked
        here."""
        proxy = proxy_of(url, self._proxies)
        if proxy is not None and not self._options.allow_private and (what := non_public_host_reason(host_of(url))):
            raise not_allowed(host_of(url), what)
        return proxy

    def _pool(self, proxy: str | None) -> httpcore.AsyncConnectionPool:
        if proxy not in self._pools:
            tls = self._tls or client_ssl_context()
            self._pools[proxy] = _create_pool(proxy, self._options, tls, self._backend)
        return self._pools[proxy]


class _ResponseStream(httpx.AsyncByteStream):
    """A body in the form that httpx expects."""

    def __init__(self, inner: AsyncIterable[bytes]) -> None:
        self._inner = inner

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._inner:
            yield piece

    async def aclose(self) -> None:
        await self._inner.aclose()  # type: ignore[attr-defined]


def proxy_of(url: httpx.URL, proxies: Mapping[str, str]) -> str | None:
    """The proxy for a URL, or None. `NO_PROXY` is interpreted as by Python's own client."""
    name = host_of(url)
    host = f"[{name}]" if ":" in name else name
    authority = host if url.port is None else f"{host}:{url.port}"
    proxy = proxies.get(url.scheme) or proxies.get("all")
    if not proxy or urllib.request.proxy_bypass_environment(authority, dict(proxies)):  # type: ignore[attr-defined]
        return None
    return proxy if "://" in proxy else f"http://{proxy}"


def _create_pool(
    proxy: str | None, options: FetchOptions, tls: ssl.SSLContext, backend: httpcore.AsyncNetworkBackend
) -> httpcore.AsyncConnectionPool:
    common: dict[str, Any] = {
        "ssl_context": tls,
        "max_connections": options.connections,
        "max_keepalive_connections": MAX_KEEPALIVE_CONNECTIONS,
        "keepalive_expiry": KEEPALIVE_SECONDS,
    }
    if proxy is None:
        return httpcore.AsyncConnectionPool(network_backend=backend, **common)
    try:
        url = parse_url(proxy)
    except ValueError as error:
        raise ConfigurationError(
            "the proxy of the environment is not a URL", "Set HTTPS_PROXY to http://host:port."
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
