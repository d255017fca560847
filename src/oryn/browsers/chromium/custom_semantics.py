"""Tells the scanner what custom elements say of themselves to the browser alone (`ElementInternals`).

No script can read it, in no world; the browser's accessibility tree has it. The scanner names the elements, and takes
for each the attributes that would say the same, which those that are written go before.
https://html.spec.whatwg.org/multipage/custom-elements.html#native-accessibility-semantics
https://chromedevtools.github.io/devtools-protocol/tot/Accessibility/#method-getPartialAXTree"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from oryn.browsers.cdp.channel import CdpChannel
from oryn.browsers.cdp.frames import CdpFrameNode
from oryn.browsers.chromium.closed_roots import NodeQueries

_UNSAID = "function(){return __oryn_unsaid()}"
_SEMANTICS = "function(values,...elements){__oryn_semantics(values,elements)}"

_NO_ROLES = frozenset({"", "none", "generic", "GenericContainer", "LabelText", "StaticText"})
_STATES = ("checked", "pressed", "expanded", "selected", "disabled", "required", "readonly", "level", "valuetext")
"""Properties of the tree that are ARIA attributes by name."""
_DEFAULTS = frozenset({("required", "false"), ("readonly", "false"), ("disabled", "false")})
_VALUED = frozenset({"slider", "spinbutton", "meter", "progressbar", "scrollbar"})


class CustomSemantics:
    """The roles, names and states of one tab's custom elements."""

    def __init__(self, channel: CdpChannel) -> None:
        self._channel = channel
        self._contexts: set[int] = set()
        """Execution contexts of scanners whose documents have such elements."""

    def concerns(self, node: CdpFrameNode) -> bool:
        """Whether the frame's document has elements whose states have to be read before each look at it."""
        return node.worlds.scanner in self._contexts

    async def refresh(self, node: CdpFrameNode, timeout: float) -> None:
        """Read the tree for the custom elements of a frame, and hand what it says to the frame's scanner."""
        context = node.worlds.scanner
        if context is None:
            return
        async with asyncio.timeout(timeout), NodeQueries(self._channel, node.session, context) as queries:
            elements = await queries.elements(_UNSAID)
            if not elements:
                return
            node.session.send("Accessibility.enable")  # else the browser builds the tree anew for each element
            params = [{**each, "fetchRelatives": False} for each in elements]
            answers = await queries.each("Accessibility.getPartialAXTree", params)
            node.session.send("Accessibility.disable")
            if len(answers) == len(elements):  # else some are gone, and the page is looked at again soon
                values = [attributes_of(answer["nodes"][0]) for answer in answers]
                if any(values):
                    self._contexts.add(context)
                await queries.call(_SEMANTICS, {"value": values}, *elements)


def attributes_of(node: Mapping[str, Any]) -> dict[str, str]:
    """The ARIA attributes that would say what a node of the browser's tree (an `AXNode`) says."""
    role = str(node.get("role", {}).get("value", ""))
    if node.get("ignored") or role in _NO_ROLES:
        return {}
    found = {"role": role}
    if label := _label(node):
        found["aria-label"] = label
    for each in node.get("properties", ()):
        name, value = each["name"], _text(each["value"].get("value"))
        if name in _STATES and value and (name, value) not in _DEFAULTS:
            found[f"aria-{name}"] = value
    if role in _VALUED and "value" in node:
        found["aria-valuenow"] = _text(node["value"].get("value"))
    return found


def _label(node: Mapping[str, Any]) -> str:
    """The name that the element itself gives, not one by its content or by what refers to it."""
    for source in node.get("name", {}).get("sources", ()):
        if source.get("attribute") == "aria-label" and not source.get("superseded"):
            return str(source.get("attributeValue", {}).get("value", ""))
    return ""


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)
