"""Targets as answers print them and as people type them: a kind and a text, numbers in brackets, selectors as texts."""

from __future__ import annotations

import pytest

from tests.headless.conftest import Driver

FORM = """<nav><a href="#s" onclick="document.title = 'link'">Save</a></nav>
<div role=dialog aria-labelledby=t><h2 id=t>Import</h2><button onclick="document.title = 'dialog'">Save</button></div>
<section aria-label="Profile"><input type=email aria-label="E-mail"><input type=password aria-label="Password">
<button onclick="document.title = 'profile'" class=primary>Save</button>
<div role=switch aria-checked=false tabindex=0 aria-label="Updates" style="width:30px;height:20px" onclick="this.ariaChecked = 'true'"></div>
<div role=tab tabindex=0 onclick="document.title = 'tab'">Advanced</div>
<select aria-label=Size><option>S<option>XL</select></section>
<table><tr><td>1003<td><button onclick="document.title = 'row 1003'">Edit</button>
<tr><td>1004<td><button onclick="document.title = 'row 1004'">Edit</button></table>
<h3>Notes</h3><p role=alert>Saved at noon</p>"""


@pytest.mark.parametrize(
    ("target", "title"),
    [
        ('link "Save"', "link"),
        ('button "Save" in "Profile"', "profile"),
        ('button "Save" inside dialog "Import"', "dialog"),
        ('button/primary "Save" {primary}', "profile"),
        ('tab "Advanced"', "tab"),
        ('generic/tab "Advanced"', "tab"),
        ('button "Edit" in "1004"', "row 1004"),
        ('"Edit" in row "1003"', "row 1003"),
        ('button "Edit" near "1004"', "row 1004"),
    ],
)
async def test_a_kind_and_a_text_are_a_target(oryn: Driver, target: str, title: str) -> None:
    await oryn.show(FORM)
    answer = await oryn.ok(f"click {target}")
    assert f'~ title: "{title}"' in answer
    assert "# note" not in answer


@pytest.mark.slow
async def test_fields_by_their_kind(oryn: Driver) -> None:
    await oryn.show(FORM)
    await oryn.ok('type textbox "E-mail" "ada@example.org"')
    await oryn.ok('type input/password "Password" "x"')
    await oryn.ok('check switch "Updates"')
    await oryn.ok('select combobox "Size" "XL"')
    assert (await oryn.ok('value input/email "E-mail"')).endswith('"ada@example.org"')
    assert (await oryn.ok('value select "Size"')).endswith('"XL"')


@pytest.mark.parametrize(
    ("question", "yes"),
    [
        ('exists heading "Notes"', "yes"),
        ('exists button "Notes"', "no"),
        ('is visible alert "Saved"', "yes"),
        ('count button "Edit"', "2"),
        ('exists row "1003"', "yes"),
        ('exists dialog "Import"', "yes"),
        ('exists region "Profile"', "yes"),
        ('exists link "Edit"', "no"),
    ],
)
async def test_questions_by_kind(oryn: Driver, question: str, yes: str) -> None:
    await oryn.show(FORM)
    assert (await oryn.ok(question)).splitlines()[2] == yes


async def test_another_kind_of_that_name_is_noted(oryn: Driver) -> None:
    await oryn.show("<a href=# onclick=\"document.title = 'link'\">Sign in</a>")
    answer = await oryn.ok('click button "Sign in"')
    assert 'no button is called "Sign in": took [1] link "Sign in"' in answer and '~ title: "link"' in answer


async def test_a_number_in_brackets_is_the_element_of_that_number(oryn: Driver) -> None:
    await oryn.show("<button>Save</button><button onclick=\"document.title = 'two'\">Save</button>")
    await oryn.ok("observe")
    assert '~ title: "two"' in await oryn.ok('click [2] button "Save"')
    assert "nothing changed" in await oryn.ok("click [1]")


async def test_but_not_if_it_is_called_otherwise_now(oryn: Driver) -> None:
    await oryn.show("<button id=b onclick=\"document.title = 'pressed'\">Mute</button>")
    await oryn.ok("observe")
    await oryn.ok("eval \"b.textContent = 'Delete'\"")
    await oryn.ok("observe")
    assert (await oryn('click [1] button "Mute"')).startswith('error click [1] button "Mute": element not found')


async def test_a_kind_alone_is_the_only_element_of_it(oryn: Driver) -> None:
    await oryn.show("<button onclick=\"document.title = 'pressed'\">Save</button><input aria-label=Name>")
    assert '~ title: "pressed"' in await oryn.ok("click button")
    await oryn.show("<button>Save</button><button>Open</button>")
    answer = await oryn("click button")
    assert answer.startswith("error click") and '[1] button "Save"' in answer and '[2] button "Open"' in answer


NAMELESS = """<button onclick="document.title = 'icon'" style="width:30px;height:30px"></button>
<button onclick="document.title = 'save'">Save</button>
<p><input type=text></p><p><input type=text aria-label=Title></p>
<ul><li aria-label=Fruit><b>Apples</b> <a href=# onclick="document.title = 'apples'">Buy</a></li><li><b>Pears</b></li></ul>"""


@pytest.mark.slow
async def test_an_empty_text_means_what_is_called_nothing(oryn: Driver) -> None:
    await oryn.show(NAMELESS)
    printed = await oryn.ok("observe")
    assert 'input/text ""' in printed
    await oryn.ok('type input/text "" "cactus"')
    assert (await oryn.ok("eval \"document.querySelector('input').value\"")).endswith("| cactus")
    assert '~ title: "icon"' in await oryn.ok('click button ""')
    assert '~ title: "apples"' in await oryn.ok('click "Buy" in listitem "" contains "Apples"')
    assert (await oryn.ok('count button ""')).splitlines()[2] == "2"


async def test_if_nothing_is_called_nothing_it_is_any(oryn: Driver) -> None:
    await oryn.show("<button onclick=\"document.title = 'pressed'\">Save</button><input aria-label=Name>")
    assert '~ title: "pressed"' in await oryn.ok('click button ""')
    await oryn.show("<button>Save</button><button>Open</button>")
    answer = await oryn('click button ""')
    assert answer.startswith("error click") and '[1] button "Save"' in answer and '[2] button "Open"' in answer


async def test_a_kind_alone_prefers_no_element_without_a_name(oryn: Driver) -> None:
    await oryn.show(NAMELESS)
    answer = await oryn("click button")
    assert answer.startswith("error click") and "2 elements match" in answer


SELECTORS = """<p class=error hidden>No</p><p class=error>Card refused</p>
<button id=pay class="btn primary" onclick="document.title = 'paid'"><span>Pay</span></button>
<form><input name=q aria-label=Query></form>
<ul><li><a href=# onclick="document.title = 'first'">One</a></li><li><a href=# onclick="document.title = 'second'">Two</a></li></ul>
<my-box></my-box><script>customElements.define('my-box', class extends HTMLElement { constructor() { super();
this.attachShadow({mode: 'open'}).innerHTML = '<button part=go class=go>Go</button>';
this.shadowRoot.firstChild.onclick = () => { document.title = 'shadow' } } })</script>"""


@pytest.mark.parametrize(
    ("target", "title"),
    [
        ('"#pay"', "paid"),
        (".primary", "paid"),
        ("button.primary > span", "paid"),
        ('"#pay span"', "paid"),
        ("li:nth-child(2) > a", "second"),
        ("a:first-of-type inside li:first-child", "first"),
        (".go", "shadow"),
    ],
)
async def test_a_selector_is_a_target_if_no_text_fits(oryn: Driver, target: str, title: str) -> None:
    await oryn.show(SELECTORS)
    answer = await oryn.ok(f"click {target}")
    assert f'~ title: "{title}"' in answer


async def test_selectors_in_questions_and_waits(oryn: Driver) -> None:
    await oryn.show(SELECTORS)
    for question, yes in {
        'exists ".error"': "yes",
        "count .error": "2",
        'is visible ".error"': "yes",
        "is visible '#nothing'": "no",
        'text "#pay"': "| Pay",
        "value input[name=q]": '""',
    }.items():
        assert (await oryn.ok(question)).splitlines()[2] == yes, question
    assert (await oryn.ok("box button.primary")).endswith("visible, inside")
    await oryn.ok('wait visible ".error"')
    await oryn.ok("wait gone .spinner")
    await oryn.ok('type input[name=q] "oslo"')
    assert (await oryn.ok("value form > input")).endswith('"oslo"')


@pytest.mark.parametrize("name", ["#general", ".gitignore", "[draft]", "File > Open", "a:hover"])
async def test_a_text_comes_before_a_selector(oryn: Driver, name: str) -> None:
    await oryn.show(
        f"<button onclick=\"document.title = 'text'\">{name}</button><i id=general class=gitignore draft></i>"
        "<a href=# onclick=\"document.title = 'selector'\">Other</a>"
    )
    assert '~ title: "text"' in await oryn.ok(f'click "{name}"')
    assert (await oryn.ok(f'count "{name}"')).endswith("\n\n1")


async def test_what_a_paragraph_mentions_does_not_hide_what_is_selected(oryn: Driver) -> None:
    await oryn.show("<p>The class .error marks errors.</p><b class=error>a</b><b class=error>b</b>")
    assert (await oryn.ok('count ".error"')).endswith("\n\n2")


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        ("Daten\u00adschutz\u00adinfo", "Datenschutzinfo"),
        ("\u2068Order\u200b\u2069 12\ufeff", "Order 12"),
        ("Pay\u200dPal\u200c", "PayPal"),
        (
            "\U0001f468\u200d\U0001f469\u200d\U0001f467 Family \u2764\ufe0f",
            "\U0001f468\u200d\U0001f469\u200d\U0001f467 Family \u2764\ufe0f",
        ),
        ("می\u200cخواهم", "می\u200cخواهم"),
    ],
)
async def test_names_are_printed_as_people_see_them_and_typed_back(oryn: Driver, written: str, printed: str) -> None:
    await oryn.show(
        f"<ul><li><b>{written}</b> <button onclick=\"document.title = 'pressed'\">{written}</button>"
        f"<li><b>Other</b> <button>{written}</button></ul><select aria-label=Topic><option>-<option>{written}</select>"
    )
    seen = await oryn.ok("observe")
    assert f'[1] button "{printed}" in "{printed}"' in seen and f'options: "-" | "{printed}"' in seen
    assert f'button "{printed}"' in await oryn.ok("snapshot")
    assert '~ title: "pressed"' in await oryn.ok(f'click button "{printed}" in "{printed}"')
    await oryn.ok(f'select "Topic" "{printed}"')
    assert (await oryn.ok('exists button "' + printed + '"')).endswith("yes")
