"""What runs bring into a test's file: learnt reports, accepted texts and targets, and never an outcome."""

from __future__ import annotations

from pathlib import Path

import pytest

from oryn.demo.server import Shop
from oryn.errors import AcceptRefused, InvalidTest, OutcomeDiffers
from oryn.testing.revision import accept_outcome, learned_test
from oryn.testing.test_file import parse_test
from tests.testing.conftest import RunText

pytestmark = pytest.mark.browser

STEPS = """oryntest 1
base: {}

> goto {{{{base}}}}/plants/boston-fern
  @ /plants/boston-fern "Boston fern · Fernhill"

# It stays.
> click button "Add to cart"
  target: button/submit "Add to cart" after "More" before "Remind me to water it"
  @ /cart "Cart · Fernhill"
"""


@pytest.mark.slow
def test_a_target_with_another_name_is_healed_said_and_written_only_if_accepted(
    run_text: RunText, shop: Shop, tmp_path: Path
) -> None:
    text = STEPS.format(shop.url).replace("Add to cart", "Put into the basket")
    outcome = run_text(text)
    assert outcome.status == "passed" and outcome.steps[1].healed, outcome
    assert (tmp_path / "a.oryntest").read_text("utf-8") == text
    assert accept_outcome(outcome)
    written = (tmp_path / "a.oryntest").read_text("utf-8")
    assert '> click button "Add to cart"' in written and "# It stays." in written
    assert not run_text(written).steps[1].healed


@pytest.mark.slow
def test_another_text_is_accepted_and_what_varies_stays(run_text: RunText, shop: Shop, tmp_path: Path) -> None:
    lines = '  = text "Total €19"\n  = text "Boston fern {{varies}} €18"\n'
    outcome = run_text(STEPS.format(shop.url) + lines)
    assert outcome.status == "differs" and accept_outcome(outcome)
    written = (tmp_path / "a.oryntest").read_text("utf-8")
    assert 'text "Total €18"' in written and "Total €19" not in written and "{{varies}}" in written


@pytest.mark.slow
def test_another_outcome_is_never_accepted_nor_learnt(run_text: RunText, shop: Shop, tmp_path: Path) -> None:
    text = STEPS.format(shop.url).replace('@ /cart "Cart', '@ /checkout "Thank you')
    outcome = run_text(text)
    assert outcome.status == "failed"
    with pytest.raises(AcceptRefused, match=r"line 8 differs"):
        accept_outcome(outcome)
    with pytest.raises(OutcomeDiffers, match="run 1 of 1"):
        learned_test([outcome])
    assert (tmp_path / "a.oryntest").read_text("utf-8") == text


@pytest.mark.slow
def test_a_file_that_was_edited_while_its_test_ran_is_left_alone(run_text: RunText, shop: Shop, tmp_path: Path) -> None:
    outcome = run_text(STEPS.format(shop.url) + '  = text "Total €19"\n')
    (tmp_path / "a.oryntest").write_text(STEPS.format(shop.url), encoding="utf-8")
    with pytest.raises(AcceptRefused, match="was changed"):
        accept_outcome(outcome)


@pytest.mark.slow
def test_what_pages_show_and_what_varies_is_learnt(run_text: RunText, shop: Shop) -> None:
    text = f"oryntest 1\nbase: {shop.url}\n\n> goto {{{{base}}}}/cart\n\n> eval \"'Number ' + Math.random()\"\n"
    learned = learned_test([run_text(text) for _ in range(3)])
    goto, number = learned.test.steps
    assert goto.expected is not None and '= text "Your cart is empty."' in "\n".join(goto.expected.render())
    assert number.expected is not None and number.expected.render() == ['= result "Number {{varies}}"']
    assert learned.sentences
    with pytest.raises(InvalidTest, match=r"a\.oryntest:6: everything in this step varies"):
        learned_test([run_text(text.replace("'Number ' + ", "'' + ")) for _ in range(2)])


@pytest.mark.slow
def test_the_marks_of_authors_are_learnt(run_text: RunText, shop: Shop) -> None:
    page = "<button id=pay>Pay</button><button id=pay2>Pay later</button>"
    text = f"""oryntest 1
base: {shop.url}

> goto {{{{base}}}}/

> eval "document.body.innerHTML = '{page}'"

> click button "Pay"
  target: button "Pay"

> click button "Pay later"
  target: button "Pay later"
"""
    learned = learned_test([run_text(text, describes=True)]).test
    pay, later = (step.targets["target"] for step in learned.steps[2:])
    assert (pay.mark, later.mark, pay.next) == ("#pay", "", "Pay later")


def test_a_step_that_expects_nothing_can_not_be_written(shop: Shop) -> None:
    with pytest.raises(InvalidTest, match=r":4:3: everything"):
        parse_test('oryntest 1\n\n> refresh\n  ? + text "x"\n')
