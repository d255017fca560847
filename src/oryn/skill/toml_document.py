"""Inserts one table into a TOML file written by people; the rest of the file is unchanged."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Sequence
from typing import Any


def read(text: str) -> dict[str, Any]:
    """The data of a file. Raises `ValueError`."""
    return tomllib.loads(text)


def with_entry(text: str, place: Sequence[str], value: dict[str, Any]) -> str:
    """The text with the table `[place]` at its end, and without its old version and the tables below that.

    The old entry may have another form than a table. The caller must parse the result to check that it is correct."""
    new_line = "\r\n" if "\r\n" in text else "\n"
    remaining = "".join(_without_table(text.splitlines(keepends=True), place)).rstrip()
    lines = [
        f"[{'.'.join(map(_render_key, place))}]",
        *(f"{_render_key(name)} = {_render_value(each)}" for name, each in value.items()),
    ]
    return (f"{remaining}{new_line * 2}" if remaining else "") + new_line.join((*lines, ""))


def _without_table(lines: list[str], place: Sequence[str]) -> list[str]:
    names = r"\s*\.\s*".join(rf"[\"']?{re.escape(name)}[\"']?" for name in place)
    own = re.compile(rf"\s*\[\s*{names}\s*[.\]]")
    remaining, inside = [], False
    for line in lines:
        if line.lstrip().startswith("["):
            inside = own.match(line) is not None
        if not inside:
            remaining.append(line)
    return remaining


def _render_key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _render_value(name)


def _render_value(value: Any) -> str:
    """Render a value of an entry: a text, a list of texts, or a boolean. JSON's escapes are also TOML's, except for one
    character."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
