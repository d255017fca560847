"""`tree`: the accessibility tree, against expected text and against the browser's own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from oryn.engine.handlers.snapshot import node_line


def tree(show: Any, html: str, **pages: str) -> str:
    """The tree of a page as a snapshot prints it."""
    return printed(show(html, **pages).do("tree"))


def printed(data: dict[str, Any]) -> str:
    return "\n".join(map(node_line, data["nodes"]))


def test_structure_and_nesting(show: Any) -> None:
    html = """<header><h1>Shop</h1><nav aria-label=Main><ul><li><a href=/a>Home</a><li><a href=/b><img src=x alt=Cart> Cart</a></ul></nav></header>
    <main><h2><a href=#r>Results</a></h2><p>Hello <b>bold</b>, see <a href=#>this</a>.</p><p>only text</p>
    <section aria-label=Named><p>in</section><section><div>loose</div></section></main><footer>foot</footer>"""
    assert tree(show, html) == (
        """- banner
  - heading "Shop" @e1 {level=1}
  - navigation "Main" @e2
    - list
      - listitem
        - link "Home" @e3
      - listitem
        - link "Cart Cart" @e4
- main
  - heading "Results" @e5 {level=2}
    - link "Results" @e6
  - paragraph
    - text "Hello bold, see"
    - link "this" @e7
    - text "."
  - paragraph: "only text"
  - region "Named" @e8
    - paragraph: "in"
  - text "loose"
- contentinfo: "foot\""""
    )


def test_controls_and_their_states(show: Any) -> None:
    html = """<form aria-label=F><label>Email <input type=email required value=a@b.c></label><input type=checkbox aria-label=On checked>
    <input type=checkbox aria-label=Some id=some><select aria-label=Country><option>France<option selected>Spain</select>
    <textarea aria-label=Notes>old</textarea><input type=range aria-label=Volume value=30><input type=password aria-label=Secret value=zz>
    <input type=date aria-label=Day><input type=file aria-label=Picture><button disabled>Off</button><button aria-pressed=true>Bold</button>
    <button aria-expanded=false>More</button><input type=submit></form><details><summary>Closed</summary>hidden</details>
    <details open><summary>Open</summary>shown</details><div role=tablist><div role=tab aria-selected=true tabindex=0>One</div></div>
    <div role=tree><div role=treeitem aria-level=2 aria-expanded=true tabindex=0>Leaf</div></div><a href=# aria-current=page>Here</a>
    <progress value=3 max=10></progress><div role=heading aria-level=4>Four</div><input aria-label=Wrong aria-invalid=true>
    <div role=checkbox aria-checked=mixed tabindex=0>Half</div><div role=switch tabindex=0>Lamp</div><select multiple aria-label=Many><option>a</select>
    <script>some.indeterminate = true</script>"""
    assert tree(show, html) == (
        """- form "F" @e1
  - textbox "Email" @e2 {required} value: "a@b.c"
  - checkbox "On" @e3 {checked}
  - checkbox "Some" @e4 {mixed}
  - combobox "Country" @e5 options: "France" | "Spain"; value: "Spain"
  - textbox "Notes" @e6 value: "old"
  - slider "Volume" @e7 value: "30"
  - textbox "Secret" @e8 {password}
  - textbox "Day" @e9 {date}
  - button "Picture" @e10 {file}
  - button "Off" @e11 {disabled}
  - button "Bold" @e12 {pressed}
  - button "More" @e13 {collapsed}
  - button "Submit" @e14
- button "Closed" @e15 {collapsed}
- button "Open" @e16 {expanded}
- text "shown"
- tablist
  - tab "One" @e17 {selected}
- tree
  - treeitem "Leaf" @e18 {level=2, expanded}
- link "Here" @e19 {current}
- progressbar value: "3"
- heading "Four" @e20 {level=4}
- textbox "Wrong" @e21 {invalid}
- checkbox "Half" @e22 {mixed}
- switch "Lamp" @e23 {unchecked}
- listbox "Many" @e24 {multiple} options: "a\""""
    )


def test_tables(show: Any) -> None:
    html = """<table><caption>Prices</caption><thead><tr><th>Name<th>Cost<tbody><tr><th scope=row>Tea<td>1<tr><td>Pie<td><a href=#>ask</a></table>
    <table><tr><td>laid out</table><table role=presentation><tr><td>also<td>so</table>
    <div role=grid><div role=row><div role=gridcell>cell</div></div></div>"""
    assert tree(show, html) == (
        """- table "Prices" @e1
  - row
    - columnheader: "Name"
    - columnheader: "Cost"
  - row
    - rowheader: "Tea"
    - cell: "1"
  - row
    - cell: "Pie"
    - cell
      - link "ask" @e2
- text "laid out"
- text "also"
- text "so"
- grid
  - row
    - gridcell: "cell\""""
    )


def test_hidden_elements_are_left_out_of_the_tree(show: Any) -> None:
    html = """<p aria-hidden=true>no</p><p inert>no</p><p style="display: none">no</p><p hidden>no</p><style>b {}</style><script>1</script>
    <p style="visibility: hidden">no <span style="visibility: visible">yes</span></p><img src=x alt=""><svg width=9 height=9></svg>
    <p style="content-visibility: hidden">no</p><template>no</template><noscript>no</noscript><div></div><p></p><ul></ul>"""
    assert tree(show, html) == '- text "yes"'


def test_an_open_modal_hides_the_rest(show: Any) -> None:
    html = "<p>behind</p><dialog id=d aria-label=Ask><button>Sure</button></dialog><script>d.showModal()</script>"
    assert tree(show, html) == '- dialog "Ask" @e1\n  - button "Sure" @e2 {focused}'


def test_drawings(show: Any) -> None:
    html = """<svg width=99 height=50><a href=#><text y=20>Slice</text></a><text y=40>Total</text></svg>
    <svg width=99 height=50><title>Chart</title><text y=20>inside</text><foreignObject width=99 height=20><button>Zoom</button></foreignObject></svg>
    <svg width=9 height=9><path d="M0 0h9v9"/></svg><svg role=img aria-label=Star width=9 height=9><text y=9>*</text></svg>"""
    assert tree(show, html) == (
        """- link "Slice" @e1
- text "Total"
- img "Chart" @e2
  - text "inside"
  - button "Zoom" @e3
- img "Star" @e4"""
    )


def test_shadow_trees_slots_and_owned_elements(show: Any) -> None:
    html = """<div id=host><span slot=title>Title</span><a href=#>Light</a><i slot=none>unslotted</i></div>
    <div role=listbox aria-label=Owner aria-owns="late gone"></div><p>between</p><div id=late role=option>Owned</div>
    <script>host.attachShadow({mode: 'open'}).innerHTML = '<h3><slot name=title></slot></h3><button>Deep</button><slot></slot>'</script>"""
    assert tree(show, html) == (
        """- heading "Title" @e1 {level=3}
- button "Deep" @e2
- link "Light" @e3
- listbox "Owner" @e4
  - option "Owned" @e5
- paragraph: "between\""""
    )


def test_aria_owns_in_a_circle(show: Any) -> None:
    html = """<div id=a role=group aria-label=A aria-owns=b>one</div><div id=b role=group aria-label=B aria-owns=a>two</div>
    <div id=c role=group aria-label=C aria-owns=c>three</div>"""
    text = tree(show, html)
    assert text.count("three") == 1
    assert text.count("one") <= 1


def test_frames_of_the_same_origin_are_inside(show: Any) -> None:
    text = tree(
        show,
        "<iframe title=Inner src=/inner></iframe><iframe title=Other srcdoc='<p>flat'></iframe>",
        inner="<button>In</button>",
    )
    assert text == '- iframe "Inner" @e1\n  - button "In" @e2\n- iframe "Other" @e3\n  - paragraph: "flat"'


def test_a_frame_of_another_origin_has_its_number(show: Any) -> None:
    data = show("<p>x</p><iframe title=Far></iframe>").do("tree")
    show.run(
        f"document.querySelector('iframe').src = '{show.other}/'; new Promise(r => document.querySelector('iframe').onload = r)"
    )
    data = show.do("tree")
    row = data["nodes"][-1]
    assert row["role"] == "iframe"
    assert row["frame"] in range(1, data["next_id"])


def test_boxes_that_labels_stand_for(show: Any) -> None:
    html = """<label><input type=checkbox style="display: none" checked> Fancy</label>
    <label for=f>Choose a file</label><input id=f type=file hidden>"""
    assert tree(show, html) == '- checkbox "Fancy" @e1 {checked}\n- button "Choose a file" @e2 {file}'


def test_what_only_listens_can_be_acted_on(show: Any) -> None:
    assert tree(show, "<div onclick='1'>Press me</div><div>Not me</div>") == '- generic "Press me" @e1\n- text "Not me"'


def test_references_are_targets_until_the_next_tree(show: Any) -> None:
    page = show("<h1>Head</h1><button>One</button><button>Two</button>")
    page.do("tree")
    assert page.find({"reference": 3})[0]["text"] == "Two"
    assert page.find({"text": "Two", "relation": {"kind": "after", "to": {"reference": 1}}})[0]["text"] == "Two"
    page.run("document.querySelectorAll('button')[1].remove()")
    assert page.refusal("find", target={"reference": 3}).startswith("ELEMENT_STALE")
    page.do("tree")
    assert page.refusal("find", target={"reference": 3}).startswith("ELEMENT_NOT_FOUND")
    page.do("tree", next_ref=11)
    assert page.find({"reference": 12})[0]["text"] == "One"


def test_a_tree_leaves_the_numbers_of_a_scan_alone(show: Any) -> None:
    page = show("<button>One</button><iframe></iframe>")
    assert page.lines() == '[1] button "One"'
    page.do("tree")
    assert page.lines(keep_ids=True) == '[1] button "One"'


def test_a_deep_page_overflows_nothing(show: Any) -> None:
    page = show(
        "<body><script>let at = document.body; for (let i = 0; i < 1000; i++) at = at.appendChild(document.createElement('div')); at.textContent = 'deep'</script>"
    )
    assert printed(page.do("tree")) == '- text "deep"'


# --- against the browser's own tree ---

PAGES = {
    "shop": """<title>Shop</title><header><h1>Tea</h1><nav aria-label=Main><ul><li><a href=/>Home</a><li><a href=/c><img alt=Cart src=x></a></ul></nav></header>
        <main><h2>Offers</h2><article><h3><a href=/1>Green</a></h3><p>A <em>fine</em> leaf.</p><button>Add</button></article>
        <article aria-label=Second><h3>Black</h3><p>Strong</p><button aria-pressed=false>Like</button></article></main><footer><a href=/i>Imprint</a></footer>""",
    "form": """<form aria-label=Join><label for=n>Name</label><input id=n required><label>Mail <input type=email></label><input type=search aria-label=Find>
        <input type=number aria-label=Count><input type=range aria-label=Loud><fieldset><legend>Size</legend><label><input type=radio name=s>Small</label>
        <label><input type=radio name=s>Large</label></fieldset><select aria-label=Land><option>A</select><textarea aria-labelledby=t></textarea><span id=t>Notes</span>
        <input type=checkbox title=News><button>Go <b>now</b></button><input type=submit value=Send><input type=reset></form>""",
    "table": """<table><caption>Costs</caption><thead><tr><th>Name<th>Cost<tbody><tr><th scope=row>Tea<td>1<tr><th scope=row>Pie<td>2</table>
        <ul><li>one<li>two<ul><li>inner</ul></ul><ol><li>first</ol><hr><blockquote>said</blockquote><dl><dt>Word<dd>Meaning</dl>""",
    "widgets": """<div role=tablist aria-label=Tabs><div role=tab tabindex=0>A</div><div role=tab tabindex=-1>B</div></div><div role=tabpanel aria-label=A>Text</div>
        <div role=menu aria-label=File><div role=menuitem tabindex=0>Open</div><div role=menuitemcheckbox aria-checked=true tabindex=0>Auto</div></div>
        <div role=alert>Careful</div><div role=status>Saved</div><div role=dialog aria-label=Ask><button>Yes</button></div>
        <div role=listbox aria-label=Pick><div role=option>One</div></div><div role=switch tabindex=0 aria-label=Lamp></div><div role=toolbar aria-label=Bar><button>Cut</button></div>
        <div role=slider aria-label=Zoom aria-valuenow=3 tabindex=0></div><div role=separator></div><div role=img aria-label=Star></div><div role=search>q</div>""",
    "shadow": """<div id=h><b slot=t>Slotted</b></div><div role=group aria-label=G aria-owns=o></div><p>mid</p><button id=o>Owned</button>
        <script>h.attachShadow({mode: 'open'}).innerHTML = '<h2><slot name=t></slot></h2><button>Inside</button>'</script>""",
}  # fmt: skip
MEANINGLESS = {
    "RootWebArea", "generic", "none", "StaticText", "InlineTextBox", "ListMarker", "LabelText", "Legend", "caption",
    "rowgroup", "emphasis", "strong", "DescriptionList",
}  # fmt: skip
SPOKEN_BY_NAME = {
    "link",
    "button",
    "tab",
    "option",
    "menuitem",
    "switch",
    "textbox",
    "searchbox",
    "spinbutton",
    "combobox",
}
NAMED_BY_CONTENT = {"term", "cell", "rowheader", "columnheader", "gridcell"}


@pytest.mark.parametrize("name", PAGES)
def test_roles_and_names_are_the_browsers(show: Any, name: str) -> None:
    page = show(PAGES[name])
    ours = [(row["role"], _called(row)) for row in page.do("tree")["nodes"] if row["role"] != "text"]
    assert ours == list(_meaningful(page.browser_tree()))


def _called(row: dict[str, Any]) -> str:
    return row.get("name") or (row.get("text", "") if row["role"] in NAMED_BY_CONTENT else "")


def _meaningful(nodes: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    """Roles and names of the browser's tree in page order, without what says nothing or repeats a name."""
    by_id = {node["nodeId"]: node for node in nodes}
    waiting = [nodes[0]]
    while waiting:
        node = waiting.pop()
        role = {"image": "img"}.get(node["role"]["value"], node["role"]["value"])
        if not node["ignored"] and role not in MEANINGLESS:
            yield role, " ".join(node.get("name", {}).get("value", "").split())
        if role not in SPOKEN_BY_NAME:
            waiting += [by_id[child] for child in reversed(node["childIds"]) if child in by_id]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<div role=math>x = 5</div>", '- math: "x = 5"'),
        ("<div role=progressbar>50% done</div>", '- progressbar: "50% done"'),
        ("<div role=progressbar aria-label=Upload><b>3</b> of 10</div>", '- progressbar "Upload" @e1: "3 of 10"'),
        ("<div role=meter>3 of 10</div>", '- meter: "3 of 10"'),
        ("<div role=separator><span>OR</span></div>", '- separator: "OR"'),
        ("<div role=img>A picture of <b>text</b></div>", '- text "A picture of text"'),
        ("<div role=img aria-label=Star>*</div>", '- img "Star" @e1'),
        (
            "<p>Then <math><mi>a</mi><mo>=</mo><mfrac><mn>7</mn><mrow><mi>b</mi><mo>+</mo><mn>2</mn></mrow></mfrac></math> holds.</p>",
            '- paragraph: "Then a=7/(b+2) holds."',
        ),
        ("<math display=block><msup><mi>e</mi><mi>x</mi></msup></math>", '- math: "e^x"'),
        ("<math alttext='E = mc²'><mi>E</mi></math>", '- math: "E = mc²"'),
    ],
)
def test_what_a_figure_says_is_kept(show: Any, html: str, expected: str) -> None:
    assert tree(show, html) == expected


def test_a_drawn_box_has_one_node(show: Any) -> None:
    style = "<style>input{width:0;height:0;opacity:0}.b{display:inline-block;width:14px;height:14px}.c{clip-path:inset(50%)}</style>"
    html = """<label><span><input type=radio name=a checked></span><span>Apple</span></label>
    <label><input type=radio name=a> Pear</label><label><input type=checkbox><span class=b></span> Terms</label>
    <input type=checkbox id=n class=c><label for=n>News</label><label><input type=checkbox hidden> Ads</label>
    <label><input type=checkbox aria-hidden=true> Beta</label>"""
    assert tree(show, style + html) == (
        """- radio "Apple" @e1 {checked}
- radio "Pear" @e2 {unchecked}
- checkbox "Terms" @e3 {unchecked}
- checkbox "News" @e4 {unchecked}
- checkbox "Ads" @e5 {unchecked}
- checkbox "Beta" @e6 {unchecked}"""
    )


def test_roles_that_need_a_name_leave_an_element_its_own(show: Any) -> None:
    html = """<nav role=region>Docs</nav><nav role=form>Forms</nav><nav role=region aria-label=Named>Site</nav>
    <h2 role='none presentation foo button'>Plain</h2><h2 role='foo  REGION heading' aria-level=3>Deep</h2>"""
    assert tree(show, html) == (
        """- navigation: "Docs"
- navigation: "Forms"
- region "Named" @e1: "Site"
- text "Plain"
- heading "Deep" @e2 {level=3}"""
    )
