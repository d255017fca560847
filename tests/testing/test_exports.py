"""Tests exported: what is written, and that it passes on the page that the test was made from."""

from __future__ import annotations

import types
from typing import Any

import pytest

from oryn.browsers.chromium.discovery import find_browser
from oryn.demo.server import Shop
from oryn.errors import InvalidTest, InvalidValue
from oryn.testing.exports import FORMATS, export
from oryn.testing.test_file import RecordedTest, parse_test
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
    script, program = (export(recorded(), "a", format) for format in ("oil", "program"))
    assert 'click "Add to cart"\nwait url "http://localhost:4780/cart"\n' in script
    assert "click('Add to cart')\nwait(\"url\", 'http://localhost:4780/cart')\n" in program
    assert set(FORMATS) == {"playwright-python", "playwright-ts", "oil", "program"}


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
