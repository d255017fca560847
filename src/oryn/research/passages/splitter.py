"""An article cut into passages of near 220 words, at the ends of paragraphs or sentences (docs/research.md#index).

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

from oryn.core.records import Record
from oryn.research.documents import Article, Passage
from oryn.research.passages.row_places import placed_rows
from oryn.research.text.sentences import sentences

MAX_WORDS = 220
BEFORE_HEADING, PARAGRAPH, SENTENCE, WITHIN, AFTER_HEADING = 0.0, 0.05, 0.25, 1.0, 4.0
"""The cost of a cut, by its place. A passage costs 1 if it is empty and nothing if it is full."""
SENTENCE_PARTS = 8
"""A sentence that is too long is halved until its parts are an eighth of a passage."""
MERGE_SHARE = 1 / 32
"""Pieces below this share of a passage are merged: a list of words has too many ways to be cut."""
MAX_COMBINING_MARKS = 16
"""Combining characters of a letter that are not separated from it."""

_HEADING = re.compile(r"^#{1,6} +(.+)$", re.MULTILINE)
_MARKS = re.compile(r"[\W_]+")


class TextPiece(Record):
    """A sentence, or a part of one: the number of its words and tokens, and the cost of a cut after it."""

    begin: int
    end: int
    words: int
    tokens: int
    cut: float


class PassageBudget(Record):
    """The capacity of a passage. `count` returns the tokens of a text, including `marks` markers that it adds to any
    text; `words` and `tokens` are the limits, without the markers."""

    count: Callable[[str], int]
    marks: int
    words: int
    tokens: int

    def measure(self, text: str) -> tuple[int, int]:
        """The words and tokens of a text."""
        return len(text.split()), self.count(text) - self.marks

    @property
    def countable(self) -> int:
        """The length in characters up to which a text may be short enough to be worth counting: a token of prose has 4
        or 5."""
        return 8 * max(1, self.tokens // SENTENCE_PARTS)

    def filled(self, words: int, tokens: int) -> float:
        """The share of the capacity that a text of `words` and `tokens` uses; more than 1 is too much."""
        return max(words / self.words, tokens / self.tokens)


def passages(
    article: Article, *, words: int = MAX_WORDS, count: Callable[[str], int], limit: int = 256
) -> list[Passage]:
    """The passages of an article's text, in order, and of the rows that it does not have (`placed_rows`). None has more
    than `words` words, nor more than `limit` tokens by `count` (`Embedder.count`, which includes the markers around a
    text). `placed_rows(article).text[begin:end]` is the text of a passage, and all text but white space is in one. Only
    a single character that exceeds the limit is not split."""
    marks = count("")
    room = PassageBudget(count, marks, max(words, 1), max(limit - marks, 1))
    placed = placed_rows(article)
    text = placed.text
    pieces = _merge_small(_pieces(article, text, room), room)
    seen: Counter[str] = Counter()
    result: list[Passage] = []
    for begin, end in _split_oversized(_best_grouping(pieces, room), text, room):
        name = _id(article.url, text[begin:end])
        seen[name] += 1
        result.append(
            Passage(
                id=name if seen[name] == 1 else _id(name, str(seen[name])),
                url=article.url,
                title=article.title,
                text=text[begin:end],
                number=len(result),
                begin=begin,
                end=end,
                date=article.date,
                rows=tuple(
                    row.replace(begin=row.begin - begin, end=row.end - begin)
                    for row in placed.rows
                    if begin <= row.begin and row.end <= end
                ),
                headers=tuple(header for header in article.headers if header in text[begin:end]),
            )
        )
    return result


def _id(url: str, text: str) -> str:
    return hashlib.sha256(f"{url}\n{text}".encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _pieces(article: Article, text: str, room: PassageBudget) -> Iterator[TextPiece]:
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
            yield TextPiece(each[0], each[1], *each[2], WITHIN)
        yield TextPiece(begin, end, *counts, cut)


def _bare(line: str) -> str:
    """The letters and digits of a line, to compare it: text and Markdown differ in marks."""
    return _MARKS.sub("", line).casefold()


def _line_ends(text: str, end: int, following: int) -> bool:
    return len(text[end:following].splitlines()) > 1 or text[end:following].endswith("\n")


def _parts(text: str, begin: int, end: int, room: PassageBudget) -> list[tuple[int, int, tuple[int, int]]]:
    """A sentence that fits as it is; else its halves, and theirs, split between words if possible."""
    counts = room.measure(text[begin:end])
    return [(begin, end, counts)] if room.filled(*counts) <= 1 else list(_halves(text, begin, end, room))


def _halves(text: str, begin: int, end: int, room: PassageBudget) -> Iterator[tuple[int, int, tuple[int, int]]]:
    waiting = [(begin, end)]
    while waiting:
        begin, end = waiting.pop()
        if end - begin <= room.countable:
            counts = room.measure(text[begin:end])
            if room.filled(*counts) * SENTENCE_PARTS <= 1 or end - begin == 1:
                yield begin, end, counts
                continue
        left, right = _middle(text, begin, end)
        waiting += [(right, end), (begin, left)]


def _middle(text: str, begin: int, end: int) -> tuple[int, int]:
    """The end of the left part and the begin of the right one: around the white space nearest to the middle of the
    inner half, or between two characters that are not combined."""
    centre = (begin + end) // 2
    reach = (end - begin) // 4
    near = range(centre - reach, centre + reach + 1)
    if spaces := [at for at in near if text[at].isspace()]:
        at = min(spaces, key=lambda space: abs(space - centre))
    else:
        whole = (
            at for at in range(centre, min(centre + MAX_COMBINING_MARKS, end)) if not unicodedata.combining(text[at])
        )
        at = next(whole, centre)
    return begin + len(text[begin:at].rstrip()), end - len(text[at:end].lstrip())


def _merge_small(pieces: Iterable[TextPiece], room: PassageBudget) -> list[TextPiece]:
    """The pieces, with small ones merged as long as they remain small."""
    merged: list[TextPiece] = []
    for piece in pieces:
        if merged and merged[-1].cut > BEFORE_HEADING:
            last = merged[-1]
            words, tokens = last.words + piece.words, last.tokens + piece.tokens
            if room.filled(words, tokens) < MERGE_SHARE:
                merged[-1] = TextPiece(last.begin, piece.end, words, tokens, piece.cut)
                continue
        merged.append(piece)
    return merged


def _best_grouping(pieces: Sequence[TextPiece], room: PassageBudget) -> Iterator[list[TextPiece]]:
    """The pieces grouped into passages: of all ways without a passage that is too long, the one of the lowest cost."""
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


def _split_oversized(passages: Iterator[list[TextPiece]], text: str, room: PassageBudget) -> Iterator[tuple[int, int]]:
    """The offsets of passages. Adjacent pieces may have more tokens together than apart; such a passage is split."""
    for pieces in passages:
        waiting = [pieces]
        while waiting:
            group = waiting.pop()
            begin, end = group[0].begin, group[-1].end
            if len(group) > 1 and room.filled(*room.measure(text[begin:end])) > 1:
                waiting += [group[len(group) // 2 :], group[: len(group) // 2]]
            else:
                yield begin, end
