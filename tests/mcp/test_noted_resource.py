"""A person's notes as a resource of the daemon's MCP server: what a client reads, and that it hears of a new one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.daemon.daemon_process import RunningDaemon
from tests.daemon.test_person_notes import SHOP, Person
from tests.headless.conftest import Pages
from tests.mcp.conftest import text_of
from tests.mcp.test_http import assistant_at

pytestmark = pytest.mark.browser

URI = "oryn://default/notes"


@pytest.fixture(scope="module")
def daemon(run: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningDaemon]:
    running = RunningDaemon(tmp_path_factory.mktemp("home"))
    yield running
    run(running.stop())


async def test_a_client_hears_of_a_note_and_reads_it(daemon: RunningDaemon, pages: Pages) -> None:
    pages["/"] = SHOP
    person = Person(daemon)
    async with assistant_at(f"{daemon.url}/mcp?session=default", "auto", daemon.token) as client:
        await client.call_tool("goto", {"url": pages.url()})
        async with client.listen(resource_subscriptions=[URI]) as stream:
            await person.note('"Save"', "make it green")
            event = await anext(aiter(stream))
            assert event.uri == URI
        form = json.loads((await client.read_resource(URI, cache_mode="refresh")).contents[0].text)
        assert [(row["number"], row["text"], row["state"]) for row in form["result"]] == [(1, "make it green", "open")]
        # Reading has not taken it from the model.
        told = text_of(await client.call_tool("oryn", {"line": "title"}))
        assert '# note from the person: [1] button "Save": make it green (note 1)' in told
        done = await client.call_tool("oryn", {"line": 'notes done 1 "It is."'})
        assert not done.is_error, text_of(done)
    assert (await daemon.client.get("/sessions/default/notes")).json()["notes"][0]["answers"][0]["text"] == "It is."
