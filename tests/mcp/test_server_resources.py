"""Resources: what there is of each session, what stands in it, and who hears that it has changed."""

from __future__ import annotations

import asyncio
import base64
import json
import os
from pathlib import Path

import pytest
from mcp.shared.exceptions import MCPDeprecationWarning, MCPError
from mcp_types import (
    ResourceListChangedNotification,
    ResourceTemplateReference,
    ResourceUpdatedNotification,
    ServerNotification,
)

from tests.headless.conftest import Pages
from tests.mcp.conftest import Connect

pytestmark = pytest.mark.browser

KINDS = ["text", "screenshot", "notes", "history"]


@pytest.mark.slow
async def test_each_session_has_its_resources(connect: Connect, era: str, pages: Pages, tmp_path: Path) -> None:
    pages["/"] = "<title>Ferns</title><h1>Boston fern</h1><p>Green.</p>"
    async with connect(era) as assistant:
        assert (await assistant.list_resources()).resources == []
        await assistant.call_tool("goto", {"url": pages.url()})
        listed = (await assistant.list_resources(cache_mode="refresh")).resources
        assert [each.uri for each in listed] == [f"oryn://mine/{kind}" for kind in KINDS]

        text = (await assistant.read_resource("oryn://mine/text")).contents[0]
        assert (text.mime_type, text.text) == ("text/plain", "Boston fern\n\nGreen.")
        picture = (await assistant.read_resource("oryn://mine/screenshot")).contents[0]
        assert base64.b64decode(picture.blob).startswith(b"\x89PNG")
        assert not [name for name in os.listdir(tmp_path) if name.endswith(".png")]
        history = json.loads((await assistant.read_resource("oryn://mine/history")).contents[0].text)
        assert [(row["command"], row["ok"]) for row in history] == [
            (f"goto {pages.url()}", True),
            ("text", True),
            ("screenshot", True),
        ]


@pytest.mark.slow
async def test_templates_lead_to_any_session(connect: Connect, era: str) -> None:
    async with connect(era) as assistant, connect(era, session="other") as neighbour:
        found = (await assistant.list_resource_templates()).resource_templates
        assert [each.uri_template for each in found] == [f"oryn://{{session}}/{kind}" for kind in KINDS]
        await neighbour.call_tool("goto", {"url": "data:text/html,<p>Next door"})
        reference = ResourceTemplateReference(uri="oryn://{session}/text")
        assert (await assistant.complete(reference, {"name": "session", "value": "o"})).completion.values == ["other"]
        assert (await assistant.complete(reference, {"name": "session", "value": "x"})).completion.values == []
        assert (await assistant.read_resource("oryn://other/text")).contents[0].text == "Next door"


@pytest.mark.parametrize(
    "uri", ["oryn://nobody/text", "oryn://mine/cookies", "oryn://mine/text/..", "file:///etc/passwd", "oryn://../text"]
)
async def test_a_resource_that_is_none(connect: Connect, era: str, uri: str) -> None:
    async with connect(era) as assistant:
        await assistant.call_tool("goto", {"url": "about:blank"})
        with pytest.raises(MCPError, match="Resource not found") as caught:
            await assistant.read_resource(uri)
        assert caught.value.error.code == (-32002 if era == "legacy" else -32602)


async def test_a_page_that_can_not_be_read_is_an_error(connect: Connect, era: str, pages: Pages) -> None:
    pages["/"] = "<button onclick=\"confirm('Sure?')\">Go</button>"
    async with connect(era) as assistant:
        await assistant.call_tool("goto", {"url": pages.url()})
        await assistant.call_tool("click", {"target": "Go"})
        with pytest.raises(MCPError) as caught:
            await assistant.read_resource("oryn://mine/text")
        assert caught.value.error.data["code"] == "DIALOG_OPEN"


async def test_subscribed_client_is_notified_of_changes(connect: Connect) -> None:
    notifications: asyncio.Queue[ServerNotification] = asyncio.Queue()

    async def collect(message: object) -> None:
        if isinstance(message, ResourceUpdatedNotification | ResourceListChangedNotification):
            notifications.put_nowait(message)

    async with connect("legacy", message_handler=collect) as assistant:
        await assistant.call_tool("goto", {"url": "about:blank"})
        assert isinstance(await notifications.get(), ResourceListChangedNotification)
        with pytest.warns(MCPDeprecationWarning):
            await assistant.subscribe_resource("oryn://mine/text")
        await assistant.call_tool("oryn", {"line": "refresh"})
        news = await notifications.get()
        assert isinstance(news, ResourceUpdatedNotification)
        assert news.params.uri == "oryn://mine/text"
        with pytest.warns(MCPDeprecationWarning):
            await assistant.unsubscribe_resource("oryn://mine/text")
        await assistant.call_tool("oryn", {"line": "refresh"})
        await assistant.call_tool("oryn", {"line": "session close mine"})
        assert isinstance(await notifications.get(), ResourceListChangedNotification)


async def test_a_client_of_the_newer_era_listens_on_a_stream(connect: Connect) -> None:
    async with connect("auto") as assistant:
        await assistant.call_tool("goto", {"url": "about:blank"})
        async with assistant.listen(resource_subscriptions=["oryn://mine/history"]) as stream:
            await assistant.call_tool("oryn", {"line": "refresh"})
            event = await anext(aiter(stream))
            assert event.uri == "oryn://mine/history"
