"""Whether a report of the small web holds what it should: the answer, and a passage for every claim."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

from oryn.core.records import Record
from scripts.small_web.questions import Question
from scripts.small_web.server import Served

_LINK = re.compile(r'href="#([^"]+)"')
_PLACE = re.compile(r'\bid="([^"]+)"')

Form = dict[str, Any]
"""A report as JSON (`oryn.research.report.Report.form`)."""


class Checked(Record):
    """`sentence` answers the question, out of the page `source`; both are empty where none does. `faults` are of the
    whole report, a sentence each."""

    question: Question
    sentence: str
    source: str
    faults: tuple[str, ...]


def check(question: Question, report: Form, served: Served) -> Checked:
    sentence, source = _answer(question, report, served)
    return Checked(question, sentence, source, tuple(_faults(report, served)))


def _answer(question: Question, report: Form, served: Served) -> tuple[str, str]:
    wanted = served.web.about(question.about)
    for statement in report["sentences"]:
        url = report["sources"][statement["source"] - 1]["url"]
        article = served.article_at(url)
        if question.answer in _spaced(statement["text"]) and article and wanted in (article, article.canonical):
            return _spaced(statement["text"]), url
    return "", ""


def _says(page: str, text: str) -> bool:
    """Whether a page has a text. Label and value of a row stand one after the other on it."""
    return any(_spaced(each) in _spaced(page) for each in (text, text.replace(" | ", " ")))


def _faults(report: Form, served: Served) -> list[str]:
    passages = {passage["id"]: passage for passage in report["passages"]}
    faults = []
    for statement in report["sentences"]:
        text = statement["text"]
        source = report["sources"][statement["source"] - 1]
        passage = passages.get(statement["passage"])
        article = served.article_at(source["url"])
        if passage is None or passage["url"] != source["url"]:
            faults.append(f"no passage of {source['url']} goes with: {text}")
        elif passage["text"][statement.get("begin", 0) : statement["end"]] != text:
            faults.append(f"the passage does not have it where it says so: {text}")
        elif article is None or not _says(f"{article.title} {article.text}", text):
            faults.append(f"{urlsplit(source['url']).path} does not say: {text}")
    return faults


def faults_of_page(page: str) -> list[str]:
    """Of a report as HTML: links to places that it does not have, or no sentence that leads to one."""
    links, places = set(_LINK.findall(page)), set(_PLACE.findall(page))
    faults = [f"the page has no #{place}" for place in sorted(links - places)]
    return faults if "sentence-1" in links else ["no sentence of the page leads to its passage", *faults]


def _spaced(text: str) -> str:
    return " ".join(text.split())
