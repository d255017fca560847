"""A report of sentences, passages and pages: who is cited gets a number, in the order of the sentences. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from oryn.records import Record
from oryn.research.copies import pages_that_say
from oryn.research.documents import Article, Passage
from oryn.research.report.report import Cited, Report, Statement

if TYPE_CHECKING:
    from oryn.research.summary import Sentence


class Read(Record):
    """A page that was read, without its text, and how it was found."""

    article: Article
    found_by: str


def compose(
    topic: str,
    summary: Sequence[Sentence],
    chosen: Sequence[Passage],
    candidates: Sequence[Passage],
    read: Mapping[str, Read],
    **rest: Any,
) -> Report:
    """`summary` is of the `chosen` passages; `candidates` are all that were found, in which others are looked for that
    say the same. `rest` is given to the report as it is."""
    by_id = {passage.id: passage for passage in chosen}
    numbers: dict[str, int] = {}

    def number_of(url: str) -> int:
        return numbers.setdefault(url, len(numbers) + 1)

    said = [
        (sentence, by_id[sentence.passage].url, list(pages_that_say(sentence.text, candidates))) for sentence in summary
    ]
    for _, url, _ in said:
        number_of(url)
    statements = tuple(
        Statement(
            text=sentence.text,
            source=number_of(url),
            passage=sentence.passage,
            begin=sentence.begin,
            end=sentence.end,
            also=tuple(number_of(other) for other in others if other != url),
        )
        for sentence, url, others in said
    )
    for passage in chosen:
        number_of(passage.url)
    shown = list(chosen)
    sources = tuple(_cited(number, url, shown, candidates, read.get(url)) for url, number in numbers.items())
    made_at = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return Report(topic, statements, sources, tuple(shown), made_at=made_at, **rest)


def _cited(number: int, url: str, shown: Sequence[Passage], candidates: Sequence[Passage], read: Read | None) -> Cited:
    ids = tuple(passage.id for passage in shown if passage.url == url)
    if read is None:  # of the index
        passage = next(each for each in candidates if each.url == url)
        return Cited(number, url, passage.title or url, passage.date, found_by="index", passages=ids)
    article = read.article
    return Cited(
        number=number,
        url=url,
        title=article.title or url,
        date=article.date,
        author=article.author,
        site=article.site,
        language=article.language,
        found_by=read.found_by,
        source=article.source,
        why=article.why,
        fetched_at=article.fetched_at,
        passages=ids,
    )
