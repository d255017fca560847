"""Research for assistants that have started `oryn mcp` themselves: the daemon does it, within their limits."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client as Assistant
from mcp.client.stdio import StdioServerParameters

from oryn.cli import mcp_research
from oryn.daemon_client.launcher import daemon_pid
from oryn.settings import load
from oryn.system import paths
from oryn.system.daemon_instance import DaemonInstance
from tests.daemon.daemon_process import RunningDaemon, daemon_environment
from tests.mcp.conftest import ARTICLE, text_of
from tests.mcp.test_stdio import command
from tests.research.server import Reply, Site
from tests.token_count import count


@asynccontextmanager
async def assistant(daemon: RunningDaemon, *options: str, era: str = "legacy") -> AsyncIterator[Assistant]:
    program, *words = command("mcp", *options)
    parameters = StdioServerParameters(command=program, args=words, env=daemon_environment(daemon.home))
    async with Assistant(parameters, mode=era) as connected:
        yield connected


@pytest.mark.slow
async def test_the_core_has_what_reads(research_daemon: RunningDaemon, era: str) -> None:
    async with assistant(research_daemon, era=era) as client:
        listing = await client.list_tools()
    assert [tool.name for tool in listing.tools][-4:] == ["oryn", "web_search", "read_url", "research"]
    assert count(json.dumps(listing.model_dump(by_alias=True, exclude_none=True, mode="json")["tools"])) <= 1_500


@pytest.mark.slow
async def test_a_page_is_read_and_the_session_there_ends(research_daemon: RunningDaemon, site: Site) -> None:
    told: list[str | None] = []

    async def progress(done: float, total: float | None, message: str | None) -> None:
        told.append(message)

    async with assistant(research_daemon, "--session", "reader") as client:
        answer = await client.call_tool("extract", {"urls": [site.url("/")]}, progress_callback=progress)
    assert text_of(answer).split("\n")[2] == f'"Fern" {site.url("/")}'
    assert answer.structured_content["result"][0]["article"]["title"] == "Fern"  # type: ignore[index]
    assert "extract 1/1 100%" in told
    assert [row["action"] for row in research_daemon.rows() if row["session"] == "reader"] == ["extract", "close"]


@pytest.fixture
def public_daemon(run: Any, tmp_path: Path) -> Iterator[RunningDaemon]:
    """A daemon that runs already, and that nobody has allowed to reach this computer."""
    running = RunningDaemon(tmp_path / "home", {"ORYN_THROTTLE": "1ms"})
    yield running
    run(running.stop())


@pytest.mark.slow
async def test_the_user_allows_this_computer_where_the_server_starts(public_daemon: RunningDaemon, site: Site) -> None:
    call = "read_url", {"urls": [site.url("/")]}
    async with assistant(public_daemon) as client:
        refused = await client.call_tool(*call)
        assert refused.structured_content["error"]["code"] == "ADDRESS_NOT_ALLOWED"  # type: ignore[index]
        assert "Only the user can allow it" in text_of(refused)
        forged = await client.call_tool("read_url", {"urls": [site.url("/")], "allow_private": True})
        assert forged.is_error
    async with assistant(public_daemon, "--allow-private") as client:
        assert "fronds" in text_of(await client.call_tool(*call))
        (listed,) = [each for each in (await client.list_tools()).tools if each.name == "read_url"]
        assert listed.input_schema["required"] == ["urls"]
    program, *words = command("mcp")
    environment = daemon_environment(public_daemon.home) | {"ORYN_ALLOW_PRIVATE": "1"}
    parameters = StdioServerParameters(command=program, args=words, env=environment)
    async with Assistant(parameters, mode="legacy") as client:
        assert "fronds" in text_of(await client.call_tool(*call)), "the variable of the server counts too"


RESULTS = """<html><body><div id="links"><div class="result">
<h2><a class="result__a" href="{0}">Ferns of the web</a></h2>
<a class="result__snippet" href="{0}">Plants without flowers</a></div></div></body></html>"""
SHELL = """<html><head><title>Shell</title></head><body><div id="root"></div><script>
document.getElementById("root").innerHTML = `{}`;</script></body></html>""".format(
    ARTICLE[ARTICLE.index("<main>") : -14]
)
SHOP = """<title>Shop</title><form action=/found><input type=search name=q><button>Go</button></form>"""


@pytest.fixture
def site_daemon(site: Site, run: Any, tmp_path: Path) -> Iterator[RunningDaemon]:
    """A daemon whose search is a page of the site's, which has a shop with a search field and a script's shell too."""
    site.put("/search", lambda asked: Reply(RESULTS.format(site.url("/"))))
    site.page("/shop", SHOP)
    site.page("/found", "<title>Found in the shop</title>")
    site.page("/shell", SHELL)
    settings = {"ORYN_ALLOW_PRIVATE": "1", "ORYN_THROTTLE": "1ms", "ORYN_SEARCH_URL": site.url("/search")}
    running = RunningDaemon(tmp_path / "home", settings)
    yield running
    run(running.stop())
    run(running.no_process())


@pytest.mark.slow
async def test_research_beside_an_open_page(site_daemon: RunningDaemon, site: Site, era: str) -> None:
    """One name, one owner: what the tools of research are called is not the page's, whatever is open; nor do they want
    the session that this process has open."""
    async with assistant(site_daemon, "--tools", "all", era=era) as client:

        async def call(tool: str, **arguments: Any) -> str:
            answer = await client.call_tool(tool, arguments)
            assert not answer.is_error, text_of(answer)
            return text_of(answer)

        # The daemon's browser first: the session's own name stays free for this process.
        assert "They grow by the brook" in await call("extract", urls=[site.url("/shell")])
        await call("goto", url=site.url("/shop"))
        assert "Ferns of the web" in await call("search", query="ferns")
        assert "Ferns of the web" in await call("search", query="ferns", limit=1)
        assert "They grow by the brook" in await call("extract", urls=[site.url("/shell")], fresh=True)
        assert "fronds" in await call("research", topic="ferns by the brook", results=1)
        assert '"Shop"' in await call("title")
        await call("site_search", query="ferns")
        assert '"Found in the shop"' in await call("title")
        await call("define", name="look", body=["title"])
        assert "Found in the shop" in await call("run_intent", name="look")
        assert "Found in the shop" in await call("oryn", line="run look")
        await call("oryn", line=f"goto {site.url('/shop')}")
        await call("oryn", line='search "ferns"')  # a line is the language's
        assert '"Found in the shop"' in await call("title")
        # While a page of research is open there, both processes have a session of their own.
        names = {each["name"] for each in (await site_daemon.status())["sessions"]}
        assert len(names) == 1 and all(name.endswith("_research") for name in names)
    assert (await site_daemon.status())["sessions"] == []
    await site_daemon.no_process()


@pytest.mark.slow
async def test_no_daemon_is_started_to_end_a_session(site: Site, tmp_path: Path) -> None:
    daemon = RunningDaemon(tmp_path, {"ORYN_ALLOW_PRIVATE": "1"})
    async with assistant(daemon) as client:
        await client.call_tool("extract", {"urls": [site.url("/")]})
        await daemon.stop()
    assert daemon_pid(DaemonInstance(paths.find({"ORYN_HOME": str(tmp_path)}))) is None


@pytest.mark.slow
async def test_pages_of_a_crawl_are_in_a_file(research_daemon: RunningDaemon, site: Site) -> None:
    async with assistant(research_daemon, "--tools", "Research") as client:
        answer = await client.call_tool("crawl", {"urls": [site.url("/")], "depth": 0})
    file = Path(answer.structured_content["result"]["path"])  # type: ignore[index]
    assert str(file) in text_of(answer)
    lines = await asyncio.to_thread(file.read_text, "utf-8")
    assert [json.loads(line)["article"]["title"] for line in lines.splitlines()] == ["Fern"]


@pytest.mark.slow
async def test_its_limits_hold_there(research_daemon: RunningDaemon, site: Site, tmp_path: Path) -> None:
    async with assistant(
        research_daemon, "--tools", "Research", "--denied-domains", "127.0.0.1", "--files-root", str(tmp_path)
    ) as client:
        refused = await client.call_tool("extract", {"urls": [site.url("/")]})
        outside = await client.call_tool("extract", {"urls": [site.url("/")], "to": str(tmp_path.parent / "a.md")})
    assert refused.structured_content["error"]["code"] == "DOMAIN_NOT_ALLOWED"  # type: ignore[index]
    assert outside.structured_content["error"]["code"] == "PATH_NOT_ALLOWED"  # type: ignore[index]
    assert site.requests == []


@pytest.mark.slow
async def test_the_open_tab_is_another_process_s(research_daemon: RunningDaemon) -> None:
    async with assistant(research_daemon, "--tools", "Research") as client:
        nothing = await client.call_tool("extract", {})
        answer = await client.call_tool("extract", {"tab": True})
    assert nothing.structured_content["error"]["code"] == "MISSING_ARGUMENT"  # type: ignore[index]
    assert answer.structured_content["error"]["code"] == "NOT_SUPPORTED"  # type: ignore[index]


@pytest.mark.slow
async def test_a_call_that_is_taken_back_ends_there(research_daemon: RunningDaemon, site: Site) -> None:
    asked, never = threading.Event(), threading.Event()

    def answer(_: Any) -> Reply:
        asked.set()
        return Reply(ARTICLE, wait=never)

    site.put("/", answer)
    async with assistant(research_daemon, "--session", "hasty") as client:
        calling = asyncio.create_task(client.call_tool("extract", {"urls": [site.url("/")]}))
        assert await asyncio.to_thread(asked.wait, 60)
        calling.cancel()
        await asyncio.wait([calling])
        async with asyncio.timeout(60):
            while not any(row["session"] == "hasty" and row.get("error_kind") for row in research_daemon.rows()):
                await asyncio.to_thread(time.sleep, 0.05)  # nothing tells of a file that grows
    [row] = [row for row in research_daemon.rows() if row["session"] == "hasty" and row["action"] == "extract"]
    assert row["error_kind"] == "cancelled"
    never.set()


def test_it_is_offered_where_its_extras_are(monkeypatch: pytest.MonkeyPatch) -> None:
    configuration = load({}, paths.find(), {})
    assert mcp_research.research_of(configuration) is not None
    monkeypatch.setattr(mcp_research, "find_spec", lambda name: None)
    assert mcp_research.research_of(configuration) is None
