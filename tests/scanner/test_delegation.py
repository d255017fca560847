"""Items of a list that has the only listener."""

from __future__ import annotations

from typing import Any

import pytest

LISTEN = "<script>document.querySelector('.list').addEventListener('click', () => {})</script>"


@pytest.mark.parametrize(
    "html",
    [
        "<div class=list><div>Name Modified</div><ul><li>report-A<li>report-B</ul></div>",
        "<ul class=list><li>report-A<li>report-B</ul>",
        "<table class=list><tr><th>Name<tbody><tr><td>report-A<tr><td>report-B</table>",
        "<div class=list role=grid><div role=row>report-A</div><div role=row>report-B</div></div>",
        "<div class=list role=list><div role=listitem>report-A</div><div role=listitem>report-B</div></div>",
    ],
)
def test_rows_of_a_delegating_list_are_elements(show: Any, html: str) -> None:
    assert show(html + LISTEN).names() == ["report-A", "report-B"]


def test_repeated_children_of_a_delegating_container_are_elements(show: Any) -> None:
    page = show("<div class=list><div><p class=r>A</p><p class=r>B</p><p class=r>C</p></div></div>" + LISTEN)
    assert page.names() == ["A", "B", "C"]
    assert show("<div class=list><p class=r>A</p><p>B</p></div>" + LISTEN).names() == ["A B"]


def test_a_row_with_controls_is_listed_with_them(show: Any) -> None:
    page = show("<ul class=list><li>Milk <button>x</button><li><a href=/b>Bread</a></ul>" + LISTEN)
    assert page.names() == ["Milk x", "x", "Bread"]


def test_rows_without_a_listener_are_text(show: Any) -> None:
    assert show("<ul class=list><li>A<li>B</ul><table><tr><td>C</table>").names() == []


def test_parts_of_pages_do_not_delegate(show: Any) -> None:
    page = show("<div class=list><nav><ul><li>A</ul></nav><h1>T</h1><ul><li>B</ul></div>" + LISTEN)
    assert "B" not in page.names()


def test_the_root_of_an_application_does_not_delegate(show: Any) -> None:
    script = "<script>for (let i = 0; i < 60; i++) document.querySelector('.list').addEventListener('e' + i, () => {})</script>"
    assert show("<div class=list><ul><li>A<li>B</ul></div>" + LISTEN + script).names() == []


@pytest.mark.slow
def test_a_table_of_ten_thousand_rows_lists_its_first_ones(show: Any) -> None:
    page = show(
        "<table class=list></table><script>document.querySelector('.list').innerHTML ="
        "Array.from({length: 10000}, (_, i) => `<tr><td>row ${i}`).join('')</script>" + LISTEN
    )
    data = page.scan(max_elements=0)
    assert data["stats"]["total"] == 200
    assert data["elements"][0]["text"] == "row 0"
    assert page.find({"text": "row 9999"}, any=True)[0]["match"]["tier"] == "exact"
