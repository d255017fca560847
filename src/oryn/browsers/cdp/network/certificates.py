"""Tracks which servers of a tab have an invalid certificate that was accepted because errors are ignored.

https://chromedevtools.github.io/devtools-protocol/tot/Network/#type-Response (`securityState`)
https://chromedevtools.github.io/devtools-protocol/tot/Security/#event-visibleSecurityStateChanged"""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.parse import urlsplit

from oryn.browsers.cdp.connection import CdpSession

SECURITY_STATE_SECONDS = 2.0


class CertificateTracker:
    """Tracks the certificates of the servers of one tab."""

    def __init__(self) -> None:
        self._faulty: set[str] = set()
        self._valid: set[str] = set()

    def listen(self, session: CdpSession) -> None:
        session.on("Network.responseReceived", self._on_answered)

    def _on_answered(self, event: dict[str, Any]) -> None:
        response = event["response"]
        state = response.get("securityState")
        if state not in ("secure", "insecure", "insecure-broken") or not response["url"].startswith("https:"):
            return
        server = urlsplit(response["url"]).netloc
        if state != "secure":
            self._faulty.add(server)
            self._valid.discard(server)
        elif event.get("type") == "Document" or server not in self._faulty:
            self._valid.add(server)
            self._faulty.discard(server)

    async def is_faulty(self, url: str, session: CdpSession, *, top: bool) -> bool:
        """Whether the certificate of a document's server is invalid and only accepted because errors are ignored.

        session: the session of the tab. It is queried for a `top` document whose response we have not seen, as in a
            browser that was attached later."""
        parts = urlsplit(url)
        if parts.scheme != "https" or parts.netloc in self._valid:
            return False
        if parts.netloc in self._faulty or not top:
            return parts.netloc in self._faulty
        is_faulty = await _query_is_faulty(session)
        (self._faulty if is_faulty else self._valid).add(parts.netloc)
        return is_faulty


async def _query_is_faulty(session: CdpSession) -> bool:
    """Query the security state. The browser sends it when the Security domain is enabled."""
    changed: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()

    def on_change(event: dict[str, Any]) -> None:
        if not changed.done():
            changed.set_result(event)

    session.on("Security.visibleSecurityStateChanged", on_change)
    session.send("Security.disable")
    session.send("Security.enable")
    try:
        state = (await asyncio.wait_for(changed, SECURITY_STATE_SECONDS))["visibleSecurityState"]
    except TimeoutError:
        return False
    certificate = state.get("certificateSecurityState") or {}
    return state["securityState"] == "insecure-broken" or bool(certificate.get("certificateNetworkError"))
