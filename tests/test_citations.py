"""What the code, the tests and the pages cite is there: every `docs/…#…` has its page and its heading, every link
between pages too, and nothing cites a specification that only the authors of this project had."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from functools import cache

import pytest

from tests.pages import PROJECT, anchors_of, files, prose_of

TEXT = (
    *(".py", ".js", ".mjs", ".ts", ".md", ".json", ".toml", ".yml", ".yaml", ".sh", ".html", ".css", ".txt", ".oil"),
    *("Makefile", "Containerfile", ".rb", "ci/run"),
)
CITATION = re.compile(
    r"(?<![\w/.:-])docs/(?P<page>(?:[\w-]+/)*[\w-]+)(?:(?P<suffix>\.md)(?:#(?P<anchor>[\w-]+))?|#(?P<heading>[\w-]+))"
)
"""`docs/spec/daemon-protocol#history`, `docs/daemon.md`, `docs/daemon.md#limits`; addresses of other sites have a host
before `docs/`."""
PAGE_OF_SPECIFICATION = re.compile(r"(?<![\w/.:-])docs/spec/[\w-]+(?![\w/.#<*-])")
LINK = re.compile(r"\]\((?P<path>[\w./-]*)#(?P<anchor>[^)\s]+)\)")
FOREIGN = re.compile(
    r"\b(?i:seed 00\d)|\bthe seed (?:specifies|defines|says)\b|\b(?i:intent.language,? §)|\bDESIGN\b|\bshared/seeds\b"
)
EXAMPLES = {"tests/test_citations.py", "tests/test_site.py"}
"""Files with citations and links that are no more than examples."""


@cache
def texts() -> dict[str, str]:
    """The text of each file of the project, by its path."""
    names = (name for name in files() if name.endswith(TEXT) and name not in EXAMPLES)
    return {name: PROJECT.joinpath(name).read_text("utf-8", "replace") for name in names}


def citations(text: str) -> Iterator[tuple[str, str]]:
    """Each citation of a page in a text: the page's path in the project, and the heading or an empty string."""
    for found in CITATION.finditer(text):
        yield f"docs/{found['page']}.md", found["anchor"] or found["heading"] or ""
    for found in PAGE_OF_SPECIFICATION.finditer(text):
        yield f"{found[0]}.md", ""


def links(name: str, text: str) -> Iterator[tuple[str, str]]:
    """Each relative link with an anchor, resolved. Programs that make pages make those in `docs/`; pages among the
    tests are results of research."""
    if name.startswith("tests/") and name.endswith(".md"):
        return
    folder = posixpath.dirname(name) if name.endswith(".md") else "docs"
    for found in LINK.finditer(prose_of(PROJECT / name) if name.endswith(".md") else text):
        target = posixpath.normpath(posixpath.join(folder, found["path"])) if found["path"] else name
        if target.endswith(".md"):
            yield target, found["anchor"]


@cache
def is_there(page: str, anchor: str) -> bool:
    file = PROJECT / page
    return file.is_file() and (not anchor or anchor in anchors_of(file))


@pytest.mark.slow
def test_every_citation_is_resolved() -> None:
    cited = [(name, *each) for name, text in texts().items() for each in citations(text)]
    assert len(cited) > 100
    wrong = [f"{name}: {page}#{anchor}" for name, page, anchor in cited if not is_there(page, anchor)]
    assert not wrong, "\n".join(wrong)


def test_every_link_to_a_heading_is_resolved() -> None:
    linked = [(name, *each) for name, text in texts().items() if "](" in text for each in links(name, text)]
    assert len(linked) > 50
    wrong = [f"{name}: {page}#{anchor}" for name, page, anchor in linked if not is_there(page, anchor)]
    assert not wrong, "\n".join(wrong)


@pytest.mark.slow
def test_nothing_cites_what_is_not_in_the_project() -> None:
    wrong = [f"{name}: {found[0]}" for name, text in texts().items() for found in FOREIGN.finditer(text)]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("(docs/spec/daemon-protocol#history).", [("docs/spec/daemon-protocol.md", "history")]),
        ("docs/daemon.md#limits, docs/daemon.md.", [("docs/daemon.md", "limits"), ("docs/daemon.md", "")]),
        ("docs/spec/line-protocol: lines", [("docs/spec/line-protocol.md", "")]),
        ("https://developer.chrome.com/docs/extensions#x and build/docs/a.md", []),
        ("docs/spec/<page>#<heading>, docs/pictures/a.png, docs/spec/", []),
    ],
)
def test_citations_are_found(text: str, found: list[tuple[str, str]]) -> None:
    assert list(citations(text)) == found


def test_a_heading_that_is_not_there_is_found() -> None:
    assert is_there("docs/daemon.md", "limits")
    assert not is_there("docs/daemon.md", "no-such-heading")
    assert not is_there("docs/no-such-page.md", "")
