"""The scanner's scripts, bundled from the TypeScript of `scanner/` (`make scanner`), and where their errors come from."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from functools import cache
from importlib.resources import files

ENTRY = "__oryn_scanner"
"""The global function that the bundle defines: a JSON request in, a JSON response out, as a string or a promise of
one."""

_POSITION = re.compile(r"[^\s()@]*\bscanner\.js:([0-9]+):([0-9]+)")
"""A place in the bundle as the stack of an error names it: by its `sourceURL`, or its file in the extension."""

_BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


@cache
def _text(name: str) -> str:
    return (files("oryn.scanner") / "bundles" / name).read_text(encoding="utf-8")


def bundle() -> str:
    """The script that defines `ENTRY`. Evaluating it twice in one world keeps the first instance and its element
    map."""
    return _text("scanner.js")


def captcha_answer_script() -> str:
    """Return a function for the page's own world that fills in a captcha's answer.

    `{"field": css, "sitekey": s, "token": s}` becomes `{"fields": n, "callbacks": n}`: how many fields and callbacks
    received the token."""
    return _text("captcha_answer.js").rstrip()


def editor_script() -> str:
    """Return a function for the page's own world that reads an editor whole, by the editor's own object.

    Its argument is a path of `scanner/controls/editors.ts`; the result is the text, or null if there is no such
    object."""
    return _text("editor.js").rstrip()


def listeners_script() -> str:
    """Return a function for the page's own world, with the console's command line API: `{"count": n, "positions":
    [...]}`.

    `positions` are those of the elements with click-like listeners of their own in the scanner's walk order. `count` is
    the number of elements walked. The result is null if the page's world is too broken for the check.

    One run knows the listeners of one frame's own document. If a scanner reaches frames of its origin, call the
    function in each of them with the number of levels below the scanner's own, and unite the positions. They share one
    numbering; drop answers whose `count` differs from that of level 0. Pass both to `scan` as `listeners` and
    `listeners_of`."""
    return _text("listeners.js").rstrip()


def with_sources(stack: str) -> str:
    """Return the stack of a scanner's error with each place in the bundle as module and line of its source:
    `dom/tree.ts:12`."""
    return _POSITION.sub(lambda found: _source(int(found[1]), int(found[2])) or found[0], stack)


def _source(line: int, column: int) -> str | None:
    """The module and line of a place in the bundle, whose lines and columns count from 1."""
    sources, lines = _source_map()
    segments = lines[line - 1] if 0 < line <= len(lines) else ()
    at = bisect_right(segments, (column - 1, len(sources), 0)) - 1
    return f"{sources[segments[at][1]]}:{segments[at][2] + 1}" if at >= 0 else None


@cache
def _source_map() -> tuple[list[str], list[list[tuple[int, int, int]]]]:
    """The sources, and each line's segments: column, number of the source, line in it
    (https://tc39.es/ecma426/#sec-mappings)."""
    read = json.loads(_text("scanner.js.map"))
    lines = []
    source = line = 0
    for group in read["mappings"].split(";"):
        segments = []
        column = 0
        for segment in filter(None, group.split(",")):
            numbers = _numbers(segment)
            column += numbers[0]
            if len(numbers) > 1:
                source, line = source + numbers[1], line + numbers[2]
                segments.append((column, source, line))
        lines.append(segments)
    return read["sources"], lines


def _numbers(segment: str) -> list[int]:
    """Decode base 64 VLQ."""
    numbers, value, shift = [], 0, 0
    for digit in map(_BASE64.index, segment):
        value |= (digit & 31) << shift
        shift += 5
        if not digit & 32:
            numbers.append(-(value >> 1) if value & 1 else value >> 1)
            value = shift = 0
    return numbers
