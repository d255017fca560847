"""The tools that the current page offers (WebMCP): which one a name means, and how a tool is displayed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from oryn.browsers.base.page_tools import PageTool
from oryn.core.text_safety import plain, quoted, shortened
from oryn.engine.output.answer import value_text
from oryn.errors import Ambiguous, OrynError

if TYPE_CHECKING:
    from oryn.browsers.base import Frame
    from oryn.engine.page.context import PageContext

MAX_DESCRIPTION_CHARACTERS = 300
MAX_PARAMETERS = 20
MAX_CHOICES = 8
"""How many values of an enumeration are displayed."""
_WORD = re.compile(r"[\w$.:/-]+")


async def offered_tools(context: PageContext) -> list[PageTool]:
    """Return the tools of the page, or of the frame that the session has chosen and the frames in it. There are none
    without a page."""
    try:
        page = context.page
    except OrynError:  # no browser runs yet, or it has no tab
        return []
    found = await page.tools.offered(timeout=context.deadline.remaining())
    if context.frame is None:
        return found
    inside = _subtree(page.frames(), context.frame)
    return [tool for tool in found if tool.frame.id in inside]


def _subtree(frames: Iterable[Frame], root: Frame) -> set[str]:
    """Return the ids of a frame and of the frames in it. `frames` has parents before children."""
    inside = {root.id}
    for frame in frames:
        if frame.parent in inside:
            inside.add(frame.id)
    return inside


def tool_of(name: str, tools: Iterable[PageTool]) -> PageTool | None:
    """Return the tool of this name; None if there is none. The outermost document wins, because it can replace what is
    in its frames anyway. Raises `Ambiguous` if several of its frames offer one."""
    named = [tool for tool in tools if tool.name == name]
    level = min((tool.frame.level for tool in named), default=0)
    outermost = [tool for tool in named if tool.frame.level == level]
    if len(outermost) > 1:
        places = ", ".join(quoted(tool.frame.url) for tool in outermost)
        raise Ambiguous(
            f"{len(outermost)} frames offer the tool {quoted(name)}: {places}", "Choose one with 'frame' first."
        )
    return outermost[0] if outermost else None


def tool_line(name: str, description: str, schema: Mapping[str, Any], *, read_only: bool = False) -> str:
    """Render `add(a: number, b?: number) "Adds numbers" {read-only}`."""
    text = f"{displayed_name(name)}{_parameters(schema)} {quoted(shortened(description, MAX_DESCRIPTION_CHARACTERS))}"
    return text + (" {read-only}" if read_only else "")


def displayed_name(name: str) -> str:
    """Return a name as `tool call` takes it."""
    return name if _WORD.fullmatch(name) else quoted(name)


def _parameters(schema: Mapping[str, Any]) -> str:
    properties = schema.get("properties")
    if not isinstance(properties, Mapping) or not properties:
        return ""
    required = schema.get("required")
    needed = set(map(str, required)) if isinstance(required, list) else set()
    parts = [
        f"{displayed_name(name)}{'' if name in needed else '?'}: {_type(value)}"
        for name, value in list(properties.items())[:MAX_PARAMETERS]
    ]
    if len(properties) > MAX_PARAMETERS:
        parts.append("…")
    return f"({', '.join(parts)})"


def _type(schema: Any) -> str:
    """Return the type of a parameter in a few words: `string`, `"a" | "b"`, `number[]`."""
    if not isinstance(schema, Mapping):
        return "any"
    choices = schema.get("enum")
    if isinstance(choices, list) and choices:
        listed = [
            plain(json.dumps(each, ensure_ascii=False)[:40]).replace('\\"', '"') for each in choices[:MAX_CHOICES]
        ]
        return " | ".join(listed) + (" | …" if len(choices) > MAX_CHOICES else "")
    kind = schema.get("type")
    if kind == "array":
        return f"{_type(schema.get('items'))}[]"
    kinds = kind if isinstance(kind, list) else [kind]
    return " | ".join(plain(shortened(each, 20)) for each in kinds if isinstance(each, str)) or "any"


def result_text(value: Any) -> str:
    """Return what a tool answered as text for a reader: the texts of a result in the form of the Model Context Protocol
    (`{"content": [{"type": "text", "text": …}]}`), else JSON."""
    content = value.get("content") if isinstance(value, Mapping) else None
    if isinstance(content, list) and content:
        texts = [each.get("text") if isinstance(each, Mapping) else None for each in content]
        if all(isinstance(text, str) for text in texts):
            return "\n".join(map(str, texts))
    return value_text(value)
