"""`check` and `uncheck`: the state that was asked for, or an error that says what is true."""

from __future__ import annotations

from typing import Any

import pytest

from oryn.engine import Options

TRI_STATE = """<!doctype html><title>Rights</title>
<div role=checkbox aria-checked=mixed tabindex=0 id=all>All files</div>
<script>
const next = {CYCLE};
all.onclick = () => all.setAttribute('aria-checked', next[all.getAttribute('aria-checked')]);
</script>"""


async def value_of(oryn: Any, script: str) -> str:
    """What a script evaluates to, as the answer prints it."""
    answer: str = await oryn.ok(f'eval "{script}"')
    return answer.rpartition("\n\n| ")[2]


@pytest.mark.parametrize(
    "cycle",
    [
        "{mixed: 'true', true: 'false', false: 'true'}",
        "{mixed: 'false', true: 'false', false: 'true'}",
        "{mixed: 'true', true: 'false', false: 'mixed'}",
    ],
)
@pytest.mark.parametrize(("verb", "state"), [("check", "true"), ("uncheck", "false")])
async def test_a_box_that_is_partly_ticked_gets_the_state_that_is_asked_for(
    oryn: Any, cycle: str, verb: str, state: str
) -> None:
    await oryn.show(TRI_STATE.replace("{CYCLE}", cycle))
    await oryn.ok(f'{verb} "All files"')
    assert await value_of(oryn, "all.ariaChecked") == state


async def test_a_native_box_that_is_partly_ticked_is_not_checked_already(oryn: Any) -> None:
    await oryn.show(
        "<!doctype html><label><input type=checkbox id=a> Rows</label>"
        "<script>a.indeterminate = a.checked = true</script>"
    )
    await oryn.ok('uncheck "Rows"')
    assert await value_of(oryn, "a.checked || a.indeterminate") == "false"
    await oryn.ok('eval "a.indeterminate = true; 0"')
    assert (await oryn.ok('is checked "Rows"')).endswith("no")
    await oryn.ok('check "Rows"')
    assert await value_of(oryn, "a.checked && !a.indeterminate") == "true"


TOGGLES = {
    "a toggle button": '<button aria-pressed=false id=t onclick="flip(this, `ariaPressed`)">Bold</button>',
    "a box that says aria-pressed": """<p>In stock</p>
        <button role=checkbox aria-pressed=false id=t onclick="flip(this, `ariaPressed`)">Bold</button>""",
    "a switch": '<div role=switch aria-checked=false tabindex=0 id=t onclick="flip(this)">Bold</div>',
    "an item of a menu": """<ul role=menu><li role=menuitemcheckbox aria-checked=false tabindex=-1 id=t
        onclick="flip(this)">Bold<li role=menuitem tabindex=-1>Close</ul>""",
    "an option that is ticked": """<ul role=listbox aria-multiselectable=true><li role=option aria-checked=false
        aria-selected=false id=t onclick="flip(this)">Bold<li role=option aria-checked=false>Italic</ul>""",
    "an option that is chosen": """<ul role=listbox aria-multiselectable=true><li role=option aria-selected=false id=t
        onclick="flip(this, `ariaSelected`)">Bold<li role=option aria-selected=false>Italic</ul>""",
    "the box of a tree item": """<ul role=tree><li role=treeitem aria-checked=false aria-expanded=true id=t>
        <span role=checkbox aria-checked=false aria-label="Bold" onclick="flip(this); flip(t)">☐</span>
        <span onclick="chosen = true">Bold</span></ul>""",
    "a box in a shadow root": """<x-box id=t></x-box><script>customElements.define('x-box', class extends HTMLElement {
        connectedCallback() {
            this.ariaChecked = 'false';
            this.attachShadow({mode: 'open'}).innerHTML = '<label><input type=checkbox> Bold</label>';
            this.shadowRoot.querySelector('input').onchange = () => flip(this);
        }})</script>""",
    "a custom element with a state": """<x-check id=t tabindex=0 role=checkbox aria-checked=false>Bold</x-check><script>
        customElements.define('x-check', class extends HTMLElement {
            connectedCallback() { this.onclick = () => flip(this) }})</script>""",
}


@pytest.mark.parametrize("kind", TOGGLES)
async def test_what_is_on_or_off_is_checked_and_unchecked(oryn: Any, kind: str) -> None:
    await oryn.show(
        "<!doctype html><script>function flip(e, name = 'ariaChecked') { e[name] = e[name] !== 'true' }</script>"
        + TOGGLES[kind]
    )
    state = "[t.ariaChecked, t.ariaPressed, t.ariaSelected].includes('true')"
    for verb, after in (("check", "true"), ("uncheck", "false")):
        await oryn.ok(f'{verb} "Bold"')
        assert await value_of(oryn, state) == after
        assert (await oryn.ok('is checked "Bold"')).endswith("yes" if after == "true" else "no")
    assert "it was unchecked already" in await oryn.ok('uncheck "Bold"')


@pytest.fixture
def default_waits(oryn: Any) -> None:
    defaults = Options()
    oryn.session.options = oryn.session.options.replace(
        settle_grace=defaults.settle_grace, action_wait=defaults.action_wait
    )


SLOW = {
    "without a sign": "setTimeout(() => flip(t), 1800)",
    "busy": "t.ariaBusy = true; setTimeout(() => { flip(t); t.ariaBusy = false }, 3200)",
    "disabled": "t.ariaDisabled = true; setTimeout(() => { flip(t); t.ariaDisabled = false }, 3200)",
    "drawn anew": "setTimeout(() => { flip(t); const copy = t.cloneNode(true); t.replaceWith(copy) }, 900)",
}


@pytest.mark.slow
@pytest.mark.usefixtures("default_waits")
@pytest.mark.parametrize("kind", SLOW)
async def test_a_switch_that_is_slow_is_waited_for_and_pressed_once(oryn: Any, kind: str) -> None:
    await oryn.show(f"""<!doctype html><div role=switch aria-checked=false tabindex=0 id=t aria-label=Alerts
        style="width:40px;height:20px;background:#bbb"></div><script>
        presses = 0;
        function flip(e) {{ e.ariaChecked = e.ariaChecked !== 'true' }}
        t.onclick = () => {{ presses++; {SLOW[kind]} }};</script>""")
    answer = await oryn.ok('check "Alerts"')
    assert "{checked" in answer
    assert await value_of(oryn, "presses + ' ' + document.getElementById('t').ariaChecked") == "1 true"


REFUSED = {
    "controlled": "<label><input type=checkbox id=t onchange='setTimeout(() => t.checked = false, 20)'> Terms</label>",
    "prevented": "<label><input type=checkbox id=t onclick='return false'> Terms</label>",
    "dead": "<span role=checkbox aria-checked=false tabindex=0 id=t>Terms</span>",
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", REFUSED)
async def test_a_box_that_its_page_does_not_tick_is_an_error_with_what_has_changed(oryn: Any, kind: str) -> None:
    await oryn.show(f"""<!doctype html>{REFUSED[kind]}<p id=why role=status></p><script>
        t.addEventListener('click', () => {{ why.textContent = 'Read them first' }})</script>""")
    answer = await oryn.session.execute('check "Terms"')
    assert answer.error is not None
    assert answer.error.code == "NOT_DONE"
    assert answer.error.message == 'the page kept "Terms" unchecked'
    assert "radio" not in str(answer.error.hint)
    assert '+ status "Read them first"' in answer.render()
    assert any(change.data["change"] == "text" for change in answer.changes)


@pytest.mark.slow
async def test_only_a_radio_button_is_told_to_choose_another(oryn: Any) -> None:
    await oryn.show("""<!doctype html><label><input type=radio name=r checked> Small</label>
        <label><input type=radio name=r> Large</label><label><input type=checkbox checked onclick="return false"> Gift
        </label>""")
    assert "A radio can't be unchecked" in await oryn('uncheck "Small"')
    answer = await oryn('uncheck "Gift"')
    assert answer.startswith('error uncheck "Gift": the page kept "Gift" checked')
    assert "radio" not in answer


async def test_a_dialog_or_another_page_is_no_error(oryn: Any) -> None:
    oryn.pages["/next"] = "<!doctype html><title>Next</title><h1>Next</h1>"
    await oryn.show("""<!doctype html><label><input type=checkbox id=a
        onclick="if (!confirm('Sure?')) event.preventDefault()"> Ask</label>
        <label><input type=checkbox onclick="location = '/next'"> Leave</label>
        <label id=row><input type=checkbox onclick="event.preventDefault(); row.remove()"> Go</label>""")
    assert "dialog confirm" in await oryn.ok('check "Ask"')
    await oryn.ok("dialog dismiss")
    await oryn.ok('check "Go"')
    assert '"Next"' in await oryn.ok('check "Leave"')
