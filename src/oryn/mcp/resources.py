"""Resources that a client can read without a tool: the text of a session's page, a screenshot, a person's notes,
and the session's history.

    oryn://work/text   oryn://work/screenshot   oryn://work/notes   oryn://work/history

https://modelcontextprotocol.io/specification/2025-11-25/server/resources"""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    BlobResourceContents,
    Completion,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)

from oryn.core.text_safety import visible
from oryn.engine.output.answer import json_form
from oryn.engine.takeover import ANSWERS_AGENT
from oryn.language import parse
from oryn.mcp.results import replace_surrogates

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oryn.engine import Answer
    from oryn.mcp.host import McpHost

KINDS = {
    "text": ("The text of the page", "text/plain"),
    "screenshot": ("A screenshot of the page", "image/png"),
    "notes": ("A person's notes about what they see on the page, as JSON", "application/json"),
    "history": ("The commands that were done, as JSON", "application/json"),
}
"""The resources of each session: title and media type."""

CHANGING = tuple(kind for kind in KINDS if kind != "notes")
"""The resources that a command may change; notes are reported whenever they change."""

NOT_FOUND = -32002
"""The protocol's error code for an unknown resource until 2025-11-25; later versions use that of invalid parameters."""

_URI = re.compile(r"oryn://([A-Za-z_][A-Za-z0-9_-]{0,63})/(\w+)")


def uri_of(session: str, kind: str) -> str:
    """The URI of a resource of the session. `kind` is a key of `KINDS`."""
    return f"oryn://{session}/{kind}"


def list_resources(host: McpHost, client: str) -> list[Resource]:
    """The resources of all open sessions that the limits of the client's own session let it see."""
    return list(_iterate_resources(host, client))


def _iterate_resources(host: McpHost, client: str) -> Iterator[Resource]:
    for session in host.visible_to(client):
        for kind, (title, media_type) in KINDS.items():
            uri = uri_of(session, kind)
            yield Resource(name=f"{session}/{kind}", uri=uri, description=f"{title}.", mime_type=media_type)


def templates() -> list[ResourceTemplate]:
    """The templates of the URIs, one for each kind of resource."""
    return [
        ResourceTemplate(
            name=kind, uri_template=f"oryn://{{session}}/{kind}", description=f"{title}.", mime_type=media_type
        )
        for kind, (title, media_type) in KINDS.items()
    ]


def complete(host: McpHost, client: str, name: str, prefix: str) -> Completion:
    """Session names that complete `prefix`, for the variable of a resource template."""
    names = sorted(each for each in host.visible_to(client) if each.startswith(prefix)) if name == "session" else []
    return Completion(values=names[:100], total=len(names), has_more=len(names) > 100)


async def read(host: McpHost, client: str, uri: str, version: str) -> ReadResourceResult:
    """Read a resource. Raises `MCPError` if it does not exist or can't be read now."""
    found = _URI.fullmatch(uri)
    if found is None or found[2] not in KINDS or found[1] not in host.visible_to(client):
        code = INVALID_PARAMS if version >= "2026" else NOT_FOUND
        raise MCPError(code, f"Resource not found: {uri[:200]}", {"uri": uri[:200]})
    session, kind = found[1], found[2]
    if kind == "history":
        rows = [
            {name: value for name, value in row.values().items() if value is not None} for row in host.history(session)
        ]
        return _text(uri, kind, json.dumps(rows, ensure_ascii=True))
    answering = ANSWERS_AGENT.set(False)  # a client may read it without its model
    try:
        answer = await host.run(session, parse(kind), {})
    finally:
        ANSWERS_AGENT.reset(answering)
    if answer.error is not None:
        raise MCPError(INTERNAL_ERROR, answer.error.message, {"code": answer.error.code, "hint": answer.error.hint})
    if kind == "notes":
        return _text(uri, kind, json.dumps(json_form(answer), ensure_ascii=True))
    return _text(uri, kind, _page_text(answer)) if kind == "text" else _picture(uri, answer)


def _page_text(answer: Answer) -> str:
    """The bare text of the page, unless it has boundaries or was truncated; then the rendered answer."""
    plain = answer.block is not None and answer.boundary is None and answer.cut is None
    return replace_surrogates(visible(answer.block) if plain and answer.block is not None else answer.render())


def _picture(uri: str, answer: Answer) -> ReadResourceResult:
    """The picture in the answer's temporary file, which is deleted."""
    data: dict[str, Any] = answer.data
    file = Path(data["path"])
    try:
        image = file.read_bytes()
        file.unlink()
    except OSError as error:
        raise MCPError(INTERNAL_ERROR, f"the screenshot no longer exists: {error.strerror}") from None
    blob = base64.b64encode(image).decode("ascii")
    return ReadResourceResult(contents=[BlobResourceContents(uri=uri, mime_type="image/png", blob=blob)])


def _text(uri: str, kind: str, text: str) -> ReadResourceResult:
    return ReadResourceResult(contents=[TextResourceContents(uri=uri, mime_type=KINDS[kind][1], text=text)])
