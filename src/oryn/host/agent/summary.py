"""What a message to the model comes to, in a few lines for a person. Pure.

The blocks of a message are the agent's own (`oryn.agent`): nothing that a page says opens or ends one."""

from __future__ import annotations

import re
from collections.abc import Iterator

_BLOCK = re.compile(
    r'^<(browsing_context|api_activity|command_result)(?: action="[^"\n]*")?>$\n(.*?)^</\1>$', re.MULTILINE | re.DOTALL
)
_URL = re.compile(r"^URL: (.*)$", re.MULTILINE)
_ELEMENT = re.compile(r"^<\w+ id=", re.MULTILINE)

MOST_LINES = 12
"""Of what one command answered."""


def summary(message: str) -> list[str]:
    """`@ URL, 12 elements` for a snapshot, what a command answered, and all that stands outside of blocks."""
    lines: list[str] = []
    end = 0
    for block in _BLOCK.finditer(message):
        lines += _outside(message[end : block.start()])
        lines += _inside(block[1], block[2])
        end = block.end()
    return [*lines, *_outside(message[end:])]


def _outside(text: str) -> Iterator[str]:
    return (line for line in text.splitlines() if line.strip())


def _inside(kind: str, text: str) -> list[str]:
    if kind == "api_activity":
        return [f"  {_counted(text.count('<call '), 'request')}"]
    if kind == "command_result":
        lines = text.splitlines()
        more = [f"| … {len(lines) - MOST_LINES} more lines"] if len(lines) > MOST_LINES else []
        return [*lines[:MOST_LINES], *more]
    url = _URL.search(text)
    elements = "unchanged" if "[Target Unchanged]" in text else _counted(len(_ELEMENT.findall(text)), "element")
    return [f"@ {url[1] if url else '?'}, {elements}"]


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
