"""`McpRelay`: takes the requests of MCP clients to the daemon that has the client, or the client's session
(docs/spec/records.md#relay).

A client of the older era has an id, behind which the daemon that gave it writes its name: the SDK's server there has
the client's state. One of the newer era has no id: its session is named by the URL, or follows from its own name."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from oryn.daemon.http.disconnects import unless_disconnected
from oryn.daemon.mcp_endpoint import MAX_MESSAGE_BYTES
from oryn.daemon.request.json_body import read_body, replay_body
from oryn.errors import NotSupported, OrynError, RequestError
from oryn.mcp import CLIENT_ID

if TYPE_CHECKING:
    from starlette.types import Message, Receive, Scope, Send

    from oryn.daemon.cluster.relay import Relay
    from oryn.daemon.mcp_endpoint import McpEndpoint
    from oryn.daemon.request.parser_pool import RequestParserPool

_ID = CLIENT_ID.encode()
_INTERNAL_ERROR, _INVALID_REQUEST = -32603, -32600
"""https://www.jsonrpc.org/specification#error_object"""


class McpRelay:
    """The `/mcp` endpoint of a daemon that shares its records, as an ASGI application before `endpoint`."""

    def __init__(self, endpoint: McpEndpoint, relay: Relay, parser: RequestParserPool) -> None:
        self._endpoint = endpoint
        self._relay = relay
        self._parser = parser
        self._end = f".{relay.name}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self._endpoint.load()
        except NotSupported:
            await self._endpoint(scope, receive, send)
            return
        request, message = Request(scope, receive), dict[str, Any]()
        try:
            body = await read_body(request, MAX_MESSAGE_BYTES) if request.method == "POST" else b""
            if self._relay.has_sent(request):
                response = None
            else:
                message = await self._message(body)
                work = partial(self._elsewhere, request, body, message)
                response = await unless_disconnected(request, lambda: asyncio.create_task(work()))
        except OrynError as error:
            response = _failure(message, error)
        if response is not None:
            await response(scope, receive, send)
        else:
            await self._endpoint(self._own(scope), replay_body(body, receive), self._naming(send))

    async def _message(self, body: bytes) -> dict[str, Any]:
        """The message in a body; nothing if it is none, which the endpoint says."""
        try:
            message = await self._parser.parse_json(body) if body else None
        except RequestError:
            return {}
        return message if isinstance(message, dict) else {}

    async def _elsewhere(self, request: Request, body: bytes, message: dict[str, Any]) -> Response | None:
        """The response of the daemon that has the client or its session; None if this one is to answer.

        Raises `SessionMoved`, `DaemonFailed`, `RecordsUnavailable`."""
        _, _, daemon = request.headers.get(CLIENT_ID, "").partition(".")
        if daemon not in ("", self._relay.name):
            return await self._relay.forward_to(daemon, request, body)
        session, is_call = _session_of(request, message), message.get("method") == "tools/call"
        if session is None or not (is_call or self._relay.holder_of(session)):
            return None
        if not daemon:
            return await self._relay.forward(request, body, session, is_person=False)
        return _begin_again(message, session) if await self._relay.is_elsewhere(session) else None

    def _own(self, scope: Scope) -> Scope:
        """The request as the endpoint knows it: with an id without this daemon's name. The endpoint does not know an id
        with another name, and tells its client to begin again."""
        headers = [(key, value.removesuffix(self._end) if key == _ID else value) for key, value in scope["headers"]]
        return {**scope, "headers": headers}

    def _naming(self, send: Send) -> Send:
        """Sends responses whose id, if they have one, ends with this daemon's name."""

        async def named(message: Message) -> None:
            if message["type"] == "http.response.start":
                pairs = message["headers"]
                headers = [(key, value + self._end if key.lower() == _ID else value) for key, value in pairs]
                message = {**message, "headers": headers}
            await send(message)

        return named


def _session_of(request: Request, message: dict[str, Any]) -> str | None:
    """The session of a request; None if it is the client's own, of its connection to one daemon."""
    from mcp_types import CLIENT_INFO_META_KEY

    from oryn.mcp.http import options_in, session_of_client

    try:
        if named := options_in(request.scope["query_string"].decode("latin-1")).get("session"):
            return named
        return session_of_client(message["params"]["_meta"][CLIENT_INFO_META_KEY]["name"])
    except (KeyError, TypeError, RequestError):
        return None


def _begin_again(message: dict[str, Any], session: str) -> Response:
    """Tells a client whose session another daemon runs by now to initialize anew, which takes it there.

    https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management"""
    said = {"code": _INVALID_REQUEST, "message": f"the session {session} has moved: initialize again"}
    return JSONResponse({"jsonrpc": "2.0", "id": message.get("id"), "error": said}, 404)


def _failure(message: dict[str, Any], error: OrynError) -> Response:
    """The error in the form of JSON-RPC, as MCP clients show no other."""
    said = {"code": _INTERNAL_ERROR, "message": f"{error.message}. {error.hint or ''}".strip()}
    return JSONResponse({"jsonrpc": "2.0", "id": message.get("id"), "error": said})
