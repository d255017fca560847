"""The daemon's addresses: what comes over HTTP, checked, to whoever does it, and back (seed 004, Server)."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

from sse_starlette import EventSourceResponse
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute

from oryn.daemon.access import Access
from oryn.daemon.live_page import page_routes
from oryn.daemon.protocol import LARGEST_BODY, failure_of, read_command
from oryn.daemon.reading import unfolded
from oryn.daemon.watching import watching_routes
from oryn.errors import InternalError, NoSuchAddress, OrynError, RequestError, RequestTooLarge

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.websockets import WebSocket

    from oryn.daemon.daemon import Daemon


def app_of(daemon: Daemon) -> Starlette:
    """The daemon as an ASGI application."""

    async def command(request: Request) -> Response:
        envelope, as_json = unfolded(read_command(_json(await _body(request))))
        response, answer = await daemon.dispatcher.run(envelope)
        # For the command line, whose start is too short for a JSON parser.
        headers = {"oryn-exit-code": str(answer.error.exit_code if answer.error else 0)}
        if response.error_kind:
            headers["oryn-error-kind"] = response.error_kind
        if request.headers.get("accept") == "text/plain" and not as_json:
            return PlainTextResponse(response.text, headers=headers)
        return Response(response.model_dump_json(), media_type="application/json", headers=headers)

    async def status(request: Request) -> Response:
        return JSONResponse(daemon.status().model_dump())

    async def healthz(request: Request) -> Response:
        return PlainTextResponse("ok")

    async def events(request: Request) -> Response:
        return EventSourceResponse(_frames(daemon, request.query_params.getlist("type")), ping=15)

    async def openapi(request: Request) -> Response:
        from oryn.daemon.openapi import description

        return JSONResponse(description())

    async def extension(socket: WebSocket) -> None:
        await socket.accept()
        await socket.close(4404, "no extension is known")

    routes = [
        Route("/command", command, methods=["POST"]),
        Route("/status", status),
        Route("/healthz", healthz),
        Route("/events", events),
        Route("/openapi.json", openapi),
        WebSocketRoute("/extension", extension),
        *page_routes(daemon),
        *watching_routes(daemon),
    ]
    return Starlette(
        routes=routes,
        middleware=[Middleware(Access, token=daemon.token, admitted=(daemon.links.admits,))],
        exception_handlers={OrynError: _failed, HTTPException: _no_address, Exception: _bug},
    )


async def _body(request: Request) -> bytes:
    """Raises `RequestTooLarge`."""
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > LARGEST_BODY:
            raise RequestTooLarge(f"a request of more than {LARGEST_BODY} bytes", "Send less at once.")
        parts.append(part)
    return b"".join(parts)


def _json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise RequestError("the request is no JSON") from None


async def _frames(daemon: Daemon, types: list[str]) -> AsyncIterator[dict[str, str]]:
    with daemon.events.subscribed(types) as subscription:
        async for event in subscription:
            yield {"data": json.dumps(event.form(), separators=(",", ":"))}


async def _failed(request: Request, error: Exception) -> Response:
    assert isinstance(error, OrynError)
    return JSONResponse(failure_of(error).model_dump(), status_code=max(error.http_status, 400))


async def _no_address(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    failure = failure_of(NoSuchAddress(f"{request.method} {request.url.path[:80]!r} is not here"))
    return JSONResponse(failure.model_dump(), status_code=error.status_code, headers=error.headers)


async def _bug(request: Request, error: Exception) -> Response:
    failure = failure_of(InternalError(f"unexpected {type(error).__name__}", "Please report this."))
    return JSONResponse(failure.model_dump(), status_code=500)
