"""Headers for the request of one navigation, and no other: not for subresources, not for another host.

https://chromedevtools.github.io/devtools-protocol/tot/Fetch/
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

from oryn.browsers.cdp.channel import Channel


@asynccontextmanager
async def during(channel: Channel, url: str, headers: dict[str, str] | None) -> AsyncIterator[None]:
    """While the block runs, requests of documents from the origin of `url` carry `headers`."""
    if not headers:
        yield
        return
    origin = urlsplit(url)[:2]
    session = channel.session

    def paused(event: dict[str, Any]) -> None:
        request = event["request"]
        params: dict[str, Any] = {"requestId": event["requestId"]}
        if urlsplit(request["url"])[:2] == origin:
            params["headers"] = [
                {"name": name, "value": value} for name, value in _merged(request["headers"], headers).items()
            ]
        session.send("Fetch.continueRequest", params)

    session.on("Fetch.requestPaused", paused)
    session.send("Fetch.enable", {"patterns": [{"resourceType": "Document", "requestStage": "Request"}]})
    try:
        yield
    finally:
        session.handlers["Fetch.requestPaused"].remove(paused)
        session.send("Fetch.disable")


def _merged(present: dict[str, str], wanted: dict[str, str]) -> dict[str, str]:
    replaced = {name.lower() for name in wanted}
    return {name: value for name, value in present.items() if name.lower() not in replaced} | wanted
