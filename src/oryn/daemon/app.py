"""The daemon's addresses: what comes over HTTP, checked, to whoever does it, and back (seed 004, Server)."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from sse_starlette import EventSourceResponse
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from oryn.daemon import streaming
from oryn.daemon.access import Access, refuse
from oryn.daemon.bodies import body_of
from oryn.daemon.extension import extension_routes
from oryn.daemon.live_page import page_routes
from oryn.daemon.mcp import PATH
from oryn.daemon.protocol import Stopping, failure_of, json_text
from oryn.daemon.queries import Queries
from oryn.daemon.searching import Query
from oryn.daemon.watching import watching_routes
from oryn.errors import InternalError, NoSuchAddress, OrynError

if TYPE_CHECKING:
    from starlette.requests import Request

    from oryn.daemon.daemon import Daemon

log = logging.getLogger(__name__)


QUERIES = {"/": ("code",), "/events": ("type",), "/history": tuple(Query.__fields__)}
"""The parameters that addresses take."""


def app_of(daemon: Daemon) -> Starlette:
    """The daemon as an ASGI application."""

    async def command(request: Request) -> Response:
        meaning = await daemon.reader.command(await body_of(request))
        if request.headers.get("accept") == streaming.MEDIA_TYPE:
            return streaming.Streamed(daemon.dispatcher, meaning)
        response, answer = await daemon.dispatcher.run(meaning.envelope, meaning.line)
        # For the command line, whose start is too short for a JSON parser.
        headers = {"oryn-exit-code": str(answer.error.exit_code if answer.error else 0)}
        if response.error_kind:
            headers["oryn-error-kind"] = response.error_kind
        status = 500 if isinstance(answer.error, InternalError) else 200
        if request.headers.get("accept") == "text/plain" and not meaning.as_json:
            return PlainTextResponse(response.text.encode("utf-8", "replace"), status, headers)
        return Response(json_text(response), status, headers, "application/json")

    async def status(request: Request) -> Response:
        return JSONResponse(daemon.status().model_dump())

    async def healthz(request: Request) -> Response:
        return PlainTextResponse("ok")

    async def stop(request: Request) -> Response:
        daemon.stop("somebody asked for it")
        return JSONResponse(Stopping(pid=os.getpid()).model_dump(), status_code=202)

    async def events(request: Request) -> Response:
        if request.method == "HEAD":
            return Response(media_type="text/event-stream")
        return EventSourceResponse(_frames(daemon, request.query_params.getlist("type")), ping=15)

    async def openapi(request: Request) -> Response:
        from oryn.daemon.openapi import description

        return JSONResponse(description())

    routes = [
        Route("/command", command, methods=["POST"]),
        Route("/status", status),
        Route("/healthz", healthz),
        Route("/stop", stop, methods=["POST"]),
        Route("/events", events),
        Route("/openapi.json", openapi),
        Route(PATH, daemon.assistants),
        *extension_routes(daemon),
        *page_routes(daemon),
        *watching_routes(daemon),
    ]
    return Starlette(
        routes=routes,
        middleware=[
            Middleware(Access, token=daemon.token, admitted=(daemon.links.admits,)),
            Middleware(Queries, known=QUERIES, refuse=refuse, elsewhere=(PATH,)),
        ],
        exception_handlers={OrynError: _failed, HTTPException: _no_address, Exception: _bug},
    )


async def _frames(daemon: Daemon, types: list[str]) -> AsyncIterator[dict[str, str]]:
    with daemon.events.subscribed(types) as subscription:
        async for event in subscription:
            yield {"data": json.dumps(event.form(), separators=(",", ":"))}


async def _failed(request: Request, error: Exception) -> Response:
    assert isinstance(error, OrynError)
    return JSONResponse(failure_of(error).model_dump(), status_code=max(error.http_status, 400))


async def _no_address(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    failure = failure_of(NoSuchAddress(f"{request.method} {request.scope['path'][:80]!r} is not here"))
    return JSONResponse(failure.model_dump(), status_code=error.status_code, headers=error.headers)


async def _bug(request: Request, error: Exception) -> Response:
    log.error("unexpected error in %s", request.scope["path"], exc_info=error)
    failure = failure_of(InternalError(f"unexpected {type(error).__name__}", "Please report this."))
    return JSONResponse(failure.model_dump(), status_code=500)
