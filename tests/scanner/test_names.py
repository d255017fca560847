"""Accessible names: cases after the W3C's tests, https://github.com/web-platform-tests/wpt/tree/master/accname/name (one list a file
there), and the names that an input takes from the text beside it."""

from __future__ import annotations

from typing import Any

import pytest

# comp_labelledby.html, comp_label.html
LABELLED = [
    ("<button id=x aria-labelledby='a b'>no</button><i id=a>one</i><i id=b>two</i>", "one two"),
    ("<button id=x aria-labelledby=x aria-label=own>no</button>", "own"),
    ("<button id=x aria-labelledby='x a' aria-label=Delete></button><span id=a>the file</span>", "Delete the file"),
    ("<button id=x aria-labelledby=a>no</button><i id=a hidden>hidden but referenced</i>", "hidden but referenced"),
    ("<button id=x aria-labelledby=none>fallback</button>", "fallback"),
    ("<button id=x aria-labelledby=a>no</button><i id=a aria-labelledby=b>first</i><i id=b>no chain</i>", "first"),
    ("<button id=x aria-label='  '>content</button>", "content"),
    ("<button id=x aria-label='label wins' title=t>content</button>", "label wins"),
    ("<a id=x href=#><img aria-label='picture label' alt=no src='data:,'></a>", "picture label"),
]
# A colon or an asterisk that a style adds to the label of a field is no part of it.
MARKS = [
    (
        "<style>.q::before { content: '* ' } .q::after { content: ':' }</style><label class=q for=x>Name</label><input id=x>",
        "Name",
    ),
]
# comp_name_from_content.html, comp_text_node.html
CONTENT = [
    ("<a id=x href=#>a<div>b</div>c</a>", "a b c"),
    ("<a id=x href=#><span>Hello</span><span>World</span></a>", "HelloWorld"),
    ("<a id=x href=#>  much \n space  </a>", "much space"),
    (
        "<button id=x><style>#x i::before{content:'before'}#x i::after{content:'after'}</style><i>-</i></button>",
        "before-after",
    ),
    ("<button id=x><style>#x b::before{content:'*' / 'star'}</style><b> rating</b></button>", "star rating"),
    ("<button id=x>one<br>two</button>", "one two"),
    (
        "<button id=x><span style='display:inline-block'>in</span><span style='display:inline-block'>block</span></button>",
        "in block",
    ),
    ("<div id=x role=tab>Tab <b>two</b></div>", "Tab two"),
    ("<a id=x href=#><img alt='' title='Photo: A. Nobody' src='data:,'>Read more</a>", "Read more"),
    ("<a id=x href=#><img alt='' role=none title=Photo src='data:,'>Read more</a>", "Read more"),
    ("<li id=x role=menuitem tabindex=0>File <ul role=menu><li role=menuitem>Open</ul></li>", "File"),
    (
        "<button id=x>Is <math><mi>a</mi><mo>=</mo><mfrac><mn>7</mn><mn>2</mn></mfrac></math> right?</button>",
        "Is a=7/2 right?",
    ),
    ("<button id=x>see<details><summary>more</summary>folded</details></button>", "see more"),
    (
        "<button id=x>seen <b inert>inert</b><b style='content-visibility:hidden;display:block'>skipped</b></button>",
        "seen",
    ),
    ("<button id=x aria-owns=o>Own</button><i id=o>and owned</i>", "Own and owned"),
    ("<a id=x href=#><slot-host></slot-host>light</a>", "light"),
    ("<a id=x href=#><img alt=picture src='data:,'>text</a>", "picture text"),
    ("<a id=x href=#><svg width=9 height=9><title>drawing</title><path d='M0 0h9v9z'/></svg></a>", "drawing"),
]
ICONS = [
    ("<button id=x><i style=\"font-family:'Material Icons'\">menu</i> Open</button>", "Open"),
    ("<button id=x><i style='font-family:Material Symbols Outlined'>arrow_drop_down</i></button>", "arrow_drop_down"),
    (
        "<button id=x class='non-selectable'><i style='font-family:Material Icons' aria-hidden=true>menu</i></button>",
        "menu",
    ),
    ("<button id=x><i>menu</i> open</button>", "menu open"),
    ("<button id=x style='font-family:Material Icons'>Two words</button>", "Two words"),
]
# https://www.w3.org/TR/css-content-3/#content-property: a picture is no text, its alternative is.
PICTURES = [
    ("<style>#x::after{content:url('data:image/svg+xml,<svg/>')}</style><a id=x href=#>Handbook</a>", "Handbook"),
    ("<style>#x::before{content:url(/a.png)}</style><button id=x>Cart</button>", "Cart"),
    ("<style>#x::before{content:url(/a.png) / 'Favourite'}</style><button id=x></button>", "Favourite"),
    ("<style>#x::before{content:'>>' url('/b).png') / ''}</style><button id=x>Save</button>", "Save"),
    ("<style>#x::before{content:'a / b ' image-set('/c.png' 1x)}</style><button id=x>Save</button>", "a / b Save"),
    ("<style>#x{content:url(/a.png) / 'Sun'}</style><button id=x>inner</button>", "Sun"),
    ("<style>#x{content:url(/a.png)}</style><button id=x>inner</button>", "inner"),
    ("<style>#x::before{content:'U'}</style><button id=x title=Underline></button>", "Underline"),
    ("<style>#x i::before{content:'×'}</style><button id=x title=Close><i></i></button>", "Close"),
    ("<style>#x::before{content:'×'}</style><button id=x title=Close>all</button>", "×all"),
    ("<style>#x::before{content:'U'}</style><button id=x></button>", "U"),
    ("<style>#x i::before{content:open-quote}</style><button id=x><i>said</i></button>", "“said"),
]
# A ligature or a letter that an attribute gives a font of icons.
DRAWN_ICONS = [
    (
        f"<style>#x i::before{{content:attr({name});font-family:{font}}}</style><button id=x><i {name}={text}></i> Save</button>",
        "Save",
    )
    for name, font, text in (
        ("data-icon", "'Material Icons'", "save"),
        ("data-icon", "x", "floppy-disk"),
        ("data-c", "icomoon", "s"),
        ("glyph", "x", "S"),
        ("data-c", "FontAwesome", "save"),
        ("data-icon", "x", "&#xe900;"),
    )
] + [
    ("<style>#x i::before{content:attr(data-count)}</style><button id=x><i data-count=5></i> new</button>", "5 new"),
    ("<style>i::before{content:attr(data-icon)}</style><div><i data-icon=search></i><input id=x></div>", ""),
]
# comp_labelledby_hidden_nodes.html, comp_label.html
UNSEEN_LABELS = [
    ("<button id=x aria-labelledby=a>x</button><i id=a style='visibility:hidden'>Delete <b>it</b></i>", "Delete it"),
    ("<button id=x aria-labelledby=a>x</button><i id=a style='display:none'><b hidden>Copy</b> it</i>", "Copy it"),
    ("<button id=x aria-labelledby=a></button><div style='visibility:hidden'><i id=a>Move it</i></div>", "Move it"),
    ("<button id=x aria-labelledby=a></button><div hidden><i id=a>Move <b hidden>it</b></i></div>", "Move it"),
    ("<button id=x aria-labelledby=a></button><i id=a aria-hidden=true>Go <b aria-hidden=true>on</b></i>", "Go on"),
    ("<button id=x aria-labelledby=a>x</button><i id=a>seen <b style='visibility:hidden'>unseen</b></i>", "seen"),
    ("<label for=x style='visibility:hidden'>Street</label><input id=x>", "Street"),
    ("<div style='display:contents'><label for=x style='display:contents'>Town</label></div><input id=x>", "Town"),
    ("<label style='display:contents'>Land <b hidden>no</b><input id=x></label>", "Land"),
    ("<button id=x aria-labelledby=a></button><i id=a style='display:contents'>Shown <b hidden>not</b></i>", "Shown"),
]
# comp_hidden_not_referenced.html
HIDDEN = [
    (
        "<a id=x href=#>seen <b hidden>hidden</b><b style='display:none'>none</b><b style='visibility:hidden'>invisible</b></a>",
        "seen",
    ),
    ("<a id=x href=#>seen<b aria-hidden=true>concealed</b></a>", "seen"),
    ("<a id=x href=#><span style='visibility:hidden'>no <b style='visibility:visible'>yes</b></span></a>", "yes"),
    ("<label for=x hidden>hidden label</label><input id=x>", "hidden label"),
]
# comp_host_language_label.html, and https://www.w3.org/TR/html-aam-1.0/#accessible-name-and-description-computation
HOST = [
    ("<label for=x>for</label><input id=x>", "for"),
    ("<label>wrapping <input id=x></label>", "wrapping"),
    ("<label for=x>one</label><label for=x>two</label><input id=x>", "one two"),
    ("<label for=x>label</label><input id=x title=title placeholder=placeholder>", "label"),
    ("<label for=x title=more><i></i></label><input id=x type=checkbox> beside", "more"),
    ("<input id=x title=title placeholder=placeholder>", "title"),
    ("<input id=x placeholder=placeholder>", "placeholder"),
    ("<textarea id=x placeholder=words></textarea>", "words"),
    ("<select id=x title=choice><option>a</select>", "choice"),
    ("<input id=x type=submit>", "Submit"),
    ("<input id=x type=reset>", "Reset"),
    ("<input id=x type=button value=Press>", "Press"),
    ("<input id=x type=image alt=Picture>", "Picture"),
    ("<input id=x type=image>", "Submit"),
    ("<label for=x>Label</label><button id=x>content</button>", "Label"),
    ("<details><summary id=x>More</summary></details>", "More"),
    ("<a id=x href=#><table><caption>Cap</caption><tr><td>cell</table></a>", "Cap"),
    ("<a id=x href=#><figure><img alt=i src='data:,'><figcaption>Figure</figcaption></figure></a>", "Figure"),
]
# comp_embedded_control.html
EMBEDDED = [
    ("<input type=checkbox id=x><label for=x>Flash <input value=3 aria-label=no> times</label>", "Flash 3 times"),
    (
        "<input type=checkbox id=x><label for=x>in <select><option>1<option selected>2</select> days</label>",
        "in 2 days",
    ),
    (
        "<input type=checkbox id=x><label for=x>at <span role=slider aria-valuenow=7 aria-valuetext=seven>-</span></label>",
        "at seven",
    ),
    ("<button id=x>Go to <span role=textbox>page</span></button>", "Go to page"),
    (
        "<input type=checkbox id=x><label for=x>with <b role=combobox tabindex=0>tea</b> please</label>",
        "with tea please",
    ),
    ("<input type=checkbox id=x><label for=x>at <progress value=30 max=100>old</progress> done</label>", "at 30 done"),
    ("<input type=checkbox id=x><label for=x>in <b role=menu><i role=menuitem>1</i></b> days</label>", "in days"),
    ("<i id=l>Colour</i><div id=x role=combobox tabindex=0 aria-labelledby='l x'>Red</div>", "Colour Red"),
]
# comp_tooltip.html
TOOLTIP = [
    ("<button id=x title=tip></button>", "tip"),
    ("<a id=x href=# title=tip><span> </span></a>", "tip"),
    ("<a id=x href=#><img title='image tip' src='data:,'></a>", "image tip"),
    ("<button id=x title=tip>content</button>", "content"),
]


@pytest.mark.parametrize(
    ("html", "name"),
    LABELLED + MARKS + CONTENT + PICTURES + ICONS + DRAWN_ICONS + HIDDEN + UNSEEN_LABELS + HOST + EMBEDDED + TOOLTIP,
)
def test_accessible_name(show: Any, html: str, name: str) -> None:
    show(f"<body>{html}")
    assert show.find({"css": "#x"})[0]["text"] == name


BESIDE = [
    ("<p>Age</p><input id=x>", "Age"),
    ("Search the archive: <input id=x>", "Search the archive"),
    ("<table><tr><td>Street *<td><input id=x></table>", "Street"),
    ("<table><tr><th>Item<th>Price<tr><td>Tea<td><input id=x></table>", "Tea"),
    ("<input type=checkbox id=x> I agree", "I agree"),
    ("<input type=radio><span>One</span><input type=radio id=x><span>Two</span>", "Two"),
    ("<div>First <input></div><div><input id=x></div>", ""),
    ("<h3>Section</h3><p>" + "long explanation " * 20 + "</p><input id=x>", ""),
    ("<form>x</form><form><input id=x></form>", ""),
    ("<p><b>Country</b> <select id=x><option>a</select></p>", "Country"),
    ("<p>Note</p><button id=x></button>", ""),
    ("<p>Own</p><input id=x placeholder=Hint>", "Hint"),
    ("<ul><li>Home<li>About us</ul><select id=x><option>A</select>", ""),
    ("<nav><a href=/a>Home</a> <a href=/b>About</a></nav><input id=x>", ""),
    ("<p>We have moved to a new office. Please update your address book.</p><input id=x>", ""),
    ("<div>This page examines the names of fields.</div><div><input id=x></div>", ""),
    ("We have moved to a new office! Come and see <input id=x>", ""),
    ("<p>What is your name?</p><input id=x>", "What is your name?"),
    ("<span>Dept. No.</span> <input id=x>", "Dept. No."),
    ("<h2>Fruit of the month</h2><input type=radio id=x>", ""),
    ("<h2>Search</h2><input id=x>", "Search"),
    ("<table><tr><th><input type=checkbox id=x><th>Name<tr><td><input type=checkbox><td>Ann</table>", "Select all"),
    ("<div><a role=button>Bold</a><a role=button>Italic</a></div><div role=textbox contenteditable id=x></div>", ""),
]


@pytest.mark.parametrize(("html", "name"), BESIDE)
def test_label_from_the_text_beside(show: Any, html: str, name: str) -> None:
    show(f"<body>{html}")
    assert show.find({"css": "#x"})[0]["text"] == name


# A widget in the place of a labelled field that the page hides.
BEHIND = [
    "<label for=i>Budget</label><div><input id=i style='display:none'><div {}></div></div>",
    "<div><div><div {}></div><input id=i hidden readonly></div><label for=i>Budget</label></div>",
    "<div><label for=i><b>Budget</b></label><p>of the year<p></div><div><input id=i style='visibility:hidden'><div {}></div></div>",
]


@pytest.mark.parametrize("html", BEHIND)
def test_a_slider_has_the_label_of_the_hidden_field_behind_it(show: Any, html: str) -> None:
    slider = "id=x role=slider tabindex=0 aria-valuenow=20 style='width:16px;height:16px'"
    show(f"<div>{html.format(slider)}</div>")
    assert show.find({"css": "#x"})[0]["text"] == "Budget"


# https://squidfunk.github.io/mkdocs-material/: two boxes that only their labels show, and a link after them.
@pytest.mark.parametrize(
    ("html", "name"),
    [
        (
            "<input id=__drawer type=checkbox style='display:none'><label for=__drawer style='position:fixed;inset:0;width:0'></label><a href=#>Skip to content</a>",
            "",
        ),
        (
            "<input id=__drawer type=checkbox style='display:none'><header><label for=__drawer><svg width=24 height=24></svg></label><b>Docs</b></header>",
            "drawer",
        ),
        (
            "<input id=a1 type=checkbox hidden><label for=a1 style='display:inline-block;width:16px;height:16px;border:1px solid'></label> Accept the terms",
            "Accept the terms",
        ),
        ("<input id=a1 type=radio style='visibility:hidden'><label for=a1>Small</label> <b>Large</b>", "Small"),
    ],
)
def test_a_hidden_box_does_not_get_its_neighbours_name(show: Any, html: str, name: str) -> None:
    show(f"<body>{html}")
    assert show.find({"css": "input"})[0]["text"] == name


def test_shadow_content_and_slots(show: Any) -> None:
    page = show("<x-button role=button id=x><b>slotted</b></x-button>")
    page.run("x.attachShadow({mode: 'open'}).innerHTML = 'before <slot></slot> after'")
    assert page.scan()["elements"][0]["text"] == "before slotted after"


def test_the_name_of_a_thousand_nested_elements(show: Any) -> None:
    page = show("<button id=x></button>")
    page.run(
        "let e = x; for (let i = 0; i < 1000; i++) { const c = document.createElement('span'); e.appendChild(c); e = c } e.textContent = 'deep'"
    )
    assert page.scan()["stats"]["total"] == 1


def test_a_dialog_without_a_label_is_called_by_its_heading(show: Any) -> None:
    page = show("<div role=dialog tabindex=0><h2>Move it</h2><p>To where?</p><button>There</button></div>")
    assert page.names() == ["Move it", "There"]


def test_a_branch_of_a_tree_is_not_called_by_its_items(show: Any) -> None:
    page = show(
        "<div role=treeitem tabindex=0>Leafy<div role=group><div role=treeitem tabindex=-1>Maple</div></div></div>"
    )
    assert page.names() == ["Leafy", "Maple"]


def test_a_box_before_a_button_is_about_it(show: Any) -> None:
    page = show(
        "<p>Tools</p><div><input type=checkbox> <button>home</button> Opens it</div><div><label><input type=checkbox>"
        "</label><button>export</button></div><div>Own words <input type=checkbox> <button>Edit</button></div>"
    )
    assert page.names() == ["home", "home", "export", "export", "Own words", "Edit"]


def test_an_editor_in_the_place_of_a_rows_first_text_is_called_by_its_column(show: Any) -> None:
    assert show(
        "<table><tr><th>Name<th>Age<tr><td><input value=Ada><td>36<tr><td>Bob<td><input value=40></table>"
    ).names() == ["Name", "Bob"]
    cells = "<div role=row><div role=gridcell><input value=Ada></div><div role=gridcell>36</div></div>"
    heads = "<div role=row><div role=columnheader><b>Name</b><input></div><div role=columnheader>Age</div></div>"
    assert show(f"<div role=grid>{heads}{cells}</div>").names() == ["Name", "Name"]


def test_a_list_that_lies_over_the_page_is_not_called_by_what_stands_before_it(show: Any) -> None:
    page = show("<p>Fern</p><div role=listbox style='position:absolute'><div role=option>Moss</div></div>")
    assert page.lines() == '[1] generic/listbox ""\n[2] generic/option "Moss"'


def test_the_position_of_a_thumb_is_no_name_of_the_next_one(show: Any) -> None:
    thumb = "<div><div role=slider tabindex=0 aria-valuenow=2>2.00</div></div>"
    assert show(f"<p>Budget</p><div>{thumb}{thumb}</div>").names() == ["Budget", "Budget"]


def test_the_path_of_a_hidden_file_field_is_no_part_of_a_name(show: Any) -> None:
    page = show("<div tabindex=0>Attachment <input type=file style='opacity:0'></div>")
    page.run(
        "const data = new DataTransfer(); data.items.add(new File(['x'], 'up.txt'));"
        "document.querySelector('input').files = data.files"
    )
    assert page.names()[0] == "Attachment"


def test_a_cell_is_called_by_its_content(show: Any) -> None:
    heads = "<div role=row><div role=columnheader id=c>City</div><div role=columnheader>Seen</div></div>"
    row = "<div role=row><div role=gridcell tabindex=0 aria-labelledby=c>{}</div><div role=gridcell tabindex=0 aria-label=Seen>{}</div></div>"
    page = show(f"<div role=grid>{heads}{row.format('Oslo', 'yes')}{row.format('<b>Lima</b>', '&nbsp;')}</div>")
    assert page.names() == ["Oslo", "yes", "Lima", "Seen"]
    page = show("<table><tr><th>A<th>B<tr><td tabindex=0 aria-label='A: 7 of 9'>7<td tabindex=0 title=B>8</table>")
    assert page.names() == ["A: 7 of 9", "8"]


def test_cells_that_are_edited_where_they_are(show: Any) -> None:
    row = "<tr><td contenteditable>{}</td><td contenteditable>{}</td>"
    page = show(f"<table><tr><th>Name<th>Age{row.format('Ada', '36')}{row.format('', '')}</table>")
    assert page.names() == ["Ada", "36", "Name", "Age"]
    cell = "<div role=gridcell><div role={} tabindex=0>{}</div></div>"
    heads = "<div role=row><div role=columnheader>Title</div><div role=columnheader>Author</div></div>"
    page = show(
        f"<div role=grid>{heads}<div role=row>{cell.format('textbox', 'Emma')}{cell.format('combobox', 'Austen')}</div></div>"
    )
    assert page.lines() == '[1] generic/textbox "Title" value: "Emma"\n[2] generic/combobox "Author" value: "Austen"'


def test_a_hidden_file_input_is_listed_for_its_label(show: Any) -> None:
    style = "<style>.s{opacity:0;position:absolute;left:-999px}.p{cursor:pointer}</style>"
    html = (
        "<label for=a>Photo</label><input id=a type=file style='display:none'><label>Attach <input type=file hidden></label>"
        "<label for=c class=p>CV</label><input id=c type=file class=s><input type=file hidden>"
    )
    assert show(style + html).lines() == '[1] input/file "Photo"\n[2] input/file "Attach"\n[3] input/file "CV"'


def test_labels_without_a_box_of_their_own(show: Any) -> None:
    contents = "style='display:contents'"
    page = show(
        f"<div {contents}><span>Beside</span><input></div><div {contents}><input type=checkbox><span {contents}>After"
        f"</span></div><label {contents}>Around <input type=radio></label>"
    )
    assert page.names() == ["Beside", "After", "Around"]


def test_what_holds_another_control_is_no_label(show: Any) -> None:
    page = show("<p><input type=checkbox></p><p>Volume <b role=slider tabindex=0 aria-valuenow=3>3</b></p>")
    assert page.names() == ["", "Volume"]
