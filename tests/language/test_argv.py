"""Words of a command line, which a shell has split: what is said is what was meant, whatever stands in a value."""

from __future__ import annotations

import re
import shlex

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from oryn.errors import InvalidValue, LanguageError, MissingArgument, UnexpectedInput, UnknownCommand
from oryn.language import (
    COMMANDS,
    CommandSpec,
    CssTarget,
    Eval,
    IdTarget,
    Line,
    RelatedTarget,
    Select,
    TextTarget,
    Type,
    Upload,
    parse,
)
from oryn.language.argv import parse_argv, parse_argv_options
from oryn.language.json_codec import line_from_json
from oryn.language.vocabulary import api_vocabulary

OWN = {"session": True, "json": False}
TEXTS = st.text(alphabet=st.characters(exclude_categories=["Cs"]))


def canonical(*words: str) -> str:
    return parse_argv(words).canonical


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
    assert parse_argv(["type", "3", text]).command == Type(IdTarget(3), text)
    assert parse_argv_options(["type", "3", text], OWN).options == {}
    assert parse_argv(["eval", text]).command == Eval(text)
    assert parse_argv(["type", "Name", "near", "Billing", text, "--enter"]).command == Type(
        RelatedTarget(TextTarget("Name"), "near", TextTarget("Billing")), text, enter=True
    )


@pytest.mark.slow
@given(st.lists(TEXTS | st.sampled_from(["--", "-x", "near", "click", "to", "5", "@e1", "--json", "\x00"]), max_size=5))
def test_any_words_are_a_line_or_a_language_error(words: list[str]) -> None:
    for verb in ("type", "click", "select", "drag", "cookies", "wait", "run_intent", "headers", "define", "goto"):
        try:
            parse_argv([verb, *words])
        except LanguageError as error:
            assert error.message and error.position is None


@given(TEXTS.filter(lambda text: not text.strip().isdecimal()))
def test_a_target_in_quotes_is_the_text_in_them(text: str) -> None:
    assert parse_argv(["click", str(TextTarget(text))]).command == parse(f"click {TextTarget(text)}").command


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
    words[: len(spec.path)] = spec.api_name.split()
    assert parse_argv(words).command == parse(spec.example).command


def _shell_quoted(line: str) -> str:
    """JSON and brackets as one would write them for a shell."""
    return re.sub(r"\{.*\}|css\(.*?\)|xpath\(.*?\)", lambda found: f"'{found[0]}'", line)


@pytest.mark.parametrize(
    ("words", "line", "options"),
    [
        (["click", "3", "--json", "--session", "work"], "click 3", {"json": "", "session": "work"}),
        (["click", "--session=work", "3"], "click 3", {"session": "work"}),
        (["cookies", "--json", "list"], "cookies list", {"json": ""}),
        (["click", "Save", "inside", "--json", "Form"], 'click "Save" inside "Form"', {"json": ""}),
        (["storage", "list", "--session"], "storage list --session", {}),
        (["type", "3", "--json", "--json"], 'type 3 "--json"', {"json": ""}),
    ],
)
def test_options_of_the_caller(words: list[str], line: str, options: dict[str, str]) -> None:
    result, found = parse_argv_options(words, OWN)
    assert isinstance(result, Line) and result.canonical == line
    assert found == options


@pytest.mark.parametrize(
    "words",
    [
        ["click", "3", "4", "--json"],
        ["click", "--forse", "3", "--json"],
        ["wait", "soon", "--json"],
        ["@no!", "click", "3", "--json"],
        ["cookies", "eat", "--json"],
    ],
)
def test_options_of_the_caller_are_found_behind_an_error(words: list[str]) -> None:
    result, found = parse_argv_options(words, OWN)
    assert isinstance(result, LanguageError) and found == {"json": ""}


def test_a_flag_with_a_value_ends_the_reading() -> None:
    result, found = parse_argv_options(["click", "3", "4", "--json", "--double=yes"], OWN)
    assert isinstance(result, UnexpectedInput) and result.message == "--double takes no value"
    assert found == {}


def test_a_word_that_is_not_expected_is_shown_with_all_behind_it() -> None:
    for words, rest in {
        ("click", "3", "4", "--timeout=5s"): "4 --timeout 5s",
        ("click", "3", "4", "a b"): '4 \\"a b\\"',
        ("@work", "session", "b", "click", "3"): "click 3",
    }.items():
        result, _ = parse_argv_options(words, OWN)
        assert isinstance(result, UnexpectedInput) and result.message == f'unexpected "{rest}"'


@pytest.mark.parametrize("word", ["near", "Before"])
def test_a_relation_in_the_place_of_a_path_is_a_path(word: str) -> None:
    line = parse_argv(["upload", "4", "a", word, "b"])
    assert line.command == Upload(IdTarget(4), ("a", word, "b"))
    assert parse(line.canonical).command == line.command


def test_unparsed_targets_are_quoted() -> None:
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
        (["clipboard"], MissingArgument, "clipboard needs one of", ""),
        (["cookies", "eat"], InvalidValue, 'cookies has no "eat"', ""),
        (["wait", "soon"], InvalidValue, 'not a duration: "soon"', ""),
        (["drag", "3", "4"], UnexpectedInput, 'unexpected "4"', "expected to"),
        (["@two words", "click", "3"], InvalidValue, 'not a name: "two words"', ""),
        (["fill_form", "{"], InvalidValue, "not JSON", ""),
    ],
)
def test_invalid_argv_raises_an_error_with_a_hint(
    words: list[str], kind: type[LanguageError], message: str, hint: str
) -> None:
    with pytest.raises(kind) as caught:
        parse_argv(words)
    assert message in caught.value.message and hint in (caught.value.hint or "")


def test_an_option_of_the_caller_without_its_value() -> None:
    result, found = parse_argv_options(["click", "3", "--session"], OWN)
    assert isinstance(result, MissingArgument) and result.message == "--session needs a value"
    assert found == {}


def test_selectors_in_targets() -> None:
    assert parse_argv(["click", "css(\"a[href='x']\")"]).command == parse("click css(\"a[href='x']\")").command
    select = parse_argv(["select", "css(#c)", "France"]).command
    assert select == Select(CssTarget("#c"), ("France",))
    assert parse_argv(["upload", "4", "-"]).command == Upload(IdTarget(4), ("-",))


@pytest.mark.parametrize(
    ("words", "listed"),
    [
        (["cookies"], "cookies list"),
        (["storage"], "storage list"),
        (["storage", "--session"], "storage list --session"),
        (["script"], "script list"),
        (["network"], "network list"),
        (["network", "--last", "3"], "network list --last 3"),
    ],
    ids=str,
)
def test_a_verb_with_lists_alone_lists(words: list[str], listed: str) -> None:
    assert canonical(*words) == listed
    if words[0] != "network":  # which is no line
        assert parse(" ".join(words)).canonical == listed
    if len(words) == 1:
        assert line_from_json(words[0], {}, api_vocabulary()).canonical == listed
