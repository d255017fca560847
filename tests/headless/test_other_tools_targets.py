"""Targets in the forms of other tools, from their documentation: each one is the element that it names there, or is refused
with the form that the language has; none is another element."""

from __future__ import annotations

import re
from typing import NamedTuple

import pytest

from oryn.errors import OrynError
from oryn.language import parse, quote
from oryn.language.json_codec import line_from_json
from oryn.language.vocabulary import api_vocabulary
from tests.headless.conftest import Driver

# Before each element stand others that a loose reading would take for it.
PAGE = """<link rel=icon href=data:,><title>nothing</title><body style="margin:0;font:12px sans-serif">
<nav id=nav-bar><a href="#a" data-is=password-link>Password</a> <a href="#a" data-is=home>Home</a>
<button data-is=save-as>Save as</button><button data-is=autosave aria-label="Autosave">A</button></nav>
<a href="#a" data-is=home-2>Home page</a><p data-is=search-text tabindex=0>Search</p>
<button data-is=save>Save</button> <button data-is=saving>Saving</button> <button data-is=sign-in>Sign in</button>
<label>Password hint <input data-is=hint></label><label>Password <input type=password data-is=password></label>
<input placeholder="name@example.com" data-is=mail name=email id=email> <input placeholder="Search plants" data-is=search>
<img alt="playwright logo" data-is=logo tabindex=0 width=20 height=20 src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">
<span title="Issues count" data-is=issues tabindex=0>25 issues</span>
<button data-testid=directions data-is=directions>Itinéraire</button><button data-testid=directions-2 data-is=directions-2>x</button>
<ul><li data-is=one><h3>Product 1</h3><button data-is=buy-1>Add to cart</button>
<li data-is=two><h3>Product 2</h3><button data-is=buy-2>Add to cart</button><button data-is=more-2>More</button>
<li data-is=three><h3>Product 20</h3><button data-is=buy-20>Add to cart</button><li data-is=out><h3>Product 3</h3>sold out</ul>
<label><input type=checkbox data-is=subscribe> Subscribe</label> <button aria-label="Close it" data-is=close>×</button>
<div tabindex=0 data-is=welcome-all>Welcome to all</div><div tabindex=0 data-is=welcome>Welcome</div>
<div tabindex=0 data-is=john>Welcome, John</div> <button class="btn primary" data-is=log-in>Log in</button>
<div id=card class=card tabindex=0 data-is=card>Playwright card</div>
<script>
for (const kind of ['click', 'focusin'])
  addEventListener(kind, (event) => {
    document.title = event.target.closest('[data-is]')?.dataset.is ?? 'elsewhere';
  }, true);
</script>"""


class Form(NamedTuple):
    text: str
    element: str | None
    """The `data-is` of the element; None for a form that is refused."""
    hint: str = ""
    """What the refusal says to write."""
    verb: str = "click"


PLAYWRIGHT = [  # https://playwright.dev/docs/locators, https://playwright.dev/docs/other-locators
    Form("page.getByRole('button', { name: 'Sign in' })", "sign-in"),
    Form('getByRole("button", { name: "Save", exact: true })', "save"),
    Form("page.getByRole('checkbox', { name: 'Subscribe' })", "subscribe"),
    Form("page.getByRole('button', { name: /^save$/i })", "save"),
    Form('page.get_by_role("button", name="Sign in")', "sign-in"),
    Form('page.get_by_role("button", name=re.compile("log in", re.IGNORECASE))', "log-in"),
    Form("page.getByRole('button', { name: 'Save', pressed: true })", None, 'button "Save"'),
    Form("page.getByLabel('Password', { exact: true })", "password"),
    Form('page.get_by_label("Password")', "password"),
    Form("page.getByPlaceholder('name@example.com')", "mail"),
    Form("page.getByText('Welcome, John')", "john"),
    Form("page.getByText('Welcome', { exact: true })", "welcome"),
    Form("page.getByText(/welcome, [A-Za-z]+$/i)", "john"),
    Form("page.getByAltText('playwright logo')", "logo"),
    Form("page.getByTitle('Issues count')", "issues"),
    Form("page.getByTestId('directions')", "directions"),
    Form("page.locator('css=button.primary')", "log-in"),
    Form("page.locator('xpath=//button[text()=\"Log in\"]')", "log-in"),
    Form("page.locator('//button[text()=\"Log in\"]')", "log-in"),
    Form("page.locator('#card')", "card"),
    Form(
        "page.getByRole('listitem').filter({ hasText: 'Product 2' }).getByRole('button', { name: 'Add to cart' })",
        "buy-2",
    ),
    Form(
        "page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'Product 2' }) })"
        ".getByRole('button', { name: 'Add to cart' })",
        "buy-2",
    ),
    Form(
        "page.getByRole('listitem').filter({ hasText: 'Product 3' }).getByRole('button', { name: 'Add to cart' })",
        None,
    ),
    Form("page.locator('button:has-text(\"Log in\")')", "log-in"),
    Form("page.locator('.card:has-text(\"Playwright\")')", None, '"Playwright" inside css(".card")'),
    Form("page.locator('#nav-bar >> text=Home')", "home"),
    Form("page.getByRole('button').nth(1)", None, "take its number"),
    Form("page.getByRole('button')", None, "number"),
    Form("page.locator('#email').fill('x')", None, 'type css("#email") "x"'),
    Form("page.frameLocator('#frame').getByText('Save')", None, 'frame css("#frame")'),
    Form("text=Log in", "log-in"),
    Form('text="Save"', "save"),
    Form(r"text=/Log\s*in/i", "log-in"),
    Form('role=button[name="Save"]', "save"),
    Form("role=button[name=/^sav(e|ing)$/i]", "save"),
    Form("role=checkbox[checked]", None, "checkbox"),
    Form("[data-testid=directions]", "directions"),
    Form("data-testid=directions", "directions"),
    Form('[aria-label="Close it"]', "close"),
]
AGENT_BROWSER = [  # https://github.com/vercel-labs/agent-browser#selectors
    Form("text=Sign in", "sign-in"),
    Form("xpath=//button[@data-is='save']", "save"),
    Form("#card", "card"),
    Form('testid("directions")', "directions"),
    Form('placeholder("Search plants")', "search"),
    Form('label("Password")', "password"),
    Form('alt("playwright logo")', "logo"),
]
SERVERS = [  # https://github.com/microsoft/playwright-mcp, https://github.com/ChromeDevTools/chrome-devtools-mcp
    Form("ref=e{reference}", "save"),
    Form("[ref=e{reference}]", "save"),
    Form("@e{reference}", "save"),
    Form('button "Save" [ref=e{reference}]', "save"),
    Form('button "Save" @e{reference}', "save"),
    Form('button "Sign in" @e{reference}', "sign-in"),  # of an older snapshot
    Form("e{reference}", None, "@e{reference}"),
    Form("ref=e9999", None, "snapshot"),
    Form("uid=1_5", None, "@e5"),
    Form("aria/Sign in", "sign-in"),
]
BROWSER_USE = [  # https://docs.browser-use.com, https://docs.stagehand.dev
    Form("index {number}", "save"),
    Form("index={number}", "save"),
    Form("[{number}]", "save"),
    Form("[{number}]<button>Save</button>", "save"),
    Form("[{number}]<button>Sign in</button>", "sign-in"),  # of an older observation
    Form("#{number}", None, "{number}"),
    Form("xpath=/html/body/button[1]", "save"),
    Form("/html/body/button[1]", "save"),
    Form('aria-label="Close it"', "close"),
    Form("/Sav(e|ing)$/", "save"),
    Form("/(a+)+$/", None, "[a-z]+"),
]
FORMS = [*PLAYWRIGHT, *AGENT_BROWSER, *SERVERS, *BROWSER_USE]


async def _filled(oryn: Driver, form: Form) -> Form:
    """Return the form with the numbers of `button "Save"`."""
    number = re.search(r'\[(\d+)\] button "Save"$', await oryn.ok("observe"), re.MULTILINE)
    reference = re.search(r'button "Save" @e(\d+)', await oryn.ok("snapshot"))
    assert number
    assert reference

    def fill(text: str) -> str:
        return text.replace("{number}", number[1]).replace("{reference}", reference[1])

    return form._replace(text=fill(form.text), hint=fill(form.hint))


async def _result(oryn: Driver, line: str) -> tuple[str | None, str]:
    """Return the element that a line has reached, None for an error; and the answer."""
    await oryn.session.execute(parse("focus css(body)"))
    await oryn.ok("eval \"document.title = 'nothing'\"")
    answer = await oryn.session.execute(parse(line))
    title = (await oryn.ok("title")).rpartition("\n")[2].strip('"')
    if answer.error is not None:
        assert title == "nothing", f"{line}: {answer.error} and {title}"
        return None, f"{answer.error} {answer.error.hint}"
    return title, answer.render()


def test_the_forms_are_of_four_peers() -> None:
    assert all((PLAYWRIGHT, AGENT_BROWSER, SERVERS, BROWSER_USE))
    assert len({form.text for form in FORMS}) >= 40


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.text)
async def test_a_form_is_its_element_or_refused_with_the_right_one(oryn: Driver, form: Form) -> None:
    await oryn.show(PAGE)
    form = await _filled(oryn, form)
    try:
        element, answer = await _result(oryn, f"click {form.text}")
    except OrynError as error:
        element, answer = None, f"{error} {error.hint}"
    if form.text in ("text=Log in", "text=Sign in", "aria/Sign in", "#card"):
        assert element is None  # two arguments, or a comment
        assert form.text != "#card" or 'quoted: "#card"' in answer
    else:
        assert element == form.element, answer
        assert form.hint in answer


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.text)
async def test_a_form_in_quotes_is_the_same(oryn: Driver, form: Form) -> None:
    await oryn.show(PAGE)
    form = await _filled(oryn, form)
    element, answer = await _result(oryn, f"click {quote(form.text)}")
    assert element == form.element, answer
    assert form.hint in answer


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.text)
async def test_a_form_as_data_is_the_same(oryn: Driver, form: Form) -> None:
    await oryn.show(PAGE)
    form = await _filled(oryn, form)
    try:
        line = line_from_json("click", {"target": form.text}, api_vocabulary()).canonical
        element, answer = await _result(oryn, line)
    except OrynError as error:
        element, answer = None, f"{error} {error.hint}"
    assert element == form.element, answer
    assert form.hint in answer


async def test_a_text_that_the_page_shows_is_that_text(oryn: Driver) -> None:
    await oryn.show("<button onclick=\"document.title = 'shown'\">text=Save</button><button>Save</button>")
    await oryn.ok('click "text=Save"')
    assert '"shown"' in await oryn.ok("title")


async def test_a_pattern_of_the_page_text_that_could_take_forever_is_refused(oryn: Driver) -> None:
    await oryn.show(f"<button>{'a' * 200}!</button>")
    for pattern in ("/(a+)+$/", "/(a|a)*$/", "/a*a*a*a*b/"):
        with pytest.raises(OrynError, match="regular expression"):
            parse(f"click {pattern}")
