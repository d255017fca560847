"""The bodies of requests and answers, which the browser keeps and is asked for when somebody wants them.

It keeps them (`KEPT`) when the page moves on, and when the frame that asked for them goes.
https://chromedevtools.github.io/devtools-protocol/tot/Network/#method-getResponseBody
"""

from __future__ import annotations

import base64
from typing import Any

from oryn.browsers.base.network import Body, Transcript
from oryn.browsers.cdp.traffic.exchanges import exchange
from oryn.browsers.cdp.traffic.log import Hop
from oryn.errors import OrynError

GONE = "the browser has not kept it"
_ENDLESS = frozenset({"websocket", "eventsource"})
_WITHOUT_BODY = frozenset({204, 205, 304})


async def transcript(hop: Hop, timeout: float) -> Transcript:
    """A hop with its bodies, asked for now."""
    return Transcript(exchange(hop), await _sent(hop, timeout), await _received(hop, timeout))


async def _sent(hop: Hop, timeout: float) -> Body | None:
    if not hop.request.get("hasPostData"):
        return None
    if "postData" in hop.request:
        return Body(hop.request["postData"].encode("utf-8", "surrogatepass"))
    return await _ask(hop, "Network.getRequestPostData", "postData", timeout)


async def _received(hop: Hop, timeout: float) -> Body | None:
    if hop.response is None or hop.request["method"] == "HEAD" or hop.response["status"] in _WITHOUT_BODY:
        return None
    if hop.next is not None:
        return Body(None, "the answer is a redirect")
    if hop.kind in _ENDLESS:
        return Body(None, "the answer is a stream")
    if not hop.over:
        return Body(None, "the answer is still coming")
    return await _ask(hop, "Network.getResponseBody", "body", timeout)


async def _ask(hop: Hop, method: str, field: str, timeout: float) -> Body:
    if hop.page is None or hop.session is None:
        return Body(None, GONE)
    session = hop.page.channel.session if hop.session.ended else hop.session
    try:
        answer: dict[str, Any] = await session.call(method, {"requestId": hop.key}, timeout=timeout)
    except OrynError:  # a target that has gone, a body that was dropped: the reason is of no use to anybody
        return Body(None, GONE)
    text: str = answer[field]
    encoded = answer.get("base64Encoded", False)
    return Body(base64.b64decode(text) if encoded else text.encode("utf-8", "surrogatepass"))
