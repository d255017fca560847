"""The commands as tools of LangChain."""

from __future__ import annotations

import pytest
from langchain_core.messages import ToolMessage
from langchain_core.utils.function_calling import convert_to_openai_tool

from oryn import Oryn, SyncOryn
from oryn.client.adapters.langchain import langchain_tools
from tests.clients.conftest import Program
from tests.headless.conftest import Pages

pytestmark = pytest.mark.browser


def called(name: str, **arguments: object) -> dict[str, object]:
    """A tool call as a model makes it."""
    return {"name": name, "args": arguments, "id": "1", "type": "tool_call"}


async def test_tools_run_commands(shop: Oryn) -> None:
    tools = {each.name: each for each in langchain_tools(shop)}
    assert convert_to_openai_tool(tools["click"])["function"]["parameters"]["required"] == ["target"]
    message = await tools["click"].ainvoke(called("click", target="Buy"))
    assert isinstance(message, ToolMessage) and str(message.content).startswith('ok click "Buy"')
    assert [each.kind for each in message.artifact.changes]
    failed = await tools["click"].ainvoke(called("click", target="Sell"))
    assert str(failed.content).startswith('error click "Sell": ') and not failed.artifact.ok
    line = await tools["oryn"].ainvoke(called("oryn", line="title"))
    assert line.content == 'ok title\n\n"Form"'
    refused = await tools["oryn"].ainvoke(called("oryn", line="clck 3"))
    assert str(refused.content).startswith("error: unknown command") and refused.artifact is None
    picture = await tools["screenshot"].ainvoke(called("screenshot"))
    assert picture.content[1]["mime_type"] == "image/png"  # type: ignore[index]
    [cookies] = langchain_tools(shop, ["cookies"])
    assert (await cookies.ainvoke(called("cookies", action="list"))).content == "ok cookies list"


def test_tools_of_the_synchronous_client(tmp_path: object, pages: Pages, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ORYN_HOME", f"{tmp_path}/home")
    with SyncOryn(binary=Program(tmp_path).path) as oryn:  # type: ignore[arg-type]
        tools = {each.name: each for each in langchain_tools(oryn)}
        assert str(tools["goto"].invoke({"url": pages.url("/")})).startswith("ok goto ")
        assert tools["oryn"].invoke({"line": "title"}) == 'ok title\n\n"Form"'
