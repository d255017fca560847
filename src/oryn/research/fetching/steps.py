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
            url = checked(httpx.URL(text.strip()))
        except httpx.InvalidURL as error:
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
            url = checked(self.url.join(location))
        except httpx.InvalidURL as error:
            raise FetchFailed(f"{shown(self.address)} leads to {shown(location)}, which is no URL") from error
        url = url.copy_with(userinfo=b"", fragment=None)
        stays = (url.scheme, url.host, url.port) == (self.url.scheme, self.url.host, self.url.port)
        return Step(url, self.own if stays else ())


def checked(url: httpx.URL) -> httpx.URL:
    """httpx takes hosts and ports that no URL has (https://url.spec.whatwg.org/#forbidden-domain-code-point)."""
    if b"%" in url.raw_host or not 0 <= (url.port or 0) < 65_536:
        raise httpx.InvalidURL("its host or its port can't be one")
    return url
