"""`Report`: a summary whose every sentence cites a passage of a page, with all that is needed to verify it; and
`build_report`, which numbers the cited pages in the order of the sentences."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from oryn.core.records import Record
from oryn.research.documents import Article, JsonRecord, LeftOut, Passage, Source, doubts
from oryn.research.report.deduplication import pages_with_sentence
from oryn.research.report.written import WrittenSentence
from oryn.research.text.questions import missing_names

if TYPE_CHECKING:
    from oryn.research.report.summary import Sentence


class ReportStatement(JsonRecord):
    """A sentence of the summary. `text` is at `begin` to `end` in the text of the passage whose id is `passage`, on the
    page `source` (a number of `Report.sources`). `also` are the numbers of pages with the same sentence. `subject` is
    what a row of a table or a property (`Length | 388 m`) is about, and `label` what its value is, if the text does not
    say it. `question` is the number of the question in `Report.questions` that it answers, from 1; None if there are
    none."""

    text: str
    source: int
    passage: str
    begin: int
    end: int
    also: tuple[int, ...] = ()
    subject: str = ""
    question: int | None = None
    label: str = ""

    @property
    def words(self) -> str:
        """The sentence as readers see it: a row after its subject, a value after its label."""
        said = f"{self.label} | {self.text}" if self.label else self.text
        return f"{self.subject}: {said}" if self.subject else said


class ReportSource(JsonRecord):
    """A page that the report cites. `number` counts from 1. `found_by` is the provider, `index`, `link`, or `given`;
    `source` and `why` say how the page was fetched, as in `Article`; `passages` are the ids of its passages,
    `doubts` what a reader should know of how the page was read (`documents.doubts`)."""

    number: int
    url: str
    title: str
    date: str = ""
    author: str = ""
    site: str = ""
    language: str = ""
    found_by: str = ""
    source: Source | None = None
    why: str = ""
    fetched_at: str = ""
    passages: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()


class Report(JsonRecord):
    """A summary with its sources. `sentences` are in reading order. `passages` are those that match the topic best,
    including those of the sentences. `model` is the hash of the embedding model. `seconds` is the time of each stage;
    stages overlap. `counts` are of hits, pages, passages, failures, and the `cited` sources, which sentences were taken
    from. `not_found` are the names of the topic that no cited sentence has, nor the title of its page. `questions` are
    those that the topic was split into, if there are several. `written` is the text that the model `writer` wrote from
    the passages, without the sentences that they do not support (`counts["unsupported"]`). `made_at` is in UTC."""

    topic: str
    sentences: tuple[ReportStatement, ...]
    sources: tuple[ReportSource, ...]
    passages: tuple[Passage, ...]
    left_out: tuple[LeftOut, ...] = ()
    collection: str = ""
    model: str = ""
    made_at: str = ""
    seconds: Mapping[str, float] = {}
    counts: Mapping[str, int] = {}
    not_found: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    written: tuple[WrittenSentence, ...] = ()
    writer: str = ""

    @property
    def cited(self) -> int:
        """The number of sources that a sentence of the summary was taken from, or that have the same sentence, and of
        those of the written text."""
        quoted = {number for each in self.sentences for number in (each.source, *each.also)}
        return len(quoted | {number for each in self.written for number in each.sources})

    def answers(self, question: int) -> tuple[ReportStatement, ...]:
        """The sentences for the question of that number, from 1."""
        return tuple(each for each in self.sentences if each.question == question)

    @property
    def gaps(self) -> tuple[str, ...]:
        """What the report could not find, as sentences; readers see them before the summary."""
        names = ", ".join(f"“{name}”" for name in self.not_found)
        found = [f"Not found: nothing that is cited here mentions {names}."] if names else []
        found += [
            f"Not answered: {question}" for number, question in enumerate(self.questions, 1) if not self.answers(number)
        ]
        if self.writer and (unsupported := self.counts.get("unsupported", 0)):
            plural = ("", "its passages do") if unsupported == 1 else ("s", "their passages do")
            found.append(f"Left out: {unsupported} sentence{plural[0]} of {self.writer} that {plural[1]} not support.")
        if self.writer and not self.written:
            found.append(f"Not written: {self.writer} wrote nothing that the passages support.")
        pages = sum(bool(each.url) for each in self.left_out)
        if pages:
            found.append(f"Not read: {pages} page{'' if pages == 1 else 's'}, listed under “Left out”.")
        if searches := [str(each) for each in self.left_out if not each.url]:
            found.append(f"Not searched: {'; '.join(searches)}.")
        return tuple(found)

    def source(self, number: int) -> ReportSource:
        """The source of that number. Raises `IndexError`."""
        return self.sources[number - 1]

    def passage(self, id: str) -> Passage:
        """The passage with this `id`. Raises `StopIteration` if the report does not have it."""
        return next(passage for passage in self.passages if passage.id == id)

    @property
    def markdown(self) -> str:
        """The report as Markdown, with numbered sources."""
        return REPORT_RENDERERS["markdown"](self)

    @property
    def html(self) -> str:
        """The report as a complete HTML page, whose sentences link to their passages."""
        return REPORT_RENDERERS["html"](self)


REPORT_RENDERERS: dict[str, Callable[[Report], str]] = {}
"""The renderer of each text format. `oryn.research.report` fills it: the renderers depend on `Report`, not it on
them."""


class ReadPage(Record):
    """A page that was read, without its text, and how it was found."""

    article: Article
    found_by: str


def build_report(
    topic: str,
    summary: Sequence[Sentence],
    chosen: Sequence[Passage],
    candidates: Sequence[Passage],
    read: Mapping[str, ReadPage],
    written: Sequence[WrittenSentence] = (),
    **rest: Any,
) -> Report:
    """A report from a `summary` of the `chosen` passages; `candidates` are all passages that were found, among which
    pages with the same sentences are looked for. `read` are the pages by URL, `written` the text of a model
    from the chosen passages; `rest` are further fields of the report."""
    by_id = {passage.id: passage for passage in chosen}
    numbers: dict[str, int] = {}

    def number_of(url: str) -> int:
        return numbers.setdefault(url, len(numbers) + 1)

    cited_sentences = [
        (sentence, by_id[sentence.passage].url, _pages_with(sentence, candidates)) for sentence in summary
    ]
    for _, url, _ in cited_sentences:
        number_of(url)
    statements = tuple(
        ReportStatement(
            text=sentence.text,
            source=number_of(url),
            passage=sentence.passage,
            begin=sentence.begin,
            end=sentence.end,
            also=tuple(number_of(other) for other in others if other != url),
            subject=sentence.subject,
            question=sentence.question or None,
            label=sentence.label,
        )
        for sentence, url, others in cited_sentences
    )
    for passage in chosen:
        number_of(passage.url)
    passages = list(chosen)
    sources = tuple(_cited(number, url, passages, candidates, read.get(url)) for url, number in numbers.items())
    made_at = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    read_texts = [f"{by_id[each.passage].title} {each.words}" for each in statements]
    written = tuple(
        each.replace(sources=tuple(dict.fromkeys(number_of(by_id[id].url) for id in each.passages))) for each in written
    )
    report = Report(
        topic,
        statements,
        sources,
        tuple(passages),
        made_at=made_at,
        not_found=missing_names(topic, [*read_texts, *(each.text for each in written)]),
        written=written,
        **rest,
    )
    return report.replace(counts={**report.counts, "cited": report.cited})


def _pages_with(sentence: Sentence, candidates: Sequence[Passage]) -> list[str]:
    """The URLs of pages with the same sentence, or with the same value of the same thing."""
    if not sentence.label:
        return list(pages_with_sentence(sentence.text, candidates))
    return list(
        dict.fromkeys(
            passage.url
            for passage in candidates
            for row in passage.rows
            if (row.subject or passage.title, row.label, passage.text[row.begin : row.end])
            == (sentence.subject, sentence.label, sentence.text)
        )
    )


def _cited(
    number: int, url: str, passages: Sequence[Passage], candidates: Sequence[Passage], read: ReadPage | None
) -> ReportSource:
    ids = tuple(passage.id for passage in passages if passage.url == url)
    if read is None:  # of the index
        passage = next(each for each in candidates if each.url == url)
        return ReportSource(number, url, passage.title or url, passage.date, found_by="index", passages=ids)
    article = read.article
    return ReportSource(
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
        doubts=tuple(doubts(article.page_kind, article.confidence, article.share)),
    )
