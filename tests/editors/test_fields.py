"""Text in fields and editing hosts of the page's own: exact, or the answer says how it differs, within its limit."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from tests.editors.catalogue import SAMPLES

pytestmark = pytest.mark.browser

AREA = "<textarea id=editor></textarea>"
HOST = "<div id=editor contenteditable></div>"
CHAT = """<script>sent = []
    editor.onkeydown = (e) => { if (e.key == 'Enter' && !e.shiftKey) { e.preventDefault(); sent.push(1) } }</script>"""


@pytest.mark.parametrize("page", [AREA, HOST])
async def test_a_line_break_sends_no_message(oryn: Any, page: str) -> None:
    await oryn.show(f"{page}{CHAT}")
    assert await oryn.type("one\n\n\ttwo") == []
    assert [await oryn.value(), await oryn.run("sent.length")] == ["one\n\n\ttwo", 0]


async def test_a_tab_stays_in_the_field(oryn: Any) -> None:
    await oryn.show("<input id=editor><input id=other>")
    assert await oryn.type("a\tb") == []
    assert await oryn.run("[editor.value, other.value]") == ["a\tb", ""]


async def test_characters_off_the_keyboard_have_key_events(oryn: Any) -> None:
    await oryn.show("""<input id=editor><script>seen = []; for (const kind of ['keydown', 'keypress', 'keyup'])
        editor.addEventListener(kind, (event) => seen.push(`${kind} ${event.key}`))</script>""")
    await oryn.type("é中😀")
    assert await oryn.run("seen") == [f"{kind} {key}" for key in "é中😀" for kind in ("keydown", "keypress", "keyup")]


async def test_maxlength(oryn: Any) -> None:
    await oryn.show("<input id=editor maxlength=4>")
    assert await oryn.type("abcdef") == ["the field takes 4 characters: the rest of 6 is missing"]


async def test_a_mask(oryn: Any) -> None:
    await oryn.show("""<input id=editor oninput="value = value.replace(/\\D/g, '').replace(/(...)(?=.)/g, '$1-')">""")
    assert await oryn.type("123456789") == ["the field shows it in another form: the same letters and digits"]


async def test_a_field_that_drops_characters(oryn: Any) -> None:
    await oryn.show("""<input id=editor aria-label=Name oninput="value = value.replace(/[^a-z]/g, '')">""")
    answer = await oryn.session.execute('type css("#editor") "ab1cd"')
    assert answer.error is not None and answer.error.code == "NOT_DONE"
    assert answer.error.message == '"Name" held "abcd" instead of "ab1cd"'
    assert await oryn.value() == ""


async def test_a_password_field_that_drops_characters(oryn: Any) -> None:
    """Its content is in no answer. A key that it does not take ends the insertion in one step."""
    await oryn.show("""<input id=editor type=password oninput="value = value.replace(/[^a-z]/g, '')">""")
    answer = await oryn.session.execute('type css("#editor") "ab1cd" --delay 1')
    assert "held 4 characters instead of 5" in answer.render()
    assert "abcd" not in answer.render()


async def test_append_in_a_field(oryn: Any) -> None:
    await oryn.show("<textarea id=editor>one\n</textarea>")
    assert await oryn.type("two\nthree", options="--append") == []
    assert await oryn.value() == "one\ntwo\nthree"
    assert await oryn.type("x", options="--append --delay 1") == []


@pytest.mark.slow
async def test_a_number_field(oryn: Any) -> None:
    await oryn.show("<input id=editor type=number>")
    assert await oryn.type("12.5") == []
    answer = await oryn.session.execute('type css("#editor") "twelve"')
    assert answer.error is not None and answer.error.code == "NOT_DONE"
    assert 'instead of "twelve"' in answer.error.message
    assert await oryn.value() == "12.5"


async def test_long_text_does_not_come_as_keys(oryn: Any) -> None:
    await oryn.show("<textarea id=editor></textarea><script>inputs = 0; editor.oninput = () => inputs++</script>")
    text = SAMPLES["10,000 characters"]
    assert await oryn.type(text) == []
    assert await oryn.value() == text
    assert await oryn.run("inputs") < 500


@pytest.mark.parametrize(
    "fight",
    [
        "editor.addEventListener('input', () => { editor.textContent = 'mine' })",
        "setInterval(() => { editor.textContent = 'mine' }, 0)",
        "new MutationObserver(() => { if (editor.textContent != 'mine') editor.textContent = 'mine' })"
        ".observe(editor, {childList: true, subtree: true, characterData: true})",
        "for (const kind of ['paste', 'beforeinput', 'keydown'])"
        " editor.addEventListener(kind, (event) => event.preventDefault())",
    ],
)
async def test_an_editor_that_fights_back(oryn: Any, fight: str) -> None:
    await oryn.show(f"{HOST}<script>{fight}</script>")
    async with asyncio.timeout(20):
        answer = await oryn.session.execute('type css("#editor") "a (b)\\nc" --timeout 5s')
    assert "the editor took another text: it holds " in answer.render(), answer.render()


@pytest.mark.parametrize("back", ["Old", ""])
async def test_an_editor_that_takes_the_text_back(oryn: Any, back: str) -> None:
    await oryn.show(f"""<div id=editor contenteditable>Old</div><script>editor.addEventListener('input', () => {{
        setTimeout(() => {{ editor.textContent = '{back}' }}, 60) }})</script>""")
    answer = await oryn.session.execute('type css("#editor") "New"')
    assert answer.error is not None and answer.error.code == "NOT_DONE", answer.render()
    assert f'holds {json.dumps(back) if back else "nothing"} instead of "New"' in answer.error.message


async def test_an_editor_that_leaves_while_it_is_written(oryn: Any) -> None:
    await oryn.show(f"{HOST}<script>editor.addEventListener('input', () => editor.remove())</script>")
    notes = await oryn.type("a (b)\nc")
    assert len(notes) == 1 and notes[0].startswith("the editor took another text: it can't be read back")


async def test_a_dialog_while_it_is_written(oryn: Any) -> None:
    await oryn.show(f"{HOST}<script>editor.addEventListener('input', () => alert('stop'))</script>")
    answer = await oryn.session.execute('type css("#editor") "a (b)\\nc" --timeout 5s')
    assert "stop" in answer.render()
    await oryn.session.execute("dialog accept")


async def test_a_page_that_navigates_while_it_is_written(oryn: Any) -> None:
    await oryn.show(f"{HOST}<script>editor.addEventListener('input', () => {{ location = '/input' }})</script>")
    answer = await oryn.session.execute('type css("#editor") "a (b)\\nc" --timeout 5s')
    assert answer.ok and "/input" in answer.render()


async def test_what_an_editing_host_holds(oryn: Any) -> None:
    """Its blocks are lines; what collapses on the screen is collapsed, and what fills an empty line is no text."""
    await oryn.show("""<div id=editor contenteditable>
        <h1>Title</h1>
        <p>one &nbsp;two<br>three<br></p><p><br></p>
        <ul><li>a</li><li><b>b</b> c</li></ul>
        <pre>  d\n  e\n</pre><span style="display: none">hidden</span>end</div>""")
    assert await oryn.value() == "Title\none  two\nthree\n\na\nb c\n  d\n  e\nend"


async def test_a_long_text_in_pieces(oryn: Any) -> None:
    await oryn.show(f"<textarea id=editor></textarea><p>{'0123456789' * 10}</p>")
    text = "".join(f"line {number}\n" for number in range(100))
    await oryn.type(text)
    answer = await oryn.ok('value css("#editor") --skip 10 --first 20')
    assert (answer.data, answer.notes) == (text[10:30], ["characters 10 to 30 of 790; go on with --skip 30"])
    answer = await oryn.ok('value css("#editor") --last 15')
    assert (answer.data, answer.notes) == (text[-15:], ["characters 775 to 790 of 790"])
    assert (await oryn.ok('value css("#editor") --skip 1000')).notes == ["characters 790 to 790 of 790"]
    assert (await oryn.ok('value css("#editor") --first 1000')).notes == []
    answer = await oryn.ok("text --last 5")
    assert (answer.block, answer.notes) == ("56789", ["characters 95 to 100 of 100"])
    answer = await oryn.ok('text css("p") --skip 1 --first 2')
    assert (answer.block, answer.notes) == ("12", ["characters 1 to 3 of 100; go on with --skip 3"])


async def test_an_observation_keeps_lines_apart(oryn: Any) -> None:
    await oryn.show("<div id=editor contenteditable>one<div>two<br>th<b>r</b>ee</div><ul><li>a<li>b</ul></div>")
    assert 'value: "one two three a b"' in (await oryn.ok("observe")).render()


async def test_a_field_that_is_named_by_number(oryn: Any) -> None:
    await oryn.show("<textarea id=editor></textarea>")
    await oryn.ok("observe")
    assert await oryn.type("one\ntwo", "1") == []
