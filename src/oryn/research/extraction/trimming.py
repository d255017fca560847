"""What of the chosen blocks is not the article's own words: its headline, pointers to other pages, invitations.

The conventions, as people mark main text: the headline is the title's, not the text's, and what stands above it is the
page's; credits and copyright lines at the end of the text are the text's; lines that send the reader elsewhere are not.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection

from .blocks import Block

HEAD = 6
"""Blocks at the beginning among which the headline is looked for."""

ABOVE = 60
"""Words that may stand above it."""

_LETTERS = re.compile(r"[\W_]+")
# "Read more: …", alone on a line or before a link. Languages that pages are often in.
_LABEL = re.compile(
    r"""^\W*(?:
    (?:also\s+)?(?:read|see|watch|view|listen|learn)\s+(?:more|also|next|now)
    | related(?:\s+(?:\w+\s+)?(?:articles?|stor(?:y|ies)|posts?|news|content|links?|coverage|reading|topics?|videos?|pages?))?
    | recommended(?:\s+(?:for\s+you|reading|articles?|stories|posts?))?
    | more(?:\s+(?:from|on|about|in|stories|news|articles|like)\b[^:]{0,40})?
    | you\s+(?:may|might)\s+(?:also\s+)?(?:like|enjoy|be\s+interested\s+in)
    | don['’]t\s+miss(?:\s+(?:this|out))? | in\s+case\s+you\s+missed\s+it | must[-\s]reads?
    | (?:trending|most\s+(?:read|popular|viewed))(?:\s+(?:now|stories|articles|news))?
    | up\s+next | read\s+(?:this|the\s+full\s+\w+)(?:\s+\w+)?
    | lire\s+aussi | à\s+lire(?:\s+aussi)? | voir\s+aussi | sur\s+le\s+même\s+sujet
    | lesen\s+sie\s+auch | mehr\s+(?:zum\s+thema|dazu|lesen) | auch\s+interessant | siehe\s+auch
    | le[ae]r?\s+(?:también|además|mais|más|tamb[eé]m) | lea\s+también | leia\s+(?:mais|também) | veja\s+(?:mais|também)
    | te\s+puede\s+interesar | leggi\s+anche | potrebbe\s+interessarti | lees\s+(?:ook|meer)
    | läs\s+(?:också|mer|även) | les\s+(?:også|mer) | læs\s+også | lue\s+myös | czytaj\s+(?:też|także|więcej)
    | čtěte\s+(?:také|více) | читайте\s+также | по\s+теме | baca\s+juga | ayrıca\s+okuyun | इसे\s+भी\s+पढ़ें
    | 関連記事 | あわせて読みたい | 相关阅读 | 延伸阅读 | 延伸閱讀 | 관련기사 | اقرأ\s+أيض(?:ا|اً|ًا)
    )\s*(?P<end>[:：]|\W*$)""",
    re.IGNORECASE | re.VERBOSE,
)
_INVITE = re.compile(
    r"\b(?:sign\s+up|subscri(?:be|ption)|join|follow|like\s+us|download|listen|register|get|receive|click\s+here)\b"
    r".{0,120}\b(?:newsletters?|inbox|e-?mail(?:ed|s)?|updates|alerts|facebook|twitter|instagram|youtube|linkedin|"
    r"telegram|whatsapp|podcasts?|itunes|spotify|subscri(?:be|ption|ptions)|free\s+trial|apps?)\b",
    re.IGNORECASE | re.DOTALL,
)
_AFTER = re.compile(
    r"^\W*(?:(?:\d+\s+)?comments?(?:\s*\(\d+\))?|leave\s+a\s+(?:comment|reply)|join\s+the\s+(?:conversation|discussion)|"
    r"share(?:\s+this(?:\s+\w+)?)?|tags?|topics|filed\s+under|categories|print|advertisement|"
    r"(?:tell|let)\s+us\s+(?:know\s+)?what\s+you\s+think|about\s+the\s+author)\W*$"
    r"|^\W*(?:tags?|topics|filed\s+under|categories|posted\s+in)\s*:",
    re.IGNORECASE,
)
_DATE = re.compile(r"\b(?:19|20)\d\d\b|\b\d{1,2}:\d\d\b|\b\d+\s*min", re.IGNORECASE)


def trim(blocks: list[Block], titles: Collection[str]) -> list[Block]:
    """The blocks without those; all of them when nothing would be left."""
    for rule in RULES:
        blocks = rule(blocks, titles) or blocks
    return blocks


def below_headline(blocks: list[Block], titles: Collection[str]) -> list[Block]:
    """What comes after the headline: a heading of the first level, or what says the same as the page's title."""
    known = {folded(title) for title in titles} - {""}
    above = 0
    for at, block in enumerate(blocks[:HEAD]):
        if (block.kind == "heading" and block.level == 1) or folded(block.text) in known:
            return blocks[at + 1 :]
        above += len(block.text.split())
        if above > ABOVE:
            break
    return blocks


def below_dateline(blocks: list[Block], titles: Collection[str]) -> list[Block]:
    """Without a line at the beginning that only says when it was written, or how long it takes to read."""
    while blocks and len(blocks[0].text.split()) <= 12 and _DATE.search(blocks[0].text) and not _is_sentence(blocks[0]):
        blocks = blocks[1:]
    return blocks


def without_pointers(blocks: list[Block], titles: Collection[str]) -> list[Block]:
    """Without "Read more: …" and such, and without the links that stand below such a line."""
    kept: list[Block] = []
    below = False
    for block in blocks:
        label = _LABEL.match(block.text)
        if label and (len(block.text.split()) <= 30) and (label["end"] != "" or label.end() == len(block.text)):
            below = label.end() >= len(block.text.rstrip()) - 3
            continue
        if below and (linked(block) > 0.8 or len(block.text.split()) <= 2):
            continue
        below = False
        kept.append(block)
    return kept


def without_invitations(blocks: list[Block], titles: Collection[str]) -> list[Block]:
    """Without what comes after an article: headings of nothing, comments' headings, tags, "sign up for …"."""
    end = len(blocks)
    while end and (blocks[end - 1].kind == "heading" or _outside(blocks[end - 1])):
        end -= 1
    begin = 0
    while begin < min(2, end) and _invites(blocks[begin]):
        begin += 1
    return blocks[begin:end]


def _outside(block: Block) -> bool:
    return (
        _invites(block)
        or bool(_AFTER.match(block.text))
        or (block.kind != "code" and linked(block) > 0.9 and "," in block.text)
    )


def _invites(block: Block) -> bool:
    return len(block.text.split()) <= 60 and bool(_INVITE.search(block.text))


def _is_sentence(block: Block) -> bool:
    return block.text.rstrip().endswith((".", "!", "?", "。", "”", '"'))


def linked(block: Block) -> float:
    """The share of a block's characters that are links."""
    runs = [run for cell in block.cells for run in cell] if block.kind == "row" else block.runs
    return sum(len(run.text) for run in runs if run.href) / max(1, sum(len(run.text) for run in runs))


def folded(text: str) -> str:
    """A text's letters and digits, to compare what is set differently."""
    return _LETTERS.sub("", unicodedata.normalize("NFKC", text).casefold())


RULES: list[Callable[[list[Block], Collection[str]], list[Block]]] = [
    below_headline,
    below_dateline,
    without_pointers,
    without_invitations,
]
