"""Tells which documents came from a server with an invalid certificate, where such certificates are accepted.

The browser's own verdict comes with the certificate: `Network.getSerializedCertificate` returns the chain and the flags
of the errors that the browser has found and ignored. A document without a verdict counts as one with errors.
https://docs.gtk.org/gio/flags.TlsCertificateFlags.html
https://github.com/WebKit/WebKit/blob/main/Source/WebCore/platform/network/soup/CertificateInfo.h"""

from __future__ import annotations

import asyncio
import base64
from typing import TYPE_CHECKING, Any

from oryn.browsers.webkit.inflight import resource_kind
from oryn.errors import OrynError

if TYPE_CHECKING:
    from oryn.browsers.common.protocol_session import Answer, ProtocolSession

_MAX_DOCUMENTS = 1000
_VERDICT_SECONDS = 2.0
_MAX_CHAIN = 100
_SEQUENCE = b"\x30"
"""What a certificate begins with."""


class DocumentCertificates:
    """The certificates of the documents of one tab.

    ignores_errors: whether the browser accepts invalid certificates. Else it has shown no document of such a server."""

    def __init__(self, *, ignores_errors: bool) -> None:
        self._ignores_errors = ignores_errors
        self._answers: dict[str, asyncio.Future[Answer]] = {}
        """By the loader of the document, the answers with its certificate."""

    def listen(self, session: ProtocolSession) -> None:
        if self._ignores_errors:
            session.on("Network.responseReceived", lambda event: self._on_answered(session, event))

    def _on_answered(self, session: ProtocolSession, event: dict[str, Any]) -> None:
        if resource_kind(event) != "Document" or not event["response"]["url"].startswith("https:"):
            return
        request = {"requestId": event["requestId"]}
        self._answers[event["loaderId"]] = session.send("Network.getSerializedCertificate", request)
        while len(self._answers) > _MAX_DOCUMENTS:
            del self._answers[next(iter(self._answers))]

    async def is_faulty(self, url: str, loader: str) -> bool:
        """Whether the document with this URL and loader came over a connection that nobody vouches for."""
        if not self._ignores_errors or not url.startswith("https:"):
            return False
        answer = self._answers.get(loader)
        if answer is None:
            return True
        try:
            found = await asyncio.wait_for(asyncio.shield(answer), _VERDICT_SECONDS)
        except (OrynError, TimeoutError):
            return True
        return certificate_errors(base64.b64decode(found["serializedCertificate"])) != 0


def certificate_errors(data: bytes) -> int | None:
    """The flags of the errors in a serialized certificate, 0 for none; None if the data is not understood.

    Little endian: the number of certificates (u64), the length of each (u32) with its bytes, and the flags (u32)."""
    count, place = int.from_bytes(data[:8], "little"), 8
    if not 0 < count <= _MAX_CHAIN:
        return None
    for _ in range(count):
        size = int.from_bytes(data[place : place + 4], "little")
        if data[place + 4 : place + 5] != _SEQUENCE:
            return None
        place += 4 + size
    return int.from_bytes(data[place:], "little") if place + 4 == len(data) else None
