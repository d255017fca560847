"""Whatever text a caller has, a method's request says that text and nothing else."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as some

from oryn import Oryn
from oryn.client import quote
from oryn.client.connection import require_one_line
from oryn.errors import LanguageError
from oryn.language import Click, Command, CssTarget, Goto, SessionNew, TextTarget, XPathTarget, parse
from oryn.language.json_codec import line_of_request

# Characters that mean something somewhere in a line come more often than others do by themselves.
TEXTS = some.text(
    some.one_of(some.sampled_from("\"'\\#-@() \t\n\rnear3css"), some.characters(exclude_categories=["Cs"]))
)


class Sent(Exception):
    """A request in place of its answer."""


class RequestClient(Oryn):
    """A client that sends nothing."""

    class _Connection:
        async def send(self, request: str) -> str:
            raise Sent(require_one_line(request))

    def __init__(self) -> None:
        super().__init__()
        self._connection: Any = self._Connection()


def command_of(method: str, *arguments: Any, **options: Any) -> Command:
    """The one command that the request of a method is, as an engine reads it."""
    try:
        getattr(RequestClient(), method)(*arguments, **options).send(None)
    except Sent as sent:
        read = line_of_request(str(sent))
        assert read.command is not None and read.comment is None and read.session is None
        return read.command
    raise AssertionError("nothing was sent")


def command(line: str) -> Command:
    found = parse(line).command
    assert found is not None
    return found


@given(TEXTS)
@example('"')
@example("\\")
@example("--enter")
def test_typed_text_is_typed(text: str) -> None:
    assert command_of("type", 3, text) == command("type 3 x").replace(text=text)


@given(TEXTS)
def test_a_quoted_target_is_the_text_of_an_element(text: str) -> None:
    assert command_of("click", quote(text)) == command("click 3").replace(target=TextTarget(text))
    assert command_of("click", {"text": text}) == command("click 3").replace(target=TextTarget(text))


@pytest.mark.slow
@given(TEXTS)
@example("3 --force")
@example("css(a) --force")
@example('"a" near')
@example("near near near")
@example("at(1,2")
def test_a_target_is_one_target_and_no_option(text: str) -> None:
    try:
        found = command_of("click", text)
    except LanguageError as error:
        assert "target" in error.message, error
        return
    assert isinstance(found, Click)
    assert found == command("click 3").replace(target=found.target)
    if isinstance(found.target, CssTarget | XPathTarget):
        assert text.strip().startswith(("css(", "xpath(")) and text.strip().endswith(")")


@given(TEXTS)
@example("https://a.example/#x")
@example("near")
def test_a_url_is_one_url(text: str) -> None:
    try:
        found = command_of("goto", text)
    except LanguageError as error:
        assert "URL" in error.message or "url" in error.message, error
    else:
        assert isinstance(found, Goto) and found.headers is None


@given(TEXTS)
def test_a_name_is_one_name(text: str) -> None:
    for method in ("session_new", "session_close"):
        try:
            found = command_of(method, text)
        except LanguageError as error:
            assert "name" in error.message or "sub-command" in f"{error.hint}", error
        else:
            assert getattr(found, "name") == text  # noqa: B009
            assert not isinstance(found, SessionNew) or found.mode is None
