"""A resolver and a network for tests: names that lead where the test says, addresses that all lead to one server."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from ipaddress import ip_address
from typing import Any

import httpcore

from oryn.research.fetching.address_policy import Address
from tests.research.server import Site


class Names:
    """A resolver that gives another answer each time: what an attacker's name server does."""

    def __init__(self, *answers: Sequence[str]) -> None:
        self.answers = list(answers)
        self.requests: list[str] = []

    async def __call__(self, host: str, port: int) -> list[Address]:
        self.requests.append(host)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if not answer:
            raise OSError("Name or service not known")
        return [ip_address(each) for each in answer]


class Network(httpcore.AsyncNetworkBackend):
    """Every address leads to one local server; remembers which were asked for. `dead` ones refuse, `silent` ones never
    answer."""

    def __init__(self, site: Site, *, dead: Sequence[str] = (), silent: Sequence[str] = ()) -> None:
        self._site = site
        self._inner = httpcore.AnyIOBackend()
        self._dead, self._silent = dead, silent
        self.connected: list[str] = []

    async def connect_tcp(self, host: str, port: int, *rest: Any, **options: Any) -> httpcore.AsyncNetworkStream:
        self.connected.append(host)
        if host in self._dead:
            raise httpcore.ConnectError("refused")
        if host in self._silent:
            await asyncio.Event().wait()
        return await self._inner.connect_tcp(self._site.host, self._site.port)
