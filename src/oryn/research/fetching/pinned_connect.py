"""Connects to hosts by name: resolves once, checks each address, and connects to exactly that address.

A name that is resolved for the check and again for the connection can have another answer then (DNS rebinding). Here
httpcore's own backend gets an address, never a name; the name stays in the URL for `Host` and for TLS."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from ipaddress import IPv6Address

import httpcore

from oryn.errors import AddressNotAllowed
from oryn.research.fetching.address_policy import Address, non_public_host_reason, non_public_reason, parse_ip_literal

Resolve = Callable[[str, int], Awaitable[Sequence[Address]]]
"""Returns the addresses of a host, the best first. Raises `OSError` if it has none."""

HEAD_START_SECONDS = 0.25
"""The time that one address is tried alone before the next one is tried in parallel (RFC 8305)."""

SocketOption = tuple[int, int, int] | tuple[int, int, bytes | bytearray] | tuple[int, int, None, int]


async def resolve(host: str, port: int) -> list[Address]:
    """The addresses of a host by the system's resolver."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = [parse_ip_literal(str(place[0])) for *_, place in found]
    return list(dict.fromkeys(each for each in addresses if each is not None))


class CheckedBackend(httpcore.AsyncNetworkBackend):
    """Refuses to connect to addresses that are not public, unless `allow_private`. `inner` makes the connections."""

    def __init__(
        self,
        *,
        allow_private: bool = False,
        resolve: Resolve = resolve,
        inner: httpcore.AsyncNetworkBackend | None = None,
    ) -> None:
        self._allow_private = allow_private
        self._resolve = resolve
        self._inner = httpcore.AnyIOBackend() if inner is None else inner

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[SocketOption] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Connect to the first address of `host` that accepts. `timeout` is in seconds; None waits without a limit.
        Raises `AddressNotAllowed`, `httpcore.ConnectError`, `httpcore.ConnectTimeout`."""
        options = None if socket_options is None else list(socket_options)

        async def connect(address: Address) -> httpcore.AsyncNetworkStream:
            return await self._inner.connect_tcp(str(address), port, timeout, local_address, options)

        try:
            async with asyncio.timeout(timeout):
                return await _race(await self.addresses(host, port), connect)
        except TimeoutError:
            raise httpcore.ConnectTimeout(f"no connection within {timeout:g} s") from None

    async def addresses(self, host: str, port: int) -> Sequence[Address]:
        """The addresses of `host` that may be connected to, at least one. `port` only goes to the resolver. Raises
        `AddressNotAllowed`, `httpcore.ConnectError`."""
        if not self._allow_private and (what := non_public_host_reason(host)):
            raise not_allowed(host, what)
        own = parse_ip_literal(host)
        try:
            found = [own] if own is not None else await self._resolve(host, port)
        except (OSError, UnicodeError) as error:
            raise httpcore.ConnectError(f"no such host: {error}") from error
        allowed = [address for address in found if self._allow_private or not non_public_reason(address)]
        if found and not allowed:
            raise not_allowed(host, non_public_reason(found[0]))
        if not allowed:
            raise httpcore.ConnectError("no such host: it has no address")
        return _alternating(allowed)


def not_allowed(host: str, what: str) -> AddressNotAllowed:
    """The error for a host with an address that is not public. `what` names the kind of the address."""
    return AddressNotAllowed(f"{host} leads to an address outside the public internet ({what})")


def _alternating(addresses: Sequence[Address]) -> list[Address]:
    """The addresses of the two families in turns, that of the first one first (RFC 8305 §4): if one family has no
    route, the other is next."""
    first = isinstance(addresses[0], IPv6Address)
    ones = [each for each in addresses if isinstance(each, IPv6Address) is first]
    others = [each for each in addresses if isinstance(each, IPv6Address) is not first]
    paired = [each for pair in zip(ones, others, strict=False) for each in pair]
    return paired + ones[len(others) :] + others[len(ones) :]


async def _race(
    addresses: Sequence[Address], connect: Callable[[Address], Awaitable[httpcore.AsyncNetworkStream]]
) -> httpcore.AsyncNetworkStream:
    """The first connection that succeeds; each attempt begins when those before it have failed or had their head
    start."""
    trying: set[asyncio.Future[httpcore.AsyncNetworkStream]] = set()
    waiting = list(addresses)
    failed: BaseException | None = None
    try:
        while waiting or trying:
            if waiting:
                trying.add(asyncio.ensure_future(connect(waiting.pop(0))))
            done, trying = await asyncio.wait(
                trying, timeout=HEAD_START_SECONDS if waiting else None, return_when=asyncio.FIRST_COMPLETED
            )
            won = [each for each in done if each.exception() is None]
            if won:
                for late in won[1:]:
                    await late.result().aclose()
                return won[0].result()
            failed = next((each.exception() for each in done), failed)
    finally:
        await _give_up(trying)
    assert failed is not None
    raise failed


async def _give_up(trying: Iterable[asyncio.Future[httpcore.AsyncNetworkStream]]) -> None:
    for each in trying:
        each.cancel()
        with suppress(asyncio.CancelledError, httpcore.NetworkError, httpcore.TimeoutException):
            await (await each).aclose()
