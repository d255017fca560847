"""How long an answer waits for a reaction: not at all where none can come, and the less the more is known."""

from __future__ import annotations

import time
from typing import Any

import pytest

from oryn.engine.page.grace import PROMPT_SECONDS
from tests.headless.conftest import Driver

GRACE = 0.8
"""Seconds."""
FIELD = "<label>Name <input id=field></label><p id=out></p>"
LATER = "setTimeout(() => { out.textContent = `Hello ${field.value}` }, 300)"
HELLO = '+ text "Hello Ada"'


async def seconds(oryn: Driver, line: str) -> float:
    began = time.monotonic()
    await oryn.ok(line)
    return time.monotonic() - began


async def patience(oryn: Driver, line: str) -> float:
    """The longest wait for a sign of a reaction that the line asks the page for, in seconds: the time that it takes
    says nothing on a busy machine."""
    page = oryn.session.page
    read, waits = page.scanner, [0.0]

    async def noting(request: dict[str, Any], *arguments: Any, **named: Any) -> dict[str, Any]:
        if request["cmd"] == "wait_for":
            waits.append(request["timeout"] / 1000)
        return dict(await read(request, *arguments, **named))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(page, "scanner", noting)
        await oryn.ok(line)
    return max(waits)


async def until_changed(oryn: Driver, text: str) -> None:
    """Wait until the page says the text, without a command of Oryn."""
    await oryn.session.page.evaluate(
        f"new Promise((done) => {{ const look = () => out.textContent === '{text}' && done();"
        " new MutationObserver(look).observe(out, {childList: true}); look() })"
    )


def give(oryn: Driver, grace: float) -> None:
    oryn.session.options = oryn.session.options.replace(settle_grace=grace)


@pytest.mark.parametrize(
    ("body", "line"),
    [
        (FIELD, 'type "Name" "Ada"'),
        ("<form><label>Name <textarea></textarea></label></form>", 'type "Name" "Ada"'),
        ("<label>Name <input value=Ada></label>", 'clear "Name"'),
        ("<label>City <select><option>Bern<option>Oslo</select></label>", 'select "City" "Oslo"'),
        ("<label><input type=checkbox> Gift</label>", 'check "Gift"'),
        ("<label>Day <input type=date></label>", 'type "Day" "2026-03-01"'),
        ("<button type=button>Go</button>", 'click "Go"'),
        ("<p>Plain</p>", 'hover "Plain"'),
        ("<x-field></x-field><script>document.querySelector('x-field').attachShadow({mode: 'open'}).innerHTML ="
         " '<label>Name <input></label>'</script>", 'type "Name" "Ada"'),
        (f"{FIELD}<button onclick='void 0'>Go</button><script>document.onclick = document.onmousemove = () => 0</script>",
         'type "Name" "Ada"'),
    ],
    ids=["input", "textarea", "clear", "select", "box", "date", "button", "hover", "shadow root", "other events"],
)  # fmt: skip
async def test_nothing_is_waited_for_where_nothing_can_react(oryn: Driver, body: str, line: str) -> None:
    await oryn.show(body)
    await oryn.ok("observe")
    give(oryn, GRACE)
    assert await patience(oryn, line) == 0


@pytest.mark.parametrize(
    "script",
    [
        f"field.oninput = () => {LATER}",
        f"field.setAttribute('onkeyup', `{LATER.replace('`', chr(92) + '`').replace('${', chr(92) + '${')}`)",
        f"field.addEventListener('focus', () => {LATER})",
        f"document.body.addEventListener('focusin', () => {LATER})",
        f"document.addEventListener('keydown', () => {LATER}, true)",
        f"window.addEventListener('input', {{ handleEvent() {{ {LATER} }} }})",
        f"document.addEventListener('selectionchange', () => {LATER})",
    ],
    ids=["field", "attribute", "focus", "ancestor", "document", "window", "selection"],
)
async def test_a_late_reaction_is_waited_for_wherever_the_page_listens(oryn: Driver, script: str) -> None:
    await oryn.show(f"{FIELD}<script>{script}</script>")
    await oryn.ok("observe")
    give(oryn, GRACE)
    assert HELLO in (await oryn.ok('type "Name" "Ada"')).partition("# meanwhile")[0]


async def test_a_late_reaction_to_leaving_the_field_before_is_waited_for(oryn: Driver) -> None:
    await oryn.show(
        f"{FIELD}<label>Mail <input></label><script>field.onblur = () => setTimeout(() => {{ out.textContent = 'Checked' }},"
        " 300)</script>"
    )
    await oryn.ok('type "Name" "Ada"')
    give(oryn, GRACE)
    assert '+ text "Checked"' in await oryn.ok('type "Mail" "a@b.example"')


async def test_a_late_reaction_of_a_component_around_the_field_is_waited_for(oryn: Driver) -> None:
    await oryn.show(
        "<x-form><label>Name <input></label></x-form><p id=out></p><script>customElements.define('x-form', class extends"
        " HTMLElement { constructor() { super(); const root = this.attachShadow({mode: 'closed'}); root.innerHTML ="
        " '<div><slot></slot></div>'; root.firstChild.oninput = () => setTimeout(() => { out.textContent = 'Heard' }, 300)"
        " } })</script>"
    )
    await oryn.ok("observe")
    give(oryn, GRACE)
    assert '+ text "Heard"' in await oryn.ok('type "Name" "Ada"')


async def test_what_a_style_shows_where_nothing_listens_is_told_when_it_has_come(oryn: Driver) -> None:
    await oryn.show(
        "<style>#more { visibility: hidden; opacity: 0; transition: all .4s } #gift:checked ~ #more { visibility: visible;"
        " opacity: 1 }</style><input type=checkbox id=gift aria-label=Gift><div id=more><label>Greeting <input></label></div>"
    )
    await oryn.ok("observe")
    assert '+ [2] input/text "Greeting"' in await oryn.ok('check "Gift"')


async def test_a_form_that_is_sent_is_waited_for_although_nothing_listens(oryn: Driver) -> None:
    oryn.pages["/next"] = "<h1>Next page</h1>"
    await oryn.show("<form action=/next><label>Name <input></label></form>")
    assert "Next page" in await oryn.ok('type "Name" "Ada" --enter')


TWO = f"{FIELD}<label>Mail <input id=mail></label>"


async def test_handlers_that_never_react_late_are_waited_for_once(oryn: Driver) -> None:
    await oryn.show(f"{TWO}<script>document.oninput = () => 0</script>")
    await oryn.ok("observe")
    give(oryn, GRACE)
    assert await seconds(oryn, 'type "Name" "Ada"') >= GRACE
    assert await patience(oryn, 'type "Mail" "a@b.example"') == 0


@pytest.mark.slow
async def test_what_a_handler_has_put_off_is_waited_for_although_it_never_did(oryn: Driver) -> None:
    await oryn.show(
        f"{TWO}<script>document.oninput = (event) => {{ if (event.target === mail) setTimeout(() => {{ mail.value = '' }}, 250)"
        " }</script>"
    )
    await oryn.ok("observe")
    give(oryn, 0.6)
    for name in ("Ada", "Eve", "Bob"):
        await oryn.ok(f'type "Name" "{name}"')
    assert '"Mail" holds nothing instead of' in await oryn('type "Mail" "a@b.example"')


@pytest.mark.slow
async def test_other_handlers_are_waited_for_anew(oryn: Driver) -> None:
    await oryn.show(f"{TWO}<script>field.oninput = () => 1; mail.oninput = () => 22</script>")
    await oryn.ok("observe")
    give(oryn, GRACE)
    assert await seconds(oryn, 'type "Name" "Ada"') >= GRACE
    assert await patience(oryn, 'type "Name" "Eve"') == 0
    assert await seconds(oryn, 'type "Mail" "a@b.example"') >= GRACE


@pytest.mark.slow
async def test_a_page_that_sets_timers_by_itself_is_given_less_after_two_actions(oryn: Driver) -> None:
    await oryn.show(
        f"{TWO}<script>let ticks = 0; document.oninput = () => 0; (function tick() {{ ticks++; setTimeout(tick, 5) }})();"
        "async function ticking() { for (let last = ticks; ticks < last + 5;) await new Promise(requestAnimationFrame) }</script>"
    )
    await oryn.ok("observe")
    give(oryn, GRACE)
    for line in ('type "Name" "Ada"', 'type "Mail" "a@b.example"'):
        assert await seconds(oryn, line) >= GRACE
        await oryn.session.page.evaluate("ticking()")
    assert await patience(oryn, 'type "Name" "Eve"') < 2 * PROMPT_SECONDS


@pytest.mark.slow
async def test_what_came_after_a_shortened_wait_gives_the_page_its_time_again(oryn: Driver) -> None:
    worker = "new Worker(URL.createObjectURL(new Blob(['onmessage = () => setTimeout(() => postMessage(1), 400)'])))"
    await oryn.show(
        f"{TWO}<script>const w = {worker}; let n = 0; w.onmessage = () => {{ out.textContent = `Answer ${{++n}}` }};"
        "document.oninput = () => { if (mail.value) w.postMessage(1) }</script>"
    )
    await oryn.ok("observe")
    give(oryn, GRACE)
    await oryn.ok('type "Name" "Ada"')
    assert "Answer 1" not in await oryn.ok('type "Mail" "a"')
    await until_changed(oryn, "Answer 1")
    own, _, before = (await oryn.ok('type "Name" "Eve"')).partition("# meanwhile")
    assert "Answer 1" in before
    assert "Answer" in own


async def test_without_a_grace_period_the_page_is_looked_at_once(oryn: Driver) -> None:
    await oryn.show(f"{FIELD}<script>field.oninput = () => {LATER}</script>")
    await oryn.ok("observe")
    give(oryn, 0)
    assert HELLO not in await oryn.ok('type "Name" "Ada"')
    await until_changed(oryn, "Hello Ada")
    assert HELLO in (await oryn.ok("press tab")).partition("# meanwhile")[2]
