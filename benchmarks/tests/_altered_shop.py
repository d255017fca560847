"""The demo shop, altered: a page, a script or an answer of its server is another one."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from oryn.demo.server import Shop, _ShopHandler, _ShopServer

UPDATED = "<p>Updated on 30 November 2026 at 12:00.</p></footer>"
"""What stands in the footer of each page of the recorded shop, and varies."""


@dataclass(frozen=True)
class Alteration:
    """What is other than in the shop. `where`: the paths of the requests, as a regular expression; `changes`: the texts
    that others take the place of in what is sent."""

    name: str
    changes: Mapping[str, str] = field(default_factory=dict)
    where: str = ".*"
    step: int = 0
    """The step that has to find it; 0 for a harmless one."""
    says: str = ""
    """What the sentence has to say."""
    status: int | None = None
    location: str | None = None
    delay: float = 0.0

    def fits(self, path: str) -> bool:
        return re.fullmatch(self.where, path) is not None


class _AlteredHandler(_ShopHandler):
    def _send(self, status: int, body: bytes, headers: Mapping[str, str]) -> None:
        alteration: Alteration = self.server.alteration  # type: ignore[attr-defined]
        sent, body = dict(headers), body.replace(b"</footer>", UPDATED.encode())
        if alteration.fits(f"{self.command} {self.path}"):
            time.sleep(alteration.delay)
            text = body.decode()
            for old, new in alteration.changes.items():
                text = text.replace(old, new)
            if text.encode() != body or alteration.status or alteration.location or alteration.delay:
                self.server.is_altered = True  # type: ignore[attr-defined]
            body = text.encode()
            if alteration.status is not None:
                status = alteration.status
            if alteration.location is not None:
                status, sent["Location"] = 303, alteration.location
        super()._send(status, body, sent)


class AlteredShop(Shop):
    """A shop with one alteration, on a free port."""

    def __init__(self, alteration: Alteration) -> None:
        self._server = _ShopServer(("127.0.0.1", 0), _AlteredHandler)
        self._server.alteration = alteration  # type: ignore[attr-defined]
        self._server.is_altered = False  # type: ignore[attr-defined]
        self.port = self._server.server_address[1]
        self.url = f"http://localhost:{self.port}"

    @property
    def is_altered(self) -> bool:
        """Whether anything that was sent was other than in the shop."""
        is_altered: bool = self._server.is_altered  # type: ignore[attr-defined]
        return is_altered
