"""One stylesheet for all pages that Oryn writes or serves: each page has it, and no colours besides."""

from __future__ import annotations

import re
from itertools import chain
from typing import Literal

import pytest

from oryn.agent.runner.page import render_page
from oryn.core.html_document import STYLESHEET, colours, stylesheet
from oryn.daemon.live import page as live_page
from oryn.engine.recording.archive import TraceRow, viewer_page
from oryn.research.report.html import render_html
from scripts.extension.builder import SHARED, SOURCE, TEMPLATE
from tests.host.agent.test_page import entries
from tests.research.graph.test_parts import example as example_graph
from tests.research.report.example import example as example_report

LIVE_FILES = SOURCE / "oryn" / "daemon" / "live" / "static"
POPUP = TEMPLATE / "popup"

DOCUMENTS = {
    "report": render_html(example_report()),
    "graph": example_graph().html,
    "transcript": "".join(render_page(entries("said"))),
    "trace": "".join(viewer_page(0, [TraceRow(1, "observe", False, 0, 1, "error", b"", b"")], has_trace=True)),
    "login page": live_page._LOGIN_PAGE,
}
LINKING = {"live page": (LIVE_FILES / "index.html", "/live/"), "popup": (POPUP / "popup.html", "")}

COLOUR = re.compile(
    r"#(?:[0-9a-f]{8}|[0-9a-f]{6}|[0-9a-f]{3,4})\b|\b(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch|color|color-mix|light-dark)\("
    r"|:[^;}]*\b(?:white|black|gr[ae]y|red|green|blue|yellow|orange|purple|brown|pink|navy|teal|gold|silver)\b",
    re.IGNORECASE,
)
WITH_STYLE = re.compile(r"<style>(.*?)</style>|\b(?:style|fill|stroke|color|bgcolor)=[\"']?([^\"'>]*)", re.DOTALL)
DRAWING = re.compile(r"<svg .*?</svg>", re.DOTALL)
"""The exception: the picture of a graph has values, since it is also a file for programs without custom properties."""

PAIRS = [
    *((text, ground) for text in ("ink", "muted", "accent", "good", "bad") for ground in ("ground", "surface", "sunk")),
    *((text, "soft") for text in ("ink", "muted", "accent")),
    *((f"category-{number}", "ground") for number in range(1, 9)),
    *(("on-mark", ground) for ground in ("mark", "mark-unreported", "mark-selected")),
    ("on-accent", "accent"),
    ("on-bad", "bad"),
    ("warn", "warn-soft"),
    ("ink", "warn-soft"),
    ("ink", "highlight"),
]
"""Text colours with the backgrounds that text of this colour has."""


def literals(css: str) -> list[str]:
    return [found[0] for found in COLOUR.finditer(re.sub(r"/\*.*?\*/", "", css, flags=re.DOTALL))]


def styles_in(page: str) -> str:
    return "\n".join(chain.from_iterable(WITH_STYLE.findall(page)))


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_document_has_the_stylesheet_and_no_other_colours(name: str) -> None:
    page = DOCUMENTS[name]
    assert page.count(stylesheet()) == 1
    assert literals(styles_in(DRAWING.sub("", page.replace(stylesheet(), "")))) == []


@pytest.mark.parametrize("name", LINKING)
def test_a_page_of_several_files_links_the_stylesheet_and_has_no_other_colours(name: str) -> None:
    file, folder = LINKING[name]
    page = file.read_text("utf-8")
    links = re.findall(r'<link rel="stylesheet" href="(.*?)">', page)
    assert links[0] == f"{folder}{STYLESHEET}", "first, so that the page's own rules come after it"
    assert literals(styles_in(page)) == []
    for own in file.parent.glob("*.css"):
        assert literals(own.read_text("utf-8")) == [], own.name
    for script in file.parent.glob("*.js"):
        assert not re.search(r"#[0-9a-f]{6}\b|\brgba?\(", script.read_text("utf-8"), re.IGNORECASE), script.name


def test_the_live_page_and_the_popup_get_the_same_stylesheet() -> None:
    assert live_page._files()[STYLESHEET][0].decode() == stylesheet()
    assert [file.read_text("utf-8") for file in SHARED if file.name == STYLESHEET] == [stylesheet()]


def test_the_picture_of_a_graph_has_only_colours_of_the_stylesheet() -> None:
    allowed = {*colours("light").values(), *colours("dark").values()}
    assert set(literals(styles_in(example_graph().svg))) - allowed == set()
    assert " style=" not in example_graph().svg


@pytest.mark.parametrize("bad", ["color: #fff", "background: rgb(1 2 3)", "border: 1px solid red", "fill: #12345678"])
def test_a_colour_outside_is_found(bad: str) -> None:
    assert literals(f"p {{ {bad}; }}")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_contrast(scheme: Literal["light", "dark"]) -> None:
    found = colours(scheme)
    poor = {pair: value for pair in PAIRS if (value := contrast(found[pair[0]], found[pair[1]])) < 4.5}
    assert poor == {}
    assert min(contrast(found["edge"], found[ground]) for ground in ("surface", "ground")) >= 3


def contrast(one: str, other: str) -> float:
    """https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio"""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(part * weight for part, weight in zip(linear, (0.2126, 0.7152, 0.0722), strict=True))
