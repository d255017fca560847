"""A model's response: at most one command, or the model's last words. Pure; never raises, whatever the text is.

A command is JSON in `<tool_code>`, or in a ```json block with a `"tool"` property (the older form). It counts where it
can be nothing else: alone in the response, on lines of its own, outside code quotes, as the last thing before the
session keyword. A model that tells what a page says may quote a command of the page's; such a quotation stands inside
a sentence, in code quotes, or has other words after it. Where a response has two commands nobody can tell which is the
model's own, so neither is done.
"""

from __future__ import annotations

import json
import re
from typing import Any, Literal

from oryn.language.brackets import json_depth
from oryn.records import Record, field

Kind = Literal["command", "answer", "error", "empty"]

MOST = 200_000
"""Characters of a response that are read; a longer one is an error."""

# Every pattern below takes a time that grows with the text, whatever the text is.
_THOUGHTS = re.compile(r"\s*+<(think|thinking)>.*?</\1>", re.IGNORECASE | re.DOTALL)
_OPENING = re.compile(r"<\s*+tool_code\s*+>", re.IGNORECASE)
_CLOSING = re.compile(r"<\s*+/\s*+tool_code\s*+>", re.IGNORECASE)
_FENCED = re.compile(
    r"^[ \t]*+(`{3,}+|~{3,}+)([^\n`]*+)\n(.*?)(?:^[ \t]*+\1[`~]*+[ \t]*+$|\Z)", re.DOTALL | re.MULTILINE
)
_INLINE = re.compile(r"(?<!`)(`++)[^`\n]++\1(?!`)")
_WRAPPED = re.compile(r"\s*+```(?:json)?[ \t]*+\n(.*)\n[ \t]*+```\s*+\Z", re.DOTALL | re.IGNORECASE)
DEEPEST = 50
"""Brackets within brackets. Where Python is WebAssembly, many thousands of them end it."""

_DECORATION = "`*_\"' \t\r\n"

TWO = "Your response has more than one command. Nothing was done. Send exactly ONE command in each response."
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
    """What a model wants done: `{"action": "click", "id": 12}` is `Call("click", {"id": 12})`."""

    action: str
    arguments: dict[str, Any] = field(factory=dict)


class Response(Record):
    """What a response comes to. `words` is the text without keyword and command, `error` says why nothing was done."""

    kind: Kind
    words: str = ""
    call: Call | None = None
    error: str = ""


class _Refused(Exception):
    """The response can't be done; its text goes to the model."""


def read_response(text: str, keyword: str, *, keyword_required: bool = True) -> Response:
    """The command or the last words of a response. Without the keyword it may have been cut off, so that not even its
    words are taken, unless it is not `keyword_required`."""
    if len(text) > MOST:
        return Response("error", error=TOO_LONG)
    begin = 0
    while thought := _THOUGHTS.match(text, begin):
        begin = thought.end()
    said = text[begin:].strip()
    if not said:
        return Response("empty", error=EMPTY)
    words, ended = _without_keyword(said, keyword)
    try:
        found = _command(words)
        if keyword_required and not ended:
            raise _Refused(NO_KEYWORD)
        if found is None:
            return Response("answer", words)
        return Response("command", *found)
    except _Refused as refused:
        return Response("error", words, error=str(refused))


def _without_keyword(text: str, keyword: str) -> tuple[str, bool]:
    bare = text.rstrip(_DECORATION)
    if not bare.endswith(keyword):
        return text, False
    # The keyword may be in quotes of its own: the opening one goes with it.
    before, _, line = bare[: -len(keyword)].rpartition("\n")
    return f"{before}\n{line.rstrip(_DECORATION)}".strip(), True


def _command(text: str) -> tuple[str, Call] | None:
    """The words before the command and the command, or None where there is none. Raises `_Refused`."""
    fences = list(_FENCED.finditer(text))
    unquoted = _INLINE.sub(_blank, _FENCED.sub(_blank, text))
    openings, closings = list(_OPENING.finditer(unquoted)), list(_CLOSING.finditer(unquoted))
    older = [found for found in fences if _is_older_form(found)]
    if len(openings) + len(older) > 1 or len(closings) > 1:
        raise _Refused(TWO)
    if openings or closings:
        if not (openings and closings and openings[0].end() <= closings[0].start()):
            raise _Refused(MALFORMED)
        before, after = text[: openings[0].start()], text[closings[0].end() :]
        if after.strip() or before.rpartition("\n")[2].strip():
            raise _Refused(NOT_LAST)
        return before.rstrip(), _call(text[openings[0].end() : closings[0].start()], name="action")
    if older:
        if text[older[0].end() :].strip():
            raise _Refused(NOT_LAST)
        return text[: older[0].start()].rstrip(), _call(older[0][3], name="tool")
    end = len(text.rstrip())
    if any(each.end() >= end and _holds_command(each[0]) for each in (*fences, *_INLINE.finditer(text))):
        raise _Refused(IN_QUOTES)
    return None


def _holds_command(quotation: str) -> bool:
    return bool(_OPENING.search(quotation) and _CLOSING.search(quotation))


def _blank(found: re.Match[str]) -> str:
    """A quotation as spaces: what stands outside keeps its place."""
    return "".join("\n" if each == "\n" else " " for each in found[0])


def _is_older_form(found: re.Match[str]) -> bool:
    """A ```json block whose object has a `"tool"` property; any other is a text."""
    if found[2].strip().lower() != "json":
        return False
    try:
        value = json.loads(found[3]) if json_depth(found[3]) <= DEEPEST else None
    except ValueError:
        return False
    return isinstance(value, dict) and "tool" in value


def _call(payload: str, name: str) -> Call:
    wrapped = _WRAPPED.fullmatch(payload)
    value = _json(wrapped[1] if wrapped else payload)
    if not isinstance(value, dict):
        raise _Refused("The command is no JSON object. Nothing was done.")
    if name == "tool" and "action" in value:  # the tool is the browser then
        name = "action"
        value.pop("tool")
    action = value.pop(name, None)
    if action is None:
        raise _Refused(f'The command has no "{name}". Nothing was done.')
    if not isinstance(action, str) or not action.strip():
        raise _Refused(f'"{name}" must be the name of a command, as a string. Nothing was done.')
    if name == "tool":
        for inner in ("arguments", "args", "parameters", "input"):
            if set(value) == {inner} and isinstance(value[inner], dict):
                value = value[inner]
    return Call(action.strip(), value)


def _json(payload: str) -> Any:
    if json_depth(payload) > DEEPEST:
        raise _Refused("The command is not valid JSON: too deep. Nothing was done.")
    try:
        return json.loads(payload, object_pairs_hook=_without_doubles, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise _Refused(
            f"The command is not valid JSON: {error.msg} (at character {error.pos}). Nothing was done."
        ) from None
    except ValueError:  # int() refuses thousands of digits
        raise _Refused("The command is not valid JSON: a number is too long. Nothing was done.") from None


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _Refused("The command says a field twice. Nothing was done.")
    return found


def _no_constant(name: str) -> Any:
    raise _Refused(f"The command is not valid JSON: {name}. Nothing was done.")
