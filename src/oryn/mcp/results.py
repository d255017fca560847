"""Answers as results of tools: the compact text that every door has, the same as data, pictures as pictures."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcp_types import CallToolResult, ImageContent, TextContent

from oryn.engine import Answer, jsonform

if TYPE_CHECKING:
    from oryn.errors import OrynError

LARGEST_PICTURE = 3_750_000
"""Bytes of a picture that is sent: assistants take five million characters of Base64. Of a larger one the file's path
stands in the text."""

TYPES = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".webp": "image/webp"}
"""Media types of pictures, by the end of their files' names."""


def result_of(answer: Answer, *, structured: bool = True, picture: bool = False) -> CallToolResult:
    """The result of a tool. `picture`: the answer's file is one, and is sent too. Without `structured`, for assistants
    that show a model the data in the place of the text, only errors have their data."""
    content: list[TextContent | ImageContent] = [TextContent(type="text", text=whole(answer.render()))]
    if picture and (image := _picture(answer)):
        content.append(image)
    data = None
    if answer.error is not None or (structured and answer.cut is None):
        data = whole_data(jsonform.form(answer))
    return CallToolResult(content=[*content], structured_content=data, is_error=not answer.ok)


def failed(name: str, error: OrynError) -> CallToolResult:
    """The result of a call that came to no session."""
    return result_of(Answer(command=name, error=error))


def _picture(answer: Answer) -> ImageContent | None:
    path = answer.data.get("path") if isinstance(answer.data, dict) else None
    if not answer.ok or not isinstance(path, str) or (kind := TYPES.get(Path(path).suffix.lower())) is None:
        return None
    try:
        image = Path(path).read_bytes()
    except OSError:  # who has taken it away in between has the path nevertheless
        return None
    if len(image) > LARGEST_PICTURE:
        return None
    return ImageContent(type="image", data=base64.b64encode(image).decode("ascii"), mime_type=kind)


def whole(text: str) -> str:
    """With a mark in the place of half a character, which a page may have, but no message."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


def whole_data(data: dict[str, Any]) -> dict[str, Any]:
    """JSON data likewise."""
    text = json.dumps(data, ensure_ascii=False)
    mended = whole(text)
    if mended is text:
        return data
    found: dict[str, Any] = json.loads(mended)
    return found
