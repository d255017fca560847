"""Which servers of a tab have no valid certificate, though the browser talks to them: somebody ignores the errors.

https://chromedevtools.github.io/devtools-protocol/tot/Network/#type-Response (`securityState`)
https://chromedevtools.github.io/devtools-protocol/tot/Security/#event-visibleSecurityStateChanged
"""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.parse import urlsplit

from oryn.browsers.cdp.connection import Session

TOLD_SECONDS = 2.0


class Certificates:
    """Listens to one tab."""

    def __init__(self) -> None:
        self._faulty: set[str] = set()
        self._sound: set[str] = set()

    def listen(self, session: Session) -> None:
        session.on("Network.responseReceived", self._answered)

    def _answered(self, event: dict[str, Any]) -> None:
        response = event["response"]
        state = response.get("securityState")
        if state not in ("secure", "insecure", "insecure-broken") or not response["url"].startswith("https:"):
            return
        server = urlsplit(response["url"]).netloc
        if state != "secure":
            self._faulty.add(server)
            self._sound.discard(server)
        elif event.get("type") == "Document" or server not in self._faulty:
            self._sound.add(server)
            self._faulty.discard(server)

    async def is_faulty(self, url: str, session: Session, *, top: bool) -> bool:
        """Whether the certificate behind a document was not accepted for what it is. Of a top document whose response
        nobody heard, as of a browser that Oryn has come to later, `session`, the tab's, is asked."""
        parts = urlsplit(url)
        if parts.scheme != "https" or parts.netloc in self._sound:
            return False
        if parts.netloc in self._faulty or not top:
            return parts.netloc in self._faulty
        is_faulty = await _is_told_faulty(session)
        (self._faulty if is_faulty else self._sound).add(parts.netloc)
        return is_faulty


async def _is_told_faulty(session: Session) -> bool:
    """The browser tells what it shows beside the address as soon as it is asked to."""
    told: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()

    def tell(event: dict[str, Any]) -> None:
        if not told.done():
            told.set_result(event)

    session.on("Security.visibleSecurityStateChanged", tell)
    session.send("Security.disable")
    session.send("Security.enable")
    try:
        state = (await asyncio.wait_for(told, TOLD_SECONDS))["visibleSecurityState"]
    except TimeoutError:
        return False
    certificate = state.get("certificateSecurityState") or {}
    return state["securityState"] == "insecure-broken" or bool(certificate.get("certificateNetworkError"))
