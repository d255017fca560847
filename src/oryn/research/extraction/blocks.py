"""What was chosen of a page, as a list of blocks: the one thing that its text and its Markdown are made from.

`blocks_of` reads the tree that trafilatura gives (`bare_extraction(…).body`: `p`, `head`, `list`, `item`, `quote`,
`code`, `table`, `row`, `cell`, with `hi`, `ref` and `lb` inside).
"""

from __future__ import annotations

import re
from typing import Literal

from lxml.etree import _Element

from oryn.core.records import Record

BlockKind = Literal["paragraph", "heading", "item", "code", "row"]

_SPACE = re.compile(r"\s+")
# Controls but tab and line feed; separators of lines and paragraphs; lone surrogates.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]")
_STYLES = {"#b": "strong", "#i": "emphasis", "#t": "code"}


class TextRun(Record):
    """Words in one style. `href` is the absolute target of a link, or empty."""

    text: str
    strong: bool = False
    emphasis: bool = False
    code: bool = False
    href: str = ""

    def like(self, other: TextRun) -> bool:
        """Whether the other run has the same style and link."""
        return (self.href, self.strong, self.emphasis, self.code) == (
            other.href,
            other.strong,
            other.emphasis,
            other.code,
        )

    def saying(self, text: str) -> TextRun:
        """Other words in the same style."""
        return TextRun(text, self.strong, self.emphasis, self.code, self.href)


PLAIN = TextRun("")
"""The style of words that have none."""


class Block(Record):
    """One line of the text. `level` is that of a heading (1–6), or the nesting depth of a list item (1 is the
    outermost); `quoted` the number of quotes around it; `number` that of an ordered item; `cells` those of a table row,
    and `table` the number of the table, from 1."""

    kind: BlockKind
    runs: tuple[TextRun, ...] = ()
    level: int = 0
    quoted: int = 0
    number: int = 0
    cells: tuple[tuple[TextRun, ...], ...] = ()
    table: int = 0

    @property
    def text(self) -> str:
        """The words. Only code has more than one line; the cells of a row are separated by `|`."""
        if self.kind == "row":
            return " | ".join(words(cell) for cell in self.cells)
        return words(self.runs)


def words(runs: tuple[TextRun, ...]) -> str:
    """The plain text of runs."""
    return "".join(run.text for run in runs)


def blocks_of(body: _Element) -> list[Block]:
    """The blocks of a trafilatura body; blocks without words are left out."""
    reader = _BlockReader()
    reader.children(body)
    reader.flush()
    return reader.blocks


class _BlockReader:
    """Walks a body. The content between two block borders becomes one block of the kind that is open there."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.runs: list[TextRun] = []
        self.open = Block("paragraph")
        self.lists: list[int | None] = []
        self.row: _Element | None = None
        self.cells: list[tuple[TextRun, ...]] = []
        self.tables = 0

    def flush(self) -> None:
        runs = _joined(self.runs, spaced=self.open.kind != "code")
        self.runs = []
        if not runs:
            return
        if self.row is not None:
            before = self.cells.pop() if self.cells else ()
            self.cells.append(_joined([*before, TextRun(" "), *runs]))
            return
        self.blocks.append(self.open.replace(runs=runs))
        if self.open.kind == "item":
            # The item's next paragraph has no mark of its own.
            self.open = self.open.replace(kind="paragraph", number=0)

    def children(self, element: _Element, style: TextRun = PLAIN) -> None:
        self.add(element.text, style)
        for child in element:
            if isinstance(child.tag, str):
                self.element(child, style)
            self.add(child.tail, style)

    def add(self, text: str | None, style: TextRun) -> None:
        if text:
            self.runs.append(style.saying(text))

    def element(self, element: _Element, style: TextRun) -> None:
        match element.tag:
            case "lb" if self.open.kind == "code":
                self.runs.append(TextRun("\n"))
            case "lb" if self.open.kind == "paragraph" and self.row is None:
                self.flush()
            case "lb":
                self.runs.append(TextRun(" "))
            case "hi":
                name = _STYLES.get(element.get("rend") or "")
                self.children(element, style.replace(**{name: True}) if name else style)
            case "ref":
                self.children(element, style.replace(href=element.get("target") or style.href))
            case "code" if self.runs or _goes_on(element):
                self.children(element, style.replace(code=True))
            case "row" if self.row is None:
                self.flush()
                self.row, self.cells = element, []
                self.children(element, style)
                self.flush()
                self.row = None
                if any(self.cells):
                    self.blocks.append(self.open.replace(kind="row", cells=tuple(self.cells), table=self.tables))
            case "cell" if self.row is element.getparent():
                self.flush()
                self.cells.append(())
                self.children(element, style)
                self.flush()
            case _:
                self.border(element, style)

    def border(self, element: _Element, style: TextRun) -> None:
        self.flush()
        outer = self.open
        match element.tag:
            case "head":
                level = re.fullmatch(r"h([1-6])", element.get("rend") or "")
                self.open = outer.replace(kind="heading", level=int(level[1]) if level else 2)
            case "code":
                self.open = outer.replace(kind="code")
            case "quote":
                self.open = outer.replace(quoted=outer.quoted + 1)
            case "table":
                self.tables += 1
            case "list":
                self.lists.append(0 if element.get("rend") == "ol" else None)
            case "item":
                count = self.lists.pop() if self.lists else None
                self.lists.append(None if count is None else count + 1)
                self.open = outer.replace(kind="item", level=len(self.lists), number=self.lists[-1] or 0)
        self.children(element, style)
        self.flush()
        if element.tag == "list":
            self.lists.pop()
        # After an inner block an item goes on without a mark.
        self.open = outer.replace(kind="paragraph", number=0) if outer.kind == "item" else outer


def _goes_on(element: _Element) -> bool:
    """Whether code stands within a line: words of the same block come after it, and it has but one line itself."""
    return bool((element.tail or "").strip()) and len(element) == 0 and "\n" not in (element.text or "").strip()


def _joined(runs: list[TextRun], *, spaced: bool = True) -> tuple[TextRun, ...]:
    """Runs with their white space as one reads it, neighbours of one style made one."""
    styles: list[TextRun] = []
    texts: list[list[str]] = []
    ends_in_space = True
    for run in runs:
        text = _CONTROL.sub("", run.text)
        if spaced:
            text = _SPACE.sub(" ", text)
            if ends_in_space and text.startswith(" "):
                text = text[1:]
        if not text:
            continue
        ends_in_space = text.endswith(" ")
        if styles and styles[-1].like(run):
            texts[-1].append(text)
        else:
            styles.append(run)
            texts.append([text])
    joined = [style.saying("".join(pieces)) for style, pieces in zip(styles, texts, strict=True)]
    while joined and not joined[-1].text.strip():
        joined.pop()
    if joined:
        joined[-1] = joined[-1].saying(joined[-1].text.rstrip())
    return tuple(joined)
