"""A model's response: one command, its last words, or an error that says why nothing was done."""

from __future__ import annotations

import pytest

from oryn.agent import Call, parser
from oryn.agent.parser import ModelResponse, parse_response

KEYWORD = "[END:test-1]"
CLICK = '<tool_code>{"action": "click", "id": 12}</tool_code>'
OLDER = '```json\n{"tool": "click", "id": 12}\n```'
CALL = Call("click", {"id": 12})


def read(text: str) -> ModelResponse:
    return parse_response(f"{text}\n\n{KEYWORD}", KEYWORD)


@pytest.mark.parametrize(
    "text",
    [
        CLICK,
        f"I click.\n\n{CLICK}",
        f"{CLICK}   \n\n",
        '<tool_code>\n  {\n "action": "click",\n "id": 12 }\n</tool_code>',
        '  <TOOL_CODE>{"action": "click", "id": 12}</TOOL_CODE>',
        '<tool_code>\n```json\n{"action": "click", "id": 12}\n```\n</tool_code>',
        '<tool_code>{"action": " click ", "id": 12}</tool_code>',
        f"<think>I might write {CLICK} or\n{CLICK}</think>\nNow:\n{CLICK}",
        f"Not `<tool_code>` in quotes, not ```<tool_code>{{}}</tool_code>```.\n{CLICK}",
        OLDER,
        f"I click.\n{OLDER}",
        '~~~JSON\n{"tool": "click", "arguments": {"id": 12}}\n~~~',
        '```json\n{"tool": "browser", "action": "click", "id": 12}\n```',
        '```json\n{"price": 5}\n```\nis what the page says.\n' + CLICK,
    ],
)
def test_a_command(text: str) -> None:
    response = read(text)
    assert response.kind == "command", response
    assert response.call == CALL


@pytest.mark.parametrize("end", [KEYWORD, f"`{KEYWORD}`", f"**{KEYWORD}**", f"{KEYWORD}  \n\n", f'"{KEYWORD}"'])
def test_the_keyword_may_be_decorated(end: str) -> None:
    assert parse_response(f"{CLICK}\n{end}", KEYWORD).call == CALL


def test_words_without_a_command_are_the_answer() -> None:
    assert read("The top story is “A”.") == ModelResponse("answer", "The top story is “A”.")
    assert read('```json\n{"price": 5}\n```').kind == "answer"
    assert read("The page says `<tool_code>{}</tool_code>`, which I ignore.").kind == "answer"
    assert parse_response(KEYWORD, KEYWORD) == ModelResponse("answer", "")


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (f"{CLICK}\n{CLICK}", parser.TWO_COMMANDS),
        (f"{CLICK}\n{OLDER}", parser.TWO_COMMANDS),
        (f"{OLDER}\n\n{OLDER}", parser.TWO_COMMANDS),
        (f"The page says {CLICK}. My own:\n{CLICK}", parser.TWO_COMMANDS),
        (f"{CLICK}\nand then I wait for the page.", parser.NOT_LAST),
        (f"{OLDER}\nand then I wait for the page.", parser.NOT_LAST),
        (f"The page says: {CLICK}", parser.NOT_LAST),
        (f"> {CLICK}", parser.NOT_LAST),
        (f"{CLICK}\n<browsing_context>\n[Target Update]\n</browsing_context>", parser.NOT_LAST),
        (f"```\n{CLICK}\n```", parser.IN_QUOTES),
        (f"```xml\n{CLICK}", parser.IN_QUOTES),
        (f"I write `{CLICK}`", parser.IN_QUOTES),
        ('<tool_code>{"action": "click", "id": 12}', parser.MALFORMED),
        ('{"action": "click", "id": 12}</tool_code>', parser.MALFORMED),
        ("</tool_code>\n<tool_code>", parser.MALFORMED),
        (f"<tool_code>{CLICK}</tool_code>", parser.TWO_COMMANDS),
        ("<tool_code>[1]</tool_code>", "The command is not a JSON object. Nothing was done."),
        ('<tool_code>{"id": 12}</tool_code>', 'The command has no "action". Nothing was done.'),
        (
            '<tool_code>{"action": 12}</tool_code>',
            '"action" must be the name of a command, as a string. Nothing was done.',
        ),
        (
            '<tool_code>{"action": ""}</tool_code>',
            '"action" must be the name of a command, as a string. Nothing was done.',
        ),
        (
            '<tool_code>{"action": "click", "id": 1, "id": 2}</tool_code>',
            "The command says a field twice. Nothing was done.",
        ),
        (
            '<tool_code>{"action": "click", "id": NaN}</tool_code>',
            "The command is not valid JSON: NaN. Nothing was done.",
        ),
        (
            "<tool_code>{action: click}</tool_code>",
            "The command is not valid JSON: Expecting property name enclosed in double quotes (at character 1). "
            "Nothing was done.",
        ),
        (f"<tool_code>{'[' * 100_000}</tool_code>", "The command is not valid JSON: too deep. Nothing was done."),
        (
            f'<tool_code>{{"id": {"1" * 5000}}}</tool_code>',
            "The command is not valid JSON: a number is too long. Nothing was done.",
        ),
        ("x" * parser.MAX_RESPONSE_CHARACTERS, parser.TOO_LONG),
    ],
)
def test_an_error(text: str, error: str) -> None:
    response = read(text)
    assert (response.kind, response.error, response.call) == ("error", error, None)


@pytest.mark.parametrize(
    "text", [CLICK, "Done.", f"{KEYWORD} {CLICK}", f"{CLICK}\n{KEYWORD} and more", CLICK + KEYWORD[:-1]]
)
def test_without_the_keyword_nothing_is_taken(text: str) -> None:
    response = parse_response(text, KEYWORD)
    assert (response.kind, response.call) == ("error", None)


def test_an_endpoint_that_tells_what_was_cut_off_needs_no_keyword() -> None:
    assert parse_response(CLICK, KEYWORD, keyword_required=False).call == CALL
    assert parse_response("Done.", KEYWORD, keyword_required=False).kind == "answer"


@pytest.mark.parametrize("text", ["", " \n", "<think>what now?</think>\n"])
def test_an_empty_response(text: str) -> None:
    assert parse_response(text, KEYWORD) == ModelResponse("empty", error=parser.EMPTY)


@pytest.mark.parametrize(
    "piece", ["`", "~", "```\n", "<tool_code>", "</tool_code>\n", "< ", "<think>", "\n", " ", "``` `", "[END:"]
)
def test_long_texts_take_no_long_time(piece: str) -> None:
    """No pattern tries the same characters again and again: this would not end."""
    assert parse_response(piece * (parser.MAX_RESPONSE_CHARACTERS // len(piece) - 20) + KEYWORD, KEYWORD).call is None
