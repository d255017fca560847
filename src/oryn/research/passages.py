"""An article cut into passages of near 220 words, at the ends of paragraphs or sentences (seed 004, "Data Flow").

The article's sentences are put together so that the whole costs least: a passage costs the more the emptier it is, a
cut between sentences costs, one within a sentence costs more, and one that parts a heading from what follows costs
most. So paragraphs stay whole where that leaves no small remainder, and the result depends on the text alone.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, pairwise

from oryn.records import Record
from oryn.research.documents import Article, Passage
from oryn.research.sentences import sentences

WORDS = 220
BEFORE_HEADING, PARAGRAPH, SENTENCE, WITHIN, AFTER_HEADING = 0.0, 0.05, 0.25, 1.0, 4.0
"""What a cut costs, by where it is. A passage costs 1 when it is empty and nothing when it is full."""
PARTS = 8
"""A sentence that is too long is halved until its parts are an eighth of a passage."""
SMALL = 1 / 32
"""Of pieces that are smaller, several are taken for one: a list of words has too many ways to be cut."""
MARKS = 16
"""Combining characters that a letter may have without being parted from them."""

_HEADING = re.compile(r"^#{1,6} +(.+)$", re.MULTILINE)
_MARKS = re.compile(r"[\W_]+")


class Piece(Record):
    """A sentence, or a part of one: `words` and `tokens` are its own, `cut` is what a cut after it costs."""

    begin: int
    end: int
    words: int
    tokens: int
    cut: float


class Room(Record):
    """What a passage holds. `count` counts a text's tokens and `marks` that it adds to any; `words` and `tokens` are
    the most that there may be, without those marks."""

    count: Callable[[str], int]
    marks: int
    words: int
    tokens: int

    def measure(self, text: str) -> tuple[int, int]:
        return len(text.split()), self.count(text) - self.marks

    @property
    def countable(self) -> int:
        """Characters that may be so few tokens that counting them tells something: a token of prose has 4 or 5."""
        return 8 * max(1, self.tokens // PARTS)

    def filled(self, words: int, tokens: int) -> float:
        """The share that is taken: more than 1 is too much."""
        return max(words / self.words, tokens / self.tokens)


def passages(article: Article, *, words: int = WORDS, count: Callable[[str], int], limit: int = 256) -> list[Passage]:
    """The passages of an article's `text`, in order. None has more than `words` words, nor more than `limit` tokens by
    `count` (an `Embedder`'s, which counts the marks around a text too); `article.text[begin:end]` is a passage's text,
    and nothing but white space is outside of all. Only a single character that is over the limit is left whole."""
    marks = count("")
    room = Room(count, marks, max(words, 1), max(limit - marks, 1))
    text = article.text
    pieces = _gathered(_pieces(article, room), room)
    seen: Counter[str] = Counter()
    made: list[Passage] = []
    for begin, end in _held(_cheapest(pieces, room), text, room):
        name = _id(article.url, text[begin:end])
        seen[name] += 1
        made.append(
            Passage(
                id=name if seen[name] == 1 else _id(name, str(seen[name])),
                url=article.url,
                title=article.title,
                text=text[begin:end],
                number=len(made),
                begin=begin,
                end=end,
                date=article.date,
            )
        )
    return made


def _id(url: str, text: str) -> str:
    return hashlib.sha256(f"{url}\n{text}".encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _pieces(article: Article, room: Room) -> Iterator[Piece]:
    text = article.text
    headings = {_bare(heading) for heading in _HEADING.findall(article.markdown)} - {""}
    spans = sentences(text, article.language)
    ends = [_line_ends(text, end, following) for (_, end), (following, _) in pairwise(spans)] + [True]
    starts = [True, *ends]
    heads = [
        starts[index] and ends[index] and _bare(text[begin:end]) in headings for index, (begin, end) in enumerate(spans)
    ] + [False]
    for index, (begin, end) in enumerate(spans):
        if heads[index] and index + 1 < len(spans):
            cut = AFTER_HEADING
        elif ends[index]:
            cut = BEFORE_HEADING if heads[index + 1] else PARAGRAPH
        else:
            cut = SENTENCE
        *parts, (begin, end, counts) = _parts(text, begin, end, room)
        for each in parts:
            yield Piece(each[0], each[1], *each[2], WITHIN)
        yield Piece(begin, end, *counts, cut)


def _bare(line: str) -> str:
    """A line as it is compared: letters and digits alone, since the two forms of a text have different marks."""
    return _MARKS.sub("", line).casefold()


def _line_ends(text: str, end: int, following: int) -> bool:
    return len(text[end:following].splitlines()) > 1 or text[end:following].endswith("\n")


def _parts(text: str, begin: int, end: int, room: Room) -> list[tuple[int, int, tuple[int, int]]]:
    """A sentence that fits, as it is; else halves of it, and theirs, parted between words where there are any."""
    counts = room.measure(text[begin:end])
    return [(begin, end, counts)] if room.filled(*counts) <= 1 else list(_halves(text, begin, end, room))


def _halves(text: str, begin: int, end: int, room: Room) -> Iterator[tuple[int, int, tuple[int, int]]]:
    waiting = [(begin, end)]
    while waiting:
        begin, end = waiting.pop()
        if end - begin <= room.countable:
            counts = room.measure(text[begin:end])
            if room.filled(*counts) * PARTS <= 1 or end - begin == 1:
                yield begin, end, counts
                continue
        left, right = _middle(text, begin, end)
        waiting += [(right, end), (begin, left)]


def _middle(text: str, begin: int, end: int) -> tuple[int, int]:
    """Where the left part ends and the right one begins: around the white space nearest to the middle of the inner
    half, or between two characters that are not of one."""
    centre = (begin + end) // 2
    reach = (end - begin) // 4
    near = range(centre - reach, centre + reach + 1)
    if spaces := [at for at in near if text[at].isspace()]:
        at = min(spaces, key=lambda space: abs(space - centre))
    else:
        whole = (at for at in range(centre, min(centre + MARKS, end)) if not unicodedata.combining(text[at]))
        at = next(whole, centre)
    return begin + len(text[begin:at].rstrip()), end - len(text[at:end].lstrip())


def _gathered(pieces: Iterable[Piece], room: Room) -> list[Piece]:
    """The pieces, small ones put together as far as they remain small."""
    made: list[Piece] = []
    for piece in pieces:
        if made and made[-1].cut > BEFORE_HEADING:
            last = made[-1]
            words, tokens = last.words + piece.words, last.tokens + piece.tokens
            if room.filled(words, tokens) < SMALL:
                made[-1] = Piece(last.begin, piece.end, words, tokens, piece.cut)
                continue
        made.append(piece)
    return made


def _cheapest(pieces: Sequence[Piece], room: Room) -> Iterator[list[Piece]]:
    """The pieces, put together: of all the ways that leave no passage too long, the one that costs least."""
    words = list(accumulate((piece.words for piece in pieces), initial=0))
    tokens = list(accumulate((piece.tokens for piece in pieces), initial=0))
    costs = [0.0]
    begins = [0]
    for end in range(1, len(pieces) + 1):
        best, begin = float("inf"), end - 1
        for start in range(end - 1, -1, -1):
            filled = room.filled(words[end] - words[start], tokens[end] - tokens[start])
            if filled > 1 and start < end - 1:
                break
            cost = costs[start] + (1 - min(filled, 1)) ** 2
            if cost < best:
                best, begin = cost, start
        costs.append(best + (pieces[end - 1].cut if end < len(pieces) else 0))
        begins.append(begin)
    bounds = [len(pieces)]
    while bounds[-1] > 0:
        bounds.append(begins[bounds[-1]])
    for begin, end in pairwise(reversed(bounds)):
        yield list(pieces[begin:end])


def _held(passages: Iterator[list[Piece]], text: str, room: Room) -> Iterator[tuple[int, int]]:
    """Their offsets. Pieces that touch may have more tokens together than apart: such a passage is parted."""
    for pieces in passages:
        waiting = [pieces]
        while waiting:
            group = waiting.pop()
            begin, end = group[0].begin, group[-1].end
            if len(group) > 1 and room.filled(*room.measure(text[begin:end])) > 1:
                waiting += [group[len(group) // 2 :], group[: len(group) // 2]]
            else:
                yield begin, end
