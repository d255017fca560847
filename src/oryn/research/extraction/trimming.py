"""What of the chosen blocks is not the article's own words: its headline, pointers to other pages, invitations.

The conventions, as people mark main text: the headline is the title's, not the text's, and what stands above it is the
page's; credits and copyright lines at the end of the text are the text's; lines that send the reader elsewhere are not.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection

from oryn.research.extraction.blocks import Block
from oryn.research.extraction.wording import (
    after_pattern,
    date_pattern,
    invitation_pattern,
    label_pattern,
    written_pattern,
)

HEAD = 6
"""Blocks at the beginning among which the headline is looked for."""

TAIL = 5
"""Blocks at the end among which comments, tags and invitations are looked for."""

_LETTERS = re.compile(r"[\W_]+")
_LABEL = label_pattern()
_INVITE = invitation_pattern()
_AFTER = after_pattern()
_DATE = date_pattern()
_WRITTEN = written_pattern()


def trim(blocks: list[Block], titles: Collection[str]) -> list[Block]:
    """The blocks without those; all of them when nothing would be left."""
    for rule in RULES:
        blocks = rule(blocks, titles) or blocks
    return blocks


def below_headline(blocks: list[Block], titles: Collection[str]) -> list[Block]:
    """What comes after the headline, a heading of the first level or what says the same as the page's title; and whole
    sentences above it."""
    known = {folded(title) for title in titles} - {""}
    for at, block in enumerate(blocks[:HEAD]):
        if (block.kind == "heading" and block.level == 1) or folded(block.text) in known:
            return [above for above in blocks[:at] if _is_sentence(above)] + blocks[at + 1 :]
    return blocks


def without_dateline(blocks: list[Block], titles: Collection[str]) -> list[Block]:
    """Without a line at the beginning that only says when it was written or how long it takes to read, or at the end
    when it was changed."""
    while blocks and len(blocks[0].text.split()) <= 12 and _DATE.search(blocks[0].text) and not _is_sentence(blocks[0]):
        blocks = blocks[1:]
    return blocks[:-1] if blocks and _WRITTEN.match(blocks[-1].text) else blocks


def without_pointers(blocks: list[Block], titles: Collection[str]) -> list[Block]:
    """Without "Read more: …" and such, and without the links that stand below such a line."""
    kept: list[Block] = []
    below = False
    for block in blocks:
        label = _LABEL.match(block.text)
        if label and (len(block.text.split()) <= 30) and (label["end"] != "" or label.end() == len(block.text)):
            below = label.end() >= len(block.text.rstrip()) - 3
            continue
        if below and (linked(block) > (0 if block.kind == "item" else 0.8) or len(block.text.split()) <= 2):
            continue
        below = False
        kept.append(block)
    return kept


def without_invitations(blocks: list[Block], titles: Collection[str]) -> list[Block]:
    """Without what comes after an article: headings of nothing, comments and tags with what follows their headings,
    "sign up for …", also above the first words."""
    end = next(
        (at for at in range(max(1, len(blocks) - TAIL), len(blocks)) if _AFTER.match(blocks[at].text)), len(blocks)
    )
    tail = len(blocks) - TAIL
    kept = [block for at, block in enumerate(blocks[:end]) if not ((at < 2 or at >= tail) and _invites(block))]
    for block in kept[: -TAIL - 1 : -1]:
        if block.kind != "heading" and not _is_address(block):
            break
        kept = kept[:-1]
    return kept


def _is_address(block: Block) -> bool:
    """Whether a line is little but a link."""
    return (
        block.kind == "paragraph" and linked(block) > 0.6 and len(block.text.split()) <= 8 and not _is_sentence(block)
    )


def _invites(block: Block) -> bool:
    return len(block.text.split()) <= 60 and bool(_INVITE.search(block.text))


def _is_sentence(block: Block) -> bool:
    return block.text.endswith((".", "!", "?", "。", "”", '"')) and block.kind != "heading"


def linked(block: Block) -> float:
    """The share of a block's characters that are links."""
    runs = [run for cell in block.cells for run in cell] if block.kind == "row" else block.runs
    return sum(len(run.text) for run in runs if run.href) / max(1, sum(len(run.text) for run in runs))


def folded(text: str) -> str:
    """A text's letters and digits, to compare what is set differently."""
    return _LETTERS.sub("", unicodedata.normalize("NFKC", text).casefold())


RULES: list[Callable[[list[Block], Collection[str]], list[Block]]] = [
    below_headline,
    without_dateline,
    without_pointers,
    without_invitations,
]
