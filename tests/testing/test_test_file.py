"""The file of a test: what is read, what is written, and where a mistake in it is."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from oryn.engine.output.target_description import TargetDescription
from oryn.errors import InvalidTest
from oryn.testing.expectation import StepReport
from oryn.testing.test_file import Preparation, RecordedStep, RecordedTest, parse_test, render_test

TEXT = """\
# Buys a plant.
oryntest 1
base: http://localhost:4780
state: shop.state.json
seed: npm run seed
viewport: 1280x720
clock: 2026-11-30T12:00:00Z
parameter user: ada@example.org
vary: date
afterwards: click "Sign out"

> goto {{base}}/plants/monstera
  @ /plants/monstera "Monstera"

# The second plant is for a friend.
> type input "E-mail" "{{user}}"
  target: input/email "E-mail" in "Sign in" after "Home" before "Password" on "/sign-in" place 2
  exact
  vary: order number, price
  ~ input "E-mail" value: "ada@example.org"

> press Escape
  nothing changed

> click "Check out"
"""


def test_a_test_is_read() -> None:
    test = parse_test(TEXT)
    assert test.preparation == Preparation(
        base="http://localhost:4780",
        state="shop.state.json",
        seed="npm run seed",
        viewport="1280x720",
        clock="2026-11-30T12:00:00Z",
    )
    assert test.parameters == {"user": "ada@example.org"} and test.afterwards == ('click "Sign out"',)
    goto, typing, press, click = test.steps
    assert goto.filled(test.values_for({}, "http://127.0.0.1:9/")) == "goto http://127.0.0.1:9/plants/monstera"
    assert typing.targets["target"] == TargetDescription(
        "input", "email", "E-mail", "Sign in", "Home", "Password", "", 2, "/sign-in"
    )
    assert typing.exact and typing.vary == ("order number", "price") and typing.number == 16
    assert typing.expected is not None and len(typing.expected.entries) == 1
    assert press.expected == StepReport() and click.expected is None


def test_what_is_written_is_read_again_with_its_comments() -> None:
    assert render_test(parse_test(TEXT)) == TEXT
    assert render_test(parse_test(TEXT.replace("\n", "\r\n"))) == TEXT


def test_a_line_with_a_body_and_a_value_with_quotes_stay_what_they_are() -> None:
    step = RecordedStep('define buy:\n  click "Buy"\n  click "Pay"')
    quoted = RecordedStep('type "Name" "{{name}}"')
    test = RecordedTest(Preparation(), (step, quoted), {"name": 'Ann "A\\B"'})
    again = parse_test(render_test(test))
    assert [each.line for each in again.steps] == [step.line, quoted.line]
    assert again.steps[1].filled(again.values_for({})) == 'type "Name" "Ann \\"A\\\\B\\""'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "t:1:1: the first line"),
        ("oryntest 2\n> observe", "t:1:10: a test of version 2; this Oryn reads version 1"),
        ("oryntest 1\n", "it has no step"),
        ("oryntest 1\nbase: http://a\nbase: http://b\n> observe", "t:3:1: base appears twice"),
        ("oryntest 1\nbass: x\n> observe", "t:2:1: there is no key bass"),
        ("oryntest 1\nbase:\n> observe", "t:2:6: base has no value"),
        ("oryntest 1\nviewport: big\n> observe", "t:2:11: a viewport is"),
        ("oryntest 1\nclock: noon\n> observe", "t:2:8: a clock begins"),
        ("oryntest 1\nclock: 2026-11-30T12:00:00\n> observe", "t:2:8: a clock begins"),
        ("oryntest 1\n> observe\n> clik 3", "t:3:3: "),
        ('oryntest 1\n> click "Buy', "t:2:9: "),
        ('oryntest 1\n> type 1 "{{user}}"', "t:2:11: there is no parameter user"),
        ("oryntest 1\n> @other observe", "t:2:3: a step is one command"),
        ('oryntest 1\n> observe\n@ / "Shop"', "t:3:1: what belongs to a step is indented"),
        ("oryntest 1\n> observe\n  Shop", "t:3:3: "),
        ('oryntest 1\n> observe\n  + text "Shop', "t:3:10: the quoted text does not end"),
        ('oryntest 1\n> click 3\n  target: button "Buy" beside "x"', "t:3:23: one of in, after"),
        ("oryntest 1\n>\n", "t:2:2: a command is missing"),
    ],
)
def test_a_mistake_is_named_with_its_line_and_column(text: str, message: str) -> None:
    with pytest.raises(InvalidTest) as raised:
        parse_test(text, "t")
    assert message in raised.value.message


FULL_DISK = """
import resource, sys
from pathlib import Path
from oryn.errors import FileError
from oryn.testing.files import read_test, write_test
file = Path(sys.argv[1])
test = read_test(file)
resource.setrlimit(resource.RLIMIT_FSIZE, (20, 20))
try:
    write_test(file, test)
except FileError as error:
    print(error.message)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="limits of processes are Unix's")
def test_a_full_disk_costs_nothing_that_was_there(tmp_path: Path) -> None:
    file = tmp_path / "shop.oryntest"
    file.write_text(TEXT, encoding="utf-8")
    ended = subprocess.run([sys.executable, "-c", FULL_DISK, str(file)], capture_output=True, text=True, check=True)
    assert f"can't write {file}" in ended.stdout
    assert file.read_text("utf-8") == TEXT and [each.name for each in tmp_path.iterdir()] == [file.name]
