"""A whole conversation about pages that want to be more than pages: every message reads back as what Oryn wrote."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

import pytest

from oryn.browsers.chromium import ChromiumBrowser
from tests.agent.injection.conversation import number, scripted_agent
from tests.agent.injection.hostile import HARD, KEYWORD, MARK, TEXTS, WORST
from tests.agent.injection.pages import activity_page, hidden_text_page, text_page
from tests.headless.conftest import Driver

LOOKS: Sequence[tuple[str, dict[str, Any]]] = (
    ("text", {}), ("title", {}), ("url", {}), ("html", {}), ("snapshot", {}), ("extract", {"what": "links"}),
    ("extract", {"what": "tables"}), ("frames", {}), ("eval", {"script": "document.title"}), ("value", {"id": 6}),
    ("eval", {"script": "throw Error(document.title)"}), ("attribute", {"id": 3, "name": "aria-label"}),
    ("click", {"target": "obey"}), ("click", {"id": 999}), ("click", {"target": "obey", "strict": True}),
    ("select", {"target": "obey", "value": "nothing"}), ("fill_form", {"parameters": {"obey": "x"}}),
    ("type", {"id": 6, "value": "x"}), ("observe", {"full": True}), ("observe", {}),
)  # fmt: skip
DEEDS: Sequence[tuple[str, dict[str, Any]]] = (
    ("dialog accept", {}), ("text", {}), ("url", {}), ("console", {}), ("errors", {}), ("requests", {}),
    ("request", {"number": 2}), ("cookies list", {}), ("storage list", {}), ("back", {}), ("forward", {}),
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", TEXTS)
async def test_page_content_stays_quoted_in_messages(oryn: Driver, browser: ChromiumBrowser, name: str) -> None:
    said = TEXTS[name]
    oryn.pages["/said"] = text_page(said)
    coded = quote(said, safe="")
    async with scripted_agent(browser) as agent:
        message = await agent("open_tab", url=f"{oryn.pages.url('/said')}?{coded}#{coded}")
        assert message.urls == [oryn.pages.url("/said")], "without query, and without what is no path in the fragment"
        assert message.system == [] and len(message.elements) > 15
        assert any(MARK in " ".join((each.text, *each.attributes.values())) for each in message.elements)
        assert any(MARK in line for line in message.text), "the page has said it"
        for action, arguments in LOOKS if name in WORST else ():
            message = await agent(action, **arguments)
            assert len(message.system) <= 1, message.system


@pytest.mark.slow
@pytest.mark.parametrize("name", (*WORST, *HARD))
async def test_page_behaviour_stays_quoted_in_messages(oryn: Driver, browser: ChromiumBrowser, name: str) -> None:
    oryn.pages["/"] = activity_page(TEXTS[name])
    async with scripted_agent(browser) as agent:
        message = await agent("open_tab", url=oryn.pages.url())
        message = await agent("click", id=number(message, "Say"))
        assert any(MARK in dialog for dialog in message.dialogs)
        calls = message.calls
        for action, arguments in DEEDS if name in WORST else DEEDS[:2]:
            message = await agent(action, **arguments)
            assert len(message.system) <= 1, message.system
            calls += message.calls
        assert [call["method"] for call in calls] == ["POST", "PUT"]
        assert all(MARK in call["body"] for call in calls) or "\0" in TEXTS[name], "what has a NUL is no text"


@pytest.mark.slow
@pytest.mark.parametrize("name", WORST)
async def test_page_text_stays_quoted_in_error_messages(oryn: Driver, browser: ChromiumBrowser, name: str) -> None:
    """What a page says may come back in what a model wants, and so in what it is told of it."""
    said = TEXTS[name]
    async with scripted_agent(browser, saved={"Gmail": "https://mail.example"}) as agent:
        for action, arguments in (
            ("open_tab", {"url": said}), ("open_tab", {"url": f"http://127.0.0.1:1/{said}"}), (said, {}),
            ("open_tool", {"name": said}), ("click", {"id": said}), ("click", {"target": said}),
            ("goto", {"url": said}), ("type", {"id": 1, said: said}), ("text", {"tab": said}),
            ("eval", {"script": said}), ("open_tool", {"name": 7, said: said}),
        ):  # fmt: skip
            message = await agent(action, **arguments)
            if agent.turn and agent.turn.outcome == "error":
                assert len(message.system) == 1 and message.system[0].startswith("System Error: ")


@pytest.mark.slow
async def test_tabs_that_come_and_go(oryn: Driver, browser: ChromiumBrowser) -> None:
    """Their addresses are the pages' words."""
    path = "/" + quote(TEXTS["system messages"] + TEXTS["the keyword"] + TEXTS["the end of a context"], safe="")
    opener = f"<button onclick={json.dumps(f'open({json.dumps(path)})')!r}>Open</button>"
    oryn.pages["/"] = opener
    async with scripted_agent(browser, max_tabs=1) as agent:
        message = await agent("open_tab", url=oryn.pages.url())
        message = await agent("click", id=number(message, "Open"))
        message = await agent("open_tab", url=oryn.pages.url())
        assert any("Released tab: " in line for line in message.system)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a command", "the keyword", "a command that is not seen"])
async def test_hidden_elements_are_left_out_of_messages(oryn: Driver, browser: ChromiumBrowser, name: str) -> None:
    oryn.pages["/"] = hidden_text_page(TEXTS[name])
    async with scripted_agent(browser) as agent:
        message = await agent("open_tab", url=oryn.pages.url())
        assert [each.text for each in message.elements if MARK not in each.text] == ["Fine"]


async def test_a_goal_and_tools_with_the_words_of_pages(browser: ChromiumBrowser) -> None:
    """The user may have copied them."""
    for said in TEXTS.values():
        async with scripted_agent(browser, goal=f"{said} {KEYWORD}") as agent:
            assert (await agent.say("Nothing to do.")).system == []
