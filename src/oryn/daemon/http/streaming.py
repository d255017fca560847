"""`POST /command` as a stream: progress and parts of the result before the response, one JSON object per line (`Accept:
application/x-ndjson`).

    {"progress": {"stage": "crawl", "done": 3, "total": 8}}
    {"notice": "…"}                                             a message for the person at the terminal
    {"item": {…}}                                               a part of the result, such as a page of a crawl
    {"response": {…}, "exit_code": 0, "json": false}            the last line; `json`: whether the words have `--json`;
                                                                `printed`, `piped`: what a terminal or a pipe gets
                                                                instead of the response's text; `markdown`: what a
                                                                terminal renders instead; `failed`: what goes to
                                                                standard error, as it is missing in the result

If the client disconnects, the command is cancelled, as without a stream (`outlives_client` has the exception)."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Mapping
from contextvars import copy_context
from typing import TYPE_CHECKING, Any

from starlette.responses import StreamingResponse

from oryn.daemon.command_stream import STREAM, CommandStream
from oryn.daemon.http.terminal import document_text, exit_code, failure_text, printed_text
from oryn.daemon.protocol import json_text
from oryn.language.commands.host import InteractiveLogin

if TYPE_CHECKING:
    from starlette.types import Send

    from oryn.daemon.dispatcher import Dispatcher
    from oryn.daemon.request.parser import ParsedRequest

MEDIA_TYPE = "application/x-ndjson"


def outlives_client(parsed: ParsedRequest) -> bool:
    """Whether the command continues if its client disconnects: a login, as a person may be in the middle of it."""
    return isinstance(getattr(parsed.line, "command", None), InteractiveLogin)


class StreamedCommandResponse(StreamingResponse):
    """The response to a streamed command. Raises `TooManyCommands` or `DaemonEnding` if the command can't start."""

    def __init__(self, dispatcher: Dispatcher, parsed: ParsedRequest) -> None:
        stream, context = CommandStream(), copy_context()
        context.run(STREAM.set, stream)
        self._task = context.run(dispatcher.start, parsed.envelope, parsed.line)
        self._stream = stream
        self._parsed = parsed
        self._lines = self._generate_lines()
        super().__init__(self._lines, media_type=MEDIA_TYPE)

    async def stream_response(self, send: Send) -> None:
        try:
            await super().stream_response(send)
        finally:  # the client may have disconnected
            await self._lines.aclose()

    async def _generate_lines(self) -> AsyncGenerator[bytes]:
        try:
            async for message in self._stream.messages_until(self._task):
                yield _json_line(message)
            outcome = self._task.result()
            response, answer = outcome.response(), outcome.answer
            ending: dict[str, Any] = {"exit_code": exit_code(self._parsed, answer), "json": self._parsed.as_json}
            for name, piped in (("printed", False), ("piped", True)):
                text = printed_text(self._parsed, answer, response.text, piped=piped)
                if text != response.text:
                    ending[name] = text
            if document := document_text(self._parsed, answer):
                ending["markdown"] = document
            if failed := failure_text(answer):
                ending["failed"] = failed
            yield b'{"response":' + json_text(response).encode("utf-8", "replace") + b"," + _json_line(ending)[1:]
        finally:
            if not outlives_client(self._parsed):
                self._task.cancel()


def _json_line(message: Mapping[str, Any]) -> bytes:
    """Encode a message in ASCII: a page may contain unpaired surrogates, which can't be encoded otherwise."""
    return json.dumps(message, separators=(",", ":")).encode("ascii") + b"\n"
