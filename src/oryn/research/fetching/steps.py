"""One request of a fetch: where to, and what only that place may see. Pure."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping

import httpx

from oryn.engine.escape import url as shown
from oryn.records import Record
from oryn.research.failures import FetchFailed


class Step(Record):
    """One request of a walk. `own` are headers that only this origin may see."""

    url: httpx.URL
    own: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, text: str, headers: Mapping[str, str] | None = None) -> Step:
        """Of a URL as somebody wrote it. What it has for a login becomes a header; neither it nor the fragment is in
        `url`. Raises `FetchFailed`."""
        try:
            url = parsed(text.strip())
        except ValueError as error:
            raise FetchFailed(f"{shown(text)} is no URL: {error}", "A URL begins with https:// or http://.") from error
        own = dict(headers or {})
        if url.userinfo:
            own["Authorization"] = f"Basic {b64encode(f'{url.username}:{url.password}'.encode()).decode()}"
        return cls(url.copy_with(userinfo=b"", fragment=None), tuple(own.items()))

    @property
    def address(self) -> str:
        return str(self.url)

    def to(self, location: str) -> Step:
        """Where a redirect leads: nothing is taken there that is another origin's. Raises `FetchFailed`."""
        try:
            url = parsed(location, self.url)
        except ValueError as error:
            raise FetchFailed(f"{shown(self.address)} leads to {shown(location)}, which is no URL") from error
        url = url.copy_with(userinfo=b"", fragment=None)
        stays = (url.scheme, url.raw_host, url.port) == (self.url.scheme, self.url.raw_host, self.url.port)
        return Step(url, self.own if stays else ())


def parsed(text: str, base: httpx.URL | None = None) -> httpx.URL:
    """Raises `ValueError` for what is no URL, also where httpx would take it: hosts and ports that none has
    (https://url.spec.whatwg.org/#forbidden-domain-code-point)."""
    try:
        url = httpx.URL(text) if base is None else base.join(text)
    except httpx.InvalidURL as error:
        raise ValueError(str(error)) from error
    if b"%" in url.raw_host or not 0 <= (url.port or 0) < 65_536:
        raise ValueError("its host or its port can't be one")
    return url


def host_of(url: httpx.URL) -> str:
    """In ASCII, as it is asked for. (`URL.host` refuses names that registries give out: those with emoji.)"""
    return url.raw_host.decode("ascii")
