"""The OpenAPI description of the daemon, built from the models that validate its requests."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from oryn import __version__
from oryn.daemon.protocol import (
    CommandEnvelope,
    CommandResponse,
    DaemonList,
    DaemonStatus,
    DrainResponse,
    FailureResponse,
    HistoryPage,
    LoginLink,
    PairingResponse,
    PairRequest,
    StopResponse,
)
from oryn.language.result_schema import answer_schemas

_REFERENCE = "#/components/schemas/{model}"
_SCHEMA_NAMES: Mapping[type[BaseModel], str] = {
    CommandEnvelope: "Command",
    CommandResponse: "Response",
    FailureResponse: "Failure",
    DaemonStatus: "Status",
    DrainResponse: "Draining",
    StopResponse: "Stopping",
    LoginLink: "Link",
    PairRequest: "Pair",
    PairingResponse: "Pairing",
}
"""Names of schemas that differ from those of their models. They never change, as clients are generated from them."""
_ANSWERS: tuple[type[BaseModel], ...] = (
    CommandResponse,
    FailureResponse,
    DaemonStatus,
    DaemonList,
    DrainResponse,
    StopResponse,
    HistoryPage,
    LoginLink,
    PairingResponse,
)
_EVENTS, _DATA = "text/event-stream", "application/json"
_MCP_PARAMETERS = {
    "session": "Name of the session; it stays open after the client disconnects.",
    "tools": "Which tools are offered: `core`, `all`, names of tools or of families.",
    "backend": "The browser of a session that is opened.",
    "structured": "`0`: answers are text alone.",
}
_HISTORY_PARAMETERS = {
    "text": "In the command, or in what went wrong.",
    "session": "Only this session's.",
    "action": "Only this action.",
    "errors": "`1`: only failed commands.",
    "before": "Only rows older than the one with this identifier.",
    "program": "Only those that the program with this identifier has given.",
    "principal": "Only those that the token of this name has given.",
    "folded": "`1`: without the commands of programs whose own row is there.",
    "limit": "Maximum number of rows, 1 to 200; default: 50.",
}


def description() -> dict[str, Any]:
    """Build the OpenAPI 3.1 document, as JSON data (https://spec.openapis.org/oas/v3.1.0)."""
    note_path = [_path_parameter("name", "Name of the session."), _path_parameter("number", "Number of the note.")]
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Oryn daemon",
            "version": __version__,
            "description": "One long-lived browser for the programs of one user. Loopback only.",
        },
        "paths": {
            "/command": {
                "post": _operation(
                    "command", "Run one command", CommandResponse, body=CommandEnvelope, refused=(400, 413, 429)
                )
            },
            "/": {
                "get": _page(),
                "parameters": [_parameter("code", "Token of the link, which is valid once.")],
            },
            "/live/key": {"post": _operation("key", "The key of a browser that came by a link, once", _DATA)},
            "/live/{name}": {
                "get": _operation("file", "A file of the live page", "*/*", refused=(404,)),
                "parameters": [_path_parameter("name", "Name of the file.")],
            },
            "/sessions/{name}/picture": {
                "get": _operation("picture", "A session's pictures, as server-sent events", _EVENTS),
                "parameters": [_path_parameter("name", "Name of the session.")],
            },
            "/sessions/{name}/sight": {
                "get": _operation("sight", "What the agent knows of the page that a session shows", _DATA),
                "parameters": [_path_parameter("name", "Name of the session.")],
            },
            "/sessions/{name}/takeover": {
                "get": {
                    "operationId": "takeover",
                    "summary": "A WebSocket for a person who takes a session over, for as long as it is open",
                    "responses": {"101": {"description": "A WebSocket."}, "default": {"description": "Refused."}},
                },
                "parameters": [_path_parameter("name", "Name of the session.")],
            },
            "/sessions/{name}/marks": {
                "post": _operation("mark", "What is at a place of the page, for a note", _DATA, refused=(404,)),
                "parameters": [_path_parameter("name", "Name of the session.")],
            },
            "/sessions/{name}/notes": {
                "get": _operation("notes", "The notes of a person about a session's pages", _DATA, refused=(404,)),
                "post": _operation("note", "Write a note about a mark", _DATA, refused=(404,)),
                "parameters": [_path_parameter("name", "Name of the session.")],
            },
            "/sessions/{name}/notes/{number}": {
                "post": _operation("note_answer", "Answer a note, or say that it is done", _DATA, refused=(404,)),
                "delete": _operation("note_delete", "Remove a note", _DATA, refused=(404,)),
                "parameters": note_path,
            },
            "/sessions/{name}/notes/{number}/picture": {
                "get": _operation("note_picture", "The picture of a note's mark", "image/*", refused=(404,)),
                "parameters": note_path,
            },
            "/mcp": {
                **{
                    method: {
                        "operationId": f"mcp_{method}",
                        "summary": "Assistants, over the Model Context Protocol (streamable HTTP)",
                        "responses": {"default": {"description": "As defined by the Model Context Protocol."}},
                    }
                    for method in ("get", "post", "delete")
                },
                "parameters": [_parameter(name, about) for name, about in _MCP_PARAMETERS.items()],
            },
            "/extension": {
                "get": {
                    "operationId": "extension",
                    "summary": "A WebSocket for the browser extension, which authenticates by pairing",
                    "responses": {"101": {"description": "A WebSocket."}, "default": {"description": "Refused."}},
                    "security": [],
                },
            },
            "/status": {"get": _operation("status", "What the daemon is doing", DaemonStatus)},
            "/daemons": {
                "get": _operation("daemons", "The daemons with the same records", DaemonList, refused=(404, 504))
            },
            "/metrics": {
                "get": _operation("metrics", "Metrics for Prometheus, if they are on", "text/plain", refused=(404,))
            },
            "/drain": {
                "post": _operation("drain", "Open no more sessions; save the open ones", DrainResponse, refused=(400,)),
                "parameters": [_parameter("provider", "Only the sessions of this provider of browsers.")],
            },
            "/stop": {"post": _operation("stop", "End the daemon", StopResponse, success=202)},
            "/history": {
                "get": _operation("history", "What was done, the newest first", HistoryPage, refused=(400,)),
                "parameters": [_parameter(name, about) for name, about in _HISTORY_PARAMETERS.items()],
            },
            "/history/{action_id}/replay": {
                "post": _operation("replay", "Replay a command of the history", CommandResponse, refused=(400, 429)),
                "parameters": [_path_parameter("action_id", "Identifier of the row.")],
            },
            "/link": {"post": _operation("link", "Create a link to the live page, valid once", LoginLink)},
            "/pair": {
                "post": _operation(
                    "pair", "Pair with the extension by its code", PairingResponse, body=PairRequest, refused=(400, 413)
                )
            },
            "/events": {
                "get": _operation("events", "The daemon's events, as server-sent events", _EVENTS),
                "parameters": [_parameter("type", "Only events of this type, of which there may be several.")],
            },
            "/healthz": {"get": _operation("healthz", "Check that the daemon runs", "text/plain", open=True)},
            "/readyz": {
                "get": _operation(
                    "readyz", "Check that the daemon takes requests", "text/plain", open=True, refused=(503,)
                )
            },
            "/openapi.json": {"get": _operation("openapi", "This description", _DATA)},
        },
        "components": {
            "schemas": _schemas(),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"token": []}],
    }


def _schemas() -> dict[str, Any]:
    """The JSON schemas of the models, by their names in the description.

    A model's own name is also its title; no model refers to one of those that are renamed."""
    _, schemas = models_json_schema(
        [
            (CommandEnvelope, "validation"),
            (PairRequest, "validation"),
            *((model, "serialization") for model in _ANSWERS),
        ],
        ref_template=_REFERENCE,
    )
    definitions: dict[str, Any] = schemas["$defs"]
    for model, name in _SCHEMA_NAMES.items():
        definitions[name] = {**definitions.pop(model.__name__), "title": name}
    data = definitions["Response"]["properties"]["data"]
    data["anyOf"] = [{"$ref": _REFERENCE.format(model="Answer")}, {"type": "null"}]
    return definitions | _answer_schemas()


def _answer_schemas() -> dict[str, Any]:
    """The schemas of answers. The results of research have those of the classes of `oryn.research`, which say more than
    the types of the command table; of these, the ones that nothing refers to any more are left out."""
    research: dict[str, dict[str, Any]] = json.loads(
        files("oryn.daemon.http").joinpath("research_results.json").read_text("utf-8")
    )
    schemas = answer_schemas(_REFERENCE.replace("{model}", "{}"))
    results = schemas["Results"]["properties"]
    replaced = _references({name: results[name] for name in _research_names(research)})
    results |= {name: research["results"][listed] for name, listed in _research_names(research).items()}
    left = _references(schemas)
    return {name: each for name, each in schemas.items() if name not in replaced - left} | research["schemas"]


def _research_names(research: Mapping[str, Any]) -> dict[str, str]:
    """The names in `Results` of the commands of research, with those in the file."""
    return {name.replace(" ", "_"): name for name in research["results"]}


def _references(schema: Any) -> set[str]:
    """The names of the schemas that a schema refers to."""
    if isinstance(schema, dict):
        own = {schema["$ref"].rpartition("/")[2]} if isinstance(schema.get("$ref"), str) else set()
        return own.union(*map(_references, schema.values()))
    return set().union(*map(_references, schema)) if isinstance(schema, list) else set()


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
            str(success): {"description": "The command ran: `ok` reports success or failure.", "content": content},
            **{str(code): {"description": "Refused.", "content": _json(FailureResponse)} for code in sorted(codes)},
        },
    }
    if body is not None:
        operation["requestBody"] = {"required": True, "content": _json(body)}
    if open:
        operation["security"] = []
    return operation


def _page() -> dict[str, Any]:
    operation = _operation("page", "The live page, for a browser that came by a link", "text/html", open=True)
    login_page: dict[str, Any] = {"text/html": {}}
    operation["responses"]["303"] = {"description": "To the page itself, after a link."}
    operation["responses"]["401"] = {"description": "A page that explains how to authenticate.", "content": login_page}
    return operation


def _parameter(name: str, about: str) -> dict[str, Any]:
    return {"name": name, "in": "query", "description": about, "schema": {"type": "string"}}


def _path_parameter(name: str, about: str) -> dict[str, Any]:
    return {**_parameter(name, about), "in": "path", "required": True}


def _json(model: type[BaseModel]) -> dict[str, Any]:
    return {"application/json": {"schema": {"$ref": _REFERENCE.format(model=_SCHEMA_NAMES.get(model, model.__name__))}}}
