"""Actions and the changes that they report."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.whole_browser

FORM = """<!doctype html><title>Join</title>
<form onsubmit="event.preventDefault(); done.hidden = false">
 <label>Name <input name="name" required></label>
 <label>Mail <input type="email" name="mail"></label>
 <label>Password <input type="password" name="secret"></label>
 <label>Country <select name="country"><option>France<option>Spain<option value="no">Norway</select></label>
 <label><input type="checkbox" name="news"> Newsletter</label>
 <label><input type="radio" name="size" value="s"> Small</label>
 <label><input type="radio" name="size" value="l"> Large</label>
 <textarea aria-label="Notes">old</textarea>
 <button>Join</button>
</form>
<p id="done" hidden>Welcome <a href="/next">Go on</a></p>"""


@pytest.mark.slow
async def test_an_observation_and_a_click_that_shows_something(oryn: Any) -> None:
    await oryn.show(FORM)
    assert await oryn("observe") == (
        f'@ {oryn.pages.url("")[7:]} "Join"\n\n'
        '[1] input/text "Name" {required}\n'
        '[2] input/email "Mail"\n'
        '[3] input/password "Password"\n'
        '[4] select "Country" options: "France" | "Spain" | "Norway"; value: "France"\n'
        '[5] checkbox "Newsletter" {unchecked}\n'
        '[6] radio "Small" {unchecked}\n'
        '[7] radio "Large" {unchecked}\n'
        '[8] textarea "Notes" value: "old"\n'
        '[9] button/submit "Join" {primary}\n\n'
        "# patterns\nlogin_form: email [2], password [3], submit [9]"
    )
    await oryn.ok('type "Name" "Ada"')
    assert await oryn('click "Join"') == ('ok click "Join"\n\n# changes\n+ text "Welcome Go on"\n+ [10] link "Go on"')
    assert await oryn("url") == f"ok url\n\n{oryn.pages.url('/')}"


@pytest.mark.slow
async def test_typing_replaces_appends_and_clears(oryn: Any) -> None:
    await oryn.show(FORM)
    assert await oryn('type "Name" "Ada Lövelace"') == (
        'ok type "Name" "Ada Lövelace"\n\n# changes\n~ [1] input/text "Name" {required, focused} value: "Ada Lövelace"'
    )
    await oryn.ok('type "Name" "!" --append')
    assert await oryn('value "Name"') == 'ok value "Name"\n\n"Ada Lövelace!"'
    await oryn.ok('type "Name" "Bob"')
    assert await oryn('value "Name"') == 'ok value "Name"\n\n"Bob"'
    await oryn.ok('clear "Name"')
    assert await oryn('value "Name"') == 'ok value "Name"\n\n""'
    await oryn.ok(r'type "Notes" "one\ntwo 🎉"')
    assert await oryn('value "Notes"') == 'ok value "Notes"\n\n' + r'"one\ntwo 🎉"'


async def test_a_password_is_never_repeated(oryn: Any) -> None:
    await oryn.show(FORM)
    answer = await oryn.ok('type "Password" "hunter2"')
    assert answer.startswith('ok type "Password" "••••"')
    assert "hunter2" not in answer + await oryn("observe")
    assert "hunter2" not in await oryn.ok('login "ada@example.org" "hunter2" --no-submit')


@pytest.mark.slow
async def test_boxes_and_choices(oryn: Any) -> None:
    await oryn.show(FORM)
    assert (
        await oryn('check "Newsletter"')
        == 'ok check "Newsletter"\n\n# changes\n~ [5] checkbox "Newsletter" {checked, focused}'
    )
    assert "it was checked already" in await oryn('check "Newsletter"')
    assert "{unchecked" in await oryn('uncheck "Newsletter"')
    answer = await oryn('check "Large"')
    assert '~ [7] radio "Large" {checked, focused}' in answer
    assert (await oryn('uncheck "Large"')).startswith("error uncheck")
    assert 'value: "Norway"' in await oryn('select "Country" "no"')
    assert 'value: "Spain"' in await oryn('select "Country" 1')
    assert (await oryn('select "Country" "Atlantis"')).startswith("error select")


@pytest.mark.slow
async def test_a_box_that_has_its_state_already_is_not_waited_for(oryn: Any) -> None:
    await oryn.show(FORM)
    await oryn.ok('check "Newsletter"')
    oryn.session.options = oryn.session.options.replace(settle_grace=600.0)  # longer than a test may take
    answer = await oryn('check "Newsletter" --timeout 600s')
    assert answer == 'ok check "Newsletter" --timeout 600s\n\n# note\nit was checked already'


@pytest.mark.slow
async def test_keys_reach_the_page(oryn: Any) -> None:
    await oryn.show(
        """<title>keys</title><input id=i><script>const seen = [];
        i.onkeydown = (event) => seen.push([event.key, event.code, event.ctrlKey, event.isTrusted].join(' '));</script>"""
    )
    await oryn.ok('focus css("#i")')
    for keys in ("a", "enter", "control+b", "arrowleft", "f5+shift"[:2]):
        await oryn.ok(f"press {keys}")
    seen = await oryn("eval \"seen.join('; ')\"")
    assert "a KeyA false true" in seen
    assert "Enter Enter false true" in seen
    assert "b KeyB true true" in seen
    assert "ArrowLeft ArrowLeft false true" in seen


@pytest.mark.slow
async def test_select_all_and_delete(oryn: Any) -> None:
    await oryn.show("<input id=i value='some words'>")
    await oryn.ok('focus css("#i")')
    await oryn.ok("press control+a")
    await oryn.ok("press delete")
    assert (await oryn('value css("#i")')).endswith('""')


@pytest.mark.slow
async def test_covering_element_is_named_in_the_error(oryn: Any) -> None:
    await oryn.show(
        """<button onclick="document.title = 'pressed'">Below</button>
        <div id=veil style="position: fixed; inset: 0; background: #0008">Please wait</div>"""
    )
    answer = await oryn('click "Below"')
    assert answer.startswith('error click "Below": not interactable: covered by ')
    assert "--force" in answer
    await oryn.ok('eval "veil.remove()"')
    await oryn.ok('click "Below"')
    assert await oryn("title") == 'ok title\n\n"pressed"'


@pytest.mark.slow
async def test_disabled_hidden_and_stale_elements_are_errors(oryn: Any) -> None:
    await oryn.show(
        """<button disabled>Off</button><button style="display: none">Gone</button>
        <button onclick="this.remove()">Vanish</button>"""
    )
    await oryn.ok("observe")
    assert "disabled" in await oryn('click "Off"')
    assert "not visible" in await oryn('click "Gone"')
    assert "- [2] button" in await oryn('click "Vanish"')
    answer = await oryn("click 2")
    assert answer.startswith("error click 2: ")
    assert "observe" in answer
    assert await oryn("click 99") == (
        "error click 99: element not found\n\n# hint\nAvailable elements: 1-2. Run 'observe' to refresh."
    )


async def test_a_number_as_answers_print_it_is_that_number(oryn: Any) -> None:
    await oryn.show("<button>Add</button>")
    assert "Run 'observe' first" in await oryn("click [1]")
    await oryn.ok("observe")
    assert await oryn.ok("click [1]")


@pytest.mark.slow
async def test_ambiguous_target_is_noted_and_rejected_with_strict(oryn: Any) -> None:
    await oryn.show(
        """<p>One <button onclick="document.title = 1">Delete</button></p>
        <p>Two <button onclick="document.title = 2">Delete</button></p>"""
    )
    await oryn.ok("observe")
    answer = await oryn('click "Delete"')
    assert '# note\n2 elements match "Delete": took [1] in "One", also [2] in "Two"' in answer
    assert await oryn("title") == 'ok title\n\n"1"'
    answer = await oryn('click "Delete" --strict')
    assert answer.startswith('error click "Delete" --strict: 2 elements match "Delete"')
    assert '[1] button "Delete"' in answer
    await oryn.ok('click "Delete" near "Two"')
    assert await oryn("title") == 'ok title\n\n"2"'


@pytest.mark.slow
async def test_relations(oryn: Any) -> None:
    await oryn.show(
        """<form aria-label="Login"><h2>Login</h2><input placeholder="Email"><button type=button onclick="document.title = 'login'">Go</button></form>
        <form><h2>Newsletter</h2><input placeholder="Email"><button type=button onclick="document.title = 'news'">Go</button></form>"""
    )
    await oryn.ok('click "Go" inside "Newsletter"')
    assert '"news"' in await oryn("title")
    await oryn.ok('click "Go" inside "Login"')
    assert '"login"' in await oryn("title")
    await oryn.ok('click "Go" after "Newsletter"')
    assert '"news"' in await oryn("title")
    await oryn.ok('click "Go" before "Newsletter"')
    assert '"login"' in await oryn("title")
    await oryn.ok('type "Email" inside "Newsletter" "ada@example.org"')
    assert (await oryn('eval "document.forms[1].elements[0].value"')).endswith("| ada@example.org")


@pytest.mark.slow
async def test_a_double_click_modifiers_and_buttons(oryn: Any) -> None:
    await oryn.show(
        """<button id=b>Press</button><script>
        for (const kind of ['dblclick', 'contextmenu', 'auxclick', 'click'])
          b.addEventListener(kind, (e) => { document.title += ` ${kind}:${e.button}:${e.shiftKey}:${e.isTrusted}`; e.preventDefault() })</script>"""
    )
    await oryn.ok("click Press --double")
    await oryn.ok("click Press --right")
    await oryn.ok("click Press --middle --shift")
    title = await oryn("title")
    assert "dblclick:0:false:true" in title
    assert "contextmenu:2:false:true" in title
    assert "auxclick:1:true:true" in title


@pytest.mark.slow
async def test_hover_focus_submit_and_scroll(oryn: Any) -> None:
    await oryn.show(
        """<style>nav ul { display: none } nav:hover ul { display: block }</style>
        <nav><span>Menu</span><ul><li><a href="#a">First</a></ul></nav>
        <form onsubmit="event.preventDefault(); document.title = 'sent'"><input aria-label="Query"></form>
        <div style="height: 4000px"></div><a href="#end">Footer</a>"""
    )
    assert '+ [4] link "First"' in await oryn('hover "Menu"')
    await oryn.ok('focus "Query"')
    assert "ok is focused" in await oryn('is focused "Query"')
    assert (await oryn('is focused "Query"')).endswith("yes")
    await oryn.ok("submit")
    assert '"sent"' in await oryn("title")
    await oryn.ok('scroll "Footer"')
    assert (await oryn('is visible "Footer"')).endswith("yes")
    assert "inside" in await oryn('box "Footer"')
    assert "\nat 0,0 of" in await oryn("scroll up --amount 99999")
    assert "\nat 0,300 of" in await oryn("scroll down --amount 300")


@pytest.mark.slow
async def test_a_masked_line_keeps_its_options(oryn: Any) -> None:
    await oryn.show("<form><input type=password></form>")
    assert (await oryn('type password "secret" --append --enter')).startswith(
        'ok type password "••••" --append --enter'
    )
