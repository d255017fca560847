"""What the answer of an action says about the page's reaction, whenever that comes."""

from __future__ import annotations

import threading

import pytest

from tests.headless.conftest import Driver, changes
from tests.web_sockets import echo_page, echo_server

GO = "<h1>Ferns</h1><button id=go>Go</button><div id=out>Step 1 of 3</div>"
SAY = "out.textContent = 'Saved 7 ferns'"
SAID = '~ text "Saved 7 ferns"'

pytestmark = pytest.mark.usefixtures("default_grace")


def meanwhile(answer: str) -> list[str]:
    return answer.partition("# meanwhile\n")[2].splitlines()


@pytest.mark.parametrize(
    "reaction",
    [
        SAY,
        f"setTimeout(() => {{ {SAY} }}, 60)",
        f"setTimeout(() => {{ {SAY} }}, 300)",
        f"fetch('/slow').then(() => {{ {SAY} }})",
        f"setTimeout(() => fetch('/slow').then(() => {{ {SAY} }}), 150)",
        f"out.setAttribute('aria-busy', 'true'); setTimeout(() => {{ out.removeAttribute('aria-busy'); {SAY} }}, 700)",
        f"out.innerHTML = '<p role=progressbar>'; setTimeout(() => {{ {SAY} }}, 700)",
        f"out.innerHTML = '<p class=app-spinner>…</p>'; setTimeout(() => {{ {SAY} }}, 700)",
    ],
    ids=["at once", "soon", "late", "request", "late request", "busy", "progress bar", "spinner"],
)
async def test_a_reaction_is_in_the_answer_of_the_action_that_caused_it(oryn: Driver, reaction: str) -> None:
    oryn.pages["/slow"] = "ok"
    await oryn.show(f"{GO}<button>Other</button><script>go.onclick = () => {{ {reaction} }}</script>")
    assert SAID in changes(await oryn.ok('click "Go"'))
    assert await oryn.ok('click "Other"') == 'ok click "Other"\n\n# note\nnothing changed'


async def test_a_reaction_to_typing_is_told_beside_the_value(oryn: Driver) -> None:
    await oryn.show(
        "<label>Find <input id=field></label><p id=out></p><script>let t; field.oninput = () => { clearTimeout(t);"
        "t = setTimeout(() => { out.textContent = `3 results for ${field.value}` }, 250) }</script>"
    )
    assert changes(await oryn.ok('type "Find" "fern"')) == [
        '~ [1] input/text "Find" {focused} value: "fern"',
        '+ text "3 results for fern"',
    ]


async def test_a_progress_bar_that_is_said_to_be_hidden_is_not_waited_for(oryn: Driver) -> None:
    await oryn.show(
        f"{GO}<script>go.onclick = () => {{ out.innerHTML = '<div role=progressbar aria-hidden=true></div><b>Card</b>' }}</script>"
    )
    assert await oryn.ok('click "Go"') == 'ok click "Go"\n\n# changes\n~ text "Card"'


async def test_options_that_come_in_a_live_region_are_no_messages(oryn: Driver) -> None:
    await oryn.show(
        f"{GO}<div aria-live=polite id=live></div><script>go.onclick = () => {{ live.innerHTML = '<div role=listbox>"
        "<div role=option>Ash</div></div>'; setTimeout(() => { live.textContent = '' }, 20) }</script>"
    )
    assert "status" not in await oryn.ok('click "Go"')


async def test_a_row_of_a_form_that_is_marked_as_wrong_is_no_message(oryn: Driver) -> None:
    await oryn.show(
        f"{GO}<script>go.onclick = () => {{ out.innerHTML = '<div class=errors><ul class=errorlist><li>Enter a number."
        "</ul><label>Price <input></label><p>In euros</p></div>' }</script>"
    )
    assert {'+ alert "Enter a number."', '+ text "In euros"'} <= set(changes(await oryn.ok('click "Go"')))


async def test_what_a_field_in_a_shadow_tree_lacks_is_told(oryn: Driver) -> None:
    await oryn.show(
        "<form><x-field aria-label=Name></x-field><button>Send</button></form><script>customElements.define('x-field',"
        " class extends HTMLElement { static formAssociated = true; constructor() { super(); this.attachShadow({mode:"
        " 'open', delegatesFocus: true}).innerHTML = '<input required>'; const input = this.shadowRoot.firstChild;"
        " this.attachInternals().setValidity({valueMissing: true}, input.validationMessage, input) } })</script>"
    )
    assert '+ alert "Name: Please fill out this field."' in changes(await oryn.ok('click "Send"'))


async def test_a_late_reaction_to_a_key_in_a_field_is_told_beside_the_value(oryn: Driver) -> None:
    await oryn.show(
        "<label>Find <input id=field></label><p id=out></p><script>let t; field.onkeyup = () => { clearTimeout(t);"
        "t = setTimeout(() => { out.textContent = `3 results for ${field.value}` }, 250) }</script>"
    )
    await oryn.ok('type "Find" "ferns"')
    assert changes(await oryn.ok("press backspace")) == [
        '~ [1] input/text "Find" {focused} value: "fern"',
        '~ text "3 results for fern"',
    ]


async def test_a_message_that_says_what_the_pressed_button_was_called_is_told(oryn: Driver) -> None:
    await oryn.show(
        f"{GO}<p id=live></p><script>go.onclick = () => {{ go.remove(); live.outerHTML = '<div role=alert>Go</div>' }}</script>"
    )
    assert changes(await oryn.ok('click "Go"')) == ['- [1] button "Go"', '+ alert "Go"']


async def test_what_fades_out_in_a_shadow_tree_is_gone_in_the_answer_that_closed_it(oryn: Driver) -> None:
    await oryn.show(
        f"{GO}<x-menu><button>Cut</button></x-menu><script>const menu = document.querySelector('x-menu'); menu.attachShadow("
        "{mode: 'open'}).innerHTML = '<div><slot></slot></div>'; go.onclick = () => { go.textContent = 'Done'; menu.shadowRoot"
        ".firstChild.animate([{opacity: 1}, {opacity: 0.1}], 700).onfinish = () => menu.remove() }</script>"
    )
    await oryn.ok("observe")
    assert changes(await oryn.ok('click "Go"')) == ['~ [1] button "Done" {focused}', '- [2] button "Cut"']


async def test_what_comes_between_two_commands_stands_apart(oryn: Driver) -> None:
    await oryn.show(
        f"{GO}<button id=other>Other</button><script>go.onclick = () => {{ go.textContent = 'Gone on'; window.later ="
        f" () => {{ {SAY}; other.insertAdjacentHTML('afterend', '<button>New</button>') }} }};"
        "other.onclick = () => { other.textContent = 'Pressed' }</script>"
    )
    await oryn.ok('click "Go"')
    await oryn.session.page.evaluate("later()")
    answer = await oryn.ok('click "Other"')
    assert changes(answer) == ['~ [2] button "Pressed" {focused}']
    assert meanwhile(answer) == [SAID, '+ [3] button "New"']
    assert meanwhile(await oryn.ok('click "New"')) == []


@pytest.mark.parametrize(
    ("page", "change", "told"),
    [
        ("<input id=f aria-label=Town>", "f.value = 'Ulm'", '~ [3] input/text "Town" value: "Ulm"'),
        ("<input type=checkbox id=f aria-label=All>", "f.checked = true", '~ [3] checkbox "All" {checked}'),
        ("<div id=f></div>", "f.attachShadow({mode: 'open'}).innerHTML = '<p>Saved</p>'", '+ text "Saved"'),
    ],
    ids=["value", "checked", "shadow root"],
)
async def test_what_makes_no_event_between_two_commands_stands_apart(
    oryn: Driver, page: str, change: str, told: str
) -> None:
    await oryn.show(f"{GO}<button>Other</button>{page}<script>go.onclick = () => {{ {SAY} }}</script>")
    assert changes(await oryn.ok('click "Go"')) == [SAID]
    await oryn.session.page.evaluate(f"void ({change})")
    answer = await oryn.ok('click "Other"')
    assert changes(answer) == []
    assert meanwhile(answer) == [told]


async def test_messages_come_first_and_toasts_that_vanish_are_told(oryn: Driver) -> None:
    await oryn.show(
        f"{GO}<div id=live aria-live=polite></div><p id=error class=form-error></p><script>go.onclick = () => {{"
        f" {SAY}; error.textContent = 'No such fern'; setTimeout(() => {{ live.textContent = 'Copied';"
        " setTimeout(() => { live.textContent = '' }, 20) }, 30); fetch('/slow') }</script>"
    )
    assert changes(await oryn.ok('click "Go"')) == ['+ alert "No such fern"', '+ status "Copied"', SAID]


async def test_a_log_that_is_read_aloud_is_told_entry_by_entry(oryn: Driver) -> None:
    await oryn.show(
        f"{GO}<div id=live role=log aria-live=assertive><div>2 options</div></div><script>go.onclick = () => {{"
        " const say = (text) => live.insertAdjacentHTML('beforeend', `<div>${text}</div>`); say('1 option');"
        " setTimeout(() => { say('None'); setTimeout(() => { live.innerHTML = '' }, 30) }, 30) }</script>"
    )
    assert changes(await oryn.ok('click "Go"')) == ['+ alert "1 option"', '+ alert "None"']


async def test_a_table_in_a_live_region_is_no_message(oryn: Driver) -> None:
    await oryn.show(
        f"{GO}<div aria-live=polite><table><tr><td>Cod<td>1<tr><td>Ash<td>2</table></div><script>go.onclick = () => {{"
        " const body = document.querySelector('tbody'); body.append(body.rows[0]); fetch('/slow') }</script>"
    )
    assert changes(await oryn.ok('click "Go"')) == ['~ order "Ash 2 | Cod 1"']


async def test_the_next_page_says_what_became_of_the_form(oryn: Driver) -> None:
    oryn.pages["/done"] = "<title>Ferns</title><p class=intro>All ferns</p><ul class=messages><li>Fern was saved.</ul>"
    await oryn.show("<form action=/done><button>Send</button></form>")
    answer = changes(await oryn.ok('click "Send"'))
    assert answer[0].startswith("@ ") and answer[1:] == ['+ status "Fern was saved."']


async def test_a_form_that_the_browser_does_not_send(oryn: Driver) -> None:
    await oryn.show("<form action=/next><label>Name <input name=n required></label><button>Send</button></form>")
    answer = changes(await oryn.ok('click "Send"'))
    assert any("invalid" in line and '"Name"' in line for line in answer)
    assert any(line.startswith('+ alert "Name: ') for line in answer)


async def test_what_a_field_is_described_by_is_an_alert_if_it_is_invalid(oryn: Driver) -> None:
    await oryn.show(
        "<label>Name <input id=field aria-describedby=why></label><p id=why>Any name</p><button id=go>Go</button>"
        "<script>go.onclick = () => { field.setAttribute('aria-invalid', 'true'); why.textContent = 'Too short' }</script>"
    )
    assert '~ alert "Too short"' in changes(await oryn.ok('click "Go"'))


@pytest.mark.parametrize(
    ("attribute", "on", "off"),
    [
        ("pressed", "pressed", "not pressed"),
        ("expanded", "expanded", "collapsed"),
        ("selected", "selected", "not selected"),
    ],
)
async def test_states_of_toggles_are_shown_and_their_end_too(oryn: Driver, attribute: str, on: str, off: str) -> None:
    await oryn.show(
        f"<button id=go aria-{attribute}=false>Go</button><script>go.onclick = () => go.setAttribute('aria-{attribute}',"
        f" go.getAttribute('aria-{attribute}') === 'false')</script>"
    )
    assert changes(await oryn.ok("click Go")) == [f'~ [1] button "Go" {{{on}, focused}}']
    assert f'[1] button "Go" {{{on}, focused}}' in await oryn.ok("observe")
    assert changes(await oryn.ok("click Go")) == [f'~ [1] button "Go" {{{off}, focused}}']


@pytest.mark.slow
async def test_a_place_that_changes_by_itself_is_no_reaction(oryn: Driver) -> None:
    await oryn.show(
        f"{GO}<p id=feed>0</p><script>let n = 0; setInterval(() => {{ feed.textContent = `Visitors: ${{++n}}` }}, 120)</script>"
    )
    await oryn.ok("observe")
    await oryn.ok('wait until "n > 8"')
    assert await oryn.ok('click "Go"') == 'ok click "Go"\n\n# note\nnothing changed'


async def test_text_that_is_rendered_anew_and_the_same_is_no_change(oryn: Driver) -> None:
    await oryn.show(
        f"{GO}<ul id=list></ul><script>let rows = ['Bern', 'Oslo']; const render = () => {{ list.innerHTML ="
        " rows.map((row) => `<li>${row}</li>`).join('') }; render();"
        " go.onclick = () => { rows.unshift('Aden'); render() }</script>"
    )
    assert changes(await oryn.ok('click "Go"')) == ['+ text "Aden"']


async def test_a_row_of_a_table_is_one_line(oryn: Driver) -> None:
    await oryn.show(
        f"{GO}<table><tr><td>Bern<td id=cell>4</table><script>go.onclick = () => {{ cell.textContent = 5 }}</script>"
    )
    assert changes(await oryn.ok('click "Go"')) == ['~ text "Bern 5"']


async def test_what_has_gone_is_told_if_nothing_else_is(oryn: Driver) -> None:
    await oryn.show(f"{GO}<p id=row>Old row</p><script>go.onclick = () => row.remove()</script>")
    assert changes(await oryn.ok('click "Go"')) == ['- text "Old row"']


@pytest.mark.parametrize(
    ("page", "change", "told"),
    [
        ("<input id=f aria-label=Town>", "f.value = 'Ulm'", '~ [2] input/text "Town" value: "Ulm"'),
        ("<input type=checkbox id=f aria-label=All>", "f.checked = true", '~ [2] checkbox "All" {checked}'),
        (
            "<style id=f></style><p hidden class=told>Saved</p>",
            "f.sheet.insertRule('.told { display: block !important }')",
            '+ text "Saved"',
        ),
        ("<div id=f></div>", "f.attachShadow({mode: 'open'}).innerHTML = '<p>Saved</p>'", '+ text "Saved"'),
        (
            "<x-told></x-told>",
            "customElements.define('x-told', class extends HTMLElement { constructor() {"
            " super(); this.attachShadow({mode: 'open'}).innerHTML = '<p>Saved</p>' } })",
            '+ text "Saved"',
        ),
    ],
    ids=["value", "checked", "style rule", "shadow root", "upgrade"],
)
async def test_a_late_change_that_makes_no_event(oryn: Driver, page: str, change: str, told: str) -> None:
    await oryn.show(f"{GO}{page}<script>go.onclick = () => setTimeout(() => {{ {change} }}, 200)</script>")
    assert changes(await oryn.ok('click "Go"')) == [told]


@pytest.mark.slow
async def test_a_box_that_the_page_unchecks_again(oryn: Driver) -> None:
    await oryn.show(
        "<input type=checkbox id=f aria-label=All>"
        "<script>f.onchange = () => setTimeout(() => { f.checked = false }, 200)</script>"
    )
    assert await oryn('check "All"') == (
        'error check "All": the page kept "All" unchecked\n\n# hint\nRun \'observe\' to see what the page asks for.'
    )


@pytest.mark.slow
async def test_a_page_that_stops_responding_after_an_action(oryn: Driver) -> None:
    await oryn.show(
        f"{GO}<script>go.onclick = () => setTimeout(() => {{"
        " const end = performance.now() + 4000; while (performance.now() < end); }, 200)</script>"
    )
    assert await oryn.ok('click "Go"') == 'ok click "Go"\n\n# note\nnothing changed'


async def test_a_picture_whose_file_has_not_come_yet(oryn: Driver) -> None:
    loaded = threading.Event()
    oryn.pages["/2.png"] = lambda _: (loaded.wait(60), (404, {}, ""))[1]
    await oryn.show(
        f"{GO}<img id=f src=/1.png width=40 height=40><script>go.onclick = () => {{ f.src = '/2.png?x' }}</script>"
    )
    told = await oryn.ok('click "Go"')
    loaded.set()
    assert changes(told) == ['~ image "2.png"']


async def test_a_toggle_that_only_changes_its_class(oryn: Driver) -> None:
    await oryn.show(f"{GO}<button>Other</button><script>go.onclick = () => go.classList.toggle('bk-active')</script>")
    assert changes(await oryn.ok('click "Go"')) == ['~ [1] button "Go" {active, focused}']
    assert changes(await oryn.ok('click "Go"')) == ['~ [1] button "Go" {not active, focused}']


async def test_a_class_that_says_active_is_not_all_of_the_reaction(oryn: Driver) -> None:
    script = f"go.onclick = () => {{ go.className = 'active'; setTimeout(() => {{ {SAY} }}, 200) }}"
    await oryn.show(f"{GO}<script>{script}</script>")
    assert changes(await oryn.ok('click "Go"')) == ['~ [1] button "Go" {active, focused}', SAID]


async def test_text_of_an_element_is_not_told_twice(oryn: Driver) -> None:
    await oryn.show(f"{GO}<script>go.onclick = () => {{ out.innerHTML = '<a href=/x>Fern 1</a>' }}</script>")
    assert changes(await oryn.ok('click "Go"')) == ['+ [2] link "Fern 1"']


@pytest.mark.slow
async def test_the_grace_period_is_a_setting(oryn: Driver) -> None:
    await oryn.show(f"{GO}<script>go.onclick = () => setTimeout(() => {{ {SAY} }}, 5000)</script>")
    oryn.session.options = oryn.session.options.replace(settle_grace=0.0)
    assert await oryn.ok('click "Go"') == 'ok click "Go"\n\n# note\nnothing changed'
    await oryn.show(f"{GO}<script>go.onclick = () => setTimeout(() => {{ {SAY} }}, 600)</script>")
    oryn.session.options = oryn.session.options.replace(settle_grace=5.0)
    assert changes(await oryn.ok('click "Go"')) == [SAID]


@pytest.mark.slow
@pytest.mark.parametrize("is_answered", [True, False])
async def test_the_answer_to_a_message_over_a_web_socket_is_waited_for(oryn: Driver, is_answered: bool) -> None:
    oryn.session.options = oryn.session.options.replace(settle_grace=0.1)
    async with echo_server(is_answered) as url:
        await oryn.show(echo_page(url))
        await oryn.ok("wait until \"document.title === 'Open'\"")
        told = await oryn.ok('click "Go"')
        await oryn.ok("goto about:blank")
    assert changes(told) == (['~ text "7 ferns saved"'] if is_answered else [])


@pytest.mark.slow
async def test_the_answer_to_a_message_is_waited_for_beside_an_address_that_changed_at_once(oryn: Driver) -> None:
    async with echo_server(True) as url:
        await oryn.show(echo_page(url))
        await oryn.ok("wait until \"document.title === 'Open'\"")
        await oryn.ok("eval \"void go.addEventListener('click', () => history.pushState({}, '', '/sent'))\"")
        told = await oryn.ok('click "Go"')
        await oryn.ok("goto about:blank")
    assert '~ text "7 ferns saved"' in changes(told)


async def test_a_menu_that_closes_is_one_line_after_what_the_click_changed(oryn: Driver) -> None:
    rows = "".join(f"<button role=menuitem onclick='pick(this)'>Fern {number}</button>" for number in range(30))
    await oryn.show(
        f"<div id=menu>{rows}</div><button id=open aria-expanded=true>Open</button><p id=out></p><script>"
        "function pick(row) { out.textContent = `Picked ${row.textContent}`; menu.remove();"
        "document.getElementById('open').setAttribute('aria-expanded', 'false') }</script>"
    )
    await oryn.ok("observe")
    assert changes(await oryn.ok('click "Fern 7"'))[-3:] == [
        '+ text "Picked Fern 7"',
        '~ [31] button "Open" {collapsed}',
        "- 29 elements: 1-7, 9-30",
    ]
    assert (await oryn("click 3")).startswith("error click 3: element")


SPOKEN = "<button id=go>Go</button>"


@pytest.mark.parametrize(
    ("page", "told"),
    [
        ("<input type=checkbox id=f aria-label=All><script>go.onclick = () => { f.indeterminate = true }</script>",
         '~ [2] checkbox "All" {mixed}'),
        ("<input id=f aria-label=Town><script>go.onclick = () => f.focus()</script>", '~ [2] input/text "Town" {focused}'),
        ("<a href=/2 id=f>Two</a><script>go.onclick = () => f.setAttribute('aria-current', 'page')</script>",
         '~ [2] link "Two" {current}'),
        ("<progress id=f max=40 value=10 aria-label=Upload></progress><script>go.onclick = () => { f.value = 20 }</script>",
         '~ text "Upload 50%"'),
        ("<meter id=f max=9 value=1 aria-label=Fuel></meter><script>go.onclick = () => { f.value = 7 }</script>",
         '~ text "Fuel 7 of 9"'),
        ("<div id=f role=progressbar aria-valuenow=10 aria-label=Job style='width: 90px; height: 9px'></div>"
         "<script>go.onclick = () => f.setAttribute('aria-valuenow', 70)</script>", '~ text "Job 70%"'),
        ("<div id=f></div><script>f.attachShadow({mode: 'open'}); go.onclick = () => f.shadowRoot.append('Bare')</script>",
         '+ text "Bare"'),
        ("<ul id=f><li>Cod</li><li>Bream</li><li>Ash</li></ul><script>go.onclick = () => f.append(f.firstChild)</script>",
         '~ order "Bream | Ash | Cod"'),
        ("<img id=f alt='Grey cat' width=40 height=40><script>go.onclick = () => { f.alt = 'Red fox' }</script>",
         '~ image "Red fox"'),
        ("<img id=f src=/1.png width=40 height=40><script>go.onclick = () => { f.src = '/2.png?x' }</script>",
         '~ image "2.png"'),
    ],
    ids=["mixed", "focus", "current", "progress", "meter", "progressbar", "shadow root", "order", "image", "file"],
)  # fmt: skip
async def test_what_has_no_new_element_is_reported_too(oryn: Driver, page: str, told: str) -> None:
    await oryn.show(SPOKEN + page)
    assert changes(await oryn.ok('click "Go"')) == [told]


@pytest.mark.parametrize(
    "style",
    [
        "#f {max-height: 0; overflow: hidden; transition: max-height .2s} #f.open {max-height: 90px}",
        "#f {position: fixed; right: 0; transform: translateX(100%); transition: transform .2s} #f.open {transform: none}",
        "#f {position: fixed; bottom: 0; transform: translateY(100%)} #f.open {transform: none}",
        "#f {position: absolute; left: -9999px} #f.open {left: 0}",
    ],
    ids=["folded", "drawer", "bottom sheet", "beside the page"],
)
async def test_text_that_comes_into_sight_is_new(oryn: Driver, style: str) -> None:
    await oryn.show(f"<style>{style}</style>{SPOKEN}<div id=f>Inside</div>"
                    "<script>go.onclick = () => f.classList.toggle('open')</script>")  # fmt: skip
    assert changes(await oryn.ok('click "Go"')) == ['+ text "Inside"']
    assert changes(await oryn.ok('click "Go"')) == ['- text "Inside"']


async def test_the_steps_of_a_late_reaction_are_reported_together(oryn: Driver) -> None:
    step = "setTimeout(() => { out.textContent = '%s'; %s }, 120)"
    await oryn.show(f"{GO}<script>go.onclick = () => {step % ('One', step % ('Two', step % ('Three', '')))}</script>")
    assert changes(await oryn.ok('click "Go"')) == ['~ text "Three"']


@pytest.mark.parametrize(
    "said",
    [
        "out.textContent = 'Loading…'",
        "out.innerHTML = '<p>Please wait...</p>'",
        "go.disabled = true; go.textContent = 'Saving…'",
        "out.innerHTML = '<svg class=turns width=9 height=9>'",
        "go.className = 'turning'",
        "document.body.style.cursor = 'wait'",
        "out.innerHTML = '<progress max=9></progress>'; let n = 0;"
        "setInterval(() => { if (out.firstChild.value !== undefined) out.firstChild.value = ++n }, 100)",
    ],
    ids=["text", "dots", "button", "animation", "pseudo-element", "mouse pointer", "progress bar"],
)
async def test_what_says_that_more_is_to_come_is_waited_for(oryn: Driver, said: str) -> None:
    style = ("@keyframes turn {to {transform: rotate(1turn)}} .turns, .turning::after {animation: turn 1s infinite}"
             ".turning::after {content: ''; display: inline-block; width: 9px; height: 9px}")  # fmt: skip
    await oryn.show(f"<style>{style}</style>{GO}<script>go.onclick = () => {{ {said}; setTimeout(() => {{"
                    "document.body.style.cursor = go.className = ''; go.textContent = 'Go';"
                    f"go.disabled = false; {SAY} }}, 800) }}</script>")  # fmt: skip
    assert changes(await oryn.ok('click "Go"')) == [SAID]


async def test_offers_that_end_with_dots_are_not_waited_for(oryn: Driver) -> None:
    await oryn.show(
        f"{GO}<script>go.onclick = () => {{ out.innerHTML = '<div role=menu><div role=menuitem tabindex=0>Open…</div></div>"
        "<button>Save as…</button>'; setTimeout(() => { document.title = 'late' }, 1300) }</script>"
    )
    await oryn.ok('click "Go"')
    assert "late" not in await oryn.ok('eval "document.title"')


@pytest.mark.slow
async def test_a_failed_request_is_noted_if_nothing_has_changed(oryn: Driver) -> None:
    await oryn.show(f"{GO}<script>go.onclick = () => fetch(`/nowhere?${{'x'.repeat(999)}}`)</script>")
    for _ in range(2):
        answer = await oryn.ok('click "Go"')
        assert "nothing changed\na request of the page failed: [" in answer and " GET 404 fetch " in answer
        assert len(answer) < 300
    await oryn.show(f"{GO}<script>fetch('/nowhere')</script>")
    await oryn.ok("wait idle")
    assert (await oryn.ok('click "Go"')).endswith("nothing changed")


async def test_an_error_of_the_page_is_noted_if_nothing_has_changed(oryn: Driver) -> None:
    await oryn.show(f"{GO}<script>go.onclick = () => {{ throw new Error('no rows') }}</script>")
    for _ in range(2):
        assert 'nothing changed\na script of the page failed: "Error: no rows" (errors)' in await oryn.ok('click "Go"')
    await oryn.show(f"{GO}<script>throw new Error('earlier')</script>")
    assert (await oryn.ok('click "Go"')).endswith("nothing changed")


async def test_what_a_filter_hides_is_reported(oryn: Driver) -> None:
    await oryn.show(
        "<input aria-label=Filter><ul><li>Oak</li><li>Elm</li><li>Ash</li></ul><script>const field = document.querySelector('input');"
        "field.oninput = () => { for (const each of document.querySelectorAll('li'))"
        "each.hidden = !each.textContent.includes(field.value) }</script>"
    )
    assert changes(await oryn.ok('type "Filter" "Elm"')) == [
        '~ [1] input/text "Filter" {focused} value: "Elm"', '- text "Oak"', '- text "Ash"',
    ]  # fmt: skip


async def test_text_right_in_details_that_a_script_opens(oryn: Driver) -> None:
    await oryn.show(
        "<details id=d><summary>More</summary>Hidden facts</details><button onclick='d.open ^= 1'>Go</button>"
    )
    assert changes(await oryn.ok('click "Go"')) == ['+ text "Hidden facts"', '~ [1] button "More" {expanded}']
    assert changes(await oryn.ok('click "Go"')) == ['~ [1] button "More" {collapsed}']


async def test_what_comes_into_an_item_that_is_expanded(oryn: Driver) -> None:
    await oryn.show(
        "<ul role=tree><li role=treeitem aria-expanded=false tabindex=0 id=item>project<ul role=group id=inner></ul></ul>"
        "<script>item.onclick = () => { item.setAttribute('aria-expanded', 'true');"
        " setTimeout(() => { inner.innerHTML = '<li role=treeitem>docs' }, 150) }</script>"
    )
    assert "docs" in " ".join(changes(await oryn.ok('click "project"'))[1:])


@pytest.mark.slow
async def test_a_number_that_counts_up_is_told_where_it_ends(oryn: Driver) -> None:
    script = """go.onclick = () => { const began = performance.now(); const step = () => {
        const share = Math.min(1, (performance.now() - began) / 700); out.textContent = Math.round(share * 1280);
        if (share < 1) requestAnimationFrame(step) }; step() }"""
    await oryn.show(f"{GO}<script>setTimeout(() => {{ window.rested = true }}, 600); {script}</script>")
    await oryn.ok('wait until "window.rested"')
    assert changes(await oryn.ok('click "Go"')) == ['~ text "1280"']


async def test_a_dialog_that_comes_after_its_backdrop_is_in_the_answer(oryn: Driver) -> None:
    await oryn.show(
        f"<style>#shade {{ position: fixed; inset: 0; opacity: 0; transition: opacity .3s; visibility: hidden }}"
        f" #shade.on {{ opacity: .5; visibility: visible }} #box {{ position: fixed; top: 9px }}</style>{GO}<div id=shade>"
        "</div><div id=box role=dialog hidden><h2>Really?</h2><button>Yes</button></div><script>"
        "go.onclick = () => shade.classList.add('on'); shade.ontransitionend = () => { box.hidden = false }</script>"
    )
    assert '+ heading "Really?"' in changes(await oryn.ok('click "Go"'))


async def test_another_order_names_only_what_has_moved(oryn: Driver) -> None:
    await oryn.show(
        f"{GO}<ul id=list><li>Aden<li>Bern<li>Oslo</ul><p>Other words</p><script>"
        "go.onclick = () => list.prepend(list.children[1])</script>"
    )
    assert changes(await oryn.ok('click "Go"')) == ['~ order "Bern | Aden"']


@pytest.mark.slow
async def test_the_time_that_is_left_of_a_message_is_no_message(oryn: Driver) -> None:
    await oryn.show(
        f"{GO}<div id=toast></div><script>let n = 4000; go.onclick = () => {{ toast.innerHTML = '<div role=alert>Saved"
        " <i role=timer id=left style=position:absolute;left:-999px></i></div>'; setInterval(() => {"
        " left.textContent = n -= 20 }, 20) }</script>"
    )
    assert changes(await oryn.ok('click "Go"')) == ['+ alert "Saved"']
    assert "# changes" not in await oryn.ok('click css("h1")')


@pytest.mark.parametrize(
    "box",
    [
        "<x-box id=box hidden>Saved 7 ferns</x-box>",
        "<div id=box hidden><p style='display:contents'>Saved 7 ferns</p></div>",
        "<x-box id=box hidden title='Saved 7 ferns'></x-box>",
    ],
    ids=["in a slot", "contents", "instead of what a slot takes"],
)
async def test_text_without_a_box_of_its_own_is_told(oryn: Driver, box: str) -> None:
    await oryn.show(
        f"{GO}{box}<script>for (const each of document.querySelectorAll('x-box')) each.attachShadow({{mode: 'open'}})"
        ".innerHTML = `<p><slot>${each.title}</slot></p>`; go.onclick = () => { box.hidden = false }</script>"
    )
    assert changes(await oryn.ok('click "Go"')) == ['+ text "Saved 7 ferns"']


async def test_slotted_text_that_is_folded_away_is_not_told(oryn: Driver) -> None:
    await oryn.show(
        f"{GO}<x-box id=box hidden>Folded words</x-box><script>const root = box.attachShadow({{mode: 'open'}});"
        "root.innerHTML = '<div style=\"height:0;overflow:hidden\"><slot></slot></div><button>Unfold</button>';"
        "root.lastChild.onclick = () => { root.firstChild.style.height = 'auto' };"
        "go.onclick = () => { box.hidden = false }</script>"
    )
    assert changes(await oryn.ok('click "Go"')) == ['+ [2] button "Unfold"']
    assert '+ text "Folded words"' in await oryn.ok('click "Unfold"')


async def test_what_a_dialog_had_hidden_is_one_line_when_it_is_back(oryn: Driver) -> None:
    await oryn.show(
        "<main id=main><button id=go>Go</button><button>Two</button><button>Three</button><button>Four</button>"
        "<button id=five>Five</button></main><div id=box role=dialog hidden><button id=ok>Yes</button></div><script>"
        "go.onclick = () => { box.hidden = false; main.inert = true };"
        "ok.onclick = () => { box.hidden = true; main.inert = false; five.disabled = true }</script>"
    )
    await oryn.ok("observe")
    await oryn.ok('click "Go"')
    assert changes(await oryn.ok('click "Yes"')) == [
        '- [6] button "Yes"',
        '+ [5] button "Five" {disabled}',
        "+ 4 elements again: 1-4",
    ]
    assert 'button "Five"' in await oryn.ok("observe")
    assert (await oryn.ok("observe --diff")).endswith("nothing changed")


@pytest.mark.slow
async def test_a_page_that_has_opened_a_tab_still_draws(oryn: Driver) -> None:
    """A tab behind another draws no frames; the current one stays in front."""
    await oryn.show(
        f"{GO}<a href=/ target=_blank>Terms</a><script>let runs = 0; go.onclick = () => {{ let frames = 0;"
        "const draw = () => ++frames < 5 ? requestAnimationFrame(draw) : out.textContent = `Run ${++runs} is done`;"
        "draw() }</script>"
    )
    assert "+ tab 2" in await oryn.ok('click "Terms"')
    assert changes(await oryn.ok('click "Go"')) == ['~ text "Run 1 is done"']
    await oryn.ok("tab close 2")
    await oryn.ok("tab new about:blank")
    await oryn.ok("tab close")
    assert changes(await oryn.ok('click "Go"')) == ['~ text "Run 2 is done"']


async def test_what_the_page_shows_of_a_value_elsewhere(oryn: Driver) -> None:
    await oryn.show(
        "<label>Town <input id=town></label><ul id=list></ul><script>town.onkeydown = (event) => {"
        "if (event.key === 'Enter') list.insertAdjacentHTML('beforeend', `<li>${town.value}</li>`) }</script>"
    )
    assert '+ text "Bern"' in changes(await oryn.ok('type "Town" "Bern" --enter'))


ROWS = "['Cod 3', 'Ash 1', 'Bream 2']"


@pytest.mark.parametrize(
    "page",
    [
        f"<ul id=it></ul><script>const rows = {ROWS}; const draw = () => {{ it.innerHTML = rows.map((row) => `<li>${{row}}</li>`).join('') }};",
        f"<div id=it></div><script>const rows = {ROWS}; const draw = () => {{ it.innerHTML = '<div class=list>' + rows.map((row) =>"
        " `<div class=row><div>${row.split(' ')[0]}</div><div>${row.split(' ')[1]}</div></div>`).join('') + '</div>' };",
        f"<table><tbody id=it><tr><td><td><tr><td><td><tr><td><td></table><script>const rows = {ROWS}; const draw = () => {{"
        " rows.forEach((row, at) => row.split(' ').forEach((cell, of) => { it.rows[at].cells[of].textContent = cell })) };",
        "<x-list id=it></x-list><script>customElements.define('x-list', class extends HTMLElement { });"
        f"it.attachShadow({{mode: 'open'}}); const rows = {ROWS}; const draw = () => {{ it.shadowRoot.innerHTML ="
        " rows.map((row) => `<p>${row}</p>`).join('') };",
    ],
    ids=["list", "rows of boxes", "cells that stay", "shadow root"],
)
async def test_an_order_is_told_however_the_page_draws_its_list(oryn: Driver, page: str) -> None:
    await oryn.show(f"<button id=go>Go</button>{page}draw(); go.onclick = () => {{ rows.sort(); draw() }}</script>")
    assert changes(await oryn.ok('click "Go"')) == ['~ order "Ash 1 | Bream 2 | Cod 3"']


@pytest.mark.parametrize(
    "then",
    [
        "<form>' + names.map((name) => `<div><div>${name}</div><input></div>`).join('') + '</form>",
        "<dl>' + names.map((name) => `<dt>${name}</dt><dd>-</dd>`).join('') + '</dl>",
        "<section>' + names.map((name) => `<article><h3>${name}</h3><button>Open</button></article>`).join('') + '</section>",
    ],
    ids=["form", "definitions", "cards"],
)
async def test_an_order_is_never_told_of_two_lists_that_say_the_same(oryn: Driver, then: str) -> None:
    await oryn.show(
        "<button id=go>Go</button><div id=out><div class=head><div>In stock</div><div>Name</div><div>Price</div></div></div>"
        f"<script>const names = ['Name', 'Price', 'In stock']; go.onclick = () => {{ out.innerHTML = '{then}' }}</script>"
    )
    answer = await oryn.ok('click "Go"')
    assert changes(answer)
    assert "order" not in answer


async def test_a_text_that_goes_over_to_another_list_is_told(oryn: Driver) -> None:
    await oryn.show(
        "<button id=go>Go</button><ul id=left><li>Ash<li>Birch<li>Cedar</ul><ul id=right><li>Date<li>Elm</ul><script>"
        "go.onclick = () => { left.innerHTML = '<li>Ash<li>Cedar'; right.innerHTML = '<li>Date<li>Birch<li>Elm' }</script>"
    )
    assert changes(await oryn.ok('click "Go"')) == ['~ text "Birch"']


@pytest.mark.parametrize(
    "busy",
    [
        "<div class=ant-spin-nested-loading><div class=ant-spin-container><p>7 ferns</p></div></div>",
        "<header><img class='logo loading' alt=Fern width=40 height=40><b class=brand-loading>Fern & Co</b></header><p>7 ferns</p>",
        "<div class='card skeleton-wrapper'><h3>Ferns</h3><p>7 ferns</p><button class=btn-loading>Save</button></div>",
        "<div class=loader-page><ul><li>7 ferns</ul></div>",
    ],
    ids=["wrapper", "logo", "card", "page"],
)
async def test_a_class_alone_is_not_busy(oryn: Driver, busy: str) -> None:
    await oryn.show(
        f"<button id=go>Go</button><div id=out></div><script>go.onclick = () => {{ out.innerHTML = `{busy}` }}</script>"
    )
    answer = await oryn.ok('click "Go"')
    assert "7 ferns" in answer
    assert "busy" not in answer


async def test_a_spinner_that_is_always_there_is_not_waited_for_when_the_page_draws_itself_anew(oryn: Driver) -> None:
    await oryn.show(
        "<style>@keyframes turn { to { rotate: 1turn } } .spinner { width: 20px; height: 20px; animation: turn 1s infinite }"
        "</style><button id=go>Go</button><div id=out></div><script>let count = 0; const draw = () => { out.innerHTML ="
        " `<div class=spinner></div><p>${count++} ferns</p>` }; draw(); go.onclick = draw</script>"
    )
    assert await oryn.ok('click "Go"') == 'ok click "Go"\n\n# changes\n+ text "1 ferns"'


@pytest.mark.slow
@pytest.mark.parametrize(
    "busy",
    ["<p class=spinner-border></p>", "<p class=box><i class=MuiSkeleton-root></i></p>", "<p role=progressbar></p>"],
    ids=["spinner", "placeholder", "progress bar"],
)
async def test_what_moves_without_an_end_is_waited_for(oryn: Driver, busy: str) -> None:
    await oryn.show(
        "<style>@keyframes turn { to { opacity: .4 } } p, i { width: 20px; height: 20px; display: block }"
        ".spinner-border, i { animation: turn 1s infinite }</style><button id=go>Go</button><div id=out></div><script>"
        f"go.onclick = () => {{ out.innerHTML = '{busy}'; setTimeout(() => {{ out.innerHTML = '<h2>7 ferns</h2>' }}, 1900) }}</script>"
    )
    assert changes(await oryn.ok('click "Go"')) == ['+ heading "7 ferns"']


SIDEBAR = (
    "side.innerHTML = Array.from({length: 45}, (_, at) => `<p>Text ${at}</p><a href='#${at}'>Menu ${at}</a>`).join('')"
)
FIELDS = "<h2>New collection</h2><p>Made for you</p><label>Name <input></label><button>Create</button>"


@pytest.mark.parametrize(
    "layer",
    [
        f"<div style='position: fixed; right: 0; top: 0; background: white'>{FIELDS}</div>",
        f"<dialog>{FIELDS}</dialog>",
        f"<div popover>{FIELDS}</div>",
        f"<div role=dialog aria-modal=true>{FIELDS}</div>",
        f"<div style='position: absolute; z-index: 9; top: 9px; right: 9px'><div>{FIELDS}</div></div>",
        f"<form>{FIELDS}</form>",
    ],
    ids=["drawer", "dialog", "popover", "role", "absolute", "form with the focus"],
)
async def test_what_opens_on_top_comes_first_when_lines_are_cut(oryn: Driver, layer: str) -> None:
    await oryn.show(
        f"<button id=go>Go</button><nav id=side style='position: fixed; left: 0; top: 40px; bottom: 0; overflow: auto'></nav><div id=host></div><script>"
        f"go.onclick = () => {{ {SIDEBAR}; host.innerHTML = `{layer}`; const layer = host.firstChild; layer.showModal?.();"
        "if (layer.popover) layer.showPopover(); layer.querySelector('input').focus() }</script>"
    )
    found = changes(await oryn.ok('click "Go"'))
    assert found[0] == '+ heading "New collection"'
    first = [line.partition("] ")[2] for line in found if line.startswith("+ [")][:3]
    name, create = [line for line in first if "dialog" not in line][:2]
    assert name == 'input/text "Name" {focused}'
    assert '"Create"' in create
    assert any("more; run 'observe'" in line for line in found)


async def test_a_shadow_root_that_opens_a_layer(oryn: Driver) -> None:
    await oryn.show(
        f"<button id=go>Go</button><div id=side></div><x-drawer></x-drawer><script>"
        f"const root = document.querySelector('x-drawer').attachShadow({{mode: 'open'}}); go.onclick = () => {{ {SIDEBAR};"
        f"root.innerHTML = `<div style='position: fixed; right: 0; top: 0'>{FIELDS}</div>` }}</script>"
    )
    found = [line for line in changes(await oryn.ok('click "Go"')) if line.startswith("+ [")]
    assert '"Name"' in found[0]
    assert '"Create"' in found[1]


async def test_what_went_and_came_with_the_same_name_is_one_line(oryn: Driver) -> None:
    await oryn.show(
        "<button id=go>Go</button><div id=out><div><p><button>Save</button></p></div></div><script>go.onclick = () => {"
        "out.innerHTML = '<section><form><button type=button>Save</button></form></section>' }</script>"
    )
    assert '[2] button "Save"' in await oryn.ok("observe")
    assert changes(await oryn.ok('click "Go"')) == ['+ [3] button "Save" (was [2])']
    assert await oryn.ok("observe --diff") == "ok observe --diff\n\nnothing changed"
