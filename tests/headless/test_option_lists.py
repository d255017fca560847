"""`select` on lists that a page builds itself: combo boxes, autocompletes, choosers of several values."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

COUNTRIES = ("Germany", "France", "Finland", "French Guiana", "Norway", "Spain", "Sweden", "Portugal")


async def title(oryn: Any) -> str:
    return str((await oryn.ok("title")).split("\n\n")[1].strip('"'))


STYLE = """<!doctype html><title>none</title><style>#list { position: absolute; background: #fff; border: 1px solid; width: 200px }
  #list[hidden] { display: none } #list > * { padding: 2px; cursor: pointer } .chip { background: #ddd }</style>"""

SELECT_ONLY = (
    STYLE
    + """<span id=l>Country</span><div id=box role=combobox tabindex=0 aria-expanded=false aria-labelledby=l
  aria-controls=list>Choose</div><div id=list role=listbox hidden></div><script>
  const names = NAMES;
  function toggle(open) { list.hidden = !open; box.setAttribute('aria-expanded', open) }
  for (const name of names) list.insertAdjacentHTML('beforeend', `<div role=option aria-disabled=${name === 'Spain'}>${name}</div>`);
  box.onclick = () => toggle(list.hidden);
  box.onkeydown = (e) => { if (e.key === 'Escape') toggle(false) };
  list.onclick = (e) => { document.title = box.textContent = e.target.textContent; toggle(false) };
</script>""".replace("NAMES", json.dumps(COUNTRIES))
)

PLAIN = (
    STYLE
    + """<label>Country <input id=box autocomplete=off></label><ul id=list hidden></ul><script>
  const names = NAMES;
  box.oninput = () => { const found = names.filter((n) => n.toLowerCase().includes(box.value.toLowerCase()));
    list.innerHTML = found.map((n) => `<li>${n}`).join(''); list.hidden = !found.length };
  list.onmousedown = (e) => { e.preventDefault(); box.value = document.title = e.target.textContent; list.hidden = true };
</script>""".replace("NAMES", json.dumps(COUNTRIES))
)

REMOTE = (
    STYLE
    + """<label>Country <input id=box role=combobox aria-expanded=false aria-controls=list autocomplete=off></label>
<div id=list role=listbox hidden></div><script>
  let timer, asked = [];
  box.oninput = () => { clearTimeout(timer); timer = setTimeout(find, 300) };
  async function find() { asked.push(box.value);
    list.innerHTML = '<div>Loading…</div>'; list.hidden = false; box.setAttribute('aria-expanded', true);
    const found = await (await fetch('/find?term=' + encodeURIComponent(box.value))).json();
    list.innerHTML = found.map((n) => `<div role=option>${n}</div>`).join('') || '<div>No results</div>' }
  list.onclick = (e) => { if (e.target.role !== 'option') return;
    box.value = document.title = e.target.textContent; list.hidden = true; box.setAttribute('aria-expanded', false) };
</script>"""
)

CHIPS = (
    STYLE
    + """<label for=box>Tags</label><div id=root><span id=chips></span><input id=box autocomplete=off role=combobox aria-expanded=false
  aria-controls=list></div><div id=list role=listbox aria-multiselectable=true hidden></div><button style="margin-top: 4px">Save</button><script>
  const chosen = new Set(['sea']);
  function draw() {
    list.innerHTML = ['sea', 'mountains', 'music', 'food'].filter((n) => n.includes(box.value)).map((n) => `<div role=option aria-selected=${chosen.has(n)}>${n}</div>`).join('');
    chips.innerHTML = [...chosen].map((n) => `<span class=chip>${n}</span>`).join('');
    document.title = [...chosen].join();
  }
  function toggle(open) { list.hidden = !open; box.setAttribute('aria-expanded', open) }
  box.onfocus = box.oninput = () => { toggle(true); draw() };
  box.onkeydown = (e) => { if (e.key === 'Escape') toggle(false) };
  list.onmousedown = (e) => { e.preventDefault(); const name = e.target.textContent;
    if (!chosen.delete(name)) chosen.add(name); box.value = ''; draw() };
  draw();
</script>"""
)


def find(delay: Callable[[str], object] = lambda term: None) -> Any:
    def answer(request: Any) -> Any:
        term = parse_qs(urlsplit(request.path).query).get("term", [""])[0].lower()
        delay(term)
        return (
            200,
            {"Content-Type": "application/json"},
            json.dumps([name for name in COUNTRIES if term in name.lower()]),
        )

    return answer


@pytest.mark.slow
async def test_a_combo_box_without_a_field(oryn: Any) -> None:
    await oryn.show(SELECT_ONLY)
    answer = await oryn.ok('select "Country" "France"')
    assert "# note" not in answer
    assert await title(oryn) == "France"
    await oryn.ok('select "Country" "norway"')
    assert await title(oryn) == "Norway"


@pytest.mark.slow
async def test_what_the_list_does_not_have(oryn: Any) -> None:
    await oryn.show(SELECT_ONLY)
    answer = await oryn('select "Country" "Atlantis"')
    assert answer.startswith('error select "Country" "Atlantis": no option "Atlantis"')
    assert 'It has "Germany" | "France" | "Finland"' in answer
    assert await oryn('eval "list.hidden"') == 'ok eval "list.hidden"\n\n| true'
    answer = await oryn('select "Country" "Spain"')
    assert 'the option "Spain" is disabled' in answer
    await oryn.show("<button>Country</button>")
    assert "shows nothing to choose from is for click" in await oryn('select "Country" "France"')
    assert "has no index" in await oryn('select "Country" 3')


@pytest.mark.slow
@pytest.mark.parametrize("page", [SELECT_ONLY, PLAIN], ids=["roles", "plain"])
async def test_a_part_of_the_text(oryn: Any, page: str) -> None:
    await oryn.show(page)
    await oryn.ok('select "Country" "Fra…"')
    assert await title(oryn) == "France"
    answer = await oryn.ok('select "Country" "Guiana"')
    assert 'took "French Guiana" for "Guiana"' in answer
    assert await title(oryn) == "French Guiana"


@pytest.mark.slow
async def test_an_autocomplete_without_roles(oryn: Any) -> None:
    await oryn.show(PLAIN)
    assert 'value: "Finland"' in await oryn.ok('select "Country" "Finland"')
    assert 'value: "Sweden"' in await oryn.ok('select "Country" "Sweden"')
    assert await title(oryn) == "Sweden"


@pytest.mark.slow
async def test_options_from_a_server(oryn: Any) -> None:
    oryn.pages["/find"] = find()
    await oryn.show(REMOTE)
    answer = await oryn.ok('select "Country" "France"')
    assert 'value: "France"' in answer
    assert await title(oryn) == "France"
    assert (await oryn('eval "asked.join()"')).endswith("| France")
    answer = await oryn.ok('select "Country" "Fin…"')
    assert await title(oryn) == "Finland"
    answer = await oryn('select "Country" "Atlantis"')
    assert 'no option "Atlantis"' in answer


@pytest.mark.slow
async def test_options_from_a_slow_server(oryn: Any) -> None:
    """The match for the text as it was half typed is not taken for that of the whole."""
    import threading

    slow = threading.Event()
    oryn.pages["/find"] = find(lambda term: slow.wait(1.2))
    await oryn.show(REMOTE)
    await oryn.ok('select "Country" "French Guiana"')
    assert await title(oryn) == "French Guiana"


@pytest.mark.slow
async def test_several_values(oryn: Any) -> None:
    await oryn.show(CHIPS)
    answer = await oryn.ok('select "Tags" "music" "food"')
    assert await title(oryn) == "sea,music,food"
    assert await oryn('eval "list.hidden"') == 'ok eval "list.hidden"\n\n| true'
    answer = await oryn.ok('select "Tags" "sea" "mountains"')
    assert '"sea" was chosen already' in answer
    assert await title(oryn) == "sea,music,food,mountains"
    await oryn.ok('click "Save"')


async def test_a_chosen_option_that_only_its_state_shows(oryn: Any) -> None:
    """The field says how many are chosen, not which."""
    page = CHIPS.replace(
        "chips.innerHTML = [...chosen].map((n) => `<span class=chip>${n}</span>`).join('')",
        "chips.textContent = chosen.size + ' selected'",
    )
    await oryn.show(page)
    answer = await oryn.ok('select "Tags" "sea" "food"')
    assert '"sea" was chosen already' in answer
    assert await title(oryn) == "sea,food"


async def test_an_active_option_that_calls_itself_selected(oryn: Any) -> None:
    """https://github.com/Choices-js/Choices does, in lists of several values too."""
    page = CHIPS.replace("aria-selected=${chosen.has(n)}", "aria-selected=${n === 'food'}").replace(
        ".filter((n) => n.includes(box.value))", ".filter((n) => n.includes(box.value) && !chosen.has(n))"
    )
    await oryn.show(page)
    answer = await oryn.ok('select "Tags" "food"')
    assert "already" not in answer
    assert await title(oryn) == "sea,food"


FOR_READERS = (
    STYLE
    + """<label>Country <input id=box role=combobox aria-expanded=false aria-controls=readers autocomplete=off></label>
<div id=popup hidden><div id=readers role=listbox style='width: 0; height: 0; overflow: hidden'></div><div id=list></div></div>
<script>
  const names = NAMES;
  readers.innerHTML = names.slice(0, 2).map((name) => `<div role=option>${name}</div>`).join('');
  list.innerHTML = names.map((name) => `<div class=item title='${name}'><div>${name}</div></div>`).join('');
  const toggle = (open) => { popup.hidden = !open; box.setAttribute('aria-expanded', open) };
  box.onclick = () => toggle(true);
  list.onclick = (e) => { box.value = document.title = e.target.textContent; toggle(false) };
</script>""".replace("NAMES", json.dumps(COUNTRIES))
)


@pytest.mark.parametrize("name", ["Germany", "Spain"])
async def test_options_for_screen_readers_beside_those_that_one_sees(oryn: Any, name: str) -> None:
    await oryn.show(FOR_READERS)
    await oryn.ok(f'select "Country" "{name}"')
    assert await title(oryn) == name
    await oryn.ok('click "Country"')
    await oryn.ok('click "France"')
    assert await title(oryn) == "France"


@pytest.mark.slow
async def test_what_is_read_aloud_is_no_option_and_keeps_no_list_open(oryn: Any) -> None:
    """The key that closes a list takes the choice back if the list is closed already."""
    page = REMOTE.replace("<script>", "<div aria-live=polite id=aloud></div><p id=hint></p><script>", 1)
    page = page.replace(
        "list.hidden = true;", "list.hidden = true; aloud.innerHTML = '<b>1 option</b>'; hint.innerHTML = '<b>100</b>';"
    )
    page = page.replace(
        "list.onclick =",
        "box.onkeydown = (e) => { if (e.key === 'Escape') box.value = document.title = '' };\n"
        "  list.onmousedown = (e) => e.preventDefault(); list.onclick =",
    )
    oryn.pages["/find"] = find()
    await oryn.show(page)
    await oryn.ok('select "Country" "Norway"')
    assert await title(oryn) == "Norway"


async def test_a_list_in_a_dialog_is_not_closed_by_its_key(oryn: Any) -> None:
    await oryn.show(CHIPS.replace("<label", "<dialog open id=dialog><label").replace("<script>", "</dialog><script>", 1).replace(
        "draw();\n</script>", "draw(); addEventListener('keydown', (e) => { if (e.key === 'Escape') dialog.close() });\n</script>"
    ))  # fmt: skip
    await oryn.ok('select "Tags" "music"')
    assert await oryn('eval "dialog.open"') == 'ok eval "dialog.open"\n\n| true'


@pytest.mark.slow
async def test_a_list_that_draws_only_what_it_shows(oryn: Any) -> None:
    page = SELECT_ONLY.replace("</style>", "#list { height: 100px; overflow: auto }</style>")
    start = page.index("for (const name of names)")
    draw = """list.innerHTML = '<div id=inner style="height: 4000px; position: relative; padding: 0"></div>';
      list.onscroll = () => { const first = Math.floor(list.scrollTop / 20); let html = '';
        for (let n = first; n < Math.min(200, first + 8); n++) html += `<div role=option style="position: absolute; top: ${n * 20}px">Row ${n}</div>`;
        inner.innerHTML = html }; list.onscroll();
    """
    end = page.index("box.onclick")
    await oryn.show(page[:start] + draw + page[end:])
    await oryn.ok('select "Country" "Row 143"')
    assert await title(oryn) == "Row 143"
    await oryn.ok('select "Country" "Row 2"')
    assert await title(oryn) == "Row 2"
    assert 'no option "Row 4310"' in await oryn('select "Country" "Row 4310"')


async def test_a_hidden_select_with_a_widget_that_has_the_options(oryn: Any) -> None:
    """https://github.com/Choices-js/Choices and Select2 with remote data keep only the chosen options in the select."""
    page = SELECT_ONLY.replace(
        "<span id=l>Country</span>",
        "<label for=s>Country</label><select id=s style='display: none'></select><i id=l hidden></i>",
    )
    await oryn.show(page)
    await oryn.ok('select css("#s") "France"')
    assert await title(oryn) == "France"


async def test_a_hidden_field_that_takes_the_focus_for_a_widget(oryn: Any) -> None:
    page = SELECT_ONLY.replace(
        "<span id=l>Country</span>",
        "<p>Country <input readonly aria-hidden=true style='width:0;border:0;padding:0;opacity:0'>",
    )
    await oryn.show(page.replace("role=combobox", "aria-haspopup=listbox").replace(" aria-labelledby=l", ""))
    await oryn.ok('select "Country" "Norway"')
    assert await title(oryn) == "Norway"


async def test_a_label_that_is_no_label_of_a_field(oryn: Any) -> None:
    await oryn.show(SELECT_ONLY.replace("<span id=l>Country</span>", "<label for=box id=l onclick=1>Country</label>"))
    await oryn.ok('select css("#l") "France"')
    assert await title(oryn) == "France"


@pytest.mark.usefixtures("default_grace")
async def test_a_list_that_opens_late(oryn: Any) -> None:
    await oryn.show(SELECT_ONLY.replace("toggle(list.hidden)", "setTimeout(() => toggle(true), 250)"))
    await oryn.ok('select "Country" "Portugal"')
    assert await title(oryn) == "Portugal"


@pytest.mark.slow
async def test_fill_form_chooses_in_combo_boxes(oryn: Any) -> None:
    await oryn.show(SELECT_ONLY)
    await oryn.ok('fill_form {"Country": "Portugal"}')
    assert await title(oryn) == "Portugal"
    oryn.pages["/find"] = find()
    await oryn.show(REMOTE)
    await oryn.ok('fill_form {"Country": "France"}')
    assert await title(oryn) == "France"


async def test_fill_form_types_what_a_combo_box_does_not_offer(oryn: Any) -> None:
    await oryn.show("<label>Town <input list=towns></label><datalist id=towns><option>Oslo</datalist>")
    await oryn.ok('fill_form {"Town": "Lima"}')
    assert (await oryn('value "Town"')).endswith('"Lima"')


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_in_a_frame(oryn: Any, host: str) -> None:
    oryn.pages["/inner"] = CHIPS
    await oryn.show(f"<p>Outer</p><iframe width=500 height=300 src={oryn.pages.url('/inner', host)}></iframe>")
    await oryn.ok('select "Tags" "music"')
    await oryn.ok("frame css(iframe)")
    assert (await oryn('eval "document.title"')).endswith("| sea,music")


async def test_typed_text_goes_into_the_field_of_a_combo_box(oryn: Any) -> None:
    await oryn.show("<div role=combobox aria-label=Tags tabindex=0><span>a</span><input id=inner></div>")
    await oryn.ok('type css("[role=combobox]") "sea"')
    assert await oryn('eval "inner.value"') == 'ok eval "inner.value"\n\n| sea'


@pytest.mark.slow
async def test_options_that_never_rest(oryn: Any) -> None:
    """A page that replaces its list all the time is answered within the limit."""
    page = SELECT_ONLY.replace(
        "</script>",
        "setInterval(() => { list.innerHTML = names.map((n) => `<div role=option>${n} ${Math.random()}</div>`).join('') }, 30);</script>",
    )
    await oryn.show(page)
    answer = await oryn('select "Country" "Atlantis"')
    assert answer.startswith('error select "Country" "Atlantis"')


@pytest.mark.parametrize(
    ("control", "expected"),
    [
        ("<input aria-label=Country value=x>", "a text field has no options"),
        ("<input type=search aria-label=Country value=x>", "a text field has no options"),
        ("<textarea aria-label=Country>x</textarea>", "a text field has no options"),
        ("<div contenteditable aria-label=Country>x</div>", "a text field has no options"),
        ("<input type=checkbox aria-label=Country>", "a check box has no options"),
        ("<input type=radio aria-label=Country>", "a radio button has no options"),
        ("<div role=switch tabindex=0 aria-checked=false aria-label=Country></div>", "a check box has no options"),
    ],
)
@pytest.mark.parametrize("choice", ['"France"', "0"])
async def test_a_control_that_has_no_options_is_left_alone(oryn: Any, control: str, expected: str, choice: str) -> None:
    await oryn.show(
        f"{control}<label>Other <select><option>France<option>Spain</select></label><script>for (const kind of ['input', 'change'])"
        "addEventListener(kind, () => { window.changed = true })</script>"
    )
    state = "[...document.querySelectorAll('input, textarea, div')].map((each) => each.value + each.textContent + each.checked)"
    before = await oryn.session.page.evaluate(state)
    await oryn.ok("observe")
    answer = await oryn.session.execute(f'select "Country" {choice}')
    if choice == "0" and expected.startswith("a text"):
        assert "has no index" in answer.render()
    else:
        assert answer.error.code == "INVALID_ELEMENT_TYPE" and answer.error.message == expected
    assert await oryn.session.page.evaluate(state) == before
    assert await oryn.session.page.evaluate("window.changed || false") is False


async def test_several_values_for_a_select_of_one(oryn: Any) -> None:
    await oryn.show("<label>Country <select><option>Norway<option>France<option>Spain</select></label>")
    answer = await oryn.session.execute('select "Country" "France" "Spain"')
    assert answer.error.code == "INVALID_ELEMENT_TYPE"
    assert answer.error.message == "the select takes one option, not several"
    assert "Norway" in await oryn.ok('value "Country"')


async def test_a_list_that_a_plain_field_opens_when_it_is_pressed(oryn: Any) -> None:
    await oryn.show(
        "<input aria-label=Country onfocus='choices.hidden = false'><ul id=choices hidden>"
        + "".join(
            f"<li onmousedown=\"document.querySelector('input').value = '{name}'; choices.hidden = true\">{name}"
            for name in ("France", "Spain")
        )
        + "</ul>"
    )
    await oryn.ok("observe")
    await oryn.ok('select "Country" "Spain"')
    assert await oryn.session.page.evaluate("document.querySelector('input').value") == "Spain"


async def test_the_text_of_an_option_comes_before_the_value_of_another(oryn: Any) -> None:
    await oryn.show("<label>Nights <select><option value=2>3<option value=3>2<option value=night>none</select></label>")
    assert 'value: "2"' in await oryn.ok('select "Nights" "2"')
    assert await oryn.session.page.evaluate("document.querySelector('select').selectedIndex") == 1
    assert 'value: "none"' in await oryn.ok('select "Nights" "night"')


@pytest.mark.slow
async def test_options_that_are_not_shown_are_neither_offered_nor_taken(oryn: Any) -> None:
    await oryn.show(
        "<style>.off { display: none }</style><label>Size <select><option hidden>Choose<option>S<option class=off>M<option disabled>L"
        "<optgroup hidden label=Old><option>XL</optgroup><option>XXL</select></label>"
    )
    assert 'options: "S" | "XXL"; value: "Choose"' in await oryn.ok("observe")
    for name in ("M", "XL"):
        answer = await oryn(f'select "Size" "{name}"')
        assert f'no option "{name}"' in answer and 'It has "S" | "XXL".' in answer
    assert 'the option "L" is disabled' in await oryn('select "Size" "L"')
    assert 'value: "XXL"' in await oryn.ok('select "Size" "XXL"')


async def test_a_native_select_by_its_label_element(oryn: Any) -> None:
    await oryn.show("<label>Colour <select><option>red<option>green</select></label>")
    assert 'value: "green"' in await oryn.ok('select css("label") "green"')
    assert 'value: "red"' in await oryn.ok('select css("label") 0')


@pytest.mark.parametrize(
    ("first", "fill"),
    [
        ("<option>Loading…", "setTimeout(fill, 500)"),
        ("", "setTimeout(fill, 500)"),
        ("<option>Oslo<option>Bergen", "setTimeout(fill, 100)"),
        ("<option>Loading…", "list.onfocus = () => setTimeout(fill, 300)"),
        ("<option>Loading…", "list.onfocus = async () => { await fetch('/slow'); fill() }"),
    ],
    ids=["placeholder", "empty", "others", "focus", "request"],
)
async def test_an_option_that_comes_later(oryn: Any, first: str, fill: str) -> None:
    oryn.pages["/slow"] = "ok"
    await oryn.show(
        f"<label>City <select id=list>{first}</select></label><script>"
        f"const fill = () => {{ list.innerHTML = '<option>Oslo<option>Rome' }}; {fill}</script>"
    )
    assert 'value: "Rome"' in await oryn.ok('select "City" "Rome"')


SUGGESTIONS = """<label>Browser <input list=names></label><datalist id=names><option value=Firefox><option label=Blink
value=Chromium><option disabled value=Lynx></datalist><script>const log = [], field = document.querySelector('input');
for (const kind of ['input', 'change']) field.addEventListener(kind, (e) => log.push(kind + '=' + field.value))</script>"""


@pytest.mark.slow
async def test_a_field_with_a_list_of_suggestions(oryn: Any) -> None:
    await oryn.show(SUGGESTIONS)
    assert '"Browser" options: "Firefox" | "Blink"' in await oryn.ok("observe")
    assert 'value: "Firefox"' in await oryn.ok('select "Browser" "Firefox"')
    assert await oryn.session.page.evaluate("log.join()") == "input=Firefox,change=Firefox"
    assert 'value: "Chromium"' in await oryn.ok('select "Browser" "blink"')
    answer = await oryn('select "Browser" "Opera"')
    assert 'no option "Opera"' in answer and 'It has "Firefox" | "Blink".' in answer
    assert 'the option "Lynx" is disabled' in await oryn('select "Browser" "Lynx"')
    assert 'value: "Opera"' in await oryn.ok('type "Browser" "Opera"')


TWO = (
    STYLE
    + """<div id=dep role=combobox tabindex=0 aria-label=From aria-expanded=false aria-controls=dl>Choose</div><div role=listbox id=dl hidden></div>
<div id=arr role=combobox tabindex=0 aria-label=To aria-expanded=false aria-controls=al>Choose</div><div role=listbox id=al hidden></div>
<script>const log = [];
  function combo(box, list, fill) {
    const toggle = (open) => { list.hidden = !open; box.setAttribute('aria-expanded', open) };
    const add = () => { list.innerHTML = ['Bergen', 'Oslo', 'Turku'].map((name) => `<div role=option>${name}</div>`).join('') };
    box.onclick = () => { toggle(list.hidden); if (!list.firstChild) fill(add) };
    box.onkeydown = (e) => { if (e.key === 'Escape') { log.push('escape ' + box.id); toggle(false) } };
    list.onclick = (e) => { box.textContent = e.target.textContent; log.push(box.id + '=' + e.target.textContent); toggle(false) };
  }
  combo(arr, al, (add) => add());
  combo(dep, dl, FILL);
</script>"""
)


@pytest.mark.parametrize(
    "fill",
    ["(add) => setTimeout(add, 600)", "async (add) => { await fetch('/slow'); add() }"],
    ids=["timer", "request"],
)
async def test_a_list_whose_options_come_late_is_waited_for_and_no_other_is_touched(oryn: Any, fill: str) -> None:
    import threading

    oryn.pages["/slow"] = lambda request: (threading.Event().wait(0.6), "done")[1]
    await oryn.show(TWO.replace("FILL", fill))
    await oryn.ok('select "From" "Oslo"')
    assert await oryn.session.page.evaluate("log.join()") == "dep=Oslo"


@pytest.mark.slow
@pytest.mark.parametrize("fill", ["() => {}", "() => { dl.hidden = true; dep.setAttribute('aria-expanded', false) }"])
async def test_a_list_that_stays_empty_or_closes_at_once_is_an_error(oryn: Any, fill: str) -> None:
    await oryn.show(TWO.replace("FILL", fill))
    answer = await oryn.session.execute('select "From" "Oslo"')
    assert answer.error.code == "OPTION_NOT_FOUND"
    assert "arr" not in await oryn.session.page.evaluate("log.join()")


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["native", "list"])
@pytest.mark.parametrize("others", [False, True], ids=["silent", "with a message"])
async def test_a_choice_that_the_page_takes_back_is_not_done(oryn: Any, kind: str, others: bool) -> None:
    message = "out.textContent = 'Saving…';" if others else ""
    native = (
        "<label>Plan <select><option>Free<option>Pro</select></label><p id=out role=status></p><script>"
        f"const s = document.querySelector('select'); s.onchange = () => {{ {message} setTimeout(() => {{ s.value = 'Free' }}, 250) }}</script>"
    )
    own = SELECT_ONLY.replace("Choose</div>", "Free</div><p id=out role=status></p>").replace(
        "toggle(false) };\n</script>",
        f"toggle(false); {message} setTimeout(() => {{ box.textContent = 'Free' }}, 250) }};\n</script>",
    )
    oryn.session.options = oryn.session.options.replace(settle_grace=0.4)
    await oryn.show(native if kind == "native" else own.replace("Country", "Plan").replace('"France"', '"Pro", "Free"'))
    answer = await oryn.session.execute('select "Plan" "Pro"')
    assert answer.error is not None and answer.error.code == "NOT_DONE"
    assert answer.error.message == '"Plan" shows "Free" instead of "Pro"'


@pytest.mark.slow
async def test_search_text_is_taken_back_when_no_option_fits(oryn: Any) -> None:
    oryn.pages["/find"] = find()
    await oryn.show(REMOTE)
    await oryn.ok('select "Country" "France"')
    answer = await oryn.session.execute('select "Country" "Atlantis"')
    assert answer.error.code == "OPTION_NOT_FOUND"
    assert await oryn.session.page.evaluate("box.value") == "France"
    await oryn.show(PLAIN)
    assert (await oryn.session.execute('select "Country" "Atlantis"')).error.code == "OPTION_NOT_FOUND"
    assert await oryn.session.page.evaluate("box.value") == ""


@pytest.mark.slow
async def test_a_choice_that_leads_to_another_page(oryn: Any) -> None:
    oryn.pages["/found"] = "<title>Found</title><h1>Found</h1>"
    page = REMOTE.replace("e.target.role !== 'option'", "false").replace("list.onclick", "list.onmousedown")
    oryn.pages["/find"] = find()
    await oryn.show(page.replace("list.hidden = true;", "location.href = '/found';"))
    answer = await oryn.ok('select "Country" "France"')
    assert "Found" in answer


OVER = (
    STYLE
    + """<p id=l>Country</p><div id=box role=combobox tabindex=0 aria-expanded=false aria-labelledby=l aria-controls=list>Choose</div>
<div id=list role=listbox hidden></div><script>
  const names = NAMES, log = [];
  function toggle(open) { list.hidden = !open; box.setAttribute('aria-expanded', open) }
  for (const name of names) list.insertAdjacentHTML('beforeend', `<div role=option style="height: 40px">${name}</div>`);
  list.style.cssText = 'top: 0; left: 0; width: 60%; z-index: 9';
  box.onmousedown = () => toggle(true);
  list.onmouseup = (e) => { log.push(e.target.textContent); box.textContent = e.target.textContent; toggle(false) };
</script>""".replace("NAMES", json.dumps(COUNTRIES))
)


async def test_the_press_that_opens_a_list_over_its_field_chooses_nothing(oryn: Any) -> None:
    await oryn.show(OVER)
    await oryn.ok('select "Country" "Portugal"')
    assert await oryn.session.page.evaluate("log.join()") == "Portugal"


VALUE_OVER = (
    STYLE
    + """<div id=w style="position: relative; width: 200px; height: 30px"><input id=box role=combobox aria-label=Country aria-expanded=false
  aria-controls=list style="position: absolute; inset: 0; border: 0"><span id=val style="position: absolute; inset: 0; background: #fff">Spain</span></div>
<ul id=list hidden></ul><script>
  const toggle = (open) => { list.hidden = !open; box.setAttribute('aria-expanded', open) };
  list.innerHTML = NAMES.map((name) => `<li><i>EU</i> <span>${name}</span>`).join('');
  w.onmousedown = (e) => { e.preventDefault(); box.focus(); toggle(true) };
  list.onmousedown = (e) => e.preventDefault();
  list.onclick = (e) => { val.textContent = e.target.closest('li').lastChild.textContent; toggle(false) };
</script>""".replace("NAMES", json.dumps(COUNTRIES))
)


@pytest.mark.slow
async def test_a_combo_box_whose_value_lies_over_its_field(oryn: Any) -> None:
    await oryn.show(VALUE_OVER)
    await oryn.ok('select "Country" "France"')
    assert await oryn.session.page.evaluate("val.textContent") == "France"
    await oryn.ok('select "Country" "EU Norway"')
    assert await oryn.session.page.evaluate("val.textContent") == "Norway"


async def test_a_readonly_field_whose_list_opens_by_the_sign_beside_it(oryn: Any) -> None:
    """What the choice reveals is no list: Escape would close the panel around it."""
    await oryn.show(
        """<div id=panel>Kind <input id=kind readonly value=Text> <span id=sign style="cursor: pointer">▾</span><div id=more></div></div><script>
  let menu; sign.onclick = () => { menu = document.createElement('div'); menu.style.cssText = 'position: absolute; top: 300px';
    menu.innerHTML = '<div>Text</div><div>Big number</div><div>Number</div>'; document.body.append(menu);
    menu.onclick = (e) => { kind.value = e.target.textContent; menu.remove(); more.innerHTML = '<p>Least <input><p>Most <input>' } };
  addEventListener('keydown', (e) => { if (e.key === 'Escape') panel.hidden = true });</script>"""
    )
    assert 'value: "Number"' in await oryn.ok('select css("#kind") "Number"')
    assert await oryn.session.page.evaluate("panel.hidden") is False


@pytest.mark.slow
async def test_the_state_of_the_select_behind_a_widget_counts(oryn: Any) -> None:
    """Its active option calls itself selected, and the text stands beside the field."""
    page = CHIPS.replace("<label for=box>Tags</label>", "<p>Tags: sea, music, food</p>").replace(
        "<div id=root>",
        "<div id=root role=combobox aria-label=Tags aria-expanded=false aria-controls=list tabindex=0><select multiple hidden><option>sea<option>music<option>food</select>",
    )
    page = page.replace(
        "id=box autocomplete=off role=combobox aria-expanded=false\n  aria-controls=list", "id=box autocomplete=off"
    )
    page = page.replace("aria-selected=${chosen.has(n)}", "aria-selected=true").replace("new Set(['sea'])", "new Set()")
    page = page.replace(
        "document.title =",
        "for (const o of document.querySelector('select').options) o.selected = chosen.has(o.text); document.title =",
    )
    await oryn.show(page)
    answer = await oryn.ok('select "Tags" "music"')
    assert "already" not in answer and await title(oryn) == "music"
    answer = await oryn.ok('select "Tags" "music"')
    assert '"music" was chosen already' in answer and await title(oryn) == "music"


async def test_a_list_that_the_page_draws_for_a_select(oryn: Any) -> None:
    await oryn.show(
        "<style>select, ::picker(select) { appearance: base-select }</style><label>Pet <select><option>Cat<option>Dog<option disabled>Rat"
        "</select></label>"
    )
    assert 'option "Dog"' in await oryn.ok('click "Pet"')
    assert 'value: "Dog"' in await oryn.ok('click "Dog"')


@pytest.mark.slow
async def test_a_list_without_roles_is_closed_by_its_opener_if_not_by_its_key(oryn: Any) -> None:
    await oryn.show(
        STYLE
        + """<div id=box tabindex=0 style="width: 200px; position: relative"><b>Choose</b><div id=list hidden><p>Small<p class=disabled>Medium<p>Large</div></div>
<script>box.onclick = (e) => { const item = e.target.closest('p'); if (item) box.firstChild.textContent = item.textContent; list.hidden = !list.hidden };</script>"""
    )
    assert 'the option "Medium" is disabled' in await oryn('select css("#box") "Medium"')
    assert await oryn.session.page.evaluate("list.hidden") is True
    answer = await oryn('select css("#box") "Huge"')
    assert 'It has "Small" | "Large".' in answer
    assert await oryn.session.page.evaluate("list.hidden") is True
    await oryn.ok('select css("#box") "Large"')
    assert await oryn.session.page.evaluate("box.firstChild.textContent") == "Large"


async def test_a_list_in_the_top_layer(oryn: Any) -> None:
    await oryn.show(
        """<button id=box popovertarget=list aria-label=Colour>Red</button><div popover id=list role=listbox><div role=option>Red</div>
<div role=option>Green</div></div><script>list.onclick = (e) => { box.textContent = e.target.textContent; list.hidePopover() }</script>"""
    )
    await oryn.ok('select "Colour" "Green"')
    assert await oryn.session.page.evaluate("box.textContent") == "Green"


async def test_a_list_in_a_shadow_tree(oryn: Any) -> None:
    await oryn.show(
        """<x-select></x-select><script>customElements.define('x-select', class extends HTMLElement { connectedCallback() {
  const root = this.attachShadow({mode: 'open'});
  root.innerHTML = `<div id=box role=combobox tabindex=0 aria-label=Size aria-expanded=false aria-controls=list>Choose</div>
    <div id=list role=listbox hidden><div role=option>Small</div><div role=option>Large</div></div>`;
  const [box, list] = [root.getElementById('box'), root.getElementById('list')];
  const toggle = (open) => { list.hidden = !open; box.setAttribute('aria-expanded', open) };
  box.onclick = () => toggle(list.hidden);
  list.onclick = (e) => { document.title = box.textContent = e.target.textContent; toggle(false) };
}})</script>"""
    )
    await oryn.ok('select "Size" "Large"')
    assert await title(oryn) == "Large"


async def test_options_that_are_put_into_the_slot_of_a_list(oryn: Any) -> None:
    await oryn.show(
        """<x-select><x-option>Small</x-option><x-option>Large</x-option></x-select><script>
customElements.define('x-option', class extends HTMLElement { connectedCallback() {
  this.attachShadow({mode: 'open'}).innerHTML = '<div role=option><slot></slot></div>' } });
customElements.define('x-select', class extends HTMLElement { connectedCallback() {
  const root = this.attachShadow({mode: 'open'});
  root.innerHTML = `<div id=box role=combobox tabindex=0 aria-label=Size aria-expanded=false aria-controls=list>Choose</div>
    <div id=list role=listbox hidden><slot></slot></div>`;
  const [box, list] = [root.getElementById('box'), root.getElementById('list')];
  const toggle = (open) => { list.hidden = !open; box.setAttribute('aria-expanded', open) };
  box.onclick = () => toggle(list.hidden);
  list.onclick = (e) => { document.title = box.textContent = e.target.closest('x-option').textContent; toggle(false) };
}})</script>"""
    )
    await oryn.ok('select "Size" "Large"')
    assert await title(oryn) == "Large"


@pytest.mark.slow
async def test_a_path_through_a_cascade(oryn: Any) -> None:
    await oryn.show(
        STYLE
        + """<div id=box role=combobox tabindex=0 aria-label=Region aria-expanded=false aria-controls=list>Choose</div><div id=list hidden></div>
<script>const places = {Norway: ['Vestland', 'Oslo'], Spain: ['Galicia']};
  const toggle = (open) => { list.hidden = !open; box.setAttribute('aria-expanded', open) };
  const column = (names) => `<ul role=menu>${names.map((name) => `<li role=menuitemradio>${name}`).join('')}</ul>`;
  box.onclick = () => { list.innerHTML = column(Object.keys(places)); toggle(true) };
  let country; list.onclick = (e) => { const name = e.target.textContent;
    if (places[name]) { country = name; list.innerHTML = column(Object.keys(places)) + column(places[name]) }
    else { box.textContent = document.title = `${country} / ${name}`; toggle(false) } };</script>"""
    )
    await oryn.ok('select "Region" "Norway / Vestland"')
    assert await title(oryn) == "Norway / Vestland"
    await oryn.ok('select "Region" "Spain" "Galicia"')
    assert await title(oryn) == "Spain / Galicia"
