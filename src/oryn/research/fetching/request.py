"""One request of a fetch: its URL, the headers that only its origin may see, and the options of the fetcher."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol

import httpx

from oryn import __version__
from oryn.core.records import Record
from oryn.core.text_safety import url as display_url
from oryn.errors import FetchFailed
from oryn.research.documents import FetchedPage

USER_AGENT = f"oryn/{__version__}"
"""The default, by whose first word robots.txt files address the crawler. A program that crawls much should add a
contact: `oryn/1.0 (+https://example.org/about)`."""


class FetchOptions(Record):
    """Times are in seconds, sizes in bytes. `timeout` is for one whole fetch with its redirects; `connecting` and
    `silence` (between two pieces of a response) are within it. `max_body` is the limit for a body both compressed and
    decompressed. `environment`: whether `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY`, `NO_PROXY` are used."""

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
        """The final URL of the page in the browser, and its HTML then. Raises `OrynError`."""


OnSend = Callable[[], Awaitable[None]]
"""Awaited when a request is about to leave, over an open connection."""


class PageFetcher(Protocol):
    """Fetches pages: `Fetcher`, or the workers of a cluster."""

    async def fetch(
        self,
        url: str,
        *,
        fresh: bool = False,
        conditional: bool = True,
        follow: bool = True,
        sent: OnSend | None = None,
    ) -> FetchedPage:
        """The page at `url`. Parameters and errors as in `Fetcher.fetch`."""


class FetchStep(Record):
    """One request of a fetch. `own` are the headers that only this origin may see."""

    url: httpx.URL
    own: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, text: str, headers: Mapping[str, str] | None = None) -> FetchStep:
        """The step for a URL as it was typed. A login in it becomes a header; `url` has neither login nor fragment.
        Raises `FetchFailed`."""
        try:
            url = parse_url(text.strip())
        except ValueError as error:
            raise FetchFailed(
                f"{display_url(text)} is not a URL: {error}", "A URL begins with https:// or http://."
            ) from error
        own = dict(headers or {})
        if url.userinfo:
            own["Authorization"] = f"Basic {b64encode(f'{url.username}:{url.password}'.encode()).decode()}"
        return cls(url.copy_with(userinfo=b"", fragment=None), tuple(own.items()))

    @property
    def address(self) -> str:
        """The URL as text."""
        return str(self.url)

    def to(self, location: str) -> FetchStep:
        """The step that a redirect leads to; headers of another origin are not sent there. Raises `FetchFailed`."""
        try:
            url = parse_url(location, self.url)
        except ValueError as error:
            raise FetchFailed(
                f"{display_url(self.address)} leads to {display_url(location)}, which is not a URL"
            ) from error
        url = url.copy_with(userinfo=b"", fragment=None)
        stays = (url.scheme, url.raw_host, url.port) == (self.url.scheme, self.url.raw_host, self.url.port)
        return FetchStep(url, self.own if stays else ())


def parse_url(text: str, base: httpx.URL | None = None) -> httpx.URL:
    """The URL of a text. Raises `ValueError` if it is none, also for some that httpx accepts: invalid hosts and ports
    (https://url.spec.whatwg.org/#forbidden-domain-code-point)."""
    try:
        url = httpx.URL(text) if base is None else base.join(text)
    except httpx.InvalidURL as error:
        raise ValueError(str(error)) from error
    if b"%" in url.raw_host or not 0 <= (url.port or 0) < 65_536:
        raise ValueError("its host or its port can't be one")
    return url


def host_of(url: httpx.URL) -> str:
    """The host in ASCII, as it is requested. (`URL.host` rejects names that registries do assign: those with emoji.)"""
    return url.raw_host.decode("ascii")
