"""Blocks as plain text, one line each, and as Markdown with the same words.

Text of a page stays text in the Markdown (https://spec.commonmark.org/0.31.2/): characters that would begin a
heading, list, quote, fence, link, reference or HTML there are escaped, those that can't are left alone."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby

from oryn.research.extraction.blocks import Block, TextRun

# Backslash, code, emphasis, strike-through; `_` only at a word's border; HTML and autolinks; entities; what would make
# `[…]` a link, a reference or the definition of one.
_SPECIAL = re.compile(
    r"[\\`*]|~(?=~)|(?<![^\W_])_|_(?![^\W_])|<(?=[A-Za-z/!?])|&(?=#?\w+;)|\](?=[(\[:]|$)|!(?=\[|$)", re.ASCII
)
_BRACKET = re.compile(r"(?<!\\)[\[\]]")
_BLOCK_START = re.compile(r"(?:#{1,6}|[-+])(?=\s|$)|>|=+\s*$|-{2,}\s*$|~{3,}")
_NUMBER_START = re.compile(r"(\d{1,9})([.)])(?=\s|$)")
_UNSAFE_TARGET = re.compile(r"[\s()<>\\]")


def text_of(blocks: Iterable[Block]) -> str:
    """The plain text, a line for each block (code has its own lines)."""
    return "\n".join(block.text for block in blocks)


def markdown_of(blocks: Iterable[Block]) -> str:
    """The blocks as Markdown: `#` headings, lists, quotes, fenced code, tables, emphasis, links."""
    parts: list[str] = []
    before: Block | None = None
    for (row, *_), group in groupby(blocks, key=lambda block: (block.kind == "row", block.table, block.quoted)):
        members = list(group)
        for block in members[:1] if row else members:
            if before is not None and not (before.kind == block.kind == "item" and before.quoted == block.quoted):
                parts.append(("> " * min(before.quoted, block.quoted)).rstrip())
            mark = "> " * block.quoted
            parts += [(mark + line).rstrip() for line in (_table(members) if row else _lines(block))]
            before = block
    return "\n".join(parts)


def _lines(block: Block) -> list[str]:
    indent = "  " * max(0, block.level - 1)
    match block.kind:
        case "heading":
            return [f"{'#' * block.level} {inline(block.runs)}"]
        case "code":
            fence = "`" * max(3, 1 + max(map(len, re.findall(r"`+", block.text)), default=0))
            return [fence, *block.text.split("\n"), fence]
        case "item":
            mark = f"{block.number}." if block.number else "-"
            return [f"{indent}{mark} {_escape_block_start(inline(block.runs))}"]
        case _:
            return [f"{'  ' * block.level}{_escape_block_start(inline(block.runs))}"]


def _table(rows: list[Block]) -> list[str]:
    width = max(len(row.cells) for row in rows)
    lines = [
        "| "
        + " | ".join([inline(cell).replace("|", "\\|") for cell in row.cells] + [""] * (width - len(row.cells)))
        + " |"
        for row in rows
    ]
    return [lines[0], "|" + " --- |" * width, *lines[1:]]


def _escape_block_start(line: str) -> str:
    """A line that begins no block."""
    line = line.lstrip()
    if _BLOCK_START.match(line):
        return "\\" + line
    return _NUMBER_START.sub(r"\1\\\2", line, count=1) if _NUMBER_START.match(line) else line


def inline(runs: tuple[TextRun, ...]) -> str:
    """Runs as Markdown within a line."""
    return "".join(
        _link(href, "".join(map(_styled, group))) if href else "".join(map(_styled, group))
        for href, group in ((href, list(group)) for href, group in groupby(runs, key=lambda run: run.href))
    )


def _styled(run: TextRun) -> str:
    bare = run.text.strip()
    if not bare:
        return run.text
    before, _, after = run.text.partition(bare)
    if run.code:
        ticks = "`" * (1 + max(map(len, re.findall(r"`+", bare)), default=0))
        space = " " if bare[0] == "`" or bare[-1] == "`" else ""
        marked = f"{ticks}{space}{bare}{space}{ticks}"
    else:
        marked = _SPECIAL.sub(r"\\\g<0>", bare)
        if run.href:
            marked = _BRACKET.sub(r"\\\g<0>", marked)
        mark = "*" * (run.emphasis + 2 * run.strong)
        marked = f"{mark}{marked}{mark}"
    return f"{before}{marked}{after}"


def _link(href: str, text: str) -> str:
    bare = text.strip()
    if not bare or not href.startswith(("http://", "https://")):
        return text
    before, _, after = text.partition(bare)
    target = _UNSAFE_TARGET.sub(lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode()), href)
    return f"{before}[{bare}]({target}){after}"
