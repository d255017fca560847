"""`near`: what is in the same row, group, form or section as a text."""

from __future__ import annotations

from typing import Any

import pytest

FAR = "<div style='height:1500px'></div>"


@pytest.mark.parametrize(
    ("html", "near"),
    [
        (
            "<table><tr><td>Lima<td><button>Edit L</button><tr><td>Kyoto<td><button>Edit K</button><button>Drop K</button></table>",
            ["Edit K", "Drop K"],
        ),
        ("<ul><li>Lima <button>L</button><li>Kyoto <button>K</button></ul>", ["K"]),
        ("<div class=c><b>Lima</b><button>L</button></div><div class=c><b>Kyoto</b><button>K</button></div>", ["K"]),
        ("<form><p>Kyoto</p><input aria-label=A><input aria-label=B></form><input aria-label=C>", ["A", "B"]),
        (
            "<form><fieldset><legend>Kyoto</legend><input aria-label=A></fieldset><input aria-label=B></form>",
            ["A"],
        ),
        ("<nav><ul><li><a href=/l>Lima</a><li><a href=/k>Kyoto</a></ul></nav><button>B</button>", ["Lima", "Kyoto"]),
        (
            "<main><h2>Lima</h2><button>L</button><h2>Kyoto</h2><button>K</button><h3>More</h3><button>M</button><h2>Oslo</h2><button>O</button></main>",
            ["K", "M"],
        ),
        ("<main><h2>Lima</h2><p>about Kyoto</p><button>L</button><h2>Oslo</h2><button>O</button></main>", ["L"]),
        ("<p>Kyoto</p><button>Here</button>" + FAR + "<button>There</button>", ["Here"]),
        (
            "<section><p>Kyoto</p>" + FAR + "<button>Far but in it</button></section><button>Out</button>",
            ["Far but in it"],
        ),
        (
            "<section><h3>Kyoto</h3><button>K</button></section><section><p>not Kyoto at all</p><button>N</button></section>",
            ["K"],
        ),
    ],
)
def test_near_a_text(show: Any, html: str, near: list[str]) -> None:
    assert show(f"<body>{html}").names(near="Kyoto") == near


def test_near_nothing(show: Any) -> None:
    assert show("<button>a</button>").names(near="Kyoto") == []


def test_several_best_matches_count_together(show: Any) -> None:
    page = show("<ul><li>Milk <button>A</button><li>Tea <button>B</button><li>Milk <button>C</button></ul>")
    assert page.names(near="Milk") == ["A", "C"]
