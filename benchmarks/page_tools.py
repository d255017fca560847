"""What `tool call` takes beyond `WebMCP.invokeTool` and its response, for a tool of the page, with the change report.

usage: python -m benchmarks.page_tools

Medians of rounds run in turn, each from a random point of the browser's frame, and their difference in milliseconds.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any, cast

from benchmarks._host import OnePage
from benchmarks._session import headless_session, must, paired, row, run
from oryn.browsers.chromium.page import CdpPage
from oryn.engine import Session

ROUNDS = 60
FRAME_SECONDS = 1 / 60
PAGE = """<title>Tools</title><p id=out></p><script>
let count = 0;
const tool = (name, execute) => document.modelContext.registerTool({name, description: name, execute});
tool('read', () => ({count}));
tool('write', () => (document.getElementById('out').textContent = ++count));
</script>"""


class BareTools:
    """Calls tools over a tab's own connection."""

    def __init__(self, session: Session) -> None:
        self._page = cast(CdpPage, session.page)
        self._answered: asyncio.Future[dict[str, Any]] | None = None
        self._page.channel.session.on("WebMCP.toolResponded", self._responded)

    def _responded(self, event: dict[str, Any]) -> None:
        if self._answered is not None and not self._answered.done():
            self._answered.set_result(event)

    async def call(self, name: str) -> None:
        self._answered = asyncio.get_running_loop().create_future()
        frame = self._page.frame_tree.top.id
        await self._page.channel.call("WebMCP.invokeTool", {"toolName": name, "frameId": frame, "input": {}})
        await self._answered


async def main() -> None:
    with OnePage(PAGE) as page:
        async with headless_session() as session, headless_session() as other:
            for each in (session, other):
                await must(each, f"goto {page.url}")
            bare = BareTools(other)
            row("tool", "bare ms", "oryn ms", "more ms")
            for name in ("read", "write"):

                async def ours(name: str = name) -> None:
                    (await must(session, f"tool call {name} {{}}")).render()

                base, full = await paired(partial(bare.call, name), ours, rounds=ROUNDS, spread=FRAME_SECONDS)
                row(name, f"{base * 1e3:.1f}", f"{full * 1e3:.1f}", f"{(full - base) * 1e3:.1f}")


if __name__ == "__main__":
    run(main)
