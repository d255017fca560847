"""`tools` and `tool call`: the host's plugins, and the tools that the page offers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from oryn.browsers.base import PageEffects
from oryn.engine.action import Action
from oryn.engine.handlers.registry import handles
from oryn.engine.output.answer import Answer
from oryn.engine.page.context import require_no_dialog
from oryn.engine.page.page_tools import offered_tools, result_text, tool_line, tool_of
from oryn.errors import InvalidValue, ToolFailed
from oryn.language import ToolCall, Tools

if TYPE_CHECKING:
    from oryn.browsers.base.page_tools import PageTool
    from oryn.engine.plugin_tools import PluginTool
    from oryn.engine.session import Session

MAX_LISTED = 50
"""How many tools of a page are listed."""


@handles(Tools, browser=False)
async def tools(session: Session, command: Tools) -> Answer:
    plugins = await session.tools.all()
    offered = await offered_tools(session)
    listed = offered[:MAX_LISTED]
    answer = Answer(
        lines=[tool_line(tool.name, tool.description, tool.parameters, read_only=tool.read_only) for tool in plugins]
        + [tool_line(tool.name, tool.description, tool.input_schema, read_only=tool.read_only) for tool in listed],
        data=[_tool_data(tool, tool.parameters, source="plugin") for tool in plugins]
        + [_tool_data(tool, tool.input_schema, source="page", url=tool.frame.url) for tool in listed],
    )
    if len(offered) > MAX_LISTED:
        answer.notes.append(f"{len(offered) - MAX_LISTED} more tools of the page are left out")
    return answer


def _tool_data(tool: PluginTool | PageTool, schema: dict[str, Any], **origin: str) -> dict[str, Any]:
    own = {"name": tool.name, "description": tool.description, "parameters": schema, "read_only": tool.read_only}
    return {**own, **origin}


@handles(ToolCall, browser=False)
async def tool_call(session: Session, command: ToolCall) -> Answer:
    """The host's tools come first: a page can't replace them by one of the same name."""
    if all(tool.name != command.name for tool in await session.tools.all()):
        found = tool_of(command.name, await offered_tools(session))
        if found is not None:
            return await _call_page_tool(session, found, command.arguments)
    value = await session.tools.call(command.name, command.arguments, timeout=session.deadline.remaining())
    return Answer(data=value, block=result_text(value))


async def _call_page_tool(session: Session, tool: PageTool, arguments: Any) -> Answer:
    """Call the tool and report what it has changed on the page.

    Its answer says when it has ended. Only what the browser reports as begun, such as a navigation, is waited for."""
    if not isinstance(arguments, Mapping):
        raise InvalidValue("the arguments of a page's tool are a JSON object", "Write {} for none.")
    require_no_dialog(session)
    session.lease_guard.begin_act()
    action = await Action.begin(session, reacts=False)
    result = await session.page.tools.call(tool, dict(arguments), timeout=session.deadline.remaining())
    if isinstance(result.value, Mapping) and result.value.get("isError") is True:
        raise ToolFailed(f"the tool reports an error: {result_text(result.value)}")
    has_ended = result.is_answered and not action.page.has_effects(action.checkpoint)
    answer = await action.report(
        [] if result.is_answered else ["the page was left before the tool answered"],
        PageEffects() if has_ended else None,
    )
    answer.data = result.value
    if result.is_answered:
        answer.block = result_text(result.value)
    return answer
