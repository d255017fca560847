"""One table put into a TOML file that people write; all else of it stays as it is."""

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
    """The text with the table `[place]` at its end, and without what stood in it and in tables below it before.

    Whether that says the same as before beside it (it may have been written in another way than as a table), whoever
    calls finds out by reading it."""
    new_line = "\r\n" if "\r\n" in text else "\n"
    kept = "".join(_without(text.splitlines(keepends=True), place)).rstrip()
    lines = [f"[{'.'.join(map(_key, place))}]", *(f"{_key(name)} = {_written(each)}" for name, each in value.items())]
    return (f"{kept}{new_line * 2}" if kept else "") + new_line.join((*lines, ""))


def _without(lines: list[str], place: Sequence[str]) -> list[str]:
    names = r"\s*\.\s*".join(rf"[\"']?{re.escape(name)}[\"']?" for name in place)
    own = re.compile(rf"\s*\[\s*{names}\s*[.\]]")
    kept, inside = [], False
    for line in lines:
        if line.lstrip().startswith("["):
            inside = own.match(line) is not None
        if not inside:
            kept.append(line)
    return kept


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _written(name)


def _written(value: Any) -> str:
    """Texts, lists of them, and truth: what an entry has. JSON's escapes are TOML's too, but for one character."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
