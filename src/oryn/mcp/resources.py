"""What a client may read without a tool: of each session the text of its page, a picture of it, and what was done.

    oryn://work/text   oryn://work/screenshot   oryn://work/history

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

from oryn.engine.escape import visible
from oryn.language import parse
from oryn.mcp.results import whole

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oryn.engine import Answer
    from oryn.mcp.host import Host

KINDS = {
    "text": ("The text of the page", "text/plain"),
    "screenshot": ("A picture of what the page shows", "image/png"),
    "history": ("The commands that were done, as JSON", "application/json"),
}
"""What there is of each session: what it is, and its media type."""

CHANGING = tuple(KINDS)
"""What a command may change; all of it, for its history grows."""

NOT_FOUND = -32002
"""The protocol's code for a resource that is none, until 2025-11-25; later it is that of wrong parameters."""

_URI = re.compile(r"oryn://([A-Za-z_][A-Za-z0-9_-]{0,63})/(\w+)")


def uri_of(session: str, kind: str) -> str:
    return f"oryn://{session}/{kind}"


def listed(host: Host, client: str) -> list[Resource]:
    """Of all sessions that are open, and that the client's own lets it see."""
    return list(_listed(host, client))


def _listed(host: Host, client: str) -> Iterator[Resource]:
    for session in host.seen_by(client):
        for kind, (title, media_type) in KINDS.items():
            uri = uri_of(session, kind)
            yield Resource(name=f"{session}/{kind}", uri=uri, description=f"{title}.", mime_type=media_type)


def templates() -> list[ResourceTemplate]:
    return [
        ResourceTemplate(
            name=kind, uri_template=f"oryn://{{session}}/{kind}", description=f"{title}.", mime_type=media_type
        )
        for kind, (title, media_type) in KINDS.items()
    ]


def completed(host: Host, client: str, name: str, begun: str) -> Completion:
    """Names of sessions that a template's variable may go on to."""
    names = sorted(each for each in host.seen_by(client) if each.startswith(begun)) if name == "session" else []
    return Completion(values=names[:100], total=len(names), has_more=len(names) > 100)


async def read(host: Host, client: str, uri: str, version: str) -> ReadResourceResult:
    """Raises `MCPError` for what is not there, or can't be read now."""
    found = _URI.fullmatch(uri)
    if found is None or found[2] not in KINDS or found[1] not in host.seen_by(client):
        code = INVALID_PARAMS if version >= "2026" else NOT_FOUND
        raise MCPError(code, f"Resource not found: {uri[:200]}", {"uri": uri[:200]})
    session, kind = found[1], found[2]
    if kind == "history":
        rows = [
            {name: value for name, value in row.values().items() if value is not None} for row in host.done(session)
        ]
        return _text(uri, kind, json.dumps(rows, ensure_ascii=True))
    answer = await host.run(session, parse(kind), {})
    if answer.error is not None:
        raise MCPError(INTERNAL_ERROR, answer.error.message, {"code": answer.error.code, "hint": answer.error.hint})
    return _text(uri, kind, _page_text(answer)) if kind == "text" else _picture(uri, answer)


def _page_text(answer: Answer) -> str:
    """The page's own words alone, unless they are to be fenced or cut."""
    plain = answer.block is not None and answer.boundary is None and answer.cut is None
    return whole(visible(answer.block) if plain and answer.block is not None else answer.render())


def _picture(uri: str, answer: Answer) -> ReadResourceResult:
    """The picture that a command left in a file of its own, which goes."""
    data: dict[str, Any] = answer.data
    file = Path(data["path"])
    try:
        image = file.read_bytes()
        file.unlink()
    except OSError as error:
        raise MCPError(INTERNAL_ERROR, f"the picture is gone: {error.strerror}") from None
    blob = base64.b64encode(image).decode("ascii")
    return ReadResourceResult(contents=[BlobResourceContents(uri=uri, mime_type="image/png", blob=blob)])


def _text(uri: str, kind: str, text: str) -> ReadResourceResult:
    return ReadResourceResult(contents=[TextResourceContents(uri=uri, mime_type=KINDS[kind][1], text=text)])
