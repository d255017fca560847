"""Answers that are longer than an agent wants (`max_output`): cut where that does no harm, and kept whole in a file.

An error is never cut: it is short, and what it says is needed.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oryn.engine import jsonform
from oryn.engine.boundary import closing, opening
from oryn.engine.escape import quoted
from oryn.engine.files import Files, new_path
from oryn.errors import FileError

if TYPE_CHECKING:
    from oryn.engine.answer import Answer

KEPT_SECONDS = 24 * 3600.0
"""How long the files of whole answers stay: an agent may still read one when its session has ended."""

PREFIX = "answer-"
_ROOM_FOR_COUNTS = 45
"""Characters of a text's last line before what says where all of it is."""
_CUT = "…"


def limited(answer: Answer, limit: int, folder: Path | None) -> str | None:
    """The answer in at most about `limit` characters, or None where it needs no cut. All of it is in a file then."""
    if answer.error is not None or len(whole := answer.render()) <= limit:
        return None
    where: dict[str, str]
    try:
        where = {"file": str(keep(whole, folder, ".json" if answer.json else ".txt"))}
    except FileError as error:  # what the command did is done: that the rest is lost is no reason to call it failed
        where = {"lost": error.message}
    if answer.json:
        return json.dumps(cut_form(jsonform.form(answer), len(whole), limit, where), separators=(",", ":"))
    return cut_text(whole, limit, where, answer.boundary)


def cut_text(whole: str, limit: int, where: dict[str, str], boundary: str | None = None) -> str:
    """The first lines of an answer's text, and a last one that says where all of it is. Pure.

    The first line always stays. A line that alone is longer than the room is cut too: a page's HTML may be one line."""
    place = f"all of it: {quoted(where['file'])}" if "file" in where else f"the rest is lost: {quoted(where['lost'])}"
    room = max(0, limit - len(place) - _ROOM_FOR_COUNTS)
    kept = whole[:room]
    if whole[room : room + 1] != "\n":
        at_line_end = kept.rpartition("\n")[0]
        kept = at_line_end if len(at_line_end) > room / 2 else f"{kept[:-1]}{_CUT}"
    first = whole.partition("\n")[0]
    kept = kept if len(kept) >= len(first) else first
    kept = kept.rstrip("\n")
    if boundary is not None and opening(boundary) in kept:
        kept += f"\n{closing(boundary)}"
    return f"{kept}\n\n{_CUT} cut at {len(kept)} of {len(whole)} characters; {place}"


def cut_form(form: dict[str, Any], characters: int, limit: int, where: dict[str, str]) -> dict[str, Any]:
    """The JSON form with its longest texts and lists cut until it fits, and `cut` that says so. Pure."""
    news = {"cut": {"characters": characters, **where}}
    small: dict[str, Any] = _cut(form, max(0, limit - _size(news)))
    return small | news


def _cut(value: Any, room: int) -> Any:
    """The value in at most `room` characters of JSON where cutting texts and lists is enough for that."""
    if _size(value) <= room:
        return value
    if isinstance(value, str):
        cut = _longest(len(value), lambda count: value[:count] + _CUT, room)
        return cut if _size(cut) < _size(value) else value
    if isinstance(value, list):
        return _cut_list(value, room)
    if isinstance(value, dict):
        return _cut_dictionary(value, room)
    return value


def _cut_list(values: list[Any], room: int) -> list[Any]:
    """The first items that fit; of a list whose first one does not, that one cut."""
    kept, left = list[Any](), room - len("[]")
    for item in values:
        size = _size(item) + len(",")
        if size > left:
            if not kept and isinstance(item, str | list | dict):
                kept.append(_cut(item, left))
            break
        kept.append(item)
        left -= size
    return kept


def _cut_dictionary(values: dict[str, Any], room: int) -> dict[str, Any]:
    """Every key stays; the values share the room, and what a small one does not need is left for the large ones."""
    left = room - len("{}") - sum(len(json.dumps(key)) + len(":,") for key in values)
    cut: dict[str, Any] = {}
    by_size = sorted(values, key=lambda key: _size(values[key]))
    for position, key in enumerate(by_size):
        cut[key] = _cut(values[key], left // (len(by_size) - position))
        left -= _size(cut[key])
    return {key: cut[key] for key in values}


def _longest(count: int, made: Callable[[int], str], room: int) -> str:
    """The longest of the texts `made(0)` … `made(count)` whose JSON fits."""
    low, high = 0, count
    while low < high:
        middle = (low + high + 1) // 2
        if _size(made(middle)) <= room:
            low = middle
        else:
            high = middle - 1
    return made(low)


def _size(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=True, separators=(",", ":")))


def keep(whole: str, folder: Path | None, suffix: str) -> Path:
    """Write a whole answer into a file of its own, for its owner alone; files of yesterday go. Raises `FileError`."""
    path = new_path(folder, suffix, PREFIX)
    _remove_old(path.parent)
    return Files().write_bytes(str(path), whole.encode("utf-8", "replace"))


def _remove_old(folder: Path) -> None:
    oldest = time.time() - KEPT_SECONDS
    for file in folder.glob(f"{PREFIX}*"):
        with suppress(OSError):  # another session may remove it at the same time
            if file.stat().st_mtime < oldest:
                file.unlink()
