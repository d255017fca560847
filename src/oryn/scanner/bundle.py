"""The scanner's scripts, which `make scanner` bundles from the TypeScript of `scanner/`; and the places of errors."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from functools import cache
from importlib.resources import files
from typing import Any, Literal

ENTRY = "__oryn_scanner"
"""The global function that the bundle defines: a JSON request in, a JSON response out, as a string or a promise of
one."""

Library = Literal["axe", "vitals"]

_POSITION = re.compile(r"\bscanner\.js:([0-9]+):([0-9]+)")
"""A place in the bundle as the stack of an error names it: by its `sourceURL`, or its file in the extension."""

_BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


@cache
def _text(name: str) -> str:
    return (files("oryn.scanner") / "bundles" / name).read_text(encoding="utf-8")


def bundle() -> str:
    """The script that defines `ENTRY`. Evaluating it twice in one world keeps the first instance and its element
    map."""
    return _text("scanner.js")


@cache
def page_script(name: str) -> str:
    """A function, as an expression, that is an entry of its own in `scanner/entries`, whose comment says in which world
    it runs and what it returns: `captcha_answer`, `copy_report`, `copy_text`, `editor`, `frame`, `geolocation`,
    `indexed_db`, `input_report`, `locale`, `picture`, `listeners`, `path_listeners`, `storage`, `webkit`."""
    return _text(f"{name}.js").rstrip()


@cache
def library_script(library: Library) -> str:
    """The script of a library, which the scanner uses in the world that it is evaluated in: `axe` is axe-core
    (https://github.com/dequelabs/axe-core), which the browser extension lacks; `vitals` observes by web-vitals
    (https://github.com/GoogleChrome/web-vitals), once in a top document, and does nothing elsewhere."""
    return _text(f"{library}.js")


def page_call(name: str, *values: Any) -> str:
    """An expression that calls a page script with values that JSON has. JSON in ASCII is JavaScript."""
    return f"{page_script(name)}({', '.join(map(json.dumps, values))})"


def source_places(stack: str) -> list[str]:
    """The places of the scanner's source in the stack of an error, the innermost first: `dom/tree.ts:12`."""
    return [place for line, column in _POSITION.findall(stack) if (place := _source_of(int(line), int(column)))]


def _source_of(line: int, column: int) -> str | None:
    """The module and line of a place in the bundle, whose lines and columns count from 1."""
    sources, lines = _source_map()
    segments = lines[line - 1] if 0 < line <= len(lines) else []
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
