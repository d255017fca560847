"""The commands as tools of LangChain.

    from langchain.agents import create_agent

    agent = create_agent(model, langchain_tools(oryn))

https://docs.langchain.com/oss/python/langchain/tools"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from langchain_core.tools import StructuredTool

from oryn.client.client import Oryn
from oryn.core.error_text import error_text
from oryn.errors import LanguageError
from oryn.language.command import HOST_SCOPES
from oryn.tools import Tool, line_of, tools

if TYPE_CHECKING:
    from oryn.client._generated.sync.client import SyncOryn
    from oryn.client.result import Result
    from oryn.tools.catalog import Listing

_PICTURES = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".webp": "image/webp"}

Content = str | list[dict[str, Any]]


def langchain_tools(oryn: Oryn | SyncOryn, which: Listing | Iterable[str] = "core") -> list[StructuredTool]:
    """Return tools that run commands in the session of a client.

    oryn: a connected client. An asynchronous one gives tools for `ainvoke`, a synchronous one for `invoke`.
    which: `core` (ten tools), `all`, or names of tools, as in `oryn.tools.tools`.

    A tool returns the answer's text, and the picture of `screenshot` and `zoom`; the `Result` is its artifact. A failed
    command is an answer that says so, which a model can read. Raises `UnknownCommand` for names that are not tools."""
    return [_tool(oryn, tool) for tool in tools(which)]


def _tool(oryn: Oryn | SyncOryn, tool: Tool) -> StructuredTool:
    about = {
        "name": tool.name,
        "description": tool.description,
        "args_schema": tool.parameters,
        "response_format": "content_and_artifact",
    }
    calm = oryn.with_options(raises=False)
    if isinstance(calm, Oryn):
        session = calm

        async def arun(**arguments: Any) -> tuple[Content, Result[Any] | None]:
            try:
                action, parameters = _request(tool.name, arguments)
                return _content(
                    await (session._call(action, parameters) if parameters is not None else session.run(action))
                )
            except LanguageError as error:
                return error_text(error), None

        return StructuredTool.from_function(coroutine=arun, **about)
    blocking = calm

    def run(**arguments: Any) -> tuple[Content, Result[Any] | None]:
        try:
            action, parameters = _request(tool.name, arguments)
            return _content(blocking._call(action, parameters) if parameters is not None else blocking.run(action))
        except LanguageError as error:
            return error_text(error), None

    return StructuredTool.from_function(func=run, **about)


def _request(name: str, arguments: Mapping[str, Any]) -> tuple[str, Mapping[str, Any] | None]:
    """Return the line of a tool call and None; for a command of the host, which has no line, its name and arguments."""
    line = line_of(name, arguments)
    if line.command is not None and line.command.spec.scope in HOST_SCOPES:
        return name, arguments
    return line.canonical, None


def _content(result: Result[Any]) -> tuple[Content, Result[Any]]:
    takes_picture = result.command.startswith(("screenshot", "zoom")) and result.ok and result.files
    kind = _PICTURES.get(result.path.suffix.lower()) if takes_picture else None
    if kind is None:
        return result.text, result
    picture = {"type": "image", "base64": base64.b64encode(result.read_bytes()).decode("ascii"), "mime_type": kind}
    return [{"type": "text", "text": result.text}, picture], result
