"""Names of what shows nothing to read: icons, shapes, and controls that only their row names."""

from __future__ import annotations

from typing import Any

import pytest

STYLE = "<style>.i{display:inline-block;width:20px;height:20px}.g::before{content:'\\f0c9'}</style>"


@pytest.mark.parametrize(
    ("html", "name"),
    [
        ("<button class=g title=Menu></button>", "Menu"),
        ("<button class=g aria-label=Menu></button>", "Menu"),
        ("<button><i class='fa fa-bug g'></i></button>", "bug"),
        ("<button>&#xf0c9;</button>", ""),
        ("<button>&#xf0c9; Open&#xf101;</button>", "Open"),
        ("<button title='&#xF0000;'><i class='mdi mdi-account'>&#x10FFFD;</i></button>", "account"),
        ("<button aria-label='&#xe001;' title=Home></button>", "Home"),
        ("<button class=g></button>", ""),
        ("<button class='i css-oylsik'></button>", ""),
        ("<button class='i sc-bdVaJa star'></button>", "star"),
        ("<p>&#xe001;</p><input>", ""),
        ("<button><svg width=9 height=9><title>&#xe001;</title></svg></button>", ""),
    ],
)
def test_glyphs_of_icon_fonts_are_no_names(show: Any, html: str, name: str) -> None:
    assert show(STYLE + html).names() == [name]


def test_a_check_box_is_named_by_its_own_row(show: Any) -> None:
    row = "<div role=row><div role=gridcell>{0}</div><div role=gridcell>{1}</div><div role=gridcell>{2}</div></div>"
    rows = row.format("Lima", "882", "<input type=checkbox>") + row.format("Kyoto", "1,464", "false")
    assert show(f"<div role=grid>{rows}</div>").names() == ["Lima"]


@pytest.mark.parametrize(
    ("html", "names"),
    [
        ("<table><tr><td>Lima<td>1<td><input type=checkbox><tr><td>Kyoto<td>2<td>no</table>", ["Lima"]),
        ("<table><tr><td><input type=checkbox><td>Lima<td>1<tr><td>Kyoto</table>", ["Lima"]),
        ("<table><tr><th>City<th>Seen<tr><td>Lima<td><input type=checkbox><tr><td>Kyoto<td>no</table>", ["Lima"]),
        ("<table><tr><th>Mail<th>OK<tr><td>x@y<td><input type=checkbox> Agree</table>", ["Agree"]),
        ("<table><tr><td>First<td><input><td>Last<td><input></table>", ["First", "Last"]),
        ("<table><tr><td>Name:<tr><td><input></table>", ["Name"]),
        ("<div class=r><b>Lima</b><input type=checkbox></div><div class=r><b>Kyoto</b> 3</div>", ["Lima"]),
        ("<ul><li><input type=checkbox> One<li><input type=checkbox> Two</ul>", ["One", "Two"]),
        (
            "<div role=row><span role=rowheader>Rome</span><span role=cell>7</span><input aria-colindex=3></div>",
            ["Rome"],
        ),
    ],
)
def test_fields_in_rows(show: Any, html: str, names: list[str]) -> None:
    assert show(html).names() == names


def test_shapes_are_called_by_the_text_of_their_group(show: Any) -> None:
    page = show(
        "<svg width=600 height=200>"
        + "".join(
            f"<g class='node group' transform='translate(0,{y})'><rect class='flow node' width=90 height=30 onclick=0 />"
            f"<g><text y=20>{text}</text></g><g><rect class='flow port' x=95 width=9 height=9 onmousedown=0 /></g></g>"
            for y, text in ((0, "timestamp"), (60, "debug 2"))
        )
        + "</svg>"
    )
    assert page.names() == ["timestamp", "timestamp flow port", "debug 2", "debug 2 flow port"]


@pytest.mark.parametrize(
    ("html", "names"),
    [
        (
            "<a href=# class='i sidebar-toggle'><i class='fa fa-bug'></i></a><a href=# class='i sidebar-toggle'><i class='fa fa-info'></i></a>",
            ["sidebar bug", "sidebar info"],
        ),
        (
            "<p class='i port' id=left onclick=0></p><p class='i port' id=right onclick=0></p>",
            ["port left", "port right"],
        ),
        ("<p class='i star' data-v=1 onclick=0></p><p class='i star' data-v=2 onclick=0></p>", ["star 1", "star 2"]),
        ("<p class='i star' onclick=0></p><p class='i star' onclick=0></p>", ["star 1", "star 2"]),
        (
            "<ul><li>Lima <i class='i pencil' onclick=0></i><li>Kyoto <i class='i pencil' onclick=0></i></ul>",
            ["pencil Lima", "pencil Kyoto"],
        ),
        (
            "<div><p class='i star' onclick=0></p><p class='i star' onclick=0></p></div><div><p class='i star' onclick=0></p></div>",
            ["star 1.1", "star 1.2", "star 2.1"],
        ),
        (
            "<div>9h <i class='i like' onclick=0></i></div><div>7h <i class='i like' onclick=0></i></div>",
            ["like", "like"],
        ),
        (
            "<div><i class='i reply' onclick=0></i><i class='i like' onclick=0></i></div>"
            "<div><i class='i reply' onclick=0></i><i class='i like' onclick=0></i></div>",
            ["reply", "like", "reply", "like"],
        ),
        (
            "<ul><li><b><i class='i dot' onclick=0></i></b><li><b><i class='i dot' onclick=0></i></b></ul>",
            ["dot 1", "dot 2"],
        ),
        ("<p class='i star' onclick=0></p>", ["star"]),
        (
            "<p class='i star' onclick=0><b aria-hidden=true>A</b></p><p class='i star' onclick=0><b aria-hidden=true>B</b></p>",
            ["star A", "star B"],
        ),
    ],
)
def test_equal_invented_names_are_told_apart(show: Any, html: str, names: list[str]) -> None:
    assert show(STYLE + html).names() == names


@pytest.mark.slow
def test_five_thousand_invented_names(show: Any) -> None:
    page = show(
        STYLE + "<div id=all></div><script>all.innerHTML = \"<p class='i star' onclick=0></p>\".repeat(5000)</script>"
    )
    data = page.scan(max_elements=0)
    assert data["elements"][4999]["text"] == "star 5000"


def test_icons_in_the_heads_of_columns_are_told_apart_by_their_head(show: Any) -> None:
    icon = "<svg width=9 height=9 onclick='0' class=menu-icon><path d='M0 0h9v9z'/></svg>"
    page = show(f"<table><tr><th>id {icon}<th>name {icon}<th>price {icon}<tr><td>1<td>Fern<td>3</table>")
    assert page.names() == ["menu id", "menu name", "menu price"]


def test_the_places_of_twins_stay_as_they_were_told_when_another_comes_before_them(show: Any) -> None:
    page = show("<p id=row><button class=fern></button><button class=fern></button>text</p>")
    assert page.names() == ["fern 1", "fern 2"]
    page.run("row.insertAdjacentHTML('afterbegin', '<button class=fern></button>')")
    assert page.names(keep_ids=True)[1:] == ["fern 1", "fern 2"]
    assert page.names(keep_ids=True)[0] not in ("fern 1", "fern 2")


@pytest.mark.parametrize(
    ("classes", "name"),
    [
        ("transition-all bg-primary", ""),
        ("inline-flex items-center justify-center rounded-md text-sm font-medium h-9 w-9 transition-colors", ""),
        ("hover:underline md:flex w-[20px] relative shrink truncate", ""),
        ("d-flex p-2 m-auto border-0 shadow-none text-muted", ""),
        ("relative flex-none text-xs trash", "trash"),
        ("text-editor", "editor"),
        ("italic", "italic"),
    ],
)
def test_utility_classes_are_no_names(show: Any, classes: str, name: str) -> None:
    assert show(f"<button class='{classes}' style='width:20px;height:20px'></button>").names() == [name]
