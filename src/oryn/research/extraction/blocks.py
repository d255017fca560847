"""What was chosen of a page, as a list of blocks: the one thing that its text and its Markdown are made from."""

from __future__ import annotations

import re
from typing import Literal

from oryn.core.records import Record

BlockKind = Literal["paragraph", "heading", "item", "code", "row", "term", "definition", "image"]

_SPACE = re.compile(r"\s+")
# Controls but tab and line feed; separators of lines and paragraphs; lone surrogates.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]")


class TextRun(Record):
    """Words in one style. `href` is the absolute target of a link, or empty. `formula` is `inline` or `display` if the
    text is TeX."""

    text: str
    strong: bool = False
    emphasis: bool = False
    code: bool = False
    href: str = ""
    formula: str = ""

    def like(self, other: TextRun) -> bool:
        """Whether the other run has the same style and link."""
        return (self.href, self.strong, self.emphasis, self.code, self.formula) == (
            other.href,
            other.strong,
            other.emphasis,
            other.code,
            other.formula,
        )

    def saying(self, text: str) -> TextRun:
        """Other words in the same style."""
        return TextRun(text, self.strong, self.emphasis, self.code, self.href, self.formula)


PLAIN = TextRun("")
"""The style of words that have none."""


class Block(Record):
    """One line of the text. `level` is that of a heading (1–6), or the nesting depth of a list item (1 is the
    outermost); `quoted` the number of quotes around it, and `outside` how many of the lists are around the quotes as
    well; `number` that of an ordered item; `cells` those of a table row, `table` the number of the table, from 1, and
    `is_header` whether the row only labels the columns; `language` that of code. An image has its address as the link
    of its description, and no text."""

    kind: BlockKind
    runs: tuple[TextRun, ...] = ()
    level: int = 0
    quoted: int = 0
    outside: int = 0
    number: int = 0
    cells: tuple[tuple[TextRun, ...], ...] = ()
    table: int = 0
    is_header: bool = False
    language: str = ""

    @property
    def text(self) -> str:
        """The words. Only code has more than one line; the cells of a row are separated by `|`."""
        if self.kind == "image":
            return ""
        if self.kind == "row":
            return " | ".join(words(cell) for cell in self.cells)
        return words(self.runs)


def words(runs: tuple[TextRun, ...]) -> str:
    """The plain text of runs."""
    return "".join(run.text for run in runs)


def join_runs(runs: list[TextRun], *, spaced: bool = True) -> tuple[TextRun, ...]:
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
