"""Reports compared: what is another outcome, another text, or nothing that anybody would miss."""

from __future__ import annotations

import pytest

from oryn.testing.comparison import Comparison, Severity, compare
from oryn.testing.expectation import parse

SAME, COSMETIC, TEXT, OUTCOME = Severity


def compared(expected: str, actual: str, *vary: str, exact: bool = False) -> Comparison:
    def lines(text: str) -> list[str]:
        return [line.strip() for line in text.strip().splitlines() if line.strip()]

    return compare(parse(lines(expected)), parse(lines(actual)), vary, exact=exact)


@pytest.mark.parametrize(
    ("expected", "actual", "severity", "sentence"),
    [
        # pages
        ('@ /cart "Cart"', '@ /login "Sign in"', OUTCOME, 'it led to /login "Sign in", instead of /cart "Cart"'),
        ('@ /cart "Cart"', '+ alert "No"', OUTCOME, 'the page stayed, instead of: /cart "Cart"'),
        ('+ status "Saved"', '@ /x "X"', OUTCOME, 'it led to another page, /x "X", instead of none'),
        ('@ /cart "Cart"', '@ /cart "Basket"', TEXT, 'the page /cart is titled "Basket", instead of "Cart"'),
        ('@ /cart?page=2 "Cart"', '@ /cart?page=3 "Cart"', TEXT,
         "the address is /cart?page=3, instead of /cart?page=2"),
        ('@ /cart "Cart"', '@ /cart?ref=1 "Cart"', COSMETIC, "the address is /cart?ref=1, instead of /cart"),
        ('@ /cart "Cart"', '~ url /cart\n~ title "Cart"', COSMETIC, "the address is reached otherwise"),
        ('@ /#/cart "Shop"', '@ /#/login "Shop"', OUTCOME, 'it led to /#/login "Shop", instead of /#/cart "Shop"'),
        ('@ /checkout "Thanks"\n= link "Home"', '@ /checkout\n+ heading "Oh"\n! request POST /checkout "500"', OUTCOME,
         "the request POST /checkout failed: 500"),
        # messages
        ('+ status "Saved"', '+ status "Could not be saved"', OUTCOME,
         'the status "Could not be saved" is there, instead of "Saved"'),
        ('+ status "Saved"\n+ text "A"', '+ text "A"', OUTCOME, 'the status "Saved" has not come'),
        ('+ text "A"', '+ text "A"\n+ alert "Not saved"', OUTCOME,
         'there is an alert "Not saved", which was not expected'),
        ('+ status "Saved!"', '+ status "Saved"', COSMETIC, 'the status "Saved!" is written otherwise: "Saved"'),
        ('+ status "Saved"', '+ text "Saved"', COSMETIC, 'the status "Saved" is there, but of another kind'),
        ('+ dialog confirm "Sure?"', '+ dialog alert "Sure?"\n~ button "x"', OUTCOME,
         'the dialog confirm "Sure?" has not come'),
        # states and values
        ('~ checkbox "Gift" {checked}', '~ checkbox "Gift"', OUTCOME,
         'the checkbox "Gift" is as it was, instead of checked'),
        ('~ checkbox "Gift" {checked}\n+ text "A"', '+ text "A"', OUTCOME,
         'the checkbox "Gift" did not become checked'),
        ('~ select "When" value: "Today"', '~ select "When" value: "Never"', OUTCOME,
         'the select "When" holds "Never", instead of "Today"'),
        ('~ input "Name"', '~ input "Name" {invalid}', OUTCOME, 'the input "Name" is invalid, instead of as it was'),
        ('+ text "A"', '+ text "A"\n~ input "Name" {invalid}', OUTCOME, 'there is an input "Name", which is invalid'),
        # what comes and goes
        ('+ button "Pay"\n+ text "A"', '+ text "A"', OUTCOME, 'the button "Pay" has not come'),
        ('+ generic "Row 3"\n+ text "A"', '+ text "A"', TEXT, 'the generic "Row 3" has not come'),
        ('+ text "10 - 5"', '+ text "10 – 5"', SAME, None),
        ('+ text "at home, again"', '+ text "at home — again"', COSMETIC,
         'the text "at home, again" is written otherwise: "at home — again"'),
        ('+ text "Balance 5"', '+ text "Balance -5"', TEXT, 'the text "Balance -5" is there, instead of "Balance 5"'),
        ('+ button "Pay now"', '+ button "Pay today"', TEXT, 'the button "Pay today" is there, instead of "Pay now"'),
        ('+ button "Pay"', '+ link "Pay"', COSMETIC, 'the button "Pay" is a link now'),
        ('- dialog "Import"\n+ text "A"', '+ text "A"', OUTCOME, 'the dialog "Import" has not gone'),
        ('- button "A"\n+ text "A"', '+ text "A"', TEXT, 'the button "A" has not gone'),
        ('+ text "Total €36"', '+ text "Total €37"', TEXT, 'the text "Total €37" is there, instead of "Total €36"'),
        ('+ text "A"', '+ text "A"\n+ button "B"', COSMETIC, 'not expected: + button "B"'),
        ('+ text "A"', "", OUTCOME, 'nothing changed, instead of: + text "A"'),
        ('+ text "A"\n? + text "B"', '+ text "A"', SAME, None),
        # failures
        ('+ text "A"', '! error NOT_FOUND "element not found"', OUTCOME, "the step failed: element not found"),
        ('! error NOT_FOUND "element not found"', '+ text "A"', OUTCOME,
         "the step worked, though it was expected to fail: element not found"),
        ('+ text "A"', '+ text "A"\n! request POST /save "500"', OUTCOME, "the request POST /save failed: 500"),
        ('+ text "A"', '+ text "A"\n! request GET https://ads.example/ "500"', COSMETIC,
         "the request GET https://ads.example/ failed: 500"),
        ('+ text "A"', '+ text "A"\n! console "TypeError: x"', TEXT, 'a script of the page failed: "TypeError: x"'),
        ('+ text "A"', '+ text "A"\n! slow GET /rows "8 s"', TEXT, "the answer to GET /rows took 8 s"),
        # results
        ('= result "18"', '= result "19"', OUTCOME, 'the result is "19", instead of "18"'),
        # what another document shows
        ('@ /a "A"\n= text "Fern €18"', '@ /a "A"', TEXT, 'the text "Fern €18" is missing'),
        ('@ /a "A"\n= button "Buy" {disabled}', '@ /a "A"\n= button "Buy"', OUTCOME,
         'the button "Buy" is as it was, instead of disabled'),
        ('@ /a "A"\n= text "B"\n= text "C"', '@ /a "A"\n= text "C"\n= text "B"', SAME, None),
    ],
)  # fmt: skip
def test_the_worst_difference(expected: str, actual: str, severity: Severity, sentence: str | None) -> None:
    found = compared(expected, actual)
    assert (found.severity, found.first and found.first.sentence) == (severity, sentence)


def test_a_text_is_an_outcome_where_the_step_is_exact() -> None:
    assert compared('+ text "€36"', '+ text "€37"', exact=True).severity == OUTCOME


@pytest.mark.parametrize(
    ("expected", "actual", "vary"),
    [
        ('+ text "Order 1001 placed"', '+ text "Order 1002 placed"', "order number"),
        ('+ text "Order no. A-17 placed"', '+ text "Order no. B-18 placed"', "order number"),
        ('+ text "Placed on 30 Nov 2026"', '+ text "Placed on 1 December 2026"', "date"),
        ('+ text "Placed 2026-11-30"', '+ text "Placed 2026-12-01"', "date"),
        ('+ text "at 11:59 pm"', '+ text "at 0:01 am"', "time"),
        ('+ text "3 minutes ago"', '+ text "just now"', "time"),
        ('+ text "Total €36.50"', '+ text "Total €1,037"', "price"),
        ('@ /orders/1001 "Order"', '@ /orders/1002 "Order"', "number"),
        ('+ text "Order {{varies}} of {{varies}}"', '+ text "Order 1 of today"', ""),
    ],
)
def test_what_is_declared_to_vary_is_no_difference(expected: str, actual: str, vary: str) -> None:
    assert compared(expected, actual, vary).severity == SAME
    if vary:
        assert compared(expected, actual).severity > COSMETIC


def test_only_what_is_declared_varies() -> None:
    assert compared('+ text "Order 1001 of Ada"', '+ text "Order 1002 of Bob"', "order number").severity == TEXT
    assert compared('+ text "Total €36"', '+ text "Total €37"', "date", "time").severity == TEXT
