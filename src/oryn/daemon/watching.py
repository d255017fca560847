"""What the live page asks for: a session's picture and sight, and pages of the history."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

from sse_starlette import EventSourceResponse
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from oryn.daemon.live_page import OURS
from oryn.daemon.protocol import read_command
from oryn.daemon.replay import check, request_of
from oryn.daemon.searching import page_of, query_of
from oryn.daemon.sight import NOTHING, sight_of
from oryn.errors import ActionNotFound, SessionNotFound
from oryn.paths import SESSION_NAME

if TYPE_CHECKING:
    from starlette.requests import Request

    from oryn.daemon.daemon import Daemon

_HEADERS = {**OURS, "Cache-Control": "no-store"}


def watching_routes(daemon: Daemon) -> list[BaseRoute]:
    async def picture(request: Request) -> Response:
        name = request.path_params["name"]
        if SESSION_NAME.fullmatch(name) is None:
            raise SessionNotFound.among(daemon.sessions.names)
        return EventSourceResponse(_stills(daemon, name), headers=_HEADERS, ping=15)

    async def sight(request: Request) -> Response:
        session = daemon.sessions.get(request.path_params["name"])
        return _json(NOTHING if session is None else await sight_of(session))

    async def history(request: Request) -> Response:
        query = query_of(request.query_params)
        return _json(await asyncio.to_thread(page_of, daemon.history, query))

    async def replay(request: Request) -> Response:
        return _json(await _replayed(daemon, request.path_params["action_id"]))

    return [
        Route("/sessions/{name}/picture", picture),
        Route("/sessions/{name}/sight", sight),
        Route("/history", history),
        Route("/history/{action_id}/replay", replay, methods=["POST"]),
    ]


def _json(data: Any) -> Response:
    """In ASCII: a command, too, may have half a character, which UTF-8 has not."""
    return Response(json.dumps(data, separators=(",", ":")), media_type="application/json", headers=_HEADERS)


async def _replayed(daemon: Daemon, action_id: str) -> dict[str, Any]:
    """The response to a row's command, done again. Raises `ActionNotFound`, `NotReplayable`, `TooManyCommands`."""
    row = await asyncio.to_thread(daemon.history.find, action_id)
    if row is None:
        raise ActionNotFound(f"no row {action_id[:40]!r} is in the history")
    check(row)
    response, _ = await daemon.dispatcher.run(read_command(request_of(row)))
    return response.model_dump()


async def _stills(daemon: Daemon, name: str) -> AsyncIterator[dict[str, str]]:
    """`{"time": …, "image": base64 of a JPEG file}` whenever the session looks different; `image` is null where there
    is nothing to see, which need not be for ever. Of a session that is not there, that is all."""
    if name not in daemon.sessions.names and name not in daemon.sessions.dormant:
        yield {"data": json.dumps({"time": None, "image": None})}
        return
    with daemon.pictures.viewed(name) as viewer:
        async for still in viewer:
            image = None if still is None else base64.b64encode(still.image).decode("ascii")
            yield {"data": json.dumps({"time": still.time if still else None, "image": image})}
