"""Text from pages as a message to a model has it: data that can't end a block, begin a line or name the keyword. Pure.

A message is a sequence of blocks (`<browsing_context>`, `<api_activity>`, `<command_result>`) and of lines that begin
with `System`. What a page says stands inside a block or behind a word of ours, on one line, with `<`, `>` and `&` as
entities, and with what nobody sees (`engine.escape.UNSEEN`) written out. So no page can close a block, write
`<tool_code>`, begin a line with `System:`, or say the session keyword.
"""

from __future__ import annotations

import re

from oryn.engine import escape

_HIDDEN = re.compile(f"[\x00-\x1f{escape.UNSEEN}]")
_ENTITIES = str.maketrans(
    # The wide forms are no tags to a parser, but a model may take them for some.
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", "\uff1c": "&lt;", "\ufe64": "&lt;", "\uff1e": "&gt;", "\ufe65": "&gt;"}
)
_KEYWORD = re.compile(r"\[(?=\s*END\s*:)", re.IGNORECASE)
_LINE_END = re.compile(r"\r\n|[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")


def text(words: str, limit: int = 0) -> str:
    """A page's words on one line, white space as one space, cut at `limit` characters (0: not)."""
    line = " ".join(words.split())
    return _safe(escape.shortened(line, limit) if limit else line)


def attribute(name: str, value: str, limit: int = 0) -> str:
    """` name="value"`."""
    return f' {name}="{text(value, limit).replace(chr(34), "&quot;")}"'


def block(words: str) -> str:
    """A page's longer text: every line begins with `| `."""
    return "\n".join(f"| {_safe(line)}".rstrip() for line in _LINE_END.split(words))


def trusted(words: str) -> str:
    """The user's words on one line: as they are, save for what could be taken for the end of a response."""
    return _KEYWORD.sub("&#91;", _HIDDEN.sub(_written, " ".join(words.split())))


def _safe(line: str) -> str:
    return _KEYWORD.sub("&#91;", _HIDDEN.sub(_written, line.replace("\t", " ")).translate(_ENTITIES))


def _written(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\u{code:04x}" if code < 0x10000 else f"\\u{{{code:x}}}"
