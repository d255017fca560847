"""Answers as tool results: the compact text, the same as structured data, pictures as images; and the `requestState` of
results that request input.

In the newer era a client sends `requestState` back with its next call. It contains only what the client could have sent
anyway: the command that waits for its user's confirmation, and its own folders."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcp_types import CallToolResult, ImageContent, TextContent

from oryn.engine import Answer
from oryn.engine.output.answer import PrerenderedAnswer, json_form

if TYPE_CHECKING:
    from mcp_types import CallToolRequestParams

    from oryn.errors import OrynError
    from oryn.language import Command

MAX_PICTURE_BYTES = 3_750_000
"""Maximum size in bytes of a picture in a result, as assistants accept five million characters of Base64. For a larger
one the text has the file's path."""

PICTURE_TYPES = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".webp": "image/webp"}
"""Media types of pictures by file suffix."""


def result_of(answer: Answer, *, structured: bool = True, picture: bool = False) -> CallToolResult:
    """The result of a tool.

    With `picture`, the answer's file is a picture and is included. `structured` is False for assistants that show a
    model the data instead of the text: only errors then have their data."""
    content: list[TextContent | ImageContent] = [TextContent(type="text", text=replace_surrogates(answer.render()))]
    if picture and (image := _picture(answer)):
        content.append(image)
    data = None
    if answer.error is not None or (structured and answer.cut is None):
        data = replace_surrogates_in_data(json_form(answer))
    return CallToolResult(content=[*content], structured_content=data, is_error=not answer.ok)


def result_of_lines(answers: Sequence[Answer], *, left: int, structured: bool = True) -> CallToolResult:
    """The result of several lines: their answers' texts one after the other, and the forms in `answers`. `left` is the
    number of lines that were not run because one before them failed."""
    texts = [answer.render() for answer in answers]
    if left:
        texts.append(f"# note\n{left} more line{'s were' if left > 1 else ' was'} not run")
    content: list[TextContent | ImageContent] = [
        TextContent(type="text", text=replace_surrogates("\n\n".join(filter(None, texts))))
    ]
    content += filter(None, map(_picture, answers))
    ok = all(answer.ok for answer in answers)
    data = {"ok": ok, "answers": [json_form(answer) for answer in answers]} if structured or not ok else None
    return CallToolResult(
        content=[*content], structured_content=data and replace_surrogates_in_data(data), is_error=not ok
    )


_OPTION = re.compile(r"--([a-z]+(?:-[a-z]+)*)")


def with_arguments_named(answer: Answer, command: Command) -> Answer:
    """Name the options of a command in an error's hint as the arguments that a tool has: a model that has called it
    writes no command line."""
    error, options = answer.error, command.spec.spellings
    if error is None or error.hint is None:
        return answer
    before, error.hint = (
        error.hint,
        _OPTION.sub(lambda found: options[found[1]].name if found[1] in options else found[0], error.hint),
    )
    if (rendered := answer.prerendered) is not None and before != error.hint:
        form = json.loads(json.dumps(rendered.form).replace(json.dumps(before), json.dumps(error.hint)))
        answer.prerendered = PrerenderedAnswer(rendered.text.replace(before, error.hint), form)
    return answer


def error_result(name: str, error: OrynError) -> CallToolResult:
    """The result of a call that reached no session."""
    return result_of(Answer(command=name, error=error))


def _picture(answer: Answer) -> ImageContent | None:
    path = answer.data.get("path") if isinstance(answer.data, dict) else None
    if not answer.ok or not isinstance(path, str) or (kind := PICTURE_TYPES.get(Path(path).suffix.lower())) is None:
        return None
    try:
        image = Path(path).read_bytes()
    except OSError:  # the file was deleted meanwhile; the text still has its path
        return None
    if len(image) > MAX_PICTURE_BYTES:
        return None
    return ImageContent(type="image", data=base64.b64encode(image).decode("ascii"), mime_type=kind)


def replace_surrogates(text: str) -> str:
    """Replace unpaired surrogates: a page may contain them, but a message may not."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


def replace_surrogates_in_data(data: dict[str, Any]) -> dict[str, Any]:
    """Replace unpaired surrogates in JSON data."""
    text = json.dumps(data, ensure_ascii=False)
    mended = replace_surrogates(text)
    if mended is text:
        return data
    found: dict[str, Any] = json.loads(mended)
    return found


def write_state(**state: Any) -> str:
    """Encode a `requestState` as JSON, without the fields that are None."""
    return json.dumps({name: value for name, value in state.items() if value is not None})


def read_state(params: CallToolRequestParams) -> dict[str, Any]:
    """The state in a call's `requestState`: lists of strings, by name. Other values are ignored."""
    try:
        state = json.loads(params.request_state or "{}")
    except ValueError:
        return {}
    if not isinstance(state, dict):
        return {}
    return {
        name: value
        for name, value in state.items()
        if isinstance(value, list) and all(isinstance(each, str) for each in value)
    }
