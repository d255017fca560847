"""The built-in intents on pages of many makes."""

from __future__ import annotations

from typing import Any

import pytest

LOGIN = """<title>In</title><form action=/home><label>Mail <input type=email name=m></label>
 <label>Password <input type=password name=p></label><button>Sign in</button></form>"""


@pytest.mark.slow
async def test_login(oryn: Any) -> None:
    oryn.pages["/home"] = "<title>Home</title><a href=/out>Log out</a>"
    oryn.pages["/out"] = "<title>Bye</title>"
    await oryn.show(LOGIN)
    answer = await oryn('login "ada@example.org" "pw"')
    assert answer.startswith('ok login "ada@example.org" "••••"')
    assert '"Home"' in answer
    assert '"Bye"' in await oryn("logout")
    assert (await oryn("logout")).startswith("error logout: ")
    assert (await oryn('login "a" "b"')).startswith("error login")


async def test_login_in_two_steps(oryn: Any) -> None:
    oryn.pages["/home"] = "<title>Home</title>"
    await oryn.show(
        """<title>In</title><div id=a><label>Username <input id=u></label><button onclick="a.remove(); b.hidden = false">Next</button></div>
        <form id=b hidden action=/home><label>Password <input type=password></label><button>Sign in</button></form>"""
    )
    assert '"Home"' in await oryn('login "ada" "pw"')


@pytest.mark.slow
async def test_search(oryn: Any) -> None:
    oryn.pages["/find"] = "<title>Results</title>"
    await oryn.show(
        "<form action=/find role=search><input type=search name=q aria-label=Search><button>Go</button></form>"
    )
    assert '"Results"' in await oryn('search "red shoes"')
    assert "q=red+shoes" in await oryn("url")
    await oryn.ok("back")
    assert '"Results"' in await oryn('search "blue" --submit click')
    assert (await oryn('search "x"')).startswith("error search")


@pytest.mark.slow
async def test_cookie_banner_and_modals(oryn: Any) -> None:
    await oryn.show(
        """<div id=cookie-consent style="position: fixed; bottom: 0">We use cookies <button onclick="this.parentNode.remove()">Accept all</button>
        <button onclick="this.parentNode.remove()">Reject</button></div>
        <div id=m role=dialog aria-modal=true aria-label="Newsletter" style="position: fixed; inset: 20%; background: #eee">
        <h2>Newsletter</h2><button aria-label=Close onclick="m.remove()">×</button></div><a href=#>Page</a>"""
    )
    assert "- [" in await oryn("dismiss modal")
    assert 'button "Accept all"' in (await oryn("accept_cookies"))
    assert (await oryn("accept_cookies")).startswith("error accept_cookies: no cookie banner")
    assert (await oryn("dismiss popups")).startswith("error dismiss")


async def test_dismiss_by_name(oryn: Any) -> None:
    await oryn.show(
        """<section id=s class=overlay style="position: fixed; inset: 10%; background: #fff"><h2>Special offer</h2>
        <button onclick="s.remove()">No thanks</button></section><button>No thanks</button>"""
    )
    assert '- [1] button "No thanks"' in await oryn('dismiss "Special offer"')


@pytest.mark.slow
async def test_scroll_until_on_a_page_that_grows(oryn: Any) -> None:
    await oryn.show(
        """<div id=l></div><script>let n = 0; const more = () => { for (let i = 0; i < 20; i++) l.insertAdjacentHTML('beforeend', `<p style="height: 80px"><a href=#>Row ${++n}</a></p>`) };
        more(); addEventListener('scroll', () => { if (n < 100 && innerHeight + scrollY > document.body.scrollHeight - 200) more() })</script>"""
    )
    await oryn.ok('scroll until "Row 87"')
    assert (await oryn('is visible "Row 87"')).endswith("yes")
    assert (await oryn('scroll until "Row 999"')).startswith("error scroll until")


TERMS = """<!doctype html><form><label>Name <input></label><label id=all>All <input type=checkbox></label>
    <label>Land <select><option>A<option>B</select></label><label>Note <input></label></form><script>
    document.querySelector('[type=checkbox]').indeterminate = true;</script>"""


async def test_fill_form_names_the_field_that_fails_and_says_what_is_done(oryn: Any) -> None:
    await oryn.show(TERMS)
    answer = await oryn.session.execute('fill_form {"Name": "Ada", "Land": "Z", "Note": "x"}')
    assert answer.error is not None
    assert answer.error.code == "OPTION_NOT_FOUND"
    assert answer.error.message.startswith('"Land": ')
    assert answer.notes == ['not filled in: "Note"']
    assert 'value: "Ada"' in answer.render()


@pytest.mark.slow
async def test_fill_form_is_not_done_if_a_box_stays_as_it_is(oryn: Any) -> None:
    await oryn.show(TERMS.replace("<input type=checkbox>", "<input type=checkbox onclick='return false'>"))
    answer = await oryn.session.execute('fill_form {"Name": "Ada", "All": true}')
    assert answer.error is not None
    assert (answer.error.code, answer.error.message) == ("NOT_DONE", 'the page kept "All" mixed')
    assert 'value: "Ada"' in answer.render()


@pytest.mark.usefixtures("default_grace")
async def test_fill_form_waits_for_what_a_page_clears_again(oryn: Any) -> None:
    await oryn.show("""<!doctype html><label>Town <input id=town></label><label>Name <input></label><script>
        town.onblur = () => setTimeout(() => { town.value = '' }, 150)</script>""")
    answer = await oryn.session.execute('fill_form {"Town": "Atlantis", "Name": "Ada"}')
    assert answer.error is not None
    assert answer.error.code == "NOT_DONE"
    assert answer.error.message.startswith('"Town"')
    assert 'value: "Ada"' in answer.render()


async def test_fill_form_knows_boxes_that_are_partly_ticked(oryn: Any) -> None:
    await oryn.show(TERMS)
    await oryn.ok('fill_form {"All": false}')
    assert (await oryn('is checked "All"')).endswith("no")


async def test_fill_form(oryn: Any) -> None:
    await oryn.show(
        """<form><label>Name <input></label><label><input type=checkbox> News</label><label>Land <select><option>A<option>B</select></label>
        <fieldset><legend>Size</legend><label><input type=radio name=size> Small</label><label><input type=radio name=size> Large</label></fieldset></form>"""
    )
    answer = await oryn('fill_form {"Name": "Ada", "News": true, "Land": "B", "Large": true}')
    assert 'value: "Ada"' in answer
    assert 'checkbox "News" {checked' in answer
    assert 'value: "B"' in answer
    assert 'radio "Large" {checked' in answer
    assert (await oryn('fill_form {"Name": "Bob", "Nope": "x"}')).startswith("error fill_form")
    assert (await oryn('value "Name"')).endswith('"Ada"')
