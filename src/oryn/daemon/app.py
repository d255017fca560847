"""The daemon's HTTP API as an ASGI application: its routes, its middleware, and the responses to errors
(docs/spec/daemon-protocol.md#routes)."""

from __future__ import annotations

import asyncio
import json
import logging
import os
from collections.abc import AsyncIterator
from functools import partial
from typing import TYPE_CHECKING

from sse_starlette import EventSourceResponse
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from oryn.core.spans import span
from oryn.daemon.access.principals import OWNER, PERSON_KEY, principal_of
from oryn.daemon.dispatcher import sessions_needed
from oryn.daemon.extension_endpoint import extension_routes
from oryn.daemon.history.query import HistoryQuery
from oryn.daemon.host_commands import APPROVES
from oryn.daemon.http import streaming
from oryn.daemon.http.disconnects import unless_disconnected
from oryn.daemon.http.middleware import (
    AuthMiddleware,
    DocumentPolicyMiddleware,
    OwnSessionsMiddleware,
    QueryParameterMiddleware,
    refuse,
)
from oryn.daemon.http.terminal import exit_code, printed_text
from oryn.daemon.live.login_links import KEY_HEADER
from oryn.daemon.live.notes import note_routes
from oryn.daemon.live.page import page_routes
from oryn.daemon.live.routes import live_routes
from oryn.daemon.live.takeover import takeover_routes
from oryn.daemon.mcp_endpoint import MCP_PATH
from oryn.daemon.protocol import DOCUMENT_POLICY, DaemonList, DrainResponse, StopResponse, failure_of, json_text
from oryn.daemon.request.json_body import read_body
from oryn.daemon_client.http import PERSON_HEADER
from oryn.engine.takeover import ANSWERS_AGENT, PERSON
from oryn.errors import InternalError, NoSuchAddress, OrynError
from oryn.language import Line

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.types import ASGIApp

    from oryn.daemon.cluster.relay import Relay
    from oryn.daemon.daemon import Daemon

log = logging.getLogger(__name__)


TAKEOVER_HEADER = "oryn-takeover"
"""The header of a request by a person who has taken the session over: the token of their takeover."""
ON_DISCONNECT = "oryn-on-disconnect"
"""The request header of clients whose command continues (`continue`) if they disconnect; otherwise it is cancelled."""

QUERY_PARAMETERS = {
    "/": ("code",),
    "/drain": ("provider",),
    "/events": ("type",),
    "/history": tuple(HistoryQuery.__fields__),
}
"""The query parameters of each path."""


def create_app(daemon: Daemon) -> Starlette:
    """Create the daemon's ASGI application."""

    async def command(request: Request) -> Response:
        body = await read_body(request)
        with span("parse"):
            parsed = await daemon.request_parser.parse_command(body)
        PERSON.set(request.headers.get(TAKEOVER_HEADER))  # in this request's task only
        # What prints the result alone has no room for notes.
        ANSWERS_AGENT.set(KEY_HEADER not in request.headers and not (parsed.as_raw or parsed.names_format))
        principal = principal_of(request.scope)
        by_token = principal is not OWNER and "confirm" in principal.scopes
        is_person = by_token or daemon.is_person(request.headers.get(PERSON_HEADER, "")) or PERSON_KEY in request.scope
        APPROVES.set(is_person)
        if daemon.relay is not None and isinstance(parsed.line, Line):
            session = daemon.sessions.session_of(parsed.envelope.session, parsed.line)
            if sessions_needed(session, parsed.line):
                forward = partial(daemon.relay.forward, request, body, session, is_person=is_person)
                elsewhere = await unless_disconnected(request, lambda: asyncio.create_task(forward()))
                if elsewhere is not None:
                    return elsewhere
        if request.headers.get("accept") == streaming.MEDIA_TYPE:
            return streaming.StreamedCommandResponse(daemon.dispatcher, parsed)
        if request.headers.get(ON_DISCONNECT) == "continue" or streaming.outlives_client(parsed):
            outcome = await daemon.dispatcher.run(parsed.envelope, parsed.line)
        else:
            start = partial(daemon.dispatcher.start, parsed.envelope, parsed.line)
            outcome = await unless_disconnected(request, start)
        answer = outcome.answer
        # For the fast command line: importing a JSON parser would take too long at its start.
        headers = {"oryn-exit-code": str(exit_code(parsed, answer))}
        if outcome.error_kind:
            headers["oryn-error-kind"] = outcome.error_kind
        status = 500 if isinstance(answer.error, InternalError) else 200
        accept, _, output = request.headers.get("accept", "").partition(";")
        if accept == "text/plain" and not parsed.as_json:
            whole = answer.render()
            text = printed_text(parsed, answer, whole, piped=output == "output=pipe")
            if text != whole:
                headers["oryn-raw"] = "1"  # the command line does not colour it
            return PlainTextResponse(text.encode("utf-8", "replace"), status, headers)
        return Response(json_text(outcome.response()), status, headers, "application/json")

    async def status(request: Request) -> Response:
        return JSONResponse((await daemon.status()).model_dump())

    async def metrics(request: Request) -> Response:
        if daemon.metrics is None:
            raise NoSuchAddress("the daemon serves no metrics", "'oryn daemon restart --metrics' starts one that does.")
        body = daemon.metrics.exposition(await daemon.status())
        return Response(body, headers={"Content-Type": daemon.metrics.media_type})

    async def daemons(request: Request) -> Response:
        if daemon.cluster is None:
            raise NoSuchAddress("the daemon shares its records with no others", "The setting records names a database.")
        return JSONResponse(DaemonList(daemons=await daemon.cluster.daemons()).model_dump())

    async def healthz(request: Request) -> Response:
        return PlainTextResponse("ok")

    async def readyz(request: Request) -> Response:
        return PlainTextResponse("ok") if daemon.readiness.ready else PlainTextResponse("not ready", 503)

    async def stop(request: Request) -> Response:
        daemon.stop("a client requested it")
        return JSONResponse(StopResponse(pid=os.getpid()).model_dump(), status_code=202)

    async def drain(request: Request) -> Response:
        drained = await daemon.drain(request.query_params.get("provider"))
        return JSONResponse(DrainResponse(sessions=drained).model_dump())

    async def events(request: Request) -> Response:
        if request.method == "HEAD":
            return Response(media_type="text/event-stream")
        types, owner = request.query_params.getlist("type"), principal_of(request.scope).owner
        # Another daemon that shares the records asks for the events of this one.
        others = None if daemon.relay is None or daemon.relay.has_sent(request) else daemon.relay
        return EventSourceResponse(_event_stream(daemon, types, owner.name if owner else None, others), ping=15)

    async def openapi(request: Request) -> Response:
        from oryn.daemon.http.openapi import description

        return JSONResponse(description())

    mcp: ASGIApp = daemon.mcp_endpoint
    if daemon.relay is not None:
        from oryn.daemon.cluster.mcp_relay import McpRelay
        from oryn.daemon.cluster.relay import RelayMiddleware

        mcp = McpRelay(daemon.mcp_endpoint, daemon.relay, daemon.request_parser)
    routes = [
        Route("/command", command, methods=["POST"]),
        Route("/status", status),
        Route("/metrics", metrics),
        Route("/daemons", daemons),
        Route("/healthz", healthz),
        Route("/readyz", readyz),
        Route("/drain", drain, methods=["POST"]),
        Route("/stop", stop, methods=["POST"]),
        Route("/events", events),
        Route("/openapi.json", openapi),
        Route(MCP_PATH, mcp),
        *extension_routes(daemon.extension_endpoint, daemon.request_parser),
        *page_routes(daemon.login_links, lambda: f"{daemon.scheme}://127.0.0.1:{daemon.port}"),
        *live_routes(daemon.dispatcher, daemon.screencasts),
        *note_routes(daemon.sessions),
        *takeover_routes(daemon.dispatcher, daemon.screencasts),
    ]
    return Starlette(
        routes=routes,
        middleware=[
            Middleware(DocumentPolicyMiddleware),
            Middleware(
                AuthMiddleware,
                gate=daemon.gate,
                admitted=(daemon.login_links.authenticate, *([daemon.relay.authenticate] if daemon.relay else [])),
            ),
            Middleware(QueryParameterMiddleware, parameters=QUERY_PARAMETERS, refuse=refuse, exempt_paths=(MCP_PATH,)),
            Middleware(OwnSessionsMiddleware, sessions=daemon.sessions, gate=daemon.gate),
            *([] if daemon.relay is None else [Middleware(RelayMiddleware, relay=daemon.relay)]),
            *([] if daemon.tracer is None else [Middleware(daemon.tracer.middleware)]),
        ],
        exception_handlers={OrynError: _failed, HTTPException: _not_found, Exception: _bug},
    )


async def _event_stream(
    daemon: Daemon, types: list[str], owner: str | None, others: Relay | None
) -> AsyncIterator[dict[str, str]]:
    with daemon.events.subscribe(types, owner) as subscription:
        following = None if others is None else asyncio.create_task(others.follow(subscription))
        try:
            async for event in subscription:
                yield {"data": json.dumps(event.form(), separators=(",", ":"))}
        finally:
            if following is not None:
                following.cancel()


async def _failed(request: Request, error: Exception) -> Response:
    assert isinstance(error, OrynError)
    return JSONResponse(failure_of(error).model_dump(), status_code=max(error.http_status, 400))


async def _not_found(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    failure = failure_of(NoSuchAddress(f"{request.method} {request.scope['path'][:80]!r} is unknown to the daemon"))
    return JSONResponse(failure.model_dump(), status_code=error.status_code, headers=error.headers)


async def _bug(request: Request, error: Exception) -> Response:
    log.error("unexpected error in %s", request.scope["path"], exc_info=error)
    failure = failure_of(InternalError(f"unexpected {type(error).__name__}"))
    # The one response that is made outside of the middleware.
    return JSONResponse(failure.model_dump(), 500, {"Content-Security-Policy": DOCUMENT_POLICY})
