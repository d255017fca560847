"""Parses requests: small ones, which are nearly all, in the daemon itself, large ones in child processes
(`parser_process`)."""

from __future__ import annotations

import logging
import pickle
from collections.abc import Mapping
from typing import Any

from oryn.daemon.request import parser_process
from oryn.daemon.request.json_body import read_json
from oryn.daemon.request.parser import ParsedRequest, parse_request
from oryn.errors import RequestError, RequestTooLarge
from oryn.language import Line
from oryn.system.process_pool import ProcessPool, WorkerEnded

log = logging.getLogger(__name__)

MAX_INLINE_BYTES = 8 * 1024
"""Maximum size in bytes of requests that the daemon parses itself. Whatever they contain, parsing takes at most a few
hundredths of a second."""
MAX_PROCESSES = 2
READ_SECONDS = 30.0
"""Maximum time to parse one request. Most take less than a second; on a busy machine their process, whose
priority is low, waits for a processor."""
IDLE_SECONDS = 60.0
"""How long an idle process is kept."""


class RequestParserPool:
    """A pool of parser processes. No process is started before the first large request."""

    def __init__(self) -> None:
        self._pool = ProcessPool(
            (parser_process.__name__,), max_processes=MAX_PROCESSES, seconds=READ_SECONDS, idle_seconds=IDLE_SECONDS
        )

    async def parse_command(self, body: bytes) -> ParsedRequest:
        """Parse the body of a command request. Raises `RequestError`."""
        if len(body) <= MAX_INLINE_BYTES:
            return parse_request(read_json(body))
        parsed: ParsedRequest = await self._parse_in_process(parser_process.COMMAND, body)
        return parsed

    async def parse_json(self, body: bytes) -> Any:
        """Parse a body as JSON data. Raises `RequestError`."""
        if len(body) <= MAX_INLINE_BYTES:
            return read_json(body)
        return await self._parse_in_process(parser_process.DATA, body)

    async def parse_tool_call(self, name: str, arguments: Mapping[str, Any]) -> Line:
        """Parse the call of a tool into a line. Raises `LanguageError`, `RequestError`."""
        from oryn.tools import line_of

        body = parser_process.tool_call_body(name, arguments)
        if len(body) <= MAX_INLINE_BYTES:
            return line_of(name, arguments)
        line: Line = await self._parse_in_process(parser_process.TOOL, body)
        return line

    async def close(self) -> None:
        """End the processes."""
        await self._pool.close()

    async def _parse_in_process(self, kind: bytes, body: bytes) -> Any:
        try:
            is_parsed, result = pickle.loads(await self._pool.run(kind + body))
        except TimeoutError:
            raise RequestTooLarge(f"reading the request took more than {self._pool.seconds:g} s") from None
        except WorkerEnded:
            log.warning("a process that reads requests has ended")
            raise RequestError("the request could not be read", "Send less at once.") from None
        if not is_parsed:
            raise result
        return result
