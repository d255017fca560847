"""scan (docs/spec/scanner-protocol.md#scan): types, roles, modifiers, parameters, numbering."""

from __future__ import annotations

from typing import Any

import pytest

LOGIN = """<title>Sign in</title>
<form>
  <label>Username or email <input type=email name=who required></label>
  <label>Password <input type=password value=secret></label>
  <label><input type=checkbox checked> Remember me</label>
  <button>Sign in</button>
</form>"""


def test_form_as_an_observation_shows_it(show: Any) -> None:
    assert show(LOGIN).lines() == (
        '[1] input/email "Username or email" {required}\n'
        '[2] input/password "Password"\n'
        '[3] checkbox "Remember me" {checked}\n'
        '[4] button/submit "Sign in" {primary}'
    )


def test_input_types(show: Any) -> None:
    kinds = "text password email search tel url number date color range file time month".split()
    html = "".join(f"<input type={kind} aria-label={kind}>" for kind in kinds) + "<input aria-label=plain>"
    assert show(html).lines() == (
        '[1] input/text "text"\n[2] input/password "password"\n[3] input/email "email"\n[4] input/search "search"\n'
        '[5] input/tel "tel"\n[6] input/url "url"\n[7] input/number "number"\n[8] input/date "date"\n'
        '[9] input/color "color" value: "#000000"\n[10] input/range "range" value: "50"\n[11] input/file "file"\n'
        '[12] input/time "time"\n[13] input/month "month"\n[14] input/text "plain"'
    )


def test_roles_from_autocomplete_labels_placeholders_and_names(show: Any) -> None:
    assert show(
        "<input autocomplete='section-a email'><input placeholder='Your e-mail'><label>User name<input></label>"
        "<input autocomplete=username placeholder=Who><input name=q title=Find><label>Mobile<input></label>"
        "<input placeholder='Website URL'><div role=search><input title=Words></div><input autocomplete=new-password title=New>"
    ).lines() == (
        '[1] input/email ""\n[2] input/email "Your e-mail"\n[3] input/username "User name"\n[4] input/username "Who"\n'
        '[5] input/search "Find"\n[6] input/tel "Mobile"\n[7] input/url "Website URL"\n[8] input/search "Words"\n'
        '[9] input/password "New"'
    )


def test_what_a_list_offers_is_no_password(show: Any) -> None:
    page = show("<input role=combobox autocomplete=new-password title=Country value=Sweden>")
    assert page.lines() == '[1] input/text "Country" value: "Sweden"'


FIELD = (
    "<style>.field { display: flex; width: 300px; border: 1px solid; margin-bottom: 9px } .field input { border: 0; width: 20px }</style>"
    "<label for=x>Country</label><div class=field>{beside}<input id=x role=combobox></div><p>Where you live</p>"
)


@pytest.mark.parametrize(
    ("beside", "value"),
    [
        ("<span>Sweden</span>", ' value: "Sweden"'),
        ("<div><i>red</i><button>x</button></div><div><i>blue</i><button>x</button></div>", ' value: "red, blue"'),
        ("<span class=is-placeholder>Choose a country</span>", ""),
        ("<span role=status>1 result</span><i>▾</i>", ""),
        ("<i>Country</i><span>Sweden</span>", ' value: "Sweden"'),
        ("", ""),
    ],
)
def test_what_is_drawn_beside_the_field_of_a_combo_box_is_its_value(show: Any, beside: str, value: str) -> None:
    listed = show(FIELD.replace("{beside}", beside)).lines().split("\n")
    assert listed[-1].endswith(f'input/text "Country"{value}')


def test_what_a_combo_box_without_a_field_shows_is_its_value(show: Any) -> None:
    assert show(
        "<label for=a>Fruit</label><button id=a role=combobox aria-expanded=false><span>Apple</span> ▾</button>"
        "<p><span role=combobox tabindex=0>Slow</span></p><p>A <input role=combobox title=Town> km</p>"
    ).lines() == (
        '[1] button/combobox "Fruit" {collapsed} value: "Apple"\n[2] generic/combobox "" value: "Slow"\n[3] input/text "Town"'
    )


def test_selects_show_options_and_choice(show: Any) -> None:
    many = "".join(f"<option>o{n}" for n in range(40))
    data = show(
        f"<label>Country<select><option>France<option selected>Spain</select></label><select multiple title=Many>{many}</select>"
    ).scan()
    country, many_data = data["elements"]
    assert country["options"] == {"first": ["France", "Spain"], "count": 2}
    assert country["value"] == "Spain"
    assert many_data["options"]["count"] == 40 and len(many_data["options"]["first"]) == 12
    assert many_data["role"] == "multiple" and "value" not in many_data


def test_buttons_and_submits(show: Any) -> None:
    assert show(
        "<button>Plain</button><button class='btn btn-primary'>Buy</button>"
        "<form><input title=a><button type=button>Extra</button><button>Go</button><input type=submit value=Also><input type=reset></form>"
        "<details><summary>More</summary></details><input type=image alt=Cart>"
    ).lines() == (
        '[1] button "Plain"\n[2] button/primary "Buy" {primary}\n[3] input/text "a"\n[4] button "Extra"\n'
        '[5] button/submit "Go" {primary}\n[6] button/submit "Also"\n[7] button "Reset"\n[8] button "More" {collapsed}\n[9] button/submit "Cart"'
    )


def test_aria_widgets(show: Any) -> None:
    assert show(
        "<div role=checkbox aria-checked=true tabindex=0>Box</div><div role=switch aria-checked=false>Switch</div>"
        "<div role=radio aria-checked=false>Radio</div><div role=tab>Tab</div><div role=slider aria-valuenow=5 aria-label=Volume>.</div>"
        "<ul role=menu><li role=menuitem>Open</li></ul><span role=button>Press</span><span role=link>Go</span>"
        "<div role=textbox contenteditable aria-label=Body>text</div><div role=combobox aria-label=Fruit>x</div>"
    ).lines() == (
        '[1] checkbox "Box" {checked}\n[2] checkbox/switch "Switch" {unchecked}\n[3] radio "Radio" {unchecked}\n'
        '[4] generic/tab "Tab"\n[5] generic/slider "Volume" value: "5"\n[6] generic/menuitem "Open"\n[7] button "Press"\n[8] link "Go"\n'
        '[9] generic/textbox "Body" value: "text"\n[10] generic/combobox "Fruit" value: "x"'
    )


def test_modifiers(show: Any) -> None:
    page = show(
        "<input title=a readonly value=x><input title=b disabled><fieldset disabled><button>c</button></fieldset>"
        "<input title=d aria-required=true><button aria-disabled=true>e</button><input type=radio title=f><input title=g autofocus>"
    )
    page.run("document.querySelector('[title=g]').focus()")
    assert page.lines() == (
        '[1] input/text "a" {readonly} value: "x"\n[2] input/text "b" {disabled}\n[3] button "c" {disabled}\n'
        '[4] input/text "d" {required}\n[5] button "e" {disabled}\n[6] radio "f" {unchecked}\n[7] input/text "g" {focused}'
    )


def test_a_cell_that_says_whether_it_is_checked(show: Any) -> None:
    assert show(
        "<table role=grid><tr><td role=gridcell tabindex=0 aria-checked=true>A<td role=gridcell tabindex=0 aria-checked=false>B</table>"
    ).lines() == ('[1] generic/gridcell "A" {checked}\n[2] generic/gridcell "B" {unchecked}')


def test_states_that_only_a_class_says(show: Any) -> None:
    assert show(
        "<button class='bk-btn bk-active'>A</button><button class='btn is-selected'>B</button><div onclick=1 class='row row--selected'>C</div>"
        "<button class='tab_active__x3fQ2'>D</button><button class='not-active'>E</button><button class='inactive'>F</button>"
        "<button class='active:bg-blue group-active:x'>G</button><button aria-pressed=false class=active>H</button>"
        "<a href=/ class=active>I</a><button class='activity reactivated'>J</button><div role=tab class=active aria-selected=true>K</div>"
    ).lines() == (
        '[1] button "A" {active}\n[2] button "B" {active}\n[3] generic "C" {active}\n[4] button "D" {active}\n[5] button "E"\n'
        '[6] button "F"\n[7] button "G"\n[8] button "H"\n[9] link "I"\n[10] button "J"\n[11] generic/tab "K" {selected}'
    )


def test_password_values_never_leave_the_page(show: Any) -> None:
    page = show("<input type=password value=hunter2 title=p>")
    assert "hunter2" not in str(page.answer("scan"))
    assert "hunter2" not in str(page.find({"css": "input"}))


def test_hidden_elements_only_when_asked(show: Any) -> None:
    page = show(
        "<button>a</button><button hidden>b</button><button style='visibility:hidden'>c</button><div style='opacity:0'><button>d</button></div>"
        "<button style='position:absolute;left:-999px'>e</button><a href=# style='display:block;width:1px;height:1px'></a><input type=hidden>"
    )
    assert page.lines() == '[1] button "a"'
    hidden = page.scan(include_hidden=True)["elements"]
    assert [e["text"] for e in hidden if "hidden" in e["modifiers"]] == ["b", "c", "d", "e", ""]


def test_limit_counts_the_rest(show: Any) -> None:
    page = show("".join(f"<button>b{n}</button>" for n in range(250)))
    data = page.scan()
    assert (len(data["elements"]), data["stats"]["total"], data["stats"]["returned"]) == (200, 250, 200)
    assert len(page.scan(max_elements=0)["elements"]) == 250
    assert [e["text"] for e in page.scan(max_elements=2)["elements"]] == ["b0", "b1"]


def test_filters(show: Any) -> None:
    page = show(
        "<h2>Billing</h2><button>near</button><div id=box style='margin-top:400px'><button>inside</button></div>"
        "<div style='margin-top:2000px'><button>far</button></div>"
    )
    assert [e["text"] for e in page.scan(near="Billing")["elements"]] == ["near"]
    assert [e["text"] for e in page.scan(within="#box")["elements"]] == ["inside"]
    assert [e["text"] for e in page.scan(viewport_only=True)["elements"]] == ["near", "inside"]
    assert page.refusal("scan", within="#none") == "ELEMENT_NOT_FOUND no element matches #none"
    assert page.refusal("scan", within="[") == "SELECTOR_INVALID not a CSS selector: ["


def test_all_fields_by_default(show: Any) -> None:
    element = show(
        "<form id=f><input name=user value=ann style='position:absolute;left:10px;top:20px;width:100px;height:30px'></form>"
    ).do("scan", include_positions=True)["elements"][0]
    assert element["selector"] == 'input[name="user"]'
    assert element["xpath"] == "/html/body/form/input"
    assert element["tag"] == "input"
    assert element["attributes"] == {"name": "user", "value": "ann"}
    assert (element["rect"]["x"], element["rect"]["y"]) == (10, 20)
    assert element["state"] == {
        "visible": True, "enabled": True, "focused": False, "checked": None, "value": "ann", "in_viewport": True
    }  # fmt: skip


def test_no_optional_fields_when_none_is_asked(show: Any) -> None:
    element = show("<input value=x title=t>").do("scan", fields=[])["elements"][0]
    assert set(element) == {"id", "type", "role", "text", "modifiers"}


def test_page_part(show: Any) -> None:
    page = show("<title>T</title><div style='height:3000px'></div>")
    page.run("scrollTo(0, 100)")
    data = page.scan()["page"]
    assert data["title"] == "T" and data["url"] == page.base + "/" and data["ready_state"] == "complete"
    assert data["viewport"] == {"width": 1280, "height": 720}
    assert data["scroll"]["y"] == 100 and data["scroll"]["max_y"] > 2000
    assert page.do("page") == data


def test_numbers_start_again_unless_kept(show: Any) -> None:
    page = show("<button id=a>a</button><button id=b>b</button>")
    page.scan()
    page.run("a.before(Object.assign(document.createElement('button'), {textContent: 'new'}))")
    assert page.lines(keep_ids=True) == '[3] button "new"\n[1] button "a"\n[2] button "b"'
    assert page.scan(keep_ids=True)["next_id"] == 4
    assert page.lines() == '[1] button "new"\n[2] button "a"\n[3] button "b"'
    assert [e["id"] for e in page.scan(next_id=11)["elements"]] == [11, 12, 13]


def test_long_names_are_cut(show: Any) -> None:
    text = show(f"<button>{'word ' * 60}</button>").scan()["elements"][0]["text"]
    assert len(text) <= 150 and text.endswith("…")


def test_values_focus_and_checks_are_read_live(show: Any) -> None:
    page = show("<input title=t><input type=checkbox title=c>")
    page.scan()
    page.run("document.querySelector('[title=t]').value = 'typed'; document.querySelector('[title=c]').checked = true")
    assert page.lines() == '[1] input/text "t" value: "typed"\n[2] checkbox "c" {checked}'


def test_changes_of_structure_and_style_are_seen(show: Any) -> None:
    page = show("<style>.off button { display: none }</style><div id=box><button id=b>one</button></div>")
    assert page.lines() == '[1] button "one"'
    page.run("b.firstChild.data = 'two'")
    assert page.lines() == '[1] button "two"'
    page.run("box.className = 'off'")
    assert page.lines() == ""
    page.run(
        "box.className = ''; document.head.appendChild(document.createElement('style')).textContent = 'button{opacity:0}'"
    )
    assert page.lines() == ""
    page.run("document.styleSheets[1].disabled = true")
    assert page.lines() == '[1] button "two"'


def test_the_options_of_a_select_are_those_that_it_has_now(show: Any) -> None:
    page = show("<select id=s aria-label=Size><option>S<option>M</select>")
    assert page.lines() == '[1] select "Size" options: S | M value: "S"'
    page.run("s.options[0].text = 'XS'; s.add(new Option('L')); 1")
    assert page.lines() == '[1] select "Size" options: XS | M | L value: "XS"'
    page.run("s.options[1].label = 'Medium'; s.selectedIndex = 1")
    assert page.lines() == '[1] select "Size" options: XS | Medium | L value: "Medium"'


def test_what_can_be_unfolded_says_so(show: Any) -> None:
    html = """<button aria-expanded=false>Filters</button><button>Plain</button>
    <ul role=tree><li role=treeitem aria-expanded=false tabindex=0>Folder<li role=treeitem tabindex=-1>File</ul>
    <details><summary>More</summary>text</details><button popovertarget=p>Menu</button><div id=p popover>Items</div>
    <button command=show-modal commandfor=d>Ask</button><dialog id=d>Sure?</dialog><button popovertarget=none>Dead</button>"""
    page = show(html)
    assert page.lines() == (
        """[1] button "Filters" {collapsed}
[2] button "Plain"
[3] generic/treeitem "Folder" {collapsed}
[4] generic/treeitem "File"
[5] button "More" {collapsed}
[6] button "Menu" {collapsed}
[7] button "Ask" {collapsed}
[8] button "Dead\""""
    )
    page.run("p.showPopover()")
    assert '"Menu" {expanded}' in page.lines(keep_ids=True)
    page.run("p.hidePopover(); d.showModal()")
    assert '"Menu" {collapsed}' in page.lines(keep_ids=True)
