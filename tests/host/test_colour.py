from __future__ import annotations

import io
import re

import pytest

from oryn.hosts import terminal


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("use", "stream", "environment", "expected"),
    [
        ("auto", Terminal(), {}, True),
        ("auto", io.StringIO(), {}, False),
        ("auto", Terminal(), {"NO_COLOR": "1"}, False),
        ("auto", Terminal(), {"TERM": "dumb"}, False),
        ("always", io.StringIO(), {"NO_COLOR": "1"}, True),
        ("never", Terminal(), {}, False),
    ],
)
def test_when_to_colour(
    use: terminal.ColourUse, stream: io.StringIO, environment: dict[str, str], expected: bool
) -> None:
    assert terminal.use_colour(use, stream, environment) is expected


ANSWER = """error click 99: element not found

# hint
Run 'observe' to refresh.

ok click 3
@ example.org "Example"
[3] button/submit "Sign in" {primary}
+ [7] link "Next"
| ok from the page"""


def test_colour_changes_no_text() -> None:
    painted = terminal.colourize(ANSWER)
    assert re.sub(r"\x1b\[\d+m", "", painted) == ANSWER


def test_every_colour_ends_with_its_line() -> None:
    for line in terminal.colourize(ANSWER).split("\n"):
        assert "\x1b[" not in line or terminal.RESET in line
    assert terminal.colourize("ok click 3").startswith(terminal.GREEN)
    assert terminal.colourize("| ok click 3").startswith(terminal.DIM)
