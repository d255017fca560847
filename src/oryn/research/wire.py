"""What a host of research and its worker (`oryn.research.worker`) say to each other: JSON, a line each way.

To the worker, each with its request's number:

    {"id": 1, "do": "search", "options": {…}, "arguments": {…}}
    {"id": 1, "cancel": true}
    {"id": 1, "taken": true}                                         another item may come
    {"id": 1, "rendered": 4, "url": …, "html": …}                    or "error" in their place

and from it:

    {"id": 1, "progress": {"stage": …, "done": …}}
    {"id": 1, "item": {…}}                                           a page of a crawl
    {"id": 1, "render": 4, "url": …}                                 have a browser show this, and tell its HTML
    {"id": 1, "result": {…}}                                         or "error", the last of a request
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from oryn.error_codes import class_of
from oryn.errors import InternalError, OrynError
from oryn.research.failures import BodyTooLarge
from oryn.research.options import ResearchOptions

LARGEST = 64 * 1024 * 1024
"""Bytes of a line."""

Message = dict[str, Any]

_PATHS = ("page_cache", "embedding_model")
_LISTS = ("allowed_domains", "denied_domains")


def line_of(message: Mapping[str, Any]) -> bytes:
    """A message as its line. A page may have half a character, which `json.loads` takes as it stands. Raises
    `BodyTooLarge`."""
    line = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass") + b"\n"
    if len(line) > LARGEST:
        raise BodyTooLarge(f"an answer of {len(line) >> 20} MB", "Ask for less at once.")
    return line


def message_of(line: bytes) -> Message:
    """Raises `ValueError` for what is none."""
    message = json.loads(line)
    if not isinstance(message, dict) or not isinstance(message.get("id"), int):
        raise ValueError("no message")
    return message


def options_form(options: ResearchOptions) -> Message:
    """Options as plain JSON, without those that are as by default."""
    usual = ResearchOptions().values()
    return {
        name: str(value) if isinstance(value, Path) else value
        for name, value in options.values().items()
        if value != usual[name]
    }


def options_of(form: Mapping[str, Any]) -> ResearchOptions:
    """The options that `options_form` has told."""
    read = dict(form)
    read |= {name: Path(form[name]) for name in _PATHS if name in form}
    read |= {name: tuple(form[name]) for name in _LISTS if name in form}
    if "index" in form and "://" not in form["index"]:
        read["index"] = Path(form["index"])
    return ResearchOptions(**read)


def error_form(error: OrynError) -> Message:
    """`{"code", "message", "hint"}`."""
    return {"code": error.code, "message": error.message, "hint": error.hint}


def error_of(form: Mapping[str, Any]) -> OrynError:
    """The error that `error_form` has told, of its own class."""
    error = class_of(form["code"], InternalError)(form["message"])
    error.hint = form["hint"]
    return error
