"""Truncates answers that are longer than `max_output`, and saves the whole answer to a file.

Errors are never truncated, because they are short and all of their text is needed."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from oryn.core.text_safety import quoted
from oryn.engine.file_access import Files, new_path
from oryn.engine.output.answer import Answer, json_form
from oryn.engine.output.boundary import closing_tag, opening_tag
from oryn.errors import FileError

RETENTION_SECONDS = 24 * 3600.0
"""How long the files of whole answers are kept; an agent may still read one after its session has ended."""

PREFIX = "answer-"
_ROOM_FOR_COUNTS = 45
"""Characters reserved in a text's last line, before the location of the whole answer."""
_ELLIPSIS = "…"


def truncate(answer: Answer, limit: int, folder: Path | None) -> str | None:
    """Return the answer in at most about `limit` characters, and save all of it in a file; None if it is
    short enough."""
    if answer.error is not None or len(whole := answer.render()) <= limit:
        return None
    where: dict[str, str]
    try:
        where = {"file": str(save_whole(whole, folder, ".json" if answer.json else ".txt"))}
    except FileError as error:  # the command itself has succeeded, even if the rest of its answer is lost
        where = {"lost": error.message}
    if answer.json:
        return json.dumps(truncate_form(json_form(answer), len(whole), limit, where), separators=(",", ":"))
    return truncate_text(whole, limit, where, answer.boundary)


def truncate_text(whole: str, limit: int, where: dict[str, str], boundary: str | None = None) -> str:
    """Return the first lines of an answer's text, and a last line with the location of the whole text. Pure.

    The first line always stays. A line longer than the limit is cut too, because a page's HTML may be one line."""
    place = f"all of it: {quoted(where['file'])}" if "file" in where else f"the rest is lost: {quoted(where['lost'])}"
    room = max(0, limit - len(place) - _ROOM_FOR_COUNTS)
    text = whole[:room]
    if whole[room : room + 1] != "\n":
        at_line_end = text.rpartition("\n")[0]
        text = at_line_end if len(at_line_end) > room / 2 else f"{text[:-1]}{_ELLIPSIS}"
    first = whole.partition("\n")[0]
    text = text if len(text) >= len(first) else first
    text = text.rstrip("\n")
    if boundary is not None and opening_tag(boundary) in text:
        text += f"\n{closing_tag(boundary)}"
    return f"{text}\n\n{_ELLIPSIS} cut at {len(text)} of {len(whole)} characters; {place}"


def truncate_form(form: dict[str, Any], characters: int, limit: int, where: dict[str, str]) -> dict[str, Any]:
    """Cut the longest texts and lists of the JSON form until it fits, and add `cut`, which reports it. Pure."""
    notice = {"cut": {"characters": characters, **where}}
    small: dict[str, Any] = _truncate_value(form, max(0, limit - _size(notice)))
    return small | notice


def _truncate_value(value: Any, room: int) -> Any:
    """Return the value in at most `room` characters of JSON, if cutting texts and lists is sufficient."""
    if _size(value) <= room:
        return value
    if isinstance(value, str):
        cut = _fit_prefix(len(value), lambda count: value[:count] + _ELLIPSIS, room)
        return cut if _size(cut) < _size(value) else value
    if isinstance(value, list):
        return _truncate_list(value, room)
    if isinstance(value, dict):
        return _truncate_dictionary(value, room)
    return value


def _truncate_list(values: list[Any], room: int) -> list[Any]:
    """Return the first items that fit; if not even the first one fits, cut it."""
    cut, left = list[Any](), room - len("[]")
    for item in values:
        size = _size(item) + len(",")
        if size > left:
            if not cut and isinstance(item, str | list | dict):
                cut.append(_truncate_value(item, left))
            break
        cut.append(item)
        left -= size
    return cut


def _truncate_dictionary(values: dict[str, Any], room: int) -> dict[str, Any]:
    """Truncate the values of a dictionary; every key stays. The values share the room: small ones leave the rest of
    their share to large ones."""
    left = room - len("{}") - sum(len(json.dumps(key)) + len(":,") for key in values)
    cut: dict[str, Any] = {}
    by_size = sorted(values, key=lambda key: _size(values[key]))
    for position, key in enumerate(by_size):
        cut[key] = _truncate_value(values[key], left // (len(by_size) - position))
        left -= _size(cut[key])
    return {key: cut[key] for key in values}


def _fit_prefix(count: int, prefix: Callable[[int], str], room: int) -> str:
    """Return the longest of the texts `prefix(0)` … `prefix(count)` whose JSON fits."""
    low, high = 0, count
    while low < high:
        middle = (low + high + 1) // 2
        if _size(prefix(middle)) <= room:
            low = middle
        else:
            high = middle - 1
    return prefix(low)


def _size(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=True, separators=(",", ":")))


def save_whole(whole: str, folder: Path | None, suffix: str) -> Path:
    """Write a whole answer to a new file that only its owner can read, and delete expired ones. Raises `FileError`."""
    path = new_path(folder, suffix, PREFIX)
    _remove_old(path.parent)
    return Files().write_bytes(str(path), whole.encode("utf-8", "replace"))


def _remove_old(folder: Path) -> None:
    oldest = time.time() - RETENTION_SECONDS
    for file in folder.glob(f"{PREFIX}*"):
        with suppress(OSError):  # another session may remove it at the same time
            if file.stat().st_mtime < oldest:
                file.unlink()
