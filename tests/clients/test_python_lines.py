"""Whatever text a caller has, the library's own methods say that text and nothing else."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as some

from oryn.client import quote
from oryn.client.client import click_line, close_session_line, goto_line, new_session_line, require_one_line, type_line
from oryn.errors import LanguageError
from oryn.language import Click, Command, CssTarget, Goto, SessionNew, TextTarget, XPathTarget, parse

# Characters that mean something somewhere in a line come more often than others do by themselves.
TEXTS = some.text(
    some.one_of(some.sampled_from("\"'\\#-@() \t\n\rnear3css"), some.characters(exclude_categories=["Cs"]))
)


def parse_one(line: str) -> Command:
    """The one command that a line is."""
    read = parse(require_one_line(line))
    assert read.command is not None and read.comment is None and read.session is None
    return read.command


@given(TEXTS)
@example('"')
@example("\\")
@example("--enter")
def test_typed_text_is_typed(text: str) -> None:
    assert parse_one(type_line(3, text)) == parse_one("type 3 x").replace(text=text)


@given(TEXTS)
def test_a_quoted_target_is_the_text_of_an_element(text: str) -> None:
    assert parse_one(click_line(quote(text))) == parse_one("click 3").replace(target=TextTarget(text))


@given(TEXTS)
@example("3 --force")
@example("css(a) --force")
@example('"a" near')
@example("near near near")
@example("at(1,2")
def test_a_target_is_one_target_and_no_option(text: str) -> None:
    command = parse_one(click_line(text))
    assert isinstance(command, Click)
    assert command == parse_one("click 3").replace(target=command.target)
    if isinstance(command.target, CssTarget | XPathTarget):
        assert text.startswith(("css(", "xpath(")) and text.endswith(")")


@given(TEXTS)
@example("https://a.example/#x")
@example("near")
def test_a_url_is_one_url(text: str) -> None:
    line = goto_line(text)
    try:
        command = parse_one(line)
    except LanguageError as error:
        assert "URL" in error.message or "url" in error.message, error
    else:
        assert isinstance(command, Goto) and command.headers is None


@given(TEXTS)
def test_a_name_is_one_name(text: str) -> None:
    for line in (new_session_line(text, None), close_session_line(text)):
        try:
            command = parse_one(line)
        except LanguageError as error:
            assert "name" in error.message or "sub-command" in f"{error.hint}", error
        else:
            assert getattr(command, "name") == text  # noqa: B009
            assert not isinstance(command, SessionNew) or command.mode is None
