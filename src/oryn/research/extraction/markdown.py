"""Blocks as plain text, one line each, and as Markdown with the same words.

Text of a page stays text in the Markdown (https://spec.commonmark.org/0.31.2/): characters that would begin a
heading, list, quote, fence, link, reference or HTML there are escaped, those that can't are left alone."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby

from oryn.research.extraction.blocks import Block, TextRun, words
from oryn.research.extraction.metadata import fold

# Backslash, code, emphasis, strike-through; `_` only at a word's border; HTML and autolinks; entities; what would make
# `[…]` a link, a reference or the definition of one.
_SPECIAL = re.compile(
    r"[\\`*]|~(?=~)|(?<![^\W_])_|_(?![^\W_])|<(?=[A-Za-z/!?])|&(?=#?\w+;)|\](?=[(\[:]|$)|!(?=\[|$)", re.ASCII
)
_BRACKET = re.compile(r"(?<!\\)[\[\]]")
_BLOCK_START = re.compile(r"(?:#{1,6}|[-+])(?=\s|$)|>|=+\s*$|-{2,}\s*$|~{3,}")
_NUMBER_START = re.compile(r"(\d{1,9})([.)])(?=\s|$)")
_HEADING = re.compile(r"#{1,6}\s+(?=\S)")
_TARGET = re.compile(r"\]\([^()\s]*\)")
MAX_LINES_BEFORE_TITLE = 12
"""Lines of Markdown among which a heading is its title: breadcrumbs and notices may stand before it."""
_UNSAFE_TARGET = re.compile(r"[\s()<>\\]")


def text_of(blocks: Iterable[Block]) -> str:
    """The plain text, a line for each block (code has its own lines)."""
    return "\n".join(block.text for block in blocks if block.kind != "image")


def headers_of(blocks: Iterable[Block]) -> tuple[str, ...]:
    """The lines of the text that only label the columns of tables, each once."""
    return tuple(dict.fromkeys(block.text for block in blocks if block.is_header))


def markdown_of(blocks: Iterable[Block]) -> str:
    """The blocks as Markdown: `#` headings, lists, quotes, fenced code, tables, emphasis, links; definitions as in
    Pandoc (https://pandoc.org/MANUAL.html#definition-lists), formulas between `$`."""
    parts: list[str] = []
    before: Block | None = None
    indents = _ListIndents()
    for (row, *_), group in groupby(blocks, key=lambda block: (block.kind == "row", block.table, block.quoted)):
        members = list(group)
        for block in members[:1] if row else members:
            outside, indent = indents.before(block)
            if before is not None and not _goes_on(before, block):
                quoted = min(before.quoted, block.quoted) if before.outside == block.outside else 0
                parts.append((" " * outside + "> " * quoted).rstrip())
            mark = " " * outside + "> " * block.quoted
            parts += [(mark + line).rstrip() for line in (_table(members) if row else _lines(block, indent))]
            before = block
    return "\n".join(parts)


def with_title(markdown: str, title: str) -> str:
    """Markdown that begins with the title as its first heading, and has it only once."""
    title = " ".join(title.split())
    whole = fold(title)
    if not whole:
        return markdown
    lines = markdown.split("\n")
    for at, line in enumerate(lines[:MAX_LINES_BEFORE_TITLE]):
        if line.startswith("```"):
            break
        mark = _HEADING.match(line)
        said = fold(_TARGET.sub("]", line[mark.end() :] if mark else line))
        is_first = not any(lines[:at])
        if said == whole and (mark or is_first):
            del lines[at : at + 2]  # with the empty line behind it
            break
        if mark and mark[0].strip() == "#" and is_first and min(len(said), len(whole)) > 3:
            if said in whole or whole in said:
                return markdown.lstrip("\n")
    rest = "\n".join(lines).strip("\n")
    return f"# {inline((TextRun(title),))}" + (f"\n\n{rest}" if rest else "")


def _goes_on(before: Block, block: Block) -> bool:
    """Whether no empty line stands between two blocks."""
    pair = (before.kind, block.kind)
    return before.quoted == block.quoted and (
        pair == ("item", "item") or (block.kind == "definition" and before.kind in ("term", "definition"))
    )


class _ListIndents:
    """How far a block of a list is indented: by the marks of the items around it
    (https://spec.commonmark.org/0.31.2/#list-items)."""

    def __init__(self) -> None:
        self._widths: list[int] = []

    def before(self, block: Block) -> tuple[int, int]:
        """The indents of a block outside and inside its quotes, in columns."""
        if block.kind == "heading" or not block.level:
            self._widths = []
            return 0, 0
        depth = block.level - 1 if block.kind == "item" else block.level
        outside = sum(self._widths[: min(block.outside, depth)])
        inside = sum(self._widths[:depth]) - outside
        if block.kind == "item":
            self._widths = [*self._widths[:depth], len(_item_mark(block)) + 1]
        return outside, inside


def _item_mark(block: Block) -> str:
    return f"{block.number}." if block.number else "-"


def _lines(block: Block, columns: int) -> list[str]:
    indent = " " * columns
    match block.kind:
        case "heading":
            return [f"{'#' * block.level} {inline(block.runs)}"]
        case "code":
            fence = "`" * max(3, 1 + max(map(len, re.findall(r"`+", block.text)), default=0))
            return [indent + line for line in (f"{fence}{block.language}", *block.text.split("\n"), fence)]
        case "item":
            return [f"{indent}{_item_mark(block)} {_escape_block_start(inline(block.runs))}"]
        case "term":
            return [f"{indent}**{inline(tuple(run.replace(strong=False) for run in block.runs))}**"]
        case "definition":
            return [f"{indent}: {_escape_block_start(inline(block.runs))}"]
        case "image":
            return [
                indent + "!" + _link(block.runs[0].href, _escaped_brackets(_escaped(words(block.runs))), always=True)
            ]
        case _:
            return [f"{indent}{_escape_block_start(inline(block.runs))}"]


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", text)


def _escaped_brackets(text: str) -> str:
    return _BRACKET.sub(r"\\\g<0>", text)


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
    if run.formula:
        mark = "$$" if run.formula == "display" else "$"
        marked = f"{mark}{bare}{mark}"
    elif run.code:
        ticks = "`" * (1 + max(map(len, re.findall(r"`+", bare)), default=0))
        space = " " if bare[0] == "`" or bare[-1] == "`" else ""
        marked = f"{ticks}{space}{bare}{space}{ticks}"
    else:
        marked = _escaped(bare)
        if run.href:
            marked = _escaped_brackets(marked)
        mark = "*" * (run.emphasis + 2 * run.strong)
        marked = f"{mark}{marked}{mark}"
    return f"{before}{marked}{after}"


def _link(href: str, text: str, *, always: bool = False) -> str:
    bare = text.strip()
    if (not bare and not always) or not href.startswith(("http://", "https://")):
        return text
    before, _, after = text.partition(bare) if bare else ("", "", "")
    target = _UNSAFE_TARGET.sub(lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode()), href)
    return f"{before}[{bare}]({target}){after}"
