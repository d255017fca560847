"""What becomes of a press: it reaches its element, is made once more where the element is now, or is an error."""

from __future__ import annotations

from typing import Any

import pytest

LOG = "<script>log = []; const done = (what) => { log.push(what); out.textContent = log.join(' ') }</script>"

MOVED = {
    "a message of the field that loses the focus": """
        <label>Mail <input id=mail onblur="why.hidden = false"></label>
        <p id=why hidden style="margin:0;padding:40px 0">Give an address</p>
        <button onclick="done('sent')">Send</button>""",
    "a validation that draws the form again": """
        <div id=form></div><script>
        function draw(error) {
            form.innerHTML = `<input id=mail aria-label=Mail>${error ? '<p style="padding:40px 0">Wrong</p>' : ''}
                <button>Send</button>`;
            form.querySelector('input').onblur = () => draw(true);
            form.querySelector('button').onclick = () => done('sent');
        }
        draw(false);</script>""",
    "a popup that closes with the next press": """
        <div id=popup style="height:120px;background:#eee">Choose a date</div>
        <button onclick="done('sent')">Send</button><input id=mail aria-label=Mail><script>
        document.addEventListener('pointerdown', (e) => { if (!popup.contains(e.target)) popup.remove() }, true)
        </script>""",
    "a banner of links that a timer brings": """
        <div id=news></div><button onclick="done('sent')">Send</button><input id=mail aria-label=Mail><script>
        document.querySelector('button').addEventListener('mousedown', () => queueMicrotask(() => {
            news.innerHTML = '<p style="padding:50px 0"><a href="#a">Breaking</a></p>' }), {once: true})</script>""",
    "a part of the button that is drawn anew": """
        <input id=mail aria-label=Mail onblur="b.innerHTML = '<b>Send</b>'">
        <button id=b onclick="done('sent')"><i>Send</i></button>""",
    "in a shadow root": """
        <x-form></x-form><script>customElements.define('x-form', class extends HTMLElement { connectedCallback() {
            const root = this.attachShadow({mode: 'open'});
            root.innerHTML = '<input id=mail aria-label=Mail><div></div><button>Send</button>';
            root.querySelector('input').onblur = () => { root.querySelector('div').style.height = '90px' };
            root.querySelector('button').onclick = () => done('sent');
        }})</script>""",
}


@pytest.mark.parametrize("kind", MOVED)
async def test_a_press_that_is_lost_is_made_once_more(oryn: Any, kind: str) -> None:
    await oryn.show(f"<!doctype html>{LOG}{MOVED[kind]}<p id=out role=status></p>")
    await oryn.ok('click "Mail"')
    answer = await oryn.ok('click "Send"')
    assert '+ status "sent"' in answer
    assert (await oryn("eval log.join()")).endswith("| sent")


async def test_the_like_of_a_button_that_a_page_draws_anew_is_pressed(oryn: Any) -> None:
    await oryn.show(
        "<!doctype html><div id=root></div><p id=out role=status></p><script>const draw = () => { root.innerHTML ="
        " '<button>Keep</button> <button>Send</button>'; root.lastChild.onclick = () => { out.textContent = 'sent' } };"
        "draw(); addEventListener('pointermove', draw, true)</script>"
    )
    await oryn.ok("observe")
    assert '+ status "sent"' in await oryn.ok('click "Send"')


@pytest.mark.slow
async def test_a_press_in_a_frame_that_is_lost_is_made_once_more(oryn: Any) -> None:
    inner = MOVED["a message of the field that loses the focus"]
    oryn.pages["/inner"] = f"<!doctype html>{LOG}{inner}<p id=out role=status></p>"
    for host in ("", oryn.pages.url("", "localhost")):
        await oryn.show(f'<!doctype html><iframe src="{host}/inner" width=500 height=300></iframe>')
        await oryn.ok('click "Mail"')
        assert '+ status "sent"' in await oryn.ok('click "Send"')


ONCE = {
    "a menu that opens over its button": """
        <button aria-haspopup=menu id=t onmousedown="done('down'); menu.hidden = false">Act</button>
        <ul role=menu id=menu hidden style="position:fixed;inset:0;margin:0;background:#fff">
        <li role=menuitem tabindex=-1>Copy</ul>""",
    "a list of buttons that opens over it": """
        <button id=t onmousedown="done('down'); menu.hidden = false">Act</button>
        <div id=menu hidden style="position:fixed;inset:0;background:#fff"><button>Copy</button></div>""",
    "a menu item that goes with its menu": """
        <div id=menu><button onmousedown="done('down'); menu.remove()">Act</button></div>""",
    "a button that folds itself away": """
        <div id=rows></div><button aria-expanded=false onmousedown="done('down'); this.ariaExpanded = 'true';
        rows.innerHTML = '<p style=\\'padding:80px 0\\'>Rows</p>'">Act</button>""",
    "a button that keeps the focus": """
        <button onmousedown="event.preventDefault()" onclick="done('click')">Act</button>""",
    "a handle that captures the pointer": """
        <div id=t style="width:200px" onpointerdown="this.setPointerCapture(event.pointerId)" onpointerup="done('up')">
        <button>Act</button></div>""",
    "a button that its page replaces on a press": """
        <div id=box><button onmousedown="done('down'); box.innerHTML = '<button>Stop</button>'">Act</button></div>""",
    "a button that stops its events": """
        <button onmousedown="event.stopImmediatePropagation()" onclick="event.stopPropagation(); done('click')">Act
        </button>""",
    "a window that keeps all events": """
        <script>addEventListener('mousedown', (e) => e.stopImmediatePropagation(), true);
        addEventListener('pointerdown', (e) => e.stopImmediatePropagation(), true);
        addEventListener('click', (e) => { e.stopImmediatePropagation(); done('click') }, true)</script>
        <button>Act</button>""",
    "a label": """<label>Act <input type=checkbox onclick="done('click')" style="position:absolute;left:300px"></label>""",
    "a native list": """<select aria-label=Act onmousedown="done('down')"><option>One<option>Two</select>""",
}


@pytest.mark.parametrize("kind", ONCE)
async def test_a_press_that_something_takes_is_made_once(oryn: Any, kind: str) -> None:
    await oryn.show(f'<!doctype html>{LOG}{ONCE[kind]}<p id=out role=status style="min-height:2em"></p>')
    await oryn.ok('click "Act"')
    assert len((await oryn("eval log.join()")).rpartition("| ")[2].split(",")) == 1


async def test_a_press_that_never_reaches_its_button_is_an_error(oryn: Any) -> None:
    await oryn.show(f"""<!doctype html>{LOG}<div id=gap></div><button id=b onclick="done('sent')">Send</button>
        <p id=out></p><script>
        b.onmousedown = () => {{ gap.style.height = (gap.offsetHeight ? 0 : 90) + 'px' }};</script>""")
    answer = await oryn.session.execute('click "Send"')
    assert answer.error is not None
    assert answer.error.code == "NOT_DONE"
    assert answer.error.message == 'the press did not reach "Send": it moved away while the mouse was down'


@pytest.mark.parametrize(
    ("option", "events"),
    [("--right", "menu"), ("--middle", "aux"), ("--double", "click,click,double"), ("--ctrl", "click")],
)
async def test_other_presses_reach_their_element(oryn: Any, option: str, events: str) -> None:
    await oryn.show(f"""<!doctype html>{LOG}<button onclick="done('click')" ondblclick="done('double')"
        onauxclick="done(event.button === 1 && 'aux')" oncontextmenu="event.preventDefault(); done('menu')">Act</button>
        <p id=out></p>""")
    await oryn.ok(f'click "Act" {option}')
    assert (await oryn("eval log.filter(Boolean).join()")).endswith(f"| {events}")


async def test_a_double_click_of_which_the_second_press_is_lost_is_an_error(oryn: Any) -> None:
    await oryn.show(f"""<!doctype html>{LOG}<div id=gap></div><span id=name onclick="gap.style.height = '80px'"
        ondblclick="done('open')">Report</span><p id=out></p>""")
    answer = await oryn('click "Report" --double')
    assert "the second press did not reach it" in answer.partition("\n")[0] or "moved away" in answer.partition("\n")[0]
    assert (await oryn("eval log.length")).endswith("| 0")
