"""What is in a panel that is folded by its extent: rendered for the browser, unseen for a person."""

from __future__ import annotations

from typing import Any

import pytest

FOLDED = {
    "height": "max-height:0;overflow:hidden",
    "width": "width:0;overflow:clip",
    "both": "position:absolute;width:1px;height:1px;overflow:hidden",
    "grid row": "display:grid;grid-template-rows:0fr;overflow:hidden;height:0",
}


@pytest.mark.parametrize("style", FOLDED.values(), ids=FOLDED)
def test_a_folded_panel_is_listed_as_hidden(show: Any, style: str) -> None:
    page = show(f"<button>Head</button><div style='{style}'><p><button>Inside</button></p></div>")
    assert page.lines() == '[1] button "Head"\n[2] button "Inside" {hidden}'
    assert page.lines(folded=False) == page.lines(viewport_only=True) == '[1] button "Head"'
    assert page.answer("find", target={"text": "Inside"})["data"]["visible"] == 0


def test_an_unfolded_panel_is_seen_with_the_same_number(show: Any) -> None:
    page = show("<div id=panel style='height:0;overflow:hidden'><button>Inside</button></div><button>After</button>")
    assert '[1] button "Inside" {hidden}' in page.lines()
    page.run("panel.style.height = '40px'")
    assert page.lines(keep_ids=True, folded=False) == '[1] button "Inside"\n[2] button "After"'


UNFOLDED = {
    "what escapes its container": "<div style='height:0;overflow:hidden'><button style='position:absolute'>A</button></div>",
    "what overflows": "<div style='height:0'><button>A</button></div>",
    "a slide beside": "<div style='width:90px;overflow:hidden;white-space:nowrap'><button style='margin-left:200px'>A</button></div>",
    "an inline wrapper": "<span style='overflow:hidden'><button>A</button></span>",
    "a body without an extent": "<style>body{height:0;overflow:hidden}</style><button>A</button>",
    "padding": "<div style='height:0;padding:20px;overflow:hidden'><button style='margin-top:-20px'>A</button></div>",
}


@pytest.mark.parametrize("markup", UNFOLDED.values(), ids=UNFOLDED)
def test_what_is_not_folded_is_seen(show: Any, markup: str) -> None:
    assert show(markup).lines() == '[1] button "A"'


def test_a_box_in_a_tiny_wrapper_is_there_by_its_label(show: Any) -> None:
    tiny = "position:absolute;width:1px;height:1px;overflow:hidden"
    page = show(f"<label>Agree <span style='{tiny}'><input type=checkbox></span></label>")
    assert page.lines(folded=False) == '[1] checkbox "Agree" {unchecked}'
