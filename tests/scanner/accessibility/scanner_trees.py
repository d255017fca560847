"""The scanner's `tree` and `scan` of a page, each node with the backend id of its element.

A tree gives only useful targets a reference, and most of its nodes have none. So the comparison runs the scanner's
modules in a world of its own, with an entry that remembers the element of each row (`recording.ts`).
"""

from __future__ import annotations

import asyncio
import json
import subprocess
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from tests.pages import PROJECT
from tests.scanner.accessibility.browser_tree import Call

WORLD = "comparison"


@cache
def recording_script() -> str:
    """`recording.ts`, bundled with the scanner's modules that it imports."""
    entry = Path(__file__).with_name("recording.ts")
    command = ["npx", "--no-install", "esbuild", str(entry), "--bundle", "--format=iife", "--log-level=warning"]
    return subprocess.run(command, cwd=PROJECT, check=True, capture_output=True, text=True).stdout


@dataclass
class ScannerNode:
    """A node of a `tree`, or an element of a `scan` (`kind` is its type, `tree` has none)."""

    backend: int
    role: str
    name: str
    states: frozenset[str]
    level: int | None = None
    kind: str = ""
    text: str = ""
    is_interactive: bool = False
    children: list[ScannerNode] = field(default_factory=list)

    @property
    def content(self) -> str:
        """All that the node and those in it say."""
        return self.name or " ".join([self.text, *(child.content for child in self.children)]).strip()


@dataclass
class ScannerTrees:
    """Both views of one page, in page order. A text of the `tree` is part of the node around it. `unseen` are the elements
    that a scan lists with `include_hidden` alone."""

    tree: list[ScannerNode]
    scan: list[ScannerNode]
    unseen: list[ScannerNode]


async def read_trees(call: Call) -> ScannerTrees:
    """Run the scanner in the top document."""
    frames = await call("Page.getFrameTree")
    frame = frames["frameTree"]["frame"]["id"]
    world = await call("Page.createIsolatedWorld", {"frameId": frame, "worldName": WORLD})
    context = world["executionContextId"]
    answer = await call(
        "Runtime.evaluate",
        {"expression": f"{recording_script()};readBoth()", "contextId": context, "returnByValue": True},
    )
    assert "value" in answer["result"], answer
    both = json.loads(answer["result"]["value"])
    backends = await _backends(call, context)
    scan = [
        ScannerNode(
            backends[row["position"]],
            row["role"],
            row["text"],
            frozenset(row["modifiers"]),
            kind=row["type"],
            is_interactive=True,
        )
        for row in both["scan"]
    ]
    tree = _tree_nodes(both["tree"], backends)
    interactive = {each.backend for each in scan}
    for node in tree:
        node.is_interactive = node.backend in interactive
    return ScannerTrees(
        tree,
        [each for each in scan if "hidden" not in each.states],
        [each for each in scan if "hidden" in each.states],
    )


async def _backends(call: Call, context: int) -> list[int]:
    """The backend ids of the elements of both views."""
    array = await call("Runtime.evaluate", {"expression": "elementsOfBoth()", "contextId": context})
    answer = await call("Runtime.getProperties", {"objectId": array["result"]["objectId"], "ownProperties": True})
    objects = [each["value"]["objectId"] for each in answer["result"] if each["name"].isdigit()]
    nodes = await asyncio.gather(*(call("DOM.describeNode", {"objectId": each}) for each in objects))
    return [node["node"]["backendNodeId"] for node in nodes]


def _tree_nodes(rows: list[dict[str, Any]], backends: list[int]) -> list[ScannerNode]:
    nodes = []
    open_nodes: list[ScannerNode] = []
    for row in rows:
        del open_nodes[row["depth"] :]
        node = ScannerNode(
            backends[row["position"]] if "position" in row else 0,
            row["role"],
            row.get("name", ""),
            frozenset(row.get("states", ())),
            row.get("level"),
            text=row.get("text", ""),
        )
        if open_nodes:
            open_nodes[-1].children.append(node)
        open_nodes.append(node)
        if node.backend:
            nodes.append(node)
    return nodes
