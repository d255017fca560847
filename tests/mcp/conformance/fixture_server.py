"""The adapter with the tools and resources that the official tests of servers want.

Where the adapter has a way to do something (answers, pictures, errors, logs, progress, a question), that is taken."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from mcp_types import (
    AudioContent,
    BlobResourceContents,
    CallToolRequestParams,
    CallToolResult,
    EmbeddedResource,
    ImageContent,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    TextContent,
    TextResourceContents,
)

from oryn.engine import Answer
from oryn.errors import ConfirmationRequired, InternalError
from oryn.hosts.terminal import report_progress
from oryn.mcp import elicitation
from oryn.mcp.catalog import listing
from oryn.mcp.notifications import progress_notifications
from oryn.mcp.results import error_result, result_of
from oryn.mcp.server import OrynMcpServer
from oryn.tools import Tool

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
)
SILENCE = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA="

NOTHING: dict[str, Any] = {"type": "object", "properties": {}}
NEWEST_SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {"address": {"type": "object", "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
    "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}},
    "additionalProperties": False,
}
DEFAULTS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "default": True},
    },
}
_TITLED = [{"const": f"value{number}", "title": f"Choice {number}"} for number in (1, 2, 3)]
_OPTIONS = ["option1", "option2", "option3"]
CHOICES: dict[str, Any] = {
    "type": "object",
    "properties": {
        "untitledSingle": {"type": "string", "enum": _OPTIONS},
        "titledSingle": {"type": "string", "oneOf": _TITLED},
        "legacyEnum": {"type": "string", "enum": ["opt1", "opt2"], "enumNames": ["Option One", "Option Two"]},
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": _OPTIONS}},
        "titledMulti": {"type": "array", "items": {"anyOf": _TITLED}},
    },
}

Context = Any
Do = Callable[["Fixture", Context], Awaitable[CallToolResult]]
TOOLS: dict[str, Do] = {}


def tool(do: Do) -> Do:
    TOOLS[do.__name__] = do  # type: ignore[attr-defined]
    return do


class Fixture(OrynMcpServer):
    """`folder` is where a picture can be put."""

    folder: Path

    async def _list_tools(self, context: Context, params: PaginatedRequestParams | None) -> ListToolsResult:
        theirs = [Tool(name, "A fixture.", NOTHING) for name in TOOLS]
        newest = Tool("json_schema_2020_12_tool", "A fixture.", NEWEST_SCHEMA)
        own = (await super()._list_tools(context, params)).tools
        return ListToolsResult(tools=[*own, *map(listing, (*theirs, newest))])

    async def _call_tool(self, context: Context, params: CallToolRequestParams) -> Any:
        if params.name not in TOOLS:
            return await super()._call_tool(context, params)
        async with progress_notifications(context, params.name):
            return await TOOLS[params.name](self, context)

    async def _read_resource(self, context: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
        uri = str(params.uri)
        if uri == "test://static-binary":
            blob = base64.b64encode(PIXEL).decode()
            return ReadResourceResult(contents=[BlobResourceContents(uri=uri, mime_type="image/png", blob=blob)])
        if uri.startswith("test://"):
            text = f'{{"id": "{uri.split("/")[-2]}", "templateTest": true}}'
            return ReadResourceResult(contents=[TextResourceContents(uri=uri, mime_type="text/plain", text=text)])
        return await super()._read_resource(context, params)


def text_result(text: str) -> CallToolResult:
    return result_of(Answer(command="fixture", lines=[text]))


def embedded(uri: str) -> EmbeddedResource:
    contents = TextResourceContents(uri=uri, mime_type="text/plain", text="This is an embedded resource content.")
    return EmbeddedResource(type="resource", resource=contents)


@tool
async def test_simple_text(server: Fixture, context: Context) -> CallToolResult:
    return text_result("This is a simple text response for testing.")


@tool
async def test_image_content(server: Fixture, context: Context) -> CallToolResult:
    picture = server.folder / "pixel.png"
    picture.write_bytes(PIXEL)
    return result_of(Answer(command="fixture", data={"path": str(picture)}), picture=True)


@tool
async def test_audio_content(server: Fixture, context: Context) -> CallToolResult:
    return CallToolResult(content=[AudioContent(type="audio", data=SILENCE, mime_type="audio/wav")])


@tool
async def test_embedded_resource(server: Fixture, context: Context) -> CallToolResult:
    return CallToolResult(content=[embedded("test://embedded-resource")])


@tool
async def test_multiple_content_types(server: Fixture, context: Context) -> CallToolResult:
    image = ImageContent(type="image", data=base64.b64encode(PIXEL).decode(), mime_type="image/png")
    text = TextContent(type="text", text="Multiple content types test:")
    return CallToolResult(content=[text, image, embedded("test://mixed-content-resource")])


@tool
async def test_tool_with_logging(server: Fixture, context: Context) -> CallToolResult:
    for what in ("started", "processing", "completed"):
        await server._client(context).log(context, "info", f"Tool {what}")
    return text_result("logged")


@tool
async def test_error_handling(server: Fixture, context: Context) -> CallToolResult:
    return error_result("test_error_handling", InternalError("This tool intentionally returns an error for testing"))


@tool
async def test_tool_with_progress(server: Fixture, context: Context) -> CallToolResult:
    sent, send = asyncio.Event(), context.session.report_progress

    async def sending(*told: Any) -> None:
        await send(*told)
        sent.set()

    context.session.report_progress = sending
    for share in (0.0, 0.5, 1.0):
        report_progress("working", share)
        await sent.wait()
        sent.clear()
    return text_result("done")


@tool
async def test_elicitation(server: Fixture, context: Context) -> CallToolResult:
    waits = ConfirmationRequired("click 1 waits for a person's approval: c_1", None, "c_1", "nobody")
    answer = await elicitation.require_confirmation(context, server.host, Answer(command="click 1", error=waits))
    assert isinstance(answer, Answer)
    return result_of(answer)


@tool
async def test_elicitation_sep1034_defaults(server: Fixture, context: Context) -> CallToolResult:
    answer = await context.session.elicit_form("Who?", DEFAULTS, context.request_id)
    return text_result(f"Elicitation completed: action={answer.action}, content={answer.content}")


@tool
async def test_elicitation_sep1330_enums(server: Fixture, context: Context) -> CallToolResult:
    answer = await context.session.elicit_form("Which?", CHOICES, context.request_id)
    return text_result(f"Elicitation completed: action={answer.action}, content={answer.content}")
