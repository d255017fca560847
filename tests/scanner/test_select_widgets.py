"""What stands in the place of a native select that the page hides: it has the select's label, and what is chosen."""

from __future__ import annotations

from typing import Any

import pytest

HIDDEN = "position:absolute;clip:rect(0 0 0 0);width:1px;height:1px"
SELECT = f"<label for=s>Country</label><select id=s aria-hidden=true tabindex=-1 style='{HIDDEN}'><option>Chile<option>Peru</select>"
SEVERAL = f"<label for=s>Languages</label><select id=s multiple style='{HIDDEN}'><option>Go<option>Rust</select>"
READ_ONLY_COMBOBOX = "<span><span role=combobox tabindex=0 aria-labelledby=shown><span id=shown role=textbox aria-readonly=true>Chile</span></span></span>"


@pytest.mark.parametrize(
    ("page", "lines"),
    [
        (SELECT + READ_ONLY_COMBOBOX, '[1] generic/combobox "Country" value: "Chile"'),
        (SELECT + "<div onclick=0><a tabindex=-1 onclick=0>Chile</a></div>", '[1] generic "Country" value: "Chile"'),
        (
            SELECT + "<div role=combobox tabindex=0 aria-label=Land>Chile</div>",
            '[1] generic/combobox "Land" value: "Chile"',
        ),
        (
            SEVERAL + "<span><span role=combobox tabindex=-1><input type=search role=searchbox></span></span>",
            '[1] input/search "Languages"',
        ),
        (SEVERAL + "<div><ul><li><input></ul></div>", '[1] input/text "Languages"'),
    ],
    ids=["a combo box", "without roles", "a name of its own", "a search", "a field without roles"],
)
def test_a_widget_has_the_label_of_its_select(show: Any, page: str, lines: str) -> None:
    assert show(page).lines() == lines


def test_a_widget_beside_another_select_is_not_this_ones(show: Any) -> None:
    page = show(
        "<p><label for=a>First</label><select id=a hidden><option>One</select></p>"
        "<p><label for=b>Second</label><select id=b hidden><option>Two</select><b role=combobox tabindex=0>Two</b></p>"
    )
    assert '"Second"' in page.lines() and page.lines().count("combobox") == 1
    assert 'combobox "First"' not in page.lines()


def test_a_text_after_a_select_that_is_seen_is_no_widget(show: Any) -> None:
    page = show("<label for=s>Country</label><select id=s><option>Chile</select><a href=/chile>Chile</a>")
    assert page.names() == ["Country", "Chile"]
