"""What an action waits for before it presses, and where it presses."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest

from tests.headless.conftest import Driver

GO = "<button id=go onclick=\"out.textContent = 'Done'\">Go</button><p id=out></p>"
DONE = '+ text "Done"'


def delayed_script(script: str) -> str:
    return f"<script>setTimeout(() => {{ {script} }}, 400)</script>"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("go.disabled = true", "go.disabled = false"),
        ("go.style.display = 'none'", "go.style.display = ''"),
        ("go.style.visibility = 'hidden'", "go.style.visibility = ''"),
        (
            "document.body.insertAdjacentHTML('beforeend', '<div id=veil style=\"position:fixed;inset:0\"></div>')",
            "veil.remove()",
        ),
        ("go.style.pointerEvents = 'none'", "go.style.pointerEvents = ''"),
        ("const kept = go; go.remove()", "document.body.append(kept)"),
    ],
    ids=["disabled", "hidden", "invisible", "covered", "without pointer events", "missing"],
)
async def test_an_action_waits_until_its_target_takes_it(oryn: Driver, before: str, after: str) -> None:
    oryn.session.options = oryn.session.options.replace(presence_wait=2.0)
    await oryn.show(f"{GO}<script>{before};setTimeout(() => {{ {after} }}, 400)</script>")
    assert DONE in await oryn.ok('click css("#go")')


async def test_a_refused_action_names_the_buttons_of_the_dialog_in_the_way(oryn: Driver) -> None:
    oryn.session.options = oryn.session.options.replace(action_wait=0.3)
    await oryn.show(
        f"{GO}<dialog id=dialog aria-label=Notice><button>Accept</button><button>Not now</button></dialog>"
        "<script>dialog.showModal()</script>"
    )
    answer = await oryn('click css("#go")')
    assert "covered by dialog#dialog" in answer
    assert 'buttons: "Accept", "Not now"' in answer


async def test_a_refused_action_names_the_buttons_in_the_shadow_trees_of_the_dialog_in_the_way(oryn: Driver) -> None:
    oryn.session.options = oryn.session.options.replace(action_wait=0.3)
    await oryn.show(
        f"{GO}<x-drawer></x-drawer><script>const shadow = (host, html) => {{ host.attachShadow({{mode: 'open'}})"
        ".innerHTML = html }; const drawer = document.querySelector('x-drawer'); shadow(drawer, '<div style=\"position:"
        'fixed;inset:0" class=overlay></div><div role=dialog aria-label=Cart style="position:fixed;right:0;top:0">'
        "Two ferns<x-button></x-button></div>'); shadow(drawer.shadowRoot.querySelector('x-button'),"
        " '<button aria-label=Close>×</button>')</script>"
    )
    assert 'buttons: "Close"' in await oryn('click css("#go")')


async def test_typing_waits_for_a_field_that_is_about_to_be_enabled(oryn: Driver) -> None:
    await oryn.show(f"<label>Name <input id=field disabled></label>{delayed_script('field.disabled = false')}")
    assert 'value: "Ada"' in await oryn.ok('type "Name" "Ada"')


@pytest.mark.slow
async def test_a_refused_action_leaves_the_scroll_as_it_was(oryn: Driver) -> None:
    await oryn.show(
        "<div style='height:3000px'>Top</div><button>Under</button><div style='height:3000px'></div>"
        "<div style='position:fixed;inset:0' id=veil>Please wait</div>"
    )
    assert "covered by div#veil" in await oryn('click "Under"')
    assert (await oryn("eval scrollY")).endswith("| 0")


LARGE = """<div id=box style="width:300px;height:200px;overflow:auto"><svg id=canvas width=4000 height=4000></svg></div>
<p id=out></p><script>canvas.addEventListener('click', (event) => { out.textContent = 'Pressed' })
box.scrollTo(900, 700)</script>"""


@pytest.mark.slow
async def test_an_element_larger_than_what_shows_it_is_pressed_where_it_is_seen(oryn: Driver) -> None:
    await oryn.show(LARGE)
    assert '+ text "Pressed"' in await oryn.ok('click css("#canvas")')
    assert (await oryn('eval "`${box.scrollLeft},${box.scrollTop}`"')).endswith("| 900,700")


async def test_the_innermost_text_is_pressed_and_not_the_middle_of_the_list_around_it(oryn: Driver) -> None:
    rows = "".join(
        f"<div class=row><span>{name}</span> <small>now</small></div>" for name in ("a.txt", "b.txt", "c.txt")
    )
    await oryn.show(
        f"<div id=list style='height:600px'>{rows}</div><p id=out></p><script>list.addEventListener('click', (event) =>"
        "{ const row = event.target.closest('.row'); out.textContent = row ? `Opened ${row.innerText}` : 'Beside' })</script>"
    )
    await oryn.ok("observe")
    for name in ("b.txt", "c.txt"):
        assert f"Opened {name} now" in await oryn.ok(f'click "{name}"')


async def test_the_whole_text_of_anything_is_pressed_before_a_part_of_a_word(oryn: Driver) -> None:
    await oryn.show(
        "<button id=id-4>Other</button><table role=grid><tr><td role=gridcell tabindex=0>1024</td></tr></table>"
        "<div id=plain><p>3</p><p>4</p></div><p id=out></p><script>document.body.addEventListener('mousedown',"
        " e => { out.textContent = 'Pressed ' + e.target.textContent })</script>"
    )
    assert '+ text "Pressed 4"' in await oryn.ok('click "4"')


async def test_a_row_with_a_listener_is_pressed_before_anything_was_observed(oryn: Driver) -> None:
    rows = "".join(f"<tr onclick=\"out.textContent = 'Opened'\"><td>{name}<td>now</tr>" for name in ("Anna", "Ben"))
    await oryn.show(f"<table>{rows}</table><p id=out></p>")
    assert '+ text "Opened"' in await oryn.ok('click "Ben"')


@pytest.mark.parametrize("hidden, shown", [("opacity: 0", "opacity: 1"), ("visibility: hidden", "visibility: visible")])
async def test_a_control_that_its_row_shows_under_the_mouse(oryn: Driver, hidden: str, shown: str) -> None:
    await oryn.show(
        f"<style>td input {{ {hidden}; transition: all 0.1s }} tr:hover input {{ {shown} }}</style><table>"
        "<tr><td><input type=checkbox><td>Moss</tr><tr><td><input type=checkbox id=fern><td>Fern</tr></table>"
        "<script>fern.onchange = () => document.title = fern.checked</script>"
    )
    await oryn.ok('check css("#fern")')
    assert await oryn.session.page.evaluate("document.title") == "true"


async def test_a_control_that_the_mouse_does_not_show_is_refused(oryn: Driver) -> None:
    await oryn.show("<input type=checkbox style='opacity: 0' id=fern>")
    assert (await oryn('click css("#fern")')).startswith('error click css("#fern"): the element is not visible')


async def test_a_splash_screen_is_waited_for(oryn: Driver) -> None:
    answer = await oryn.show(
        "<div id=app><p class=spinner>Loading</p></div><script>setTimeout(() => { app.innerHTML ="
        " '<button>Start</button>' }, 300)</script>"
    )
    assert "# note" not in answer
    assert 'button "Start"' in await oryn.ok("observe")


async def test_a_page_that_stays_empty_is_said_to_be_empty(oryn: Driver) -> None:
    answer = await oryn.show("<title>Blank</title><div id=app></div><script>app.id</script>")
    assert "the page shows nothing to act on or to read yet" in answer
    assert "failed" not in answer


async def test_why_a_page_may_be_empty_is_said(oryn: Driver) -> None:
    answer = await oryn.show(
        "<title>Blank</title><div id=app></div><script>fetch('/missing').then(() => { window.asked = true });"
        " missing.render(app)</script>"
    )
    assert "the page shows nothing to act on or to read yet" in answer
    assert 'a script of the page failed: "ReferenceError: missing is not defined" (errors)' in answer
    assert re.search(r'a request of the page failed: .* GET 404 fetch .*/missing" \(requests\)', answer)


async def test_the_bare_frame_of_a_page_is_a_splash_screen(oryn: Driver) -> None:
    await oryn.show(
        "<a href=#main style='position:absolute;left:-999px'>Skip to content</a><main id=main tabindex=0 style='display:block;"
        "height:700px'></main><script>setTimeout(() => { main.innerHTML = '<button>Sail</button>' }, 300)</script>"
    )
    assert 'button "Sail"' in await oryn.ok("observe")


MOVER = """<style>#go { position: absolute; left: 0; top: 50px; width: 100px; height: 30px }</style>
<button id=go onclick="out.textContent = 'Done'">Go</button><p id=out></p><script>let n = 0;"""


@pytest.mark.parametrize(
    "script",
    [
        "const move = () => { n += 12; go.style.left = `${n}px`; if (n < 300) requestAnimationFrame(move) }; move()",
        "const timer = setInterval(() => { n += 12; go.style.left = `${n}px`; if (n >= 300) clearInterval(timer) }, 16)",
        "const move = () => { n += 12; go.style.transform = `translateX(${n}px)`; if (n < 300) requestAnimationFrame(move) }; move()",
    ],
    ids=["frames", "interval", "transform"],
)
async def test_an_element_that_a_script_moves_is_pressed_where_it_comes_to_rest(oryn: Driver, script: str) -> None:
    await oryn.show(f"{MOVER}let at = null; go.addEventListener('click', () => {{ at = n }}); {script}</script>")
    assert DONE in await oryn.ok('click "Go"')
    assert await oryn.session.page.evaluate("at") >= 300


FOREVER = [
    "const move = () => { n += 40; go.style.left = `${n % 800}px`; requestAnimationFrame(move) }; move()",
    "setInterval(() => { n += 40; go.style.left = `${n % 800}px` }, 10)",
    "go.animate([{ left: '0px' }, { left: '700px' }], { duration: 250, iterations: Infinity })",
]


@pytest.mark.slow
@pytest.mark.parametrize("script", FOREVER, ids=["frames", "interval", "animation"])
async def test_an_element_that_never_rests_is_refused(oryn: Driver, script: str) -> None:
    await oryn.show(f"{MOVER}{script}</script><button>Fine</button>")
    answer = await oryn('click "Go"')
    assert answer.startswith('error click "Go": the element is moving and does not come to rest'), answer
    assert "--force" in answer
    await oryn.ok('click "Fine"')
    await oryn.ok('click "Go" --force')


@pytest.mark.slow
async def test_an_element_that_a_busy_page_moves_late_is_refused_or_was_reached(oryn: Driver) -> None:
    """A machine with more to do draws several frames between two moves: then it rests, and a press reaches it."""
    stalls = "setInterval(() => { const began = performance.now(); while (performance.now() - began < 80); }, 100)"
    await oryn.show(
        f"{MOVER}let reached = 0; go.addEventListener('click', () => reached++); {FOREVER[1]}; {stalls}</script>"
    )
    await oryn.ok("observe")
    for _ in range(4):
        before = await oryn.session.page.evaluate("reached")
        refused = (await oryn('click "Go"')).startswith("error")
        assert await oryn.session.page.evaluate("reached") == (before if refused else before + 1)


@pytest.mark.slow
@pytest.mark.parametrize(
    "script",
    [
        "const move = () => { n++; go.style.left = `${100 + 40 * Math.sin(n / 40)}px`; requestAnimationFrame(move) }; move()",
        "go.animate([{ transform: 'scale(1)' }, { transform: 'scale(1.1)' }], { duration: 900, iterations: Infinity })",
    ],
    ids=["drift", "pulse"],
)
async def test_an_element_that_moves_slowly_is_pressed(oryn: Driver, script: str) -> None:
    await oryn.show(f"{MOVER}{script}</script>")
    assert DONE in await oryn.ok('click "Go"')


STAYS = f"{GO}<dialog id=dialog aria-label=Notice><button>Accept</button></dialog><script>dialog.showModal()</script>"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "line"),
    [
        (STAYS, 'click css("#go")'),
        (f"{GO}<script>setTimeout(() => 0, 60)</script>{STAYS.removeprefix(GO)}", 'click css("#go")'),
        ("<button disabled id=off>Go</button>", 'click "Go"'),
        ("<label>Name <input disabled></label>", 'type "Name" "Ada"'),
        (f"{GO}<div style='position:fixed;inset:0' id=veil>Closed for today</div>", 'click "Go"'),
        ("<input type=checkbox style='opacity: 0' id=fern>", 'check css("#fern")'),
    ],
    ids=["dialog", "dialog and a timer", "button", "field", "veil", "invisible"],
)
async def test_what_waiting_can_not_mend_is_refused_within_a_second(oryn: Driver, page: str, line: str) -> None:
    await oryn.show(page)
    await oryn.ok("observe")
    oryn.session.options = oryn.session.options.replace(action_wait=20)
    began = time.monotonic()
    assert (await oryn(line)).startswith("error")
    assert time.monotonic() - began < 10


OFF = "<button id=go disabled onclick=\"out.textContent = 'Done'\">Go</button><p id=out></p>"
ENABLE = "go.disabled = false"


@pytest.mark.slow
@pytest.mark.parametrize(
    "rest",
    [
        f"<script>setTimeout(() => {{ {ENABLE} }}, 1800)</script>",
        "<b id=left>9</b><script>let n = 5; setInterval(() => { left.textContent = --n; if (!n) { go.disabled = false } }, 400)</script>",
        f"<script>fetch('/slow').then(() => {{ {ENABLE} }})</script>",
        "<p aria-busy=true id=busy>Checking</p><script>const w = new Worker(URL.createObjectURL(new Blob(['setTimeout(() =>"
        f" postMessage(1), 1800)']))); w.onmessage = () => {{ {ENABLE}; busy.remove() }}</script>",
    ],
    ids=["timer", "countdown", "request", "busy region"],
)
async def test_what_is_on_its_way_is_waited_for_longer(oryn: Driver, rest: str) -> None:
    def slow(_: Any) -> str:
        time.sleep(1.8)
        return "ok"

    oryn.pages["/slow"] = slow
    oryn.session.options = oryn.session.options.replace(action_wait=20)
    await oryn.show(OFF + rest)
    assert DONE in await oryn.ok('click "Go"')


@pytest.mark.slow
async def test_a_button_that_its_own_press_disables_for_a_while_is_waited_for(oryn: Driver) -> None:
    await oryn.show(
        "<button id=go>Send</button><p id=out>0</p><script>go.onclick = () => { out.textContent = Number(out.textContent) + 1;"
        " go.disabled = true; setTimeout(() => { go.disabled = false }, 1800) }</script>"
    )
    oryn.session.options = oryn.session.options.replace(action_wait=20)
    await oryn.ok('click "Send"')
    assert '~ text "2"' in await oryn.ok('click "Send"')
