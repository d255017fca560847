"""approach: find, watch and locate in one request, and where it stops."""

from __future__ import annotations

from typing import Any

import pytest

LOCATE = {"purpose": "click"}
AT = "position:fixed;left:100px;top:100px;width:200px;height:40px"


def text(wanted: str) -> dict[str, Any]:
    return {"target": {"text": wanted}, "locate": LOCATE}


def test_the_only_exact_match_is_located(show: Any) -> None:
    page = show(f"<button style='{AT}'>Press</button><p>News</p>")
    page.do("scan")
    data = page.do("approach", **text("Press"))
    [match] = data["found"]["matches"]
    assert data["watched"]["mutated"] is False
    assert (data["place"]["id"], data["place"]["x"], data["place"]["y"]) == (match["id"], 200, 120)
    page.run("document.querySelector('p').textContent = 'Later'")
    assert [change["text"] for change in page.do("changed_texts")["texts"]] == ["Later"]


def test_an_element_by_its_number(show: Any) -> None:
    page = show(f"<button style='{AT}'>Press</button>")
    number = page.number("Press")
    data = page.do("approach", id=number, locate=LOCATE)
    assert data["found"] is None
    assert data["place"]["id"] == number


def test_nothing_is_watched_if_nothing_matches(show: Any) -> None:
    page = show("<button>Press</button>")
    data = page.do("approach", **text("Other"))
    assert data["found"]["matches"] == []
    assert data.keys() == {"found"}


@pytest.mark.parametrize(
    ("html", "wanted"),
    [("<button>Press</button><button>Press</button>", "Press"), ("<button>Press me</button>", "Press")],
    ids=["several", "a part of its text"],
)
def test_what_the_engine_chooses_is_not_located(show: Any, html: str, wanted: str) -> None:
    page = show(html)
    page.do("scan")
    data = page.do("approach", **text(wanted))
    assert data.keys() == {"found", "watched"}


def test_what_can_not_be_pressed_has_no_place(show: Any) -> None:
    page = show("<button disabled>Press</button>")
    page.do("scan")
    assert page.do("approach", **text("Press")).keys() == {"found", "watched"}


def test_a_page_that_has_changed_is_not_scrolled(show: Any) -> None:
    page = show("<p>News</p><div style='height:3000px'></div><button>Press</button>")
    page.do("scan")
    page.run("document.querySelector('p').textContent = 'Later'")
    data = page.do("approach", **text("Press"))
    assert data["watched"]["mutated"] is True
    assert "place" not in data
    assert page.do("page")["scroll"]["y"] == 0


def test_it_is_located_after_it_was_scrolled_to(show: Any) -> None:
    page = show("<div style='height:3000px'></div><button>Press</button>")
    page.do("scan")
    data = page.do("approach", **text("Press"))
    assert data["place"]["x"] > 0
    assert page.do("page")["scroll"]["y"] > 0
