"""What research hands over: sentences, each from a passage of a page, and all that is needed to look it up."""

from __future__ import annotations

from collections.abc import Mapping

from oryn.research.documents import Document, LeftOut, Passage, Source


class Statement(Document):
    """A sentence of the summary. `text` stands at `begin` to `end` in the text of the passage whose id is `passage`,
    which is of the page `source` (a number of `Report.sources`). `also` are pages that have the same sentence."""

    text: str
    source: int
    passage: str
    begin: int
    end: int
    also: tuple[int, ...] = ()


class Cited(Document):
    """A page that the report rests on. `number` counts from 1. `found_by` is the provider, `index`, `link`, or `given`;
    `source` and `why` say how the page was fetched, as in `Article`; `passages` are the ids of its passages."""

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


class Report(Document):
    """`sentences` sum up, in the order in which they are to be read. `passages` are those that fit the topic best, and
    the ones of the sentences. `model` is the hash of the embedding model. `seconds` are of each stage, which overlap;
    `counts` are of hits, pages, passages and failures. `made_at` is in UTC."""

    topic: str
    sentences: tuple[Statement, ...]
    sources: tuple[Cited, ...]
    passages: tuple[Passage, ...]
    left_out: tuple[LeftOut, ...] = ()
    collection: str = ""
    model: str = ""
    made_at: str = ""
    seconds: Mapping[str, float] = {}
    counts: Mapping[str, int] = {}

    def source(self, number: int) -> Cited:
        return self.sources[number - 1]

    def passage(self, id: str) -> Passage:
        return next(passage for passage in self.passages if passage.id == id)

    @property
    def markdown(self) -> str:
        """For readers of text (`oryn.research.report.markdown`)."""
        from oryn.research.report.markdown import markdown

        return markdown(self)

    @property
    def html(self) -> str:
        """A page of its own (`oryn.research.report.page`)."""
        from oryn.research.report.page import page

        return page(self)
