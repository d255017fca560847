"""Tests exported: what is written, and that it passes on the page that the test was made from."""

from __future__ import annotations

import types
from pathlib import Path
from typing import Any

import pytest

from oryn.browsers.chromium.discovery import find_browser
from oryn.demo.server import Shop
from oryn.errors import InvalidTest, InvalidValue
from oryn.hosts.session_factory import sessions_of
from oryn.language import parse
from oryn.language.lexer import quote
from oryn.settings import load
from oryn.system import paths
from oryn.testing.exports import FORMATS, export
from oryn.testing.test_file import RecordedTest, parse_test
from tests.conftest import Run
from tests.testing.conftest import RunText

TEST = """oryntest 1
base: {base}

> goto {{{{base}}}}/plants/boston-fern
  @ /plants/boston-fern "Boston fern · Fernhill"
  = button "Fewer" {{disabled}}
  = text "€18"

> accept cookies
  - button "Accept cookies"
  - button "Only what is needed"

> click "More"
  target: button "More" after "Fewer"
  ~ status "2"
  ~ button "Fewer" {{enabled}}

> check "Remind me to water it"
  target: checkbox "Remind me to water it"
  ~ checkbox "Remind me to water it" {{checked}}
  + status "We will write to you."

> click "Add to cart"
  target: button/submit "Add to cart"
  @ /cart "Cart · Fernhill"
  = text "Boston fern 2 €36"
  = text "Total {{{{varies}}}}"
  ? = text "Somebody else looks at this"

> click "Check out"
  target: button "Check out"
  + heading "Place the order?"
  + select "Deliver" value: "Today"
  + checkbox "Wrap it as a gift"

> select "Deliver" "On Saturday"
  target: select "Deliver"
  ~ select "Deliver" value: "On Saturday"

> click "Place order"
  target: button/submit "Place order"
  @ /checkout "Thank you · Fernhill"
  = text "Order 1001 comes on Saturday."
"""


def recorded(base: str = "http://localhost:4780", text: str = TEST) -> RecordedTest:
    return parse_test(text.format(base=base))


def lines_of_export(test: RecordedTest, format: str) -> list[str]:
    """The lines of the language that run an export as `oil` or `program`."""
    text = export(test, "a", format)
    return [f"program --text {quote(text)} --timeout 2m"] if format == "program" else text.splitlines()


def test_elements_are_found_by_role_and_name_and_reports_are_asserted() -> None:
    text = export(recorded(), "buy a fern", "playwright-python")
    for line in (
        "def test_buy_a_fern(page: Page) -> None:",
        'page.goto(BASE + "/plants/boston-fern")',
        'find(page, lambda frame: frame.get_by_role("button", name="Add to cart", exact=True)).click()',
        'expect(page).to_have_url(BASE + "/cart")',
        'expect(page).to_have_title("Cart · Fernhill")',
        'find(page, *field("Deliver")).select_option("On Saturday")',
        'name="Remind me to water it", exact=True), *field("Remind me to water it"))).to_be_checked()',
    ):
        assert line in text
    assert "Somebody else" not in text
    compile(text, "exported", "exec")


def test_typescript_has_the_same_statements() -> None:
    text = export(recorded(), "buy a fern", "playwright-ts")
    for line in (
        'test("buy a fern", async ({ page }) => {',
        'await page.goto(BASE + "/plants/boston-fern");',
        'await (await find(page, (frame) => frame.getByRole("button", { name: "Add to cart", exact: true }))).click();',
        'await expect(page).toHaveURL(BASE + "/cart");',
        'await (await find(page, ...field("Deliver"))).selectOption("On Saturday");',
    ):
        assert line in text


def test_what_varies_is_a_pattern() -> None:
    text = 'oryntest 1\nbase: {base}\n\n> click "Send"\n  @ /orders/{{{{varies}}}} "Order {{{{varies}}}}"\n'
    exported = export(recorded(text=text), "a", "playwright-python")
    assert 'to_have_url(re.compile("\\\\/orders\\\\/.*?$"))' in exported
    assert 'to_have_title(re.compile("^Order .*?$"))' in exported


def test_a_field_without_a_name_is_found_by_its_place() -> None:
    text = 'oryntest 1\nbase: {base}\n\n> type textarea "" "select 1"\n  target: textarea after "Query" place 2\n'
    exported = export(recorded(text=text), "a", "playwright-python")
    assert 'frame.locator("textarea").filter(visible=True).nth(1)).fill("select 1")' in exported


def test_what_stands_in_a_row_is_found_there() -> None:
    text = 'oryntest 1\nbase: {base}\n\n> click link "View" near "Monstera"\n  target: link "View" in "2"\n'
    exported = export(recorded(text=text), "a", "playwright-python")
    row = 'inside(frame, "Monstera", lambda scope: scope.get_by_role("link", name="View", exact=True))'
    assert f"find(page, lambda frame: {row}).click()" in exported


def test_a_line_without_a_counterpart_is_refused_with_its_place() -> None:
    text = "oryntest 1\nbase: {base}\n\n> goto {{{{base}}}}/\n\n> throttle slow-3g\n"
    with pytest.raises(InvalidTest, match=r"a:6: throttle slow-3g can't be exported"):
        export(recorded(text=text), "a", "playwright-ts")
    assert "throttle slow-3g" in export(recorded(text=text), "a", "oil")
    with pytest.raises(InvalidValue):
        export(recorded(), "a", "selenium")


def test_the_same_lines_as_a_script_and_as_a_program() -> None:
    """A text that is a number is no number of an element; texts of several cells are one."""
    assert set(FORMATS) == {"playwright-python", "playwright-ts", "oil", "program"}
    script, program = (export(recorded(), "a", format) for format in ("oil", "program"))
    for lines in (
        'wait url "http://localhost:4780/cart"\nwait text "Boston fern 2 €36"\nwait text "Total *"\n',
        'click "More"\nwait text "2"\nwait enabled button "Fewer"\n',
        'click "Check out"\nwait text "Place the order?"\n\nselect "Deliver" "On Saturday"\n\n',
    ):
        assert lines in script
    for lines in (
        "click('Add to cart')\nwait_url('http://localhost:4780/cart')\nwait_text('Boston fern 2 €36')\n",
        "click('More')\nwait_text('2')\nwait('enabled', 'button \"Fewer\"')\n",
    ):
        assert lines in program
    assert "Somebody else" not in script + program


def test_a_script_waits_for_patterns_for_ends_and_for_answers() -> None:
    text = (
        'oryntest 1\nbase: {base}\nvary: price\n\n> exists "Ferns"\n  = result "no"\n\n'
        '> click "Send"\n  - dialog "Really?"\n  - button "Yes"\n'
        '  + alert "It costs €12 and much m…"\n  + button/submit "Undo"\n'
        '  + switch "Dark"\n  ~ url /sent/{{{{varies}}}}\n'
    )
    assert export(recorded(text=text), "a", "oil").splitlines()[2:] == [
        'exists "Ferns"',
        'wait gone "Ferns"',
        "",
        'click "Send"',
        'wait hidden dialog "Really?"',
        'wait text "It costs * and much m*"',
        'wait visible button/submit "Undo"',
        'wait url "http://localhost:4780/sent/*"',
    ]


def test_a_wait_for_a_text_is_a_check_in_playwright() -> None:
    text = 'oryntest 1\nbase: {base}\n\n> wait text "Order * comes"\n\n> wait text "Loading" --gone\n'
    exported = export(recorded(text=text), "a", "playwright-python")
    assert 'shows(page, "Order {{varies}} comes")' in exported and '"Loading")' not in exported


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.parametrize("is_program", [False, True])
def test_a_script_and_a_program_pass_in_the_shop(
    is_program: bool, run: Run[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ORYN_HOME", str(tmp_path / "home"))
    if is_program:
        pytest.importorskip("pydantic_monty")

    async def go(base: str) -> None:
        sessions = sessions_of(load({}, paths.find()))
        try:
            for line in lines_of_export(recorded(base), "program" if is_program else "oil"):
                answer = await sessions.execute_in("shop", parse(line), {})
                assert answer.ok, answer.render()
        finally:
            await sessions.close()

    with Shop(0) as shop:
        run(go(shop.url))


@pytest.mark.browser
def test_the_test_passes_in_oryn_and_its_export_in_playwright(run_text: RunText) -> None:
    sync_api = pytest.importorskip("playwright.sync_api")
    with Shop(0) as shop:
        outcome = run_text(TEST.format(base=shop.url))
        assert outcome.status == "passed", outcome
    with Shop(0) as shop, sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=["--no-sandbox"])
        module: Any = types.ModuleType("exported")
        exec(compile(export(recorded(shop.url), "shop", "playwright-python"), "exported", "exec"), module.__dict__)
        try:
            module.test_shop(browser.new_page())
        finally:
            browser.close()
