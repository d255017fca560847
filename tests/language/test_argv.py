"""Words of a command line, which a shell has split: what is said is what was meant, whatever stands in a value."""

from __future__ import annotations

import re
import shlex

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from oryn.errors import InvalidValue, LanguageError, MissingArgument, UnexpectedInput, UnknownCommand
from oryn.language import COMMANDS, CommandSpec, Css, Eval, Id, Related, Select, Text, Type, Upload, parse
from oryn.language.argv import line_of_words, said

DOOR = {"session": True, "json": False}
TEXTS = st.text(alphabet=st.characters(exclude_categories=["Cs"]))


def canonical(*words: str) -> str:
    return line_of_words(words).canonical


@given(TEXTS)
@example("--force")
@example("--enter")
@example("--json")
@example("--timeout=5s")
@example("near")
@example("#1")
@example("@work")
@example("")
@example('say "hi" \\')
@example("'quoted'")
@example("two\nlines\r\n")
@example("css(x)")
@example("{{vault:shop.password}}")
def test_a_text_is_that_text(text: str) -> None:
    assert line_of_words(["type", "3", text]).command == Type(Id(3), text)
    assert said(["type", "3", text], DOOR).options == {}
    assert line_of_words(["eval", text]).command == Eval(text)
    assert line_of_words(["type", "Name", "near", "Billing", text, "--enter"]).command == Type(
        Related(Text("Name"), "near", Text("Billing")), text, enter=True
    )


@given(st.lists(TEXTS | st.sampled_from(["--", "-x", "near", "click", "to", "5", "@e1", "--json", "\x00"]), max_size=5))
def test_any_words_are_a_line_or_a_language_error(words: list[str]) -> None:
    for verb in ("type", "click", "select", "drag", "cookies", "wait", "run_intent", "headers", "define", "goto"):
        try:
            line_of_words([verb, *words])
        except LanguageError as error:
            assert error.message and error.position is None


@given(TEXTS.filter(lambda text: not text.strip().isdecimal()))
def test_a_target_in_quotes_is_the_text_in_them(text: str) -> None:
    assert line_of_words(["click", str(Text(text))]).command == parse(f"click {Text(text)}").command


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["click", "Sign in"], 'click "Sign in"'),
        (["click", "3"], "click 3"),
        (["click", "@e5"], "click @e5"),
        (["click", "email"], "click email"),
        (["click", "#buy"], 'click "#buy"'),
        (["click", "at(1,2)"], "click at(1,2)"),
        (["click", 'css(".x")'], 'click css(".x")'),
        (["click", "css(.x) near Total"], 'click css(".x") near "Total"'),
        (["click", "Save", "near", "Address", "--force"], 'click "Save" near "Address" --force'),
        (["click", "--double", "3"], "click 3 --double"),
        (["click", "3", "timeout", "5s"], "click 3 --timeout 5s"),
        (["click", "3", "--timeout=500ms"], "click 3 --timeout 500ms"),
        (["type", "3", "near"], 'type 3 "near"'),
        (["type", "3", "near", "--enter"], 'type 3 "near" --enter'),
        (["type", "--append", "3", "x"], 'type 3 "x" --append'),
        (["select", "Country", "2"], 'select "Country" 2'),
        (["select", "Country", '"2"'], 'select "Country" "2"'),
        (["select", "3", "New York", "Oslo", "--strict"], 'select 3 "New York" "Oslo" --strict'),
        (["upload", "4", "my cv.pdf", "b.txt"], 'upload 4 "my cv.pdf" b.txt'),
        (["drag", "My card", "near", "Top", "to", "Done"], 'drag "My card" near "Top" to "Done"'),
        (["goto", "--timeout", "5s", "example.org"], "goto example.org --timeout 5s"),
        (["go", "to", "example.org"], "goto example.org"),
        (["navigate", "example.org"], "goto example.org"),
        (["fill_form", '{"Name": "Ann"}'], 'fill_form "{\\"Name\\": \\"Ann\\"}"'),
        (["headers", "set", '{"A": "1"}'], 'headers set "{\\"A\\": \\"1\\"}"'),
        (["headers", "set", "a.org", '{"A": "1"}'], 'headers set a.org "{\\"A\\": \\"1\\"}"'),
        (["cookies", "set", "theme", "--dark"], 'cookies set theme "--dark"'),
        (["storage", "get", "lang", "--session"], "storage get lang --session"),
        (["press", "control+a"], 'press "control+a"'),
        (["device", "iPhone", "14", "--timeout", "9s"], 'device "iPhone 14" --timeout 9s'),
        (["device", "reset"], "device reset"),
        (["wait", "2s"], "wait 2s"),
        (["wait", "idle"], "wait idle"),
        (["wait", "visible", "Save it"], 'wait visible "Save it"'),
        (["scroll", "down", "--page"], "scroll down --page"),
        (["scroll", "until", "The end"], 'scroll until "The end"'),
        (["observe", "--near", "Pay now"], 'observe --near "Pay now"'),
        (["geolocation", "48.86", "-2.35"], "geolocation 48.86 -2.35"),
        (["extract_page", "links"], "extract links"),
        (["sign_in", "ann", "se cret"], 'login "ann" "se cret"'),
        (["run_intent", "review", "--text", "so so", "--rating", "5"], 'run review --text "so so" --rating "5"'),
        (["define", "next:", "click 3\nwait idle", "observe"], "define next:\n  click 3\n  wait idle\n  observe"),
        (["@work", "click", "3"], "@work click 3"),
        (["session", "work", "click", "3"], "@work click 3"),
        (["session", "new", "work"], "session new work"),
        (["close", "--all"], "close --all"),
    ],
)  # fmt: skip
def test_words_and_their_line(words: list[str], line: str) -> None:
    assert canonical(*words) == line


@pytest.mark.parametrize("spec", [each.spec for each in COMMANDS if each.spec.example], ids=lambda spec: spec.name)
def test_every_example_can_be_said_in_words(spec: CommandSpec) -> None:
    assert spec.example
    words = shlex.split(_shell_quoted(spec.example))
    words[: len(spec.path)] = spec.door.split()
    assert line_of_words(words).command == parse(spec.example).command


def _shell_quoted(line: str) -> str:
    """JSON and brackets as one would write them for a shell."""
    return re.sub(r"\{.*\}|css\(.*?\)|xpath\(.*?\)", lambda found: f"'{found[0]}'", line)


def test_what_belongs_to_the_door() -> None:
    assert said(["click", "3", "--json", "--session", "work"], DOOR) == ("click 3", {"json": "", "session": "work"})
    assert said(["click", "--session=work", "3"], DOOR) == ("click 3", {"session": "work"})
    assert said(["cookies", "--json", "list"], DOOR) == ("cookies list", {"json": ""})
    assert said(["storage", "list", "--session"], DOOR) == ("storage list --session", {})
    assert said(["type", "3", "--json", "--json"], DOOR) == ('type 3 "--json"', {"json": ""})


def test_only_what_was_read_is_written_bare() -> None:
    assert canonical("click", "3 --force") == 'click "3 --force"'
    assert canonical("click", '3 # "x') == 'click "3 # \\"x"'
    assert canonical("goto", "a b --timeout 1s") == 'goto "a b --timeout 1s"'
    assert canonical("click", "css(a)\nclick 4") == 'click "css(a)\\nclick 4"'


@pytest.mark.parametrize(
    ("words", "kind", "message", "hint"),
    [
        ([], MissingArgument, "the command is missing", "help lists"),
        (["clik", "3"], UnknownCommand, 'unknown command "clik"', "did you mean click?"),
        (["click"], MissingArgument, "click needs <target>: what to click", "click <target>"),
        (["click", "3", "--forse"], UnexpectedInput, 'click has no option "--forse"', "did you mean --force?"),
        (["click", "3", "4"], UnexpectedInput, 'unexpected "4"', "click <target>"),
        (["click", "3", "--double=yes"], UnexpectedInput, "--double takes no value", "click <target>"),
        (["click", "3", "--timeout"], MissingArgument, "--timeout needs <duration>", ""),
        (["type", "3", "--enter", "x"], UnexpectedInput, 'unexpected "x"', "--enter was taken as the text"),
        (["cookies"], MissingArgument, "cookies needs one of", ""),
        (["cookies", "eat"], InvalidValue, 'cookies has no "eat"', ""),
        (["wait", "soon"], InvalidValue, 'not a duration: "soon"', ""),
        (["drag", "3", "4"], UnexpectedInput, 'unexpected "4"', "expected to"),
        (["@two words", "click", "3"], InvalidValue, 'not a name: "two words"', ""),
        (["fill_form", "{"], InvalidValue, "not JSON", ""),
    ],
)
def test_what_is_wrong_is_said(words: list[str], kind: type[LanguageError], message: str, hint: str) -> None:
    with pytest.raises(kind) as caught:
        line_of_words(words)
    assert message in caught.value.message and hint in (caught.value.hint or "")


def test_a_door_option_without_its_value() -> None:
    with pytest.raises(MissingArgument, match="--session needs a value"):
        said(["click", "3", "--session"], DOOR)


def test_selectors_in_targets() -> None:
    assert line_of_words(["click", "css(\"a[href='x']\")"]).command == parse("click css(\"a[href='x']\")").command
    select = line_of_words(["select", "css(#c)", "France"]).command
    assert select == Select(Css("#c"), ("France",))
    assert line_of_words(["upload", "4", "-"]).command == Upload(Id(4), ("-",))
