"""What a fetcher holds to, and who it says it is."""

from __future__ import annotations

from typing import Protocol

from oryn import __version__
from oryn.records import Record

USER_AGENT = f"oryn/{__version__}"
"""Honest, and the token that robots.txt files know it by. Who crawls much adds a way to be reached:
`oryn/1.0 (+https://example.org/who-we-are)`."""


class FetchOptions(Record):
    """Times are in seconds, sizes in bytes. `timeout` is for all of one fetch, its redirects included; `connecting` and
    `silence` (between two pieces) are within it. `max_body` holds for a body as it comes and for what it is when it
    is decompressed. `environment`: whether `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY`, `NO_PROXY` are heeded."""

    user_agent: str = USER_AGENT
    allow_private: bool = False
    max_body: int = 10 * 2**20
    timeout: float = 30.0
    connecting: float = 10.0
    silence: float = 15.0
    redirects: int = 10
    connections: int = 100
    environment: bool = True


class Renderer(Protocol):
    """A browser that runs a page's scripts."""

    async def render(self, url: str) -> tuple[str, str]:
        """The URL where the page ended, and its HTML then. Raises `OrynError`."""
