"""The OpenAPI description of the daemon, made of the models that its requests are checked with."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from oryn import __version__
from oryn.daemon.protocol import Command, Failure, HistoryPage, Link, Pair, Pairing, Response, Status, Stopping

_REFERENCE = "#/components/schemas/{model}"
_ANSWERS: tuple[type[BaseModel], ...] = (Response, Failure, Status, Stopping, HistoryPage, Link, Pairing)
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
            "/status": {"get": _operation("status", "What the daemon is doing", Status)},
            "/stop": {"post": _operation("stop", "End the daemon", Stopping, success=202)},
            "/history": {
                "get": _operation("history", "What was done, the newest first", HistoryPage, refused=(400,)),
                "parameters": [_parameter(name, about) for name, about in _SEARCHED.items()],
            },
            "/history/{action_id}/replay": {
                "post": _operation("replay", "Do a row of the history again", Response, refused=(400, 429)),
                "parameters": [{**_parameter("action_id", "Of the row."), "in": "path", "required": True}],
            },
            "/link": {"post": _operation("link", "Make a link to the live page, good once", Link)},
            "/pair": {"post": _operation("pair", "Take the extension's code", Pairing, body=Pair, refused=(400, 413))},
            "/events": {"get": _operation("events", "What happens, as server-sent events", "text/event-stream")},
            "/healthz": {"get": _operation("healthz", "Whether it lives", "text/plain", open=True)},
            "/openapi.json": {"get": _operation("openapi", "This description", "application/json")},
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
    codes = (*refused, *(() if open else (401,)), 403)
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


def _parameter(name: str, about: str) -> dict[str, Any]:
    return {"name": name, "in": "query", "description": about, "schema": {"type": "string"}}


def _json(model: type[BaseModel]) -> dict[str, Any]:
    return {"application/json": {"schema": {"$ref": _REFERENCE.format(model=model.__name__)}}}
