"""What varies, as several recordings of a step show it."""

from __future__ import annotations

import pytest

from oryn.testing.comparison import Severity, compare
from oryn.testing.expectation import parse
from oryn.testing.variation import is_all_varying, learn, template


@pytest.mark.parametrize(
    ("one", "other", "result"),
    [
        ("Order 1001 placed", "Order 1002 placed", "Order {{varies}} placed"),
        ("Order 1001 of 30 Nov", "Order 1002 of 1 Dec", "Order {{varies}} of {{varies}}"),
        ("Order {{varies}} placed", "Order 7 placed", "Order {{varies}} placed"),
        ("just now", "3 minutes ago", "{{varies}}"),
        ("the same", "The  same", "the same"),
        ("1 item", "12 items left", "{{varies}}"),
        ("/orders/1001", "/orders/1002", "/orders/{{varies}}"),
    ],
)
def test_the_template_of_two_texts(one: str, other: str, result: str) -> None:
    assert template(one, other) == result


def test_three_recordings_show_what_varies_and_what_comes_sometimes() -> None:
    recordings = [
        parse(['@ /thanks "Thanks"', '+ text "Order 1001 placed"', '+ status "Saved"']),
        parse(['@ /thanks "Thanks"', '+ text "Order 1002 placed"', '+ status "Saved"', '+ text "3 look at this"']),
        parse(['@ /thanks "Thanks"', '+ text "Order 1003 placed"', '+ status "Saved"', '+ text "5 look at this"']),
    ]
    learnt = learn(recordings)
    assert learnt.report.render() == [
        '@ /thanks "Thanks"',
        '+ text "Order {{varies}} placed"',
        '+ status "Saved"',
        '? + text "{{varies}} look at this"',
    ]
    assert learnt.sentences == (
        'varies: + text "Order {{varies}} placed"',
        'only sometimes: + text "3 look at this"',
        'varies: ? + text "{{varies}} look at this"',
    )
    for recording in recordings:
        assert compare(learnt.report, recording).severity == Severity.SAME


def test_a_step_of_which_everything_varies_tests_nothing() -> None:
    assert is_all_varying(parse(['+ text "{{varies}}"', '? + status "Saved"']))
    assert not is_all_varying(parse(['+ text "{{varies}} saved"']))
    assert not is_all_varying(parse(['~ checkbox "{{varies}}" {checked}']))
    assert not is_all_varying(parse([]))
