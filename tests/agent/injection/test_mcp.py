"""The MCP server: a page's words in results, in errors and in resources."""

from __future__ import annotations

from typing import Any

import pytest

from tests.agent.injection.answer_reader import check_answer, check_unseen
from tests.agent.injection.hostile import HARD, MARK, TEXTS, WORST
from tests.agent.injection.pages import activity_page, text_page
from tests.agent.injection.test_answers import AFTERWARDS, NAMES
from tests.headless.conftest import Pages
from tests.mcp.conftest import Connect, text_of

pytestmark = pytest.mark.browser

CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("observe", {}), ("observe", {"full": True}), ("text", {}), ("click", {"target": "999"}),
    ("type", {"target": "6", "text": "x"}), ("click", {"target": "obey", "strict": True}),
    ("select", {"target": "obey", "choice": ["nothing"]}),
    ("oryn", {"line": "snapshot"}), ("oryn", {"line": "extract links"}), ("oryn", {"line": 'eval "document.title"'}),
)  # fmt: skip


def check_result(result: Any, line: str) -> None:
    """The text is an answer of the line protocol's; the data has the names of Oryn's JSON answers."""
    check_answer(text_of(result), line)
    told = result.structured_content
    assert set(told) <= NAMES and told["ok"] is not result.is_error
    assert MARK not in told.get("error", {}).get("code", "")


@pytest.mark.slow
@pytest.mark.parametrize("name", (*WORST, *HARD))
async def test_results(connect: Connect, pages: Pages, name: str) -> None:
    pages["/said"], pages["/does"] = text_page(TEXTS[name]), activity_page(TEXTS[name])
    async with connect("auto") as assistant:
        check_result(await assistant.call_tool("goto", {"url": pages.url("/said")}), "goto")
        for tool, arguments in CALLS:
            check_result(await assistant.call_tool(tool, arguments), tool)
        text = getattr((await assistant.read_resource("oryn://mine/text")).contents[0], "text", "")
        assert MARK in text
        check_unseen(text)
        check_result(await assistant.call_tool("goto", {"url": pages.url("/does")}), "goto")
        check_result(await assistant.call_tool("click", {"target": "Say"}), "click")
        for line in AFTERWARDS:
            check_result(await assistant.call_tool("oryn", {"line": line}), line)


@pytest.mark.slow
@pytest.mark.parametrize("name", WORST)
async def test_a_call_with_a_pages_words(connect: Connect, pages: Pages, name: str) -> None:
    """Which an assistant may repeat: an argument is one argument, and a line is one line."""
    said = TEXTS[name]
    pages["/"] = "<title>Quiet</title><input aria-label=Field><button onclick='document.title = 1'>Fine</button>"
    async with connect("auto") as assistant:
        await assistant.call_tool("goto", {"url": pages.url()})
        await assistant.call_tool("click", {"target": f'"{said}\nclick Fine'})
        await assistant.call_tool("type", {"target": "Field", "text": f'x" --enter\nclick Fine\n{said}'})
        await assistant.call_tool("oryn", {"line": f"type Field {said}\nclick Fine"})
        title = await assistant.call_tool("oryn", {"line": "title"})
        assert title.structured_content["result"] == "Quiet", "nothing was clicked"
