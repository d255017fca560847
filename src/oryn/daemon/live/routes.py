"""Routes of the live page: a session's screencast and page state, pages of the history, and replay."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

from sse_starlette import EventSourceResponse
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from oryn.daemon.access.principals import principal_of
from oryn.daemon.history.query import history_page, parse_query
from oryn.daemon.history.replay import check_replayable, replay_request
from oryn.daemon.live.page import SECURITY_HEADERS
from oryn.daemon.live.page_state import EMPTY_STATE, page_state_of
from oryn.daemon.protocol import read_command
from oryn.errors import ActionNotFound, SessionNotFound
from oryn.system.paths import SESSION_NAME

if TYPE_CHECKING:
    from starlette.requests import Request

    from oryn.daemon.dispatcher import Dispatcher
    from oryn.daemon.live.screencasts import ScreencastHub
    from oryn.sessions.ownership import SessionOwner
    from oryn.sessions.sessions import Sessions

_HEADERS = {**SECURITY_HEADERS, "Cache-Control": "no-store"}


def live_routes(dispatcher: Dispatcher, screencasts: ScreencastHub) -> list[BaseRoute]:
    """The routes of the data that the live page shows."""
    sessions = dispatcher.sessions

    async def picture(request: Request) -> Response:
        name = request.path_params["name"]
        if SESSION_NAME.fullmatch(name) is None:
            raise SessionNotFound.among(sessions.own_of(sessions.names))
        return EventSourceResponse(_screencast_events(sessions, screencasts, name), headers=_HEADERS, ping=15)

    async def page_state(request: Request) -> Response:
        session = sessions.get(request.path_params["name"])
        return _json(EMPTY_STATE if session is None else await page_state_of(session))

    async def history(request: Request) -> Response:
        query = parse_query(request.query_params)
        owner = principal_of(request.scope).owner
        if owner is not None:
            query = query.replace(principal=owner.name)
        return _json(await asyncio.to_thread(history_page, dispatcher.history, query))

    async def replay(request: Request) -> Response:
        owner = principal_of(request.scope).owner
        return _json(await _replay(dispatcher, request.path_params["action_id"], owner))

    return [
        Route("/sessions/{name}/picture", picture),
        Route("/sessions/{name}/sight", page_state),
        Route("/history", history),
        Route("/history/{action_id}/replay", replay, methods=["POST"]),
    ]


def _json(data: Any) -> Response:
    """A JSON response in ASCII: commands may contain unpaired surrogates too, which UTF-8 can't encode."""
    return Response(json.dumps(data, separators=(",", ":")), media_type="application/json", headers=_HEADERS)


async def _replay(dispatcher: Dispatcher, action_id: str, owner: SessionOwner | None) -> dict[str, Any]:
    """Replay a row of the history, one of `owner`'s if there is one, and return the response. Raises `ActionNotFound`,
    `NotReplayable`, `TooManyCommands`."""
    row = await asyncio.to_thread(dispatcher.history.find, action_id)
    if row is None or (owner is not None and row.principal != owner.name):
        raise ActionNotFound(f"no row {action_id[:40]!r} is in the history")
    check_replayable(row)
    outcome = await dispatcher.run(read_command(replay_request(row)))
    return outcome.response().model_dump()


async def _screencast_events(
    sessions: Sessions, screencasts: ScreencastHub, name: str
) -> AsyncIterator[dict[str, str]]:
    """Yield `{"time": …, "image": base64 of a JPEG file, "viewport": [width, height]}` whenever the session's picture
    changes.

    All are null if there is currently no picture. For a session that does not exist, one such event is all."""
    empty = {"data": json.dumps({"time": None, "image": None, "viewport": None})}
    if name not in sessions.names and name not in sessions.dormant:
        yield empty
        return
    with screencasts.view(name) as viewer:
        async for still in viewer:
            if still is None:
                yield empty
                continue
            image = base64.b64encode(still.image).decode("ascii")
            yield {"data": json.dumps({"time": still.time, "image": image, "viewport": still.viewport})}
