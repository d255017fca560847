"""A way in for clients that can't send a token: everything is passed on as it came, with the daemon's token added, and
with its address in the place of this one's."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import httpx
import uvicorn
from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.types import ASGIApp

_OF_THE_WAY = {"connection", "transfer-encoding", "content-length", "keep-alive"}
"""Headers that are about one connection (RFC 9110 §7.6.1), and what the server counts itself."""


@asynccontextmanager
async def entrance(url: str, token: str) -> AsyncIterator[str]:
    """The address of a server on loopback that passes requests on to `url`."""
    async with httpx.AsyncClient(timeout=None, trust_env=False) as client:

        async def forward(request: Request) -> StreamingResponse:
            here, there = request.url.netloc, url.removeprefix("http://")
            own = {here: there, f"http://{here}": url}
            own = own if request.scope["server"][1] == request.url.port else {}
            headers = {
                name: own.get(value, value) for name, value in request.headers.items() if name not in _OF_THE_WAY
            }
            passed = client.build_request(
                request.method,
                url + request.url.path,
                headers={**headers, "authorization": f"Bearer {token}"},
                content=await request.body(),
            )
            answer = await client.send(passed, stream=True)
            kept = {name: value for name, value in answer.headers.items() if name not in _OF_THE_WAY}
            ending = BackgroundTask(answer.aclose)
            return StreamingResponse(answer.aiter_raw(), answer.status_code, kept, background=ending)

        app = Starlette()
        app.add_route("/{path:path}", forward, ["GET", "POST", "DELETE"])
        async with served(app) as address:
            yield address


@asynccontextmanager
async def served(app: ASGIApp) -> AsyncIterator[str]:
    """The address of an application on a free port of loopback."""
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error", lifespan="off", timeout_graceful_shutdown=1))
    sockets = [server.config.bind_socket()]
    task = asyncio.create_task(server.serve(sockets))
    try:
        yield f"http://127.0.0.1:{sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        with suppress(asyncio.CancelledError):
            await task
