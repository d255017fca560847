"""A test runs in a browser: its preparation, its steps, and what they are compared with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from oryn.demo.server import Shop
from oryn.errors import PreparationFailed
from oryn.testing.comparison import Severity
from tests.testing.conftest import RunText

pytestmark = pytest.mark.browser

HEAD = "oryntest 1\nbase: {}\n"


@pytest.mark.slow
def test_a_test_of_the_shop_passes(run_text: RunText, shop: Shop) -> None:
    outcome = run_text(
        HEAD.format(shop.url)
        + """
> goto {{base}}/plants/boston-fern
  @ /plants/boston-fern "Boston fern · Fernhill"

> click button "Add to cart"
  @ /cart "Cart · Fernhill"

> text "Total"
"""
    )
    assert outcome.status == "passed" and len(outcome.steps) == 3, outcome
    assert max(step.comparison.severity for step in outcome.steps) < Severity.TEXT


@pytest.mark.slow
def test_the_first_failing_step_ends_the_test_and_shows_the_page(run_text: RunText, shop: Shop, tmp_path: Path) -> None:
    outcome = run_text(
        HEAD.format(shop.url) + '\n> goto {{base}}/\n\n> click button "Buy all"\n\n> refresh\n',
        pictures=tmp_path / "pictures",
    )
    assert outcome.status == "failed" and len(outcome.steps) == 2
    failed = outcome.failed
    assert failed is not None and failed.step.number == 6 and failed.line == 'click button "Buy all"'
    assert failed.after is not None
    pictures = [each for each in (failed.before, failed.after) if each is not None]  # the first may not be there yet
    assert all(each.read_bytes().startswith(b"\xff\xd8") for each in pictures)


def test_a_preparation_that_fails_is_no_pass(run_text: RunText, shop: Shop) -> None:
    for head, message in (
        ("state: missing.json", "state load"),
        ("seed: echo no database; exit 3", "exit code 3: no database"),
    ):
        outcome = run_text(f"{HEAD.format(shop.url)}{head}\n> goto {{{{base}}}}/\n")
        assert outcome.status == "unprepared" and isinstance(outcome.error, PreparationFailed) and not outcome.steps
        assert message in outcome.error.message


@pytest.mark.slow
def test_a_login_that_has_expired_is_said(run_text: RunText, shop: Shop, tmp_path: Path) -> None:
    state = {"cookies": [], "origins": [{"origin": shop.url, "localStorage": [{"name": "a", "value": "b"}]}]}
    (tmp_path / "login.json").write_text(json.dumps(state), encoding="utf-8")
    text = f'{HEAD.format(shop.url)}state: login.json\n\n> goto {{{{base}}}}/login\n  @ / "Plants · Fernhill"\n'
    outcome = run_text(text, patience=0.1)
    assert outcome.status == "failed"
    assert outcome.notes == ["the page asks for a password: the login in login.json may have expired"]


def test_a_page_that_is_gone_is_a_failure(run_text: RunText, shop: Shop) -> None:
    outcome = run_text(f'{HEAD.format("http://localhost:9")}\n> goto {{{{base}}}}/\n  @ / "Plants"\n', patience=0.1)
    assert outcome.status == "failed" and outcome.failed is not None
    assert "the step failed" in outcome.failed.comparison.mismatches[0].sentence


def test_a_base_is_needed_and_can_be_another(run_text: RunText, shop: Shop) -> None:
    text = 'oryntest 1\n> goto {{base}}/\n  @ / "Plants · Fernhill"\n'
    assert run_text(text).status == "unprepared"
    assert run_text(text, base=shop.url).status == "passed"


@pytest.mark.slow
def test_commands_of_the_shell_run_before_and_after_in_the_tests_folder(
    run_text: RunText, shop: Shop, tmp_path: Path
) -> None:
    head = 'seed: printf "$ORYN_BASE_URL" > seeded\ncleanup: rm seeded && touch cleaned\n'
    text = f'{HEAD.format(shop.url)}{head}\n> goto {{{{base}}}}/\n\n> click button "Buy all"\n'
    outcome = run_text(text)
    assert outcome.status == "failed" and not outcome.notes
    assert (tmp_path / "cleaned").exists() and not (tmp_path / "seeded").exists()


@pytest.mark.slow
def test_the_clock_of_the_pages_begins_where_the_test_says(run_text: RunText, shop: Shop) -> None:
    head = "clock: 2031-05-06T12:00:00Z\nlocale: de-DE\ntimezone: Asia/Tokyo\nviewport: 800x600\n"
    values = (
        "new Date().getFullYear()",
        "Date.now() > 1e12",
        "new Date(2000, 1).getFullYear()",
        "typeof Date()",
        "new Date() instanceof Date",
        "new Intl.DateTimeFormat('en', {year: 'numeric'}).format()",
        "innerWidth",
        "navigator.language",
        "new Date().getTimezoneOffset()",
    )
    steps = f'\n> goto {{{{base}}}}/\n\n> eval "[{", ".join(values)}].join()"\n'
    outcome = run_text(HEAD.format(shop.url) + head + steps)
    assert outcome.status == "passed", outcome
    assert outcome.steps[-1].report.render() == ['= result "2031,true,2000,string,true,2031,800,de-DE,-540"']


@pytest.mark.slow
def test_what_comes_late_is_waited_for(run_text: RunText, shop: Shop) -> None:
    script = "document.body.insertAdjacentHTML('afterbegin', '<p role=status>Ready</p>')"
    steps = f'\n> goto {{{{base}}}}/\n\n> eval "setTimeout(() => {script}, 900)"\n  + status "Ready"\n'
    text = HEAD.format(shop.url) + steps
    assert run_text(text).status == "passed"
    assert run_text(text.replace('status "Ready"', 'status "Never"')).status != "passed"
