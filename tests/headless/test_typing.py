"""`type` and `clear`: the field holds what was asked, or the answer is an error that says what it holds."""

from __future__ import annotations

import json
from typing import Any

import pytest

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("default_grace")]


def in_shadow_root(html: str) -> str:
    return f"<x-field></x-field><script>host = document.querySelector('x-field'); host.attachShadow({{mode: 'open'}}).innerHTML = {json.dumps(html)}</script>"


async def held(oryn: Any, script: str = "f.value") -> Any:
    return await oryn.session.page.evaluate(script)


async def refused(oryn: Any, line: str) -> Any:
    """The answer to a line that is not done."""
    answer = await oryn.session.execute(line)
    assert answer.error is not None, answer.render()
    assert answer.error.code == "NOT_DONE", answer.render()
    return answer


# --- numbers ---

COMMA_AMOUNT = """f.oninput = () => {
    const [whole, ...rest] = f.value.replace(/[^\\d,]/g, '').split(',');
    f.value = whole.replace(/\\B(?=(\\d{3})+$)/g, '.') + (rest.length ? ',' + rest.join('').slice(0, 2) : '') }"""
DOT_AMOUNT = """f.addEventListener('keydown', (e) => { if (e.key == ',') e.preventDefault() });
    f.addEventListener('change', () => {}); f.oninput = () => { f.value = f.value.replace(',', '') }"""


@pytest.mark.parametrize(
    ("field", "text", "value"),
    [
        ("<input id=f aria-label=Amount type=number step=0.01>", "12,50", "12.50"),
        ("<input id=f aria-label=Amount type=number step=0.01 value=3>", "1.234,50 €", "1234.50"),
        (f"<input id=f aria-label=Amount><script>{COMMA_AMOUNT}</script>", "1234.56", "1.234,56"),
        (f"<input id=f aria-label=Amount inputmode=decimal><script>{DOT_AMOUNT}</script>", "-7,25", "-7.25"),
    ],
)
async def test_a_number_is_typed_in_the_form_that_the_field_takes(oryn: Any, field: str, text: str, value: str) -> None:
    await oryn.show(field)
    assert "# note\ntyped as " in await oryn.ok(f'type "Amount" "{text}"')
    assert await held(oryn) == value


async def test_a_number_in_another_form_is_the_same_number(oryn: Any) -> None:
    await oryn.show("""<input id=f aria-label=Amount><script>f.onchange = f.oninput = () => {
        f.value = '$' + f.value.replace(/[^\\d.]/g, '').replace(/\\B(?=(\\d{3})+(?!\\d))/g, ',') }</script>""")
    assert "# note\nthe field shows it in another form: the same number" in await oryn.ok('type "Amount" "1234"')
    assert await held(oryn) == "$1,234"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kept", "text", "made"),
    [
        ("[^\\d.]", "-5", "5"),
        ("\\D", "12:30", "1230"),
        ("\\D", "12/25", "1225"),
        ("\\W", "ada@example.org", "adaexampleorg"),
    ],
)
@pytest.mark.parametrize("in_shadow", [False, True])
async def test_a_sign_that_the_field_drops_makes_another_value(
    oryn: Any, kept: str, text: str, made: str, in_shadow: bool
) -> None:
    """What was typed is taken back."""
    field = f"<input aria-label=Value value=9 oninput='this.value = this.value.replace(/{kept}/g, ``)'>"
    await oryn.show(in_shadow_root(field) if in_shadow else field)
    answer = await refused(oryn, f'type "Value" "{text}"')
    assert answer.error.message == f'"Value" held "{made}" instead of "{text}"'
    root = "host.shadowRoot" if in_shadow else "document"
    assert await held(oryn, f"{root}.querySelector('input').value") == "9"


@pytest.mark.parametrize(
    ("text", "value"),
    [("5551234567", "(555) 123-4567"), ("555-123-4567", "(555) 123-4567"), ("+1 555 123 4567", "(555) 123-4567")],
)
async def test_a_masked_telephone_number_is_the_same(oryn: Any, text: str, value: str) -> None:
    await oryn.show("""<input id=f aria-label=Phone type=tel><script>f.oninput = () => {
        const d = f.value.replace(/\\D/g, '').replace(/^1/, '');
        f.value = (d && '(') + d.slice(0, 3) + (d.length > 3 ? ') ' : '') + d.slice(3, 6)
            + (d.length > 6 ? '-' : '') + d.slice(6, 10) }</script>""")
    await oryn.ok(f'type "Phone" "{text}"')
    assert await held(oryn) == value


# --- what the page takes back ---

TAKING_BACK = {
    "a timer": "f.oninput = () => setTimeout(() => { f.value = '1' }, 250)",
    "a frame": "f.oninput = () => requestAnimationFrame(() => { f.value = '1' })",
    "the handler itself": "f.oninput = () => { f.value = '1' }",
    "a microtask": "f.oninput = () => Promise.resolve().then(() => { f.value = '1' })",
    "a debounce": "let t; f.oninput = () => { clearTimeout(t); t = setTimeout(() => { f.value = '1' }, 300) }",
    "a delegated listener": "document.addEventListener('input', () => setTimeout(() => { f.value = '1' }, 200))",
}


@pytest.mark.parametrize("way", TAKING_BACK)
@pytest.mark.parametrize(
    "tag", ["<input id=f aria-label=Seats value=1>", "<textarea id=f aria-label=Seats>1</textarea>"]
)
async def test_a_text_that_the_page_takes_back_is_not_done(oryn: Any, way: str, tag: str) -> None:
    await oryn.show(f"{tag}<script>{TAKING_BACK[way]}</script>")
    answer = await refused(oryn, 'type "Seats" "5"')
    assert answer.error.message == '"Seats" holds "1" instead of "5"'
    assert await held(oryn) == "1"


async def test_a_text_in_whose_place_the_page_puts_another_is_not_typed_again(oryn: Any) -> None:
    await oryn.show("""<input id=f aria-label=Seats value=2>
        <script>let t, inputs = 0;
        f.oninput = () => { inputs++; clearTimeout(t); t = setTimeout(() => { f.value = '4' }, 300) }</script>""")
    answer = await refused(oryn, 'type "Seats" "5"')
    assert answer.error.message == '"Seats" holds "4" instead of "5"'
    assert await oryn.session.page.evaluate("inputs") == 1


async def test_a_password_that_the_page_takes_back_is_not_shown(oryn: Any) -> None:
    await oryn.show("""<input id=f type=password aria-label=Key value=old>
        <script>f.oninput = () => setTimeout(() => { f.value = 'old-word' }, 200)</script>""")
    answer = await refused(oryn, 'type "Key" "new-secret"')
    assert answer.error.message == '"Key" holds 8 characters instead of 10'
    assert "old-word" not in answer.render()
    assert "new-secret" not in answer.render()


@pytest.mark.parametrize("way", TAKING_BACK)
async def test_a_field_that_is_filled_again_is_not_cleared(oryn: Any, way: str) -> None:
    await oryn.show(f"<input id=f aria-label=Seats value=1><script>{TAKING_BACK[way]}</script>")
    answer = await refused(oryn, 'clear "Seats"')
    assert answer.error.message == '"Seats" holds "1" instead of nothing'


async def test_a_mask_without_a_text_is_cleared(oryn: Any) -> None:
    await oryn.show("""<input id=f aria-label=Phone value="(555) 12_-____"><script>
        f.oninput = () => { if (!/\\d/.test(f.value)) f.value = '(___) ___-____' }</script>""")
    await oryn.ok('clear "Phone"')
    assert await held(oryn) == "(___) ___-____"


# --- fields that are replaced ---

REPLACING = {
    "once, with its value": """document.addEventListener('input', (e) => { if (done) return; done = true;
        const copy = e.target.cloneNode(); copy.value = e.target.value; e.target.replaceWith(copy) })""",
    "once, by a timer": """document.addEventListener('input', (e) => { if (done) return; done = true; setTimeout(() => {
        const copy = e.target.cloneNode(); copy.value = e.target.value; e.target.replaceWith(copy) }) })""",
    "each time, with the focus": """document.addEventListener('input', (e) => { const copy = e.target.cloneNode();
        copy.value = e.target.value; e.target.replaceWith(copy); copy.focus(); copy.setSelectionRange(99, 99) })""",
    "on focus": """document.addEventListener('focusin', (e) => { if (done) return; done = true;
        const copy = e.target.cloneNode(); e.target.replaceWith(copy) })""",
    "with all around it": """document.addEventListener('input', (e) => { if (done) return; done = true;
        const text = e.target.value; main.innerHTML = main.innerHTML; main.querySelector('input,textarea').value = text })""",
}


@pytest.mark.parametrize("way", REPLACING)
@pytest.mark.parametrize("tag", ["<input aria-label=Town>", "<label>Town <textarea></textarea></label>"])
async def test_a_field_that_is_replaced_meanwhile_gets_all_of_the_text(oryn: Any, way: str, tag: str) -> None:
    await oryn.show(f"<div id=main>{tag}</div><script>done = false; {REPLACING[way]}</script>")
    await oryn.ok('type "Town" "Lisbon"')
    assert await held(oryn, "document.querySelector('input,textarea').value") == "Lisbon"


# --- the focus ---

THIEVES = {
    "a timer after focus": "f.addEventListener('focus', () => setTimeout(() => other.focus(), 0))",
    "a timer after the first focus": "let n = 0; f.onfocus = () => { if (!n++) setTimeout(() => other.focus(), 0) }",
    "the third letter": "f.oninput = () => { if (f.value.length == 3) other.focus() }",
    "a blur": "f.oninput = () => { if (f.value.length == 2) f.blur() }",
    "a key": "f.onkeydown = (e) => { if (e.key == 's') other.focus() }",
}


@pytest.mark.parametrize("way", THIEVES)
@pytest.mark.parametrize(
    "other", ["<input id=other aria-label=Name>", "<button id=other>Delete</button>", "<textarea id=other></textarea>"]
)
async def test_a_text_goes_to_its_field_or_nowhere(oryn: Any, way: str, other: str) -> None:
    await oryn.show(f"""{other}<input id=f aria-label=Street><p id=log></p><script>{THIEVES[way]};
        other.onclick = () => {{ log.textContent = 'pressed' }}</script>""")
    await oryn.ok('type "Street" "Main Str 5"')
    assert await held(oryn, "[f.value, other.value, log.textContent]") == ["Main Str 5", "", ""]


async def test_enter_after_a_text_that_is_not_there_sends_nothing(oryn: Any) -> None:
    await oryn.show("""<form onsubmit="document.title = 'sent'; return false"><input id=f aria-label=City value=Oslo>
        </form><script>f.oninput = () => { f.value = 'Oslo' }</script>""")
    await refused(oryn, 'type "City" "Rome" --enter')
    assert await held(oryn, "document.title") == ""


BOXES = {
    "maxlength": "<input maxlength=1 aria-label='Digit {0}'>",
    "narrow": "<input style='width: 2em' aria-label='Digit {0}'>",
}


@pytest.mark.parametrize("kind", BOXES)
@pytest.mark.parametrize("later", ["next.focus()", "setTimeout(() => next.focus())"])
async def test_boxes_of_one_digit_hold_the_text_together(oryn: Any, kind: str, later: str) -> None:
    boxes = "".join(BOXES[kind].format(number) for number in range(1, 7))
    await oryn.show(f"""<div>{boxes}</div><input id=after><script>
        const all = document.querySelectorAll('div input');
        all.forEach((box, at) => {{ box.oninput = () => {{ box.value = box.value.slice(-1); const next = all[at + 1];
            if (next) {later} }} }})</script>""")
    await oryn.ok('type "Digit 1" "493816" --delay 30')
    assert (
        await held(oryn, "[...document.querySelectorAll('input')].map((box) => box.value).join('|')") == "4|9|3|8|1|6|"
    )


async def test_boxes_that_lose_digits_are_not_done_and_hold_what_they_did(oryn: Any) -> None:
    await oryn.show("""<div><input maxlength=1 aria-label="Digit 1"><input maxlength=1><input maxlength=1></div><script>
        const all = document.querySelectorAll('input');
        all.forEach((box, at) => { box.oninput = () => { if (box.value && all[at + 1] && at < 1) all[at + 1].focus();
            else if (at === 1) setTimeout(() => all[2].focus(), 2000) } })</script>""")
    await refused(oryn, 'type "Digit 1" "493"')
    assert await held(oryn, "[...document.querySelectorAll('input')].map((box) => box.value)") == ["", "", ""]


async def test_a_field_that_opens_its_search_elsewhere_hands_the_text_on(oryn: Any) -> None:
    await oryn.show("""<input id=f aria-label=Search><script>f.onfocus = () => { if (document.querySelector('dialog'))
        return; const d = document.createElement('dialog'); d.innerHTML = '<input id=inner aria-label="Search all">';
        document.body.append(d); d.showModal() }</script>""")
    await oryn.ok('type "Search" "fern"')
    assert await held(oryn, "[f.value, inner.value]") == ["", "fern"]


# --- masks that do something later ---

LATE_MASKS = {
    "the cursor in a timer": """let at; f.oninput = () => { at = f.selectionStart; setTimeout(() => {
        const d = f.value.replace(/\\D/g, ''); f.value = d.replace(/(....)(?=.)/g, '$1 ');
        f.setSelectionRange(at, at) }, 15) }""",
    "the cursor in a frame": """f.oninput = () => { const d = f.value.replace(/\\D/g, '');
        requestAnimationFrame(() => { f.value = d.replace(/(....)(?=.)/g, '$1 '); f.setSelectionRange(1, 1) }) }""",
    "a state that is set later": """let state = ''; f.oninput = () => { const now = f.value;
        setTimeout(() => { state = now; f.value = state }, 10) }""",
}


@pytest.mark.parametrize("way", LATE_MASKS)
async def test_a_mask_that_works_later_gets_the_digits_in_order(oryn: Any, way: str) -> None:
    await oryn.show(f"<input id=f aria-label=Card><script>{LATE_MASKS[way]}</script>")
    await oryn.ok('type "Card" "4111222233334444"')
    assert (await held(oryn)).replace(" ", "") == "4111222233334444"


async def test_a_mask_that_only_knows_keys_gets_them_slowly(oryn: Any) -> None:
    """It works with the keys themselves, and takes one in 15 ms."""
    await oryn.show("""<input id=f aria-label=Code><script>let last = 0; f.oninput = () => { f.value = text };
        let text = ''; f.onfocus = () => {}; f.onselect = () => {};
        f.addEventListener('keydown', (e) => { if (e.key == 'Unidentified') return e.preventDefault();
            if (e.key.length != 1) return; e.preventDefault();
            if (f.selectionEnd > f.selectionStart) text = ''; if (e.timeStamp - last < 15) return; last = e.timeStamp; text += e.key; f.value = text; f.setSelectionRange(9, 9) }) </script>""")
    await oryn.ok('type "Code" "ab12"')
    assert await held(oryn) == "ab12"


# --- what must be pressed first ---

EDITED_IN_PLACE = {
    "a text box": "<div id=t role=textbox tabindex=0 aria-label=Title>Old</div><script>t.onclick = () => {"
    " t.contentEditable = 'true'; t.focus(); getSelection().selectAllChildren(t) }</script>",
    "a cell": "<table><tr><td id=t>Old</td></tr></table><script>t.ondblclick = () => { t.innerHTML ="
    " '<input value=Old>'; t.firstChild.focus() }</script>",
    "a heading": "<h1 id=t>Old</h1><textarea id=u hidden></textarea><script>t.onclick = () => { u.hidden = false;"
    " t.hidden = true; u.value = 'Old'; u.focus(); u.select() }</script>",
    "a read-only field": "<input id=t aria-label=Title value=Old readonly><script>t.ondblclick = () => {"
    " t.readOnly = false; t.select() }</script>",
    "a field that is read-only until it has the focus": "<input id=t aria-label=Title value=Old readonly"
    " onfocus='this.readOnly = false'>",
    "a heading that is replaced": "<h1 id=t tabindex=0 title=Rename>Old</h1><script>t.onclick = () => {"
    " const i = document.createElement('input'); i.value = t.textContent; t.replaceWith(i); i.focus(); i.select();"
    " i.onblur = () => { t.textContent = i.value; i.replaceWith(t) } }</script>",
    "a grid": "<div role=grid><div role=row><div id=t role=gridcell tabindex=0>Old</div></div></div><script>"
    " t.ondblclick = () => { const i = document.createElement('input'); i.value = 'Old'; t.replaceChildren(i);"
    " i.focus() }</script>",
}
TITLES = {"a cell": "Old", "a heading": "Old", "a heading that is replaced": "Old", "a grid": "Old"}


@pytest.mark.parametrize("kind", EDITED_IN_PLACE)
async def test_what_is_edited_in_place_is_pressed_first(oryn: Any, kind: str) -> None:
    await oryn.show(EDITED_IN_PLACE[kind])
    await oryn.ok(f'type "{TITLES.get(kind, "Title")}" "New"')
    text = "[...document.querySelectorAll('input,textarea')].map((each) => each.value).join('') || t.textContent"
    assert await held(oryn, text) == "New"


# --- colours, dates, lines, tokens ---


@pytest.mark.parametrize(("text", "value"), [("red", "#ff0000"), ("#0F0", "#00ff00"), ("rgb(1, 2, 3)", "#010203")])
async def test_a_colour_is_given_as_css_has_it(oryn: Any, text: str, value: str) -> None:
    await oryn.show("<input id=f type=color aria-label=Colour value=#e66465>")
    await oryn.ok(f'type "Colour" "{text}"')
    assert await held(oryn) == value


@pytest.mark.parametrize(
    ("field", "text", "value"),
    [
        ("type=color value=#e66465", "badvalue", "#e66465"),
        ("type=color value=#e66465", "rgba(0, 0, 0, .5)", "#e66465"),
        ("type=date value=2026-01-02", "soon", "2026-01-02"),
        ("type=date value=2026-01-02", "2026-02-30", "2026-01-02"),
        ("type=time value=10:00", "25:61", "10:00"),
        ("type=month value=2026-01", "2026-13", "2026-01"),
        ("type=datetime-local value=2026-01-02T10:00", "tomorrow", "2026-01-02T10:00"),
        ("type=week value=2026-W01", "2026-W60", "2026-W01"),
    ],
)
async def test_a_wrong_colour_or_date_changes_nothing(oryn: Any, field: str, text: str, value: str) -> None:
    await oryn.show(f"<input id=f aria-label=When {field}><p id=log></p>")
    await oryn.session.page.evaluate("f.oninput = f.onchange = () => { log.textContent += 'changed' }")
    assert (await oryn(f'type "When" "{text}"')).startswith("error")
    assert await held(oryn, "[f.value, log.textContent]") == [value, ""]


@pytest.mark.parametrize(
    "style", ["white-space: pre-wrap", "white-space: normal", "float: left; min-width: 9em; min-height: 1em"]
)
@pytest.mark.parametrize("in_shadow", [False, True])
async def test_line_breaks_in_plain_text_are_characters(oryn: Any, style: str, in_shadow: bool) -> None:
    field = f"<div contenteditable=plaintext-only role=textbox aria-label=Note style='{style}'></div>"
    await oryn.show(in_shadow_root(field) if in_shadow else field)
    root = "host.shadowRoot" if in_shadow else "document"
    host = f"{root}.querySelector('[contenteditable]')"
    await oryn.ok('type "Note" "one\\ntwo\\n\\n<b>"')
    assert await held(oryn, f"{host}.innerHTML") == "one\ntwo\n\n&lt;b&gt;"
    await oryn.ok('type "Note" "\\nlast" --append')
    assert await held(oryn, f"{host}.textContent") == "one\ntwo\n\n<b>\nlast"


TOKENS = """<div><span id=tokens></span><input id=f aria-label=Tags></div><script>f.addEventListener('input', () => {
    const parts = f.value.split(','); f.value = parts.pop().trim(); for (const part of parts)
        tokens.insertAdjacentHTML('beforeend', `<span>${part.trim()}<button aria-label="Remove">x</button></span>`) })
    </script>"""


@pytest.mark.parametrize(("text", "left"), [("red,", ""), ("red, green, blue", "blue"), ("red, green,", "")])
async def test_a_text_that_becomes_tokens_is_done(oryn: Any, text: str, left: str) -> None:
    await oryn.show(TOKENS)
    await oryn.ok(f'type "Tags" "{text}"')
    assert await held(oryn) == left


@pytest.mark.parametrize(
    "page",
    [
        "<span id=tokens></span><input id=f aria-label=Tags>",
        "<form><ul id=tokens></ul><p><label>Tags <input id=f></label></p></form>",
    ],
)
async def test_a_token_that_the_comma_makes(oryn: Any, page: str) -> None:
    await oryn.show(f"""{page}<script>f.onkeydown = (e) => {{ if (e.key != ',') return; e.preventDefault();
        tokens.insertAdjacentHTML('beforeend', `<li>${{f.value}}</li>`); f.value = '' }}</script>""")
    await oryn.ok('type "Tags" "red,"')
    assert await held(oryn, "[f.value, tokens.textContent]") == ["", "red"]


async def test_a_text_that_is_dropped_is_no_token(oryn: Any) -> None:
    await oryn.show("""<div><span>red</span><input id=f aria-label=Tags></div><script>f.oninput = () => {
        if (f.value.endsWith(',')) f.value = '' }</script>""")
    await refused(oryn, 'type "Tags" "red,"')


async def test_a_completion_that_is_selected_is_no_other_text(oryn: Any) -> None:
    await oryn.show("""<input id=f aria-label=City><script>f.oninput = (e) => { const typed = f.value;
        if (typed && 'new york'.startsWith(typed.toLowerCase())) { f.value = typed + 'new york'.slice(typed.length);
            f.setSelectionRange(typed.length, 8) } }</script>""")
    await oryn.ok('type "City" "New"')
    assert await held(oryn) == "New york"
