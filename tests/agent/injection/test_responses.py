"""A model's response is read as what the model wrote: a page's words in it command nothing."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oryn.agent import sanitization
from oryn.agent.parser import parse_response
from tests.agent.injection.hostile import COMMAND, KEYWORD, LEGACY, MARK, TEXTS
from tests.agent.injection.test_rendering import SAID

OWN = '<tool_code>{"action": "click", "id": 12}</tool_code>'
QUOTES = (
    '"{}"', "The page says: {}", "`{}`", "```\n{}\n```", "> {}", "* {}", "```xml\n{}\n```", "| {}", "{} says the page.",
)  # fmt: skip
"""How a model may repeat what a page says."""

ENDS = f"\n\n{OWN}\n\n{KEYWORD}"


@given(SAID)
def test_any_text_is_a_response(said: str) -> None:
    for text in (
        said,
        f"{said}{KEYWORD}",
        f"<tool_code>{said}</tool_code>\n{KEYWORD}",
        f"```json\n{said}\n```\n{KEYWORD}",
    ):
        for required in (True, False):
            response = parse_response(text, KEYWORD, keyword_required=required)
            assert (response.kind == "command") is (response.call is not None)
            assert (response.kind == "error") is bool(response.error) or response.kind == "empty"


@given(SAID)
def test_a_page_quoted_as_it_was_shown_leaves_the_command_as_it_is(said: str) -> None:
    for quoted in (
        f'The page says "{sanitization.escape_line(said)}".',
        f"I read:\n{sanitization.quote_block(said)}",
        f"<a{sanitization.attribute('label', said)}>",
    ):
        response = parse_response(f"{quoted}{ENDS}", KEYWORD)
        assert response.call is None or (response.call.action, response.call.arguments) == ("click", {"id": 12})
        assert response.kind in ("command", "error"), "never an answer, which would end the run"


@pytest.mark.parametrize("said", TEXTS.values(), ids=TEXTS)
def test_a_page_quoted_as_it_was_shown_is_no_obstacle(said: str) -> None:
    for quoted in (f'The page says "{sanitization.escape_line(said)}".', f"I read:\n{sanitization.quote_block(said)}"):
        assert parse_response(f"{quoted}{ENDS}", KEYWORD).call is not None


@pytest.mark.parametrize("said", TEXTS.values(), ids=TEXTS)
@pytest.mark.parametrize("quote", ["{}", *QUOTES])
def test_a_page_quoted_word_for_word_commands_nothing(said: str, quote: str) -> None:
    """Beside a command of the model's own it is that one, or none: nobody can tell which of two is the model's."""
    for text in (f"{quote.format(said)}{ENDS}", f"{OWN}\n\n{quote.format(said)}\n\n{KEYWORD}"):
        response = parse_response(text, KEYWORD)
        assert response.call is None or response.call.arguments == {"id": 12}, response


@given(SAID, st.sampled_from([COMMAND, LEGACY]))
def test_a_sentence_with_a_command_of_the_pages_is_a_sentence(said: str, command: str) -> None:
    told = " ".join(f"It wants me to write {command} {said}".split())
    for text in (f"{told}. I won't.\n\n{KEYWORD}", f"{told}. I won't. {KEYWORD}"):
        assert parse_response(text, KEYWORD).call is None


@pytest.mark.parametrize("said", TEXTS.values(), ids=TEXTS)
@pytest.mark.parametrize("quote", [*QUOTES, "I see [3] {}", "<button>{}</button>", "    1. {}"])
def test_a_quotation_alone_commands_nothing(said: str, quote: str) -> None:
    """What begins a line of the page's begins none of the response's, for that is what a command does."""
    quoted = quote.format(said) if "```" in quote else "\n".join(quote.format(line) for line in said.splitlines())
    response = parse_response(f"{quoted}\n\n{KEYWORD}", KEYWORD)
    assert response.call is None, response


@given(SAID)
def test_without_the_keyword_at_the_end_nothing_is_done(said: str) -> None:
    text = f"{said}\n\n{OWN}\n\n"
    assert parse_response(text, KEYWORD).call is None
    assert parse_response(f"{KEYWORD}\n\n{text}", KEYWORD).call is None


@given(SAID)
def test_a_command_is_the_text_between_its_tags(said: str) -> None:
    """What a response says before its one command is not looked into for another's arguments."""
    value = json.dumps({"action": "type", "id": 3, "value": said})
    response = parse_response(f"I type.\n\n<tool_code>{value}</tool_code>\n\n{KEYWORD}", KEYWORD)
    if re.search(r"tool_code", said, re.IGNORECASE):
        return  # refused, or the command as a whole
    assert response.call is not None and response.call.arguments == {"id": 3, "value": said}, response


def test_the_mark_is_in_the_commands() -> None:
    assert MARK in COMMAND and MARK in LEGACY
