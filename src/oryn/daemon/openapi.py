"""The OpenAPI description of the daemon, made of the models that its requests are checked with."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from oryn import __version__
from oryn.daemon.protocol import Command, Failure, HistoryPage, Link, Pair, Pairing, Response, Status, Stopping

_REFERENCE = "#/components/schemas/{model}"
_ANSWERS: tuple[type[BaseModel], ...] = (Response, Failure, Status, Stopping, HistoryPage, Link, Pairing)
_EVENTS, _DATA = "text/event-stream", "application/json"
_ASSISTANTS = {
    "session": "The session, which stays when the client goes.",
    "tools": "Which tools are offered: `core`, `all`, names of tools or of families.",
    "backend": "The browser of a session that is opened.",
    "structured": "`0`: answers are text alone.",
}
_SEARCHED = {
    "text": "In the command, or in what went wrong.",
    "session": "Only this session's.",
    "action": "Only this action.",
    "errors": "`1`: only what went wrong.",
    "before": "Only rows older than the one with this identifier.",
    "limit": "The most rows, 1 to 200; 50 without it.",
}


def description() -> dict[str, Any]:
    """An OpenAPI 3.1 document."""
    _, schemas = models_json_schema(
        [(Command, "validation"), (Pair, "validation"), *((model, "serialization") for model in _ANSWERS)],
        ref_template=_REFERENCE,
    )
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Oryn daemon",
            "version": __version__,
            "description": "One long-lived browser for the programs of one user. Loopback only.",
        },
        "paths": {
            "/command": {
                "post": _operation("command", "Run one command", Response, body=Command, refused=(400, 413, 429))
            },
            "/": {
                "get": _page(),
                "parameters": [_parameter("code", "Of the link, which is good once.")],
            },
            "/live/key": {"post": _operation("key", "The key of a browser that came by a link, once", _DATA)},
            "/live/{name}": {
                "get": _operation("file", "A file of the live page", "*/*", refused=(404,)),
                "parameters": [_in_path("name", "Of the file.")],
            },
            "/sessions/{name}/picture": {
                "get": _operation("picture", "A session's pictures, as server-sent events", _EVENTS),
                "parameters": [_in_path("name", "Of the session.")],
            },
            "/sessions/{name}/sight": {
                "get": _operation("sight", "What the agent knows of the page that a session shows", _DATA),
                "parameters": [_in_path("name", "Of the session.")],
            },
            "/mcp": {
                **{
                    method: {
                        "operationId": f"mcp_{method}",
                        "summary": "Assistants, over the Model Context Protocol (streamable HTTP)",
                        "responses": {"default": {"description": "As the protocol has it."}},
                    }
                    for method in ("get", "post", "delete")
                },
                "parameters": [_parameter(name, about) for name, about in _ASSISTANTS.items()],
            },
            "/extension": {
                "get": {
                    "operationId": "extension",
                    "summary": "A WebSocket for the browser extension, which is known by pairing",
                    "responses": {"101": {"description": "A WebSocket."}, "default": {"description": "Refused."}},
                    "security": [],
                },
            },
            "/status": {"get": _operation("status", "What the daemon is doing", Status)},
            "/stop": {"post": _operation("stop", "End the daemon", Stopping, success=202)},
            "/history": {
                "get": _operation("history", "What was done, the newest first", HistoryPage, refused=(400,)),
                "parameters": [_parameter(name, about) for name, about in _SEARCHED.items()],
            },
            "/history/{action_id}/replay": {
                "post": _operation("replay", "Do a row of the history again", Response, refused=(400, 429)),
                "parameters": [_in_path("action_id", "Of the row.")],
            },
            "/link": {"post": _operation("link", "Make a link to the live page, good once", Link)},
            "/pair": {"post": _operation("pair", "Take the extension's code", Pairing, body=Pair, refused=(400, 413))},
            "/events": {
                "get": _operation("events", "What happens, as server-sent events", _EVENTS),
                "parameters": [_parameter("type", "Only events of this type, of which there may be several.")],
            },
            "/healthz": {"get": _operation("healthz", "Whether it lives", "text/plain", open=True)},
            "/openapi.json": {"get": _operation("openapi", "This description", _DATA)},
        },
        "components": {
            "schemas": schemas["$defs"],
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"token": []}],
    }


def _operation(
    name: str,
    summary: str,
    answer: type[BaseModel] | str,
    *,
    body: type[BaseModel] | None = None,
    refused: tuple[int, ...] = (),
    open: bool = False,
    success: int = 200,
) -> dict[str, Any]:
    content: dict[str, Any] = {answer: {}} if isinstance(answer, str) else _json(answer)
    codes = {400, 403, *refused, *(() if open else (401,))}
    operation: dict[str, Any] = {
        "operationId": name,
        "summary": summary,
        "responses": {
            str(success): {"description": "Done, or tried: `ok` says which.", "content": content},
            **{str(code): {"description": "Refused.", "content": _json(Failure)} for code in sorted(codes)},
        },
    }
    if body is not None:
        operation["requestBody"] = {"required": True, "content": _json(body)}
    if open:
        operation["security"] = []
    return operation


def _page() -> dict[str, Any]:
    operation = _operation("page", "The live page, for a browser that came by a link", "text/html", open=True)
    told: dict[str, Any] = {"text/html": {}}
    operation["responses"]["303"] = {"description": "To the page itself, after a link."}
    operation["responses"]["401"] = {"description": "A page that says how to get in.", "content": told}
    return operation


def _parameter(name: str, about: str) -> dict[str, Any]:
    return {"name": name, "in": "query", "description": about, "schema": {"type": "string"}}


def _in_path(name: str, about: str) -> dict[str, Any]:
    return {**_parameter(name, about), "in": "path", "required": True}


def _json(model: type[BaseModel]) -> dict[str, Any]:
    return {"application/json": {"schema": {"$ref": _REFERENCE.format(model=model.__name__)}}}
