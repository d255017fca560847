"""The protocol between a host and its research process (`oryn.research.process.server`): JSON, one line per message.

To the process, each with the number of its request:

    {"id": 1, "do": "search", "options": {…}, "arguments": {…}}
    {"id": 1, "cancel": true}
    {"id": 1, "taken": true}                                         another item may be sent
    {"id": 1, "rendered": 4, "url": …, "html": …}                    or "error" instead of these

and from it:

    {"id": 1, "progress": {"stage": …, "done": …}}
    {"id": 1, "item": {…}}                                           a page of a crawl
    {"id": 1, "render": 4, "url": …}                                 render this in a browser, and return its HTML
    {"id": 1, "result": {…}}                                         or "error", the last of a request"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from oryn.errors import BodyTooLarge, InternalError, OrynError, error_class_of
from oryn.research.options import ResearchOptions

MAX_LINE_BYTES = 64 * 1024 * 1024
"""The maximum size of a line."""

Message = dict[str, Any]

_PATHS = ("page_cache", "embedding_model")
_LISTS = ("allowed_domains", "denied_domains")


def line_of(message: Mapping[str, Any]) -> bytes:
    """The line of a message. The text of a page may have lone surrogates, which `json.loads` accepts. Raises
    `BodyTooLarge`."""
    line = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass") + b"\n"
    if len(line) > MAX_LINE_BYTES:
        raise BodyTooLarge(f"an answer of {len(line) >> 20} MB", "Ask for less at once.")
    return line


def message_of(line: bytes) -> Message:
    """The message in a line. Raises `ValueError` if it is none."""
    message = json.loads(line)
    if not isinstance(message, dict) or not isinstance(message.get("id"), int):
        raise ValueError("no message")
    return message


def options_form(options: ResearchOptions) -> Message:
    """Options as plain JSON, without those that have their default."""
    usual = ResearchOptions().values()
    return {
        name: str(value) if isinstance(value, Path) else value
        for name, value in options.values().items()
        if value != usual[name]
    }


def options_of(form: Mapping[str, Any]) -> ResearchOptions:
    """The options whose `options_form` this is."""
    read = dict(form)
    read |= {name: Path(form[name]) for name in _PATHS if name in form}
    read |= {name: tuple(form[name]) for name in _LISTS if name in form}
    if "index" in form and "://" not in form["index"]:
        read["index"] = Path(form["index"])
    return ResearchOptions(**read)


def error_form(error: OrynError) -> Message:
    """An error as JSON: `{"code", "message", "hint"}`."""
    return {"code": error.code, "message": error.message, "hint": error.hint}


def error_of(form: Mapping[str, Any]) -> OrynError:
    """The error whose `error_form` this is, as an instance of its own class."""
    error = error_class_of(form["code"], InternalError)(form["message"])
    error.hint = form["hint"]
    return error
