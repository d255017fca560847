"""The agent of a chat tab in Firefox, whose event page ends while the model writes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import pytest

from scripts.extension.firefox import FirefoxBrowser
from tests.extension.agent_run import chat_run
from tests.extension.chat import KINDS
from tests.extension.test_agent import buy, shop_of, tabs_of
from tests.headless.conftest import Pages


@pytest.fixture
def extension_browser(firefox: FirefoxBrowser) -> Iterator[Any]:
    """The browser of the tests that are Chromium's too."""
    yield cast("Any", firefox)
    assert firefox.errors == []


@pytest.fixture(scope="module")
def pages() -> Iterator[Pages]:
    with Pages() as served:
        yield served


@pytest.mark.parametrize("kind", KINDS)
async def test_a_goal_is_reached_in_tabs_behind(extension_browser: Any, pages: Pages, kind: str) -> None:
    shop = shop_of(pages)
    async with chat_run(extension_browser, pages, kind, {"tools": {"Shop": shop}}) as run:
        await run.start()
        assert (await run.next_message()).startswith("You are an autonomous web agent. ")
        assert '<input id="1" type="text" label="Name" value="">' in await run.calls("open_tool", name="shop")
        assert await tabs_of(run) == {"/chat": True, "/shop": False}
        await buy(run)
