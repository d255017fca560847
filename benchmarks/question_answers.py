"""Asks twenty questions, and looks at the first sentence or row of each answer: `python -m
benchmarks.question_answers`.

Eight are about the small web (`scripts/small_web`), each answered from what its search engine finds. Twelve are about
pages and PDFs here, which have the answer in a sentence, a table or a list, and beside it values of the same kind of
other things, and of other kinds of the same thing. A question is answered if the first one has the answer, and answered
wrongly if that has another value of the kind that was asked for."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from benchmarks.row_pages import definitions, document, property_list, table_of_things
from oryn.research.documents import Article, RankedPassage
from oryn.research.embedding import Embedder
from oryn.research.extraction.pdf import article_of_pdf
from oryn.research.extractor import article_of_html
from oryn.research.passages.ranking import rerank
from oryn.research.passages.splitter import passages
from oryn.research.report.summary import MIN_ANSWER, Sentence, summarize
from oryn.research.text.expected_values import sentence_strength
from scripts.small_web import documents, pages
from scripts.small_web.article import Article as SmallArticle
from scripts.small_web.questions import QUESTIONS
from scripts.small_web.search_engine import Engine
from scripts.small_web.sites import SmallWeb
from tests.research.pdfs import pdf

SENTENCES = 6
MAX_HITS = 8
SMALL_WEB = (0, 1, 3, 4, 5, 6, 7, 10)
"""Numbers of the small web's questions that ask for a value of a kind."""


class QuestionSample(NamedTuple):
    """A question with its pages; `answer` is a part of the sentence or row that answers it."""

    question: str
    answer: str
    articles: tuple[Article, ...]


def page(name: str, title: str, body: str, prose: str = "") -> Article:
    """The article of a page."""
    return article_of_html(document(title, body, prose=prose), f"https://norr.example/{name}")


def paper(name: str, *lines: str | Sequence[str]) -> Article:
    """The article of a PDF. A line of several texts is a row of a table."""
    cells = [line if isinstance(line, str) else list(zip((0, 150, 270, 380), line, strict=False)) for line in lines]
    return article_of_pdf(pdf([cells]), f"https://norr.example/{name}.pdf")


HERON = (
    "Heron Bridge crosses the Norr between Aldermoor and Ellary. At the gauge below it the water level was 4.2 m in "
    "May 2024. In 1987 the Heron Bridge was closed for nine weeks, since the paint was renewed.\nThe bridge was "
    "designed by Ada Thorn and opened in 1931 by the mayor, Carl Dee. It is 388 metres long and 14 metres wide. "
    "About 6,200 carts use it every day, 12 per cent of them at night. The toll for a cart is two crowns."
)
MILL = (
    "The mill of Tarrow has ground rye since people remember. A fire in 1902 destroyed its sails, which Gideon Holm "
    "replaced within three months.\nSince 1958 it belongs to the parish. Visitors are shown around in 45 minutes. The "
    "miller, Mira Okafor, was born in Ellary. From the gallery, 11 metres above the ground, the sea is visible."
)


def own() -> Iterator[QuestionSample]:
    """The twelve questions on pages and PDFs."""
    heron = page("heron", "Heron Bridge", "", HERON)
    kestrel = page(
        "kestrel",
        "Kestrel Bridge",
        "",
        HERON.replace("Heron", "Kestrel")
        .replace("388", "212")
        .replace("Ada Thorn", "Jon Vale")
        .replace("1931", "1874")
        .replace("two crowns", "one crown"),
    )
    mill = page("mill", "The mill of Tarrow", "", MILL)
    both = (kestrel, heron)
    yield QuestionSample("How long is the Heron Bridge?", "388 metres long", both)
    yield QuestionSample("Who designed the Heron Bridge?", "designed by Ada Thorn", both)
    yield QuestionSample("What percentage of the carts cross the Heron Bridge at night?", "12 per cent", both)
    yield QuestionSample("How long does a visit of the mill of Tarrow take?", "45 minutes", (mill,))
    yield QuestionSample("Where was the miller of Tarrow born?", "born in Ellary", (mill,))
    lakes = [
        ["Lake Orrin", "41 m", "2.1 km²", "9"],
        ["Lake Immer", "201 m", "12 km²", "23"],
        ["Lake Tarn", "7 m", "1 km²", "2"],
    ]
    lake = page(
        "lakes",
        "Lakes of the Norr",
        table_of_things(["Lake", "Depth", "Area", "Islands"], lakes),
        "The lakes are fed by the snow of the hills. The water level of Lake Immer rose by 3 metres in 2021.",
    )
    yield QuestionSample("How deep is Lake Immer?", "Depth | 201 m", (lake,))
    yield QuestionSample("How many islands are in Lake Orrin?", "Islands | 9", (lake,))
    museum = page(
        "museum",
        "Clock Museum",
        "<h2>Visit</h2>"
        + property_list(
            [("Opened", "14 March 1887"), ("Admission", "9 €"), ("Director", "Jon Vale"), ("Clocks", "412")],
            colon="outside",
        )
        + definitions([("Address", "4 Quay Lane, Ellary"), ("Guided tours", "every Sunday")]),
        "The museum shows clocks of five centuries. In 1944 half of them were hidden in the mill.",
    )
    yield QuestionSample("When was the Clock Museum opened?", "14 March 1887", (museum,))
    yield QuestionSample("How much is the admission to the Clock Museum?", "9 €", (museum,))
    report = paper(
        "report",
        "Ferries of the Norr 2024",
        "",
        "The ferries carried more passengers than in any year",
        "before. The Skerrow ferry was out of service for eleven days in February.",
        "",
        ("Ferry", "Crossing", "Passengers", "Fare"),
        ("Skerrow", "35 min", "41,200", "6 crowns"),
        ("Ellary", "76 min", "12,800", "9 crowns"),
        ("Gannet", "20 min", "8,150", "4 crowns"),
        "",
        "All figures were counted by the harbour office of Aldermoor.",
    )
    yield QuestionSample("How many passengers did the Ellary ferry carry?", "Passengers | 12,800", (report,))
    yield QuestionSample("What does the ferry to Skerrow cost?", "6 crowns", (report,))
    sheet = paper(
        "sheet",
        "Gannet Rock lighthouse",
        "",
        "The lighthouse at Gannet Rock is kept from the mainland.",
        "Its keeper left in 1986, when the lamp became electric and 3 boats were sold.",
        "",
        ("First lit", "1814"),
        ("Height of the tower", "31 m"),
        ("Range", "18 nautical miles"),
        ("Architect", "Gideon Tremayne"),
    )
    yield QuestionSample("How high is the tower of the Gannet Rock lighthouse?", "Height of the tower | 31 m", (sheet,))


@cache
def small_web() -> tuple[SmallWeb, Engine]:
    """The small web and its search engine."""
    web = SmallWeb()
    return web, Engine(web.articles)


def planted() -> Iterator[QuestionSample]:
    """Eight questions of the small web, with the pages that its search engine finds."""
    _, engine = small_web()
    for number in SMALL_WEB:
        question = QUESTIONS[number]
        found = engine.search(question.text)[:MAX_HITS]
        yield QuestionSample(question.text, question.answer, tuple(map(small_article, found)))


def small_article(article: SmallArticle) -> Article:
    """What Oryn makes of an article of the small web."""

    def url_of(other: SmallArticle) -> str:
        return f"https://{other.site}.example{other.path}"

    if article.pdf:
        return article_of_pdf(documents.pdf(article.title, article.paragraphs), url_of(article))
    return article_of_html(pages.page(article, (), url_of), url_of(article))


def answer(sample: QuestionSample, embedder: Embedder) -> list[Sentence]:
    """The sentences and rows that are reported, in their order."""
    cut = [
        each for article in sample.articles for each in passages(article, count=embedder.count, limit=embedder.limit)
    ]
    vectors = embedder.embed([sample.question, *(each.text for each in cut)])
    near = [RankedPassage(each, float(score)) for each, score in zip(cut, vectors[1:] @ vectors[0], strict=True)]
    best = sorted(near, key=lambda each: -each.score)[:30]
    ranked = [each.passage for each in rerank(sample.question, best, embedder=embedder)][:12]
    return summarize(ranked, sample.question, embedder=embedder, sentences=SENTENCES)


def judgement(sample: QuestionSample, found: Sequence[Sentence]) -> str:
    """`first`, the place of the answer, `wrong` if the first one has another value, or `missing`."""
    places = [place for place, each in enumerate(found, 1) if sample.answer in each.words]
    if places[:1] == [1]:
        return "first"
    first = found[0] if found else None
    if first is not None and (first.label or sentence_strength(sample.question, first.text) >= MIN_ANSWER):
        return "wrong"
    return f"place {places[0]}" if places else "missing"


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.parse_args()
    embedder = Embedder.load()
    judged = []
    for sample in (*planted(), *own()):
        found = answer(sample, embedder)
        judged.append(judgement(sample, found))
        print(f"{judged[-1]:9} {sample.question}\n          {found[0].words if found else ''}")
    first, wrong = judged.count("first"), judged.count("wrong")
    print(f"{first} of {len(judged)} answers first, {wrong} wrong")
    return int(first < 18 or wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
