"""Whatever text a caller has, the library's own methods say that text and nothing else."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as some

from oryn.client import quote
from oryn.client.lines import click, close_session, goto, new_session, one_line, type_text
from oryn.errors import LanguageError
from oryn.language import Click, Command, Css, Goto, SessionNew, Text, XPath, parse

# Characters that mean something somewhere in a line come more often than others do by themselves.
TEXTS = some.text(
    some.one_of(some.sampled_from("\"'\\#-@() \t\n\rnear3css"), some.characters(exclude_categories=["Cs"]))
)


def meant(line: str) -> Command:
    """The one command that a line is."""
    read = parse(one_line(line))
    assert read.command is not None and read.comment is None and read.session is None
    return read.command


@given(TEXTS)
@example('"')
@example("\\")
@example("--enter")
def test_typed_text_is_typed(text: str) -> None:
    assert meant(type_text(3, text)) == meant("type 3 x").replace(text=text)


@given(TEXTS)
def test_a_quoted_target_is_the_text_of_an_element(text: str) -> None:
    assert meant(click(quote(text))) == meant("click 3").replace(target=Text(text))


@given(TEXTS)
@example("3 --force")
@example("css(a) --force")
@example('"a" near')
@example("near near near")
@example("at(1,2")
def test_a_target_is_one_target_and_no_option(text: str) -> None:
    command = meant(click(text))
    assert isinstance(command, Click)
    assert command == meant("click 3").replace(target=command.target)
    if isinstance(command.target, Css | XPath):
        assert text.startswith(("css(", "xpath(")) and text.endswith(")")


@given(TEXTS)
@example("https://a.example/#x")
@example("near")
def test_a_url_is_one_url(text: str) -> None:
    line = goto(text)
    try:
        command = meant(line)
    except LanguageError as error:
        assert "URL" in error.message or "url" in error.message, error
    else:
        assert isinstance(command, Goto) and command.headers is None


@given(TEXTS)
def test_a_name_is_one_name(text: str) -> None:
    for line in (new_session(text, None), close_session(text)):
        try:
            command = meant(line)
        except LanguageError as error:
            assert "name" in error.message or "sub-command" in f"{error.hint}", error
        else:
            assert getattr(command, "name") == text  # noqa: B009
            assert not isinstance(command, SessionNew) or command.mode is None
