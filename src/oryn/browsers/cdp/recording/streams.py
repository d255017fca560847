"""What the browser hands over in pieces. https://chromedevtools.github.io/devtools-protocol/tot/IO/"""

from __future__ import annotations

import base64

from oryn.browsers.base.recording import Write
from oryn.browsers.cdp.connection import Session

# A message of the protocol holds it with a third more; larger ones make other answers wait.
_PIECE = 512 * 1024


async def copy(session: Session, handle: str, write: Write, timeout: float) -> None:
    """Write all of the stream and close it. Each piece may take `timeout` seconds."""
    try:
        while True:
            piece = await session.call("IO.read", {"handle": handle, "size": _PIECE}, timeout=timeout)
            data: str = piece["data"]
            write(base64.b64decode(data) if piece.get("base64Encoded") else data.encode("utf-8", "replace"))
            if piece["eof"]:
                return
    finally:
        session.send("IO.close", {"handle": handle})
