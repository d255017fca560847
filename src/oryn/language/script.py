"""A text of many lines, cut into those that belong together: a definition and its indented body are one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from oryn.language.tokens import SPACE

_DEFINES = re.compile(
    r"[ \t\r]*+(?:@[^ \t\r]++[ \t\r]++|session[ \t\r]++[^ \t\r]++[ \t\r]++)?define(?![^ \t\r])", re.IGNORECASE
)


class Chunk(NamedTuple):
    """A line that is not blank, and the lines of its body if it begins a definition. `number` counts lines from 1."""

    number: int
    raw: str
    body: tuple[str, ...] = ()


def chunks(text: str) -> Iterator[Chunk]:
    """Cut `text` at `\\n` (and `\\r\\n`), leaving blank lines out."""
    pending: Chunk | None = None
    body: list[str] = []
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.rstrip("\r")
        if not line.strip(SPACE):
            continue
        if pending and line[0] in SPACE:
            body.append(line)
            continue
        if pending:
            yield pending._replace(body=tuple(body))
            pending = None
        if begins_definition(line):
            pending, body = Chunk(number, line), []
        else:
            yield Chunk(number, line)
    if pending:
        yield pending._replace(body=tuple(body))


def begins_definition(line: str) -> bool:
    """Whether indented lines after `line` belong to it, right or wrong as it may be."""
    return _DEFINES.match(line) is not None
