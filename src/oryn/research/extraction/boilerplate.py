"""Removes boilerplate from the selected blocks: the headline, links to other pages, calls to subscribe.

The conventions are those of people who mark main text: the headline belongs to the title, not the text, and what
is above it to the page; credits and copyright lines at the end belong to the text; lines that send the reader
elsewhere do not."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection

from oryn.research.extraction.blocks import Block
from oryn.research.extraction.boilerplate_patterns import (
    after_pattern,
    date_pattern,
    invitation_pattern,
    label_pattern,
    written_pattern,
)

HEAD_BLOCKS = 6
"""Blocks at the beginning among which the headline is looked for."""

TAIL_BLOCKS = 5
"""Blocks at the end among which comments, tags and invitations are looked for."""

_LETTERS = re.compile(r"[\W_]+")
_LABEL = label_pattern()
_INVITE = invitation_pattern()
_AFTER = after_pattern()
_DATE = date_pattern()
_WRITTEN = written_pattern()


def trim(blocks: list[Block], titles: Collection[str]) -> list[Block]:
    """The blocks without boilerplate; all of them if a rule would leave none."""
    for rule in RULES:
        blocks = rule(blocks, titles) or blocks
    return blocks


def below_headline(blocks: list[Block], titles: Collection[str]) -> list[Block]:
    """The blocks after the headline (a heading of the first level, or the same text as the title of the page), and
    whole sentences above it."""
    folded_titles = {fold(title) for title in titles} - {""}
    for at, block in enumerate(blocks[:HEAD_BLOCKS]):
        if (block.kind == "heading" and block.level == 1) or fold(block.text) in folded_titles:
            return [above for above in blocks[:at] if _is_sentence(above)] + blocks[at + 1 :]
    return blocks


def without_dateline(blocks: list[Block], titles: Collection[str]) -> list[Block]:
    """The blocks without a line at the beginning that only says when the text was written or how long it takes to read,
    or a line at the end that says when it was changed."""
    while blocks and len(blocks[0].text.split()) <= 12 and _DATE.search(blocks[0].text) and not _is_sentence(blocks[0]):
        blocks = blocks[1:]
    return blocks[:-1] if blocks and _WRITTEN.match(blocks[-1].text) else blocks


def without_pointers(blocks: list[Block], titles: Collection[str]) -> list[Block]:
    """The blocks without lines such as "Read more: …", and without the links below such a line."""
    remaining: list[Block] = []
    below = False
    for block in blocks:
        label = _LABEL.match(block.text)
        if label and (len(block.text.split()) <= 30) and (label["end"] != "" or label.end() == len(block.text)):
            below = label.end() >= len(block.text.rstrip()) - 3
            continue
        if below and (link_density(block) > (0 if block.kind == "item" else 0.8) or len(block.text.split()) <= 2):
            continue
        below = False
        remaining.append(block)
    return remaining


def without_invitations(blocks: list[Block], titles: Collection[str]) -> list[Block]:
    """The blocks without what follows an article: headings without content, comments and tags with what follows their
    headings, "sign up for …", also above the first words."""
    end = next(
        (at for at in range(max(1, len(blocks) - TAIL_BLOCKS), len(blocks)) if _AFTER.match(blocks[at].text)),
        len(blocks),
    )
    tail = len(blocks) - TAIL_BLOCKS
    remaining = [block for at, block in enumerate(blocks[:end]) if not ((at < 2 or at >= tail) and _invites(block))]
    for block in remaining[: -TAIL_BLOCKS - 1 : -1]:
        if block.kind != "heading" and not _is_address(block):
            break
        remaining = remaining[:-1]
    return remaining


def _is_address(block: Block) -> bool:
    """Whether a line is mostly a link."""
    return (
        block.kind == "paragraph"
        and link_density(block) > 0.6
        and len(block.text.split()) <= 8
        and not _is_sentence(block)
    )


def _invites(block: Block) -> bool:
    return len(block.text.split()) <= 60 and bool(_INVITE.search(block.text))


def _is_sentence(block: Block) -> bool:
    return block.text.endswith((".", "!", "?", "。", "”", '"')) and block.kind != "heading"


def link_density(block: Block) -> float:
    """The share of a block's characters that are links."""
    runs = [run for cell in block.cells for run in cell] if block.kind == "row" else block.runs
    return sum(len(run.text) for run in runs if run.href) / max(1, sum(len(run.text) for run in runs))


def fold(text: str) -> str:
    """The letters and digits of a text, to compare texts that are set differently."""
    return _LETTERS.sub("", unicodedata.normalize("NFKC", text).casefold())


RULES: list[Callable[[list[Block], Collection[str]], list[Block]]] = [
    below_headline,
    without_dateline,
    without_pointers,
    without_invitations,
]
