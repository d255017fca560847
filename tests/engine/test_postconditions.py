"""What the error of an act says that is not done."""

from __future__ import annotations

from typing import cast

import pytest

from oryn.engine.page.scanner import Resolved
from oryn.engine.postcondition import Postcondition, Verdict
from oryn.scanner.protocol import Expectation, VerifyResponse


@pytest.mark.parametrize(
    ("expects", "now", "message"),
    [
        (
            {"kind": "pressed"},
            'button#buy "Buy" was pressed instead',
            'the press did not reach "5\\" disk": button#buy "Buy" was pressed instead',
        ),
        ({"kind": "chosen", "texts": ['3" disk']}, '5" disk', '"5\\" disk" shows "5\\" disk" instead of "3\\" disk"'),
        ({"kind": "focused"}, 'a "Home\u202e"', '"5\\" disk" does not have the focus: it is on a "Home\\u202e"'),
        ({"kind": "files", "names": []}, "a\nok.txt", '"5\\" disk" holds a\\nok.txt'),
    ],
)
def test_what_is_true_now_is_said_on_one_line_and_escaped_once(
    expects: dict[str, object], now: str, message: str
) -> None:
    postcondition = Postcondition(Resolved(1), cast("Expectation", expects), label='5" disk')
    verdict = Verdict(postcondition, cast("VerifyResponse", {"holds": False, "now": now}))
    assert verdict.error.message == message
