"""The questions of `make demo-research`, which goes through the interfaces, over the facade; and its checks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from oryn.research import Research
from oryn.research.embedding import Embedder
from oryn.research.options import ResearchOptions
from scripts.small_web.questions import QUESTIONS, Question
from scripts.small_web.report_check import check, faults_of_page
from scripts.small_web.server import Served
from tests.conftest import Run

pytestmark = pytest.mark.processes


class ScriptedBrowser:
    """What a browser makes of the harbours' pages."""

    def __init__(self, served: Served) -> None:
        self._served = served

    async def render(self, url: str) -> tuple[str, str]:
        article = self._served.article_at(url)
        assert article is not None and article.site == "harbours"
        paragraphs = "".join(f"<p>{text}</p>" for text in article.paragraphs)
        return url, f"<title>{article.title}</title><article><h1>{article.title}</h1>{paragraphs}</article>"


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    with Served() as served:
        yield served


@pytest.fixture(scope="module")
def research(
    served: Served, embedder: Embedder, tmp_path_factory: pytest.TempPathFactory, run: Run[None]
) -> Iterator[Research]:
    home = tmp_path_factory.mktemp("research")
    options = ResearchOptions(
        page_cache=home / "pages",
        index=home / "index",
        search_url=served.search_url,
        allow_private=True,
        throttle=0.0,
    )

    async def loaded() -> Embedder:
        return embedder

    research = Research(options, embedder=loaded, renderer=ScriptedBrowser(served))
    yield research
    run(research.close())


@pytest.mark.slow
@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.about)
async def test_a_planted_answer_is_found_with_its_passage(
    question: Question, research: Research, served: Served
) -> None:
    report = await research.research(question.text)
    checked = check(question, report.form(), served)
    assert question.answer in checked.sentence
    assert checked.source  # a page where it was planted, or a copy of that
    assert not checked.faults
    assert not faults_of_page(report.html)


def report(served: Served, text: str, **changes: Any) -> dict[str, Any]:
    """A report of one claim, the first paragraph about Lake Immer, save for the changes to it."""
    article = served.web.about("Lake Immer")
    url, told = served.url_of(article), article.paragraphs[0]
    claim = {"text": text, "source": 1, "passage": "p1", "begin": 0, "end": len(text), **changes}
    return {"sentences": [claim], "sources": [{"url": url}], "passages": [{"id": "p1", "url": url, "text": told}]}


def test_the_demo_notices_what_is_missing(served: Served) -> None:
    (question,) = (each for each in QUESTIONS if each.about == "Lake Immer")
    told = served.web.about("Lake Immer").paragraphs[0]
    right = check(question, report(served, told), served)
    assert (right.sentence, right.faults) == (told, ())
    assert check(question, report(served, told[:40]), served).sentence == ""
    (fault,) = check(question, report(served, told, passage="p2"), served).faults
    assert fault.startswith("no passage of ")
    (fault,) = check(question, report(served, told, begin=1), served).faults
    assert fault.startswith("the passage does not have it where it says so: ")
    invented = report(served, "The lake is dry.")
    invented["passages"][0]["text"] = "The lake is dry."
    assert check(question, invented, served).faults == ("/waters/lake-immer does not say: The lake is dry.",)
    assert faults_of_page('<a href="#sentence-1">1</a><a href="#there">2</a><p id="sentence-1">') == [
        "the page has no #there"
    ]
    assert faults_of_page("<p>The lake is deep.</p>") == ["no sentence of the page leads to its passage"]
