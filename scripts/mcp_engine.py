"""`oryn mcp` for whoever speaks the line protocol: `make -s mcp-engine`.

Every line becomes a call of a tool that the server lists, as a model would make it: of the command's own where there
is one that takes what the line says, else of the one for lines. The official client makes it, on standard input and
output, and the answer is the text of the result."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from collections.abc import Iterable, Mapping
from typing import Any

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp_types import TextContent, Tool

from oryn.errors import LanguageError
from oryn.hosts.line_protocol import ready_line
from oryn.hosts.process_io import LineReader, Writer
from oryn.language import Command, parse
from oryn.language.json_codec import command_json
from oryn.mcp.catalog import mcp_name
from oryn.sessions.framing import decode_line, encode
from oryn.tools import LINE_TOOL


def call_of(line: str, offered: Iterable[Tool]) -> tuple[str, Mapping[str, Any]]:
    """The tool and the arguments that a line means."""
    try:
        command = parse(line).command
    except LanguageError:
        command = None  # which the server is to say itself
    if command is not None:
        taken = {tool.name: set(tool.input_schema["properties"]) for tool in offered}
        name, arguments = mcp_name(type(command).spec.api_name), _arguments(command)
        if name in taken and set(arguments) <= taken[name]:
            return name, arguments
    return LINE_TOOL, {"line": line}


def _arguments(command: Command) -> dict[str, Any]:
    """As a model writes them: targets are numbers or texts."""
    given = {name: value for name, value in command_json(command)["arguments"].items() if value not in (None, False)}
    for name, value in given.items():
        if isinstance(value, dict) and len(value) == 1:
            (given[name],) = (str(each) if kind == "id" else value for kind, each in value.items())
    return given


async def main(arguments: list[str]) -> int:
    reader, writer = LineReader(0), Writer(1)
    with tempfile.TemporaryDirectory() as home:
        environment = {"ORYN_HOME": home, **os.environ}
        command = ["-m", "oryn", "mcp", *arguments]
        server = StdioServerParameters(command=sys.executable, args=command, env=environment)
        async with Client(stdio_client(server)) as client:
            offered = (await client.list_tools()).tools
            await writer.write(encode(ready_line("oryn-h")))
            async for line in reader:
                text = decode_line(line)
                if text.strip() in ("quit", "exit"):
                    break
                name, given = call_of(text, offered)
                result = await client.call_tool(name, dict(given))
                said = result.content[0]
                assert isinstance(said, TextContent)
                await writer.write(encode(said.text))
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main(sys.argv[1:])))
