"""Parses a model's response: at most one command, or the final answer. Pure; never raises, whatever the text is.

A command is JSON in `<tool_code>`, or in a ```json block with a `"tool"` property (the older form). It counts only if
it is unambiguous: alone in the response, on lines of its own, outside code quotes, as the last thing before the session
keyword. A model that reports on a page may quote a command from the page. Such a quotation is inside a sentence, in
code quotes, or followed by other words. If a response has two commands, Oryn runs neither, because it can't identify
the model's own."""

from __future__ import annotations

import json
import re
from typing import Any, Literal

from oryn.core.records import Record, field
from oryn.language.lexer import nests_deeper

ResponseKind = Literal["command", "answer", "error", "empty"]

MAX_RESPONSE_CHARACTERS = 200_000
"""Maximum length of a response, in characters; a longer one is an error."""

# Every pattern below runs in time linear in the length of the text, because the text may be hostile.
_THOUGHTS = re.compile(r"\s*+<(think|thinking)>.*?</\1>", re.IGNORECASE | re.DOTALL)
_OPENING = re.compile(r"<\s*+tool_code\s*+>", re.IGNORECASE)
_CLOSING = re.compile(r"<\s*+/\s*+tool_code\s*+>", re.IGNORECASE)
_FENCED = re.compile(
    r"^[ \t]*+(`{3,}+|~{3,}+)([^\n`]*+)\n(.*?)(?:^[ \t]*+\1[`~]*+[ \t]*+$|\Z)", re.DOTALL | re.MULTILINE
)
_INLINE = re.compile(r"(?<!`)(`++)[^`\n]++\1(?!`)")
_WRAPPED = re.compile(r"\s*+```(?:json)?[ \t]*+\n(.*)\n[ \t]*+```\s*+\Z", re.DOTALL | re.IGNORECASE)
MAX_JSON_DEPTH = 50
"""Maximum nesting of brackets. On WebAssembly, many thousands of levels crash Python."""

_DECORATION = "`*_\"' \t\r\n"

TWO_COMMANDS = "Your response has more than one command. Nothing was done. Send exactly ONE command in each response."
NOT_LAST = (
    "The command must stand on a line of its own and be the last thing before the session keyword. Nothing was done."
)
IN_QUOTES = "The command stands in code quotes. Nothing was done. Write <tool_code> without any quotes around it."
MALFORMED = 'A command is <tool_code>{"action": "...", ...}</tool_code>. Yours has no such form. Nothing was done.'
NO_KEYWORD = (
    "Your response did not end with the session keyword of your instructions. Nothing was done. "
    "End EVERY response with it."
)
EMPTY = "Your response was empty. Nothing was done."
TOO_LONG = "Your response is too long. Nothing was done."


class Call(Record):
    """A call of a model: `{"action": "click", "id": 12}` is `Call("click", {"id": 12})`."""

    action: str
    arguments: dict[str, Any] = field(factory=dict)


class ModelResponse(Record):
    """A parsed response. `words` is the text without keyword and command; `error` says why nothing was run."""

    kind: ResponseKind
    words: str = ""
    call: Call | None = None
    error: str = ""


class _InvalidResponse(Exception):
    """The response is invalid; the exception's text goes to the model."""


def parse_response(text: str, keyword: str, *, keyword_required: bool = True) -> ModelResponse:
    """Parse a response into its command or its final text. Without the keyword, the response may be truncated. It is an
    error then, unless `keyword_required` is false."""
    if len(text) > MAX_RESPONSE_CHARACTERS:
        return ModelResponse("error", error=TOO_LONG)
    begin = 0
    while thought := _THOUGHTS.match(text, begin):
        begin = thought.end()
    message = text[begin:].strip()
    if not message:
        return ModelResponse("empty", error=EMPTY)
    words, ended = _without_keyword(message, keyword)
    try:
        found = _find_command(words)
        if keyword_required and not ended:
            raise _InvalidResponse(NO_KEYWORD)
        if found is None:
            return ModelResponse("answer", words)
        return ModelResponse("command", *found)
    except _InvalidResponse as refused:
        return ModelResponse("error", words, error=str(refused))


def _without_keyword(text: str, keyword: str) -> tuple[str, bool]:
    bare = text.rstrip(_DECORATION)
    if not bare.endswith(keyword):
        return text, False
    # The keyword may be in quotes of its own, so the opening quote is removed, too.
    before, _, line = bare[: -len(keyword)].rpartition("\n")
    return f"{before}\n{line.rstrip(_DECORATION)}".strip(), True


def _find_command(text: str) -> tuple[str, Call] | None:
    """Return the words before the command and the command; None if there is no command. Raises `_InvalidResponse`."""
    fences = list(_FENCED.finditer(text))
    unquoted = _INLINE.sub(_blank, _FENCED.sub(_blank, text))
    openings, closings = list(_OPENING.finditer(unquoted)), list(_CLOSING.finditer(unquoted))
    older = [found for found in fences if _is_older_form(found)]
    if len(openings) + len(older) > 1 or len(closings) > 1:
        raise _InvalidResponse(TWO_COMMANDS)
    if openings or closings:
        if not (openings and closings and openings[0].end() <= closings[0].start()):
            raise _InvalidResponse(MALFORMED)
        before, after = text[: openings[0].start()], text[closings[0].end() :]
        if after.strip() or before.rpartition("\n")[2].strip():
            raise _InvalidResponse(NOT_LAST)
        return before.rstrip(), _parse_call(text[openings[0].end() : closings[0].start()], name="action")
    if older:
        if text[older[0].end() :].strip():
            raise _InvalidResponse(NOT_LAST)
        return text[: older[0].start()].rstrip(), _parse_call(older[0][3], name="tool")
    end = len(text.rstrip())
    if any(
        each.end() >= end and _OPENING.search(each[0]) and _CLOSING.search(each[0])
        for each in (*fences, *_INLINE.finditer(text))
    ):
        raise _InvalidResponse(IN_QUOTES)
    return None


def _blank(found: re.Match[str]) -> str:
    """Replace a quotation by spaces, so that the positions of the text outside stay the same."""
    return "".join("\n" if each == "\n" else " " for each in found[0])


def _is_older_form(found: re.Match[str]) -> bool:
    """Return whether a fence is a ```json block whose object has a `"tool"` property; any other block is text."""
    if found[2].strip().lower() != "json":
        return False
    try:
        value = None if nests_deeper(found[3], MAX_JSON_DEPTH) else json.loads(found[3])
    except ValueError:
        return False
    return isinstance(value, dict) and "tool" in value


def _parse_call(payload: str, name: str) -> Call:
    wrapped = _WRAPPED.fullmatch(payload)
    value = _parse_json(wrapped[1] if wrapped else payload)
    if not isinstance(value, dict):
        raise _InvalidResponse("The command is not a JSON object. Nothing was done.")
    if name == "tool" and "action" in value:  # "tool" names the browser then
        name = "action"
        value.pop("tool")
    action = value.pop(name, None)
    if action is None:
        raise _InvalidResponse(f'The command has no "{name}". Nothing was done.')
    if not isinstance(action, str) or not action.strip():
        raise _InvalidResponse(f'"{name}" must be the name of a command, as a string. Nothing was done.')
    if name == "tool":
        for inner in ("arguments", "args", "parameters", "input"):
            if set(value) == {inner} and isinstance(value[inner], dict):
                value = value[inner]
    return Call(action.strip(), value)


def _parse_json(payload: str) -> Any:
    if nests_deeper(payload, MAX_JSON_DEPTH):
        raise _InvalidResponse("The command is not valid JSON: too deep. Nothing was done.")
    try:
        return json.loads(payload, object_pairs_hook=_reject_duplicate_keys, parse_constant=_reject_constant)
    except json.JSONDecodeError as error:
        raise _InvalidResponse(
            f"The command is not valid JSON: {error.msg} (at character {error.pos}). Nothing was done."
        ) from None
    except ValueError:  # int() refuses thousands of digits
        raise _InvalidResponse("The command is not valid JSON: a number is too long. Nothing was done.") from None


def _reject_duplicate_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _InvalidResponse("The command says a field twice. Nothing was done.")
    return found


def _reject_constant(name: str) -> Any:
    raise _InvalidResponse(f"The command is not valid JSON: {name}. Nothing was done.")
