"""A session with limits beside sessions without: no line of it gets out of them, whichever interface it comes by."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.daemon.daemon_process import RunningDaemon
from tests.headless.conftest import Pages
from tests.mcp.conftest import text_of
from tests.mcp.test_http import assistant_at

pytestmark = pytest.mark.browser

PAGE = """<link rel=icon href=data:,><title>shop</title><button onclick="document.title += '!'">Buy</button>"""
LIMITS: dict[str, dict[str, str]] = {
    "read_only": {"read_only": "true"},
    "domains": {"allowed_domains": "127.0.0.1"},
    "confirm": {"confirm": "click"},
    "boundaries": {"boundaries": "true"},
    "files": {"files_root": "/tmp"},
}


@pytest.fixture(scope="module")
def daemon(run: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningDaemon]:
    running = RunningDaemon(tmp_path_factory.mktemp("limits"))
    yield running
    assert run(running.stop()) == 0, running.log()
    run(running.no_process())


@pytest.fixture(params=LIMITS)
def limited_session(request: pytest.FixtureRequest, daemon: RunningDaemon, pages: Pages, run: Any) -> Iterator[str]:
    """The name of a session with limits; `free` is another, without."""
    pages["/"] = PAGE
    name = f"held_{request.param}"
    run(daemon.ok(f"goto {pages.url()}", session="free"))
    run(daemon.ok(f"goto {pages.url()}", session=name, settings=LIMITS[request.param]))
    yield name
    for each in run(names(daemon)) - {"free"}:  # which keeps the browser
        run(daemon.ok({"action": "close"}, session=each))


async def title(daemon: RunningDaemon, session: str = "free") -> str:
    return str((await daemon.ok("title", session=session))["text"].split('"')[1])


async def names(daemon: RunningDaemon) -> set[str]:
    return {each["name"] for each in (await daemon.status())["sessions"]}


ESCAPES: tuple[dict[str, Any], ...] = (
    {"line": "@free click Buy"},
    {"line": "  @FREE click Buy".replace("FREE", "free")},
    {"line": 'session free click "Buy"'},
    {"line": '@"free" click Buy'},
    {"line": "@free url"},
    {"line": "@free session close free"},
    {"line": "session close free"},
    {"argv": ["@free", "click", "Buy"]},
    {"argv": ["session", "free", "click", "Buy"]},
    {"argv": ["@free", "close"]},
    {"action": "session_close", "args": {"name": "free"}},
)


@pytest.mark.slow
async def test_no_line_reaches_another_session(daemon: RunningDaemon, limited_session: str) -> None:
    for escape in ESCAPES:
        answer = await daemon.ask(escape, session=limited_session)
        assert not answer["ok"], (escape, answer)
        assert answer["error_kind"] in ("session_not_allowed", "unknown_command", "unexpected_input", "not_supported")
        assert (answer["session"], await title(daemon)) == (limited_session, "shop"), escape
    assert (await daemon.ask("@free url", session=limited_session))["error_kind"] == "session_not_allowed"
    assert {"free", limited_session} <= await names(daemon)


@pytest.mark.slow
async def test_first_line_of_a_limited_session_does_not_escape_it(daemon: RunningDaemon, limited_session: str) -> None:
    limits = {"session": "later", "settings": {"read_only": "true"}}
    for escape in ESCAPES:
        answer = await daemon.ask({**escape, **limits})
        assert not answer["ok"], (escape, answer)
    assert await title(daemon) == "shop"
    assert "free" in await names(daemon)


async def test_no_line_ends_the_limits_with_their_session(daemon: RunningDaemon, limited_session: str) -> None:
    for escape in (
        {"line": f"session close {limited_session}"},
        {"action": "session_close", "args": {"name": limited_session}},
    ):
        answer = await daemon.ask(escape, session=limited_session)
        assert answer["error_kind"] == "session_not_allowed", answer
    assert limited_session in await names(daemon)


@pytest.mark.slow
async def test_its_user_still_closes_it(daemon: RunningDaemon, limited_session: str) -> None:
    closed = await daemon.ok({"argv": ["session", "close", "free"]}, session=limited_session)
    assert closed["text"] == "ok session close free"
    assert (await daemon.ok({"argv": ["session", "close", limited_session]}, session=limited_session))["ok"]
    assert not {limited_session, "free"} & await names(daemon)


@pytest.mark.slow
async def test_session_opened_by_a_limited_session_inherits_its_limits(
    daemon: RunningDaemon, limited_session: str, pages: Pages
) -> None:
    await daemon.ok("session new within", session=limited_session)
    await daemon.ok(f"@within goto {pages.url()}", session=limited_session)
    for envelope in ({"session": limited_session, "line": "@within {}"}, {"session": "within", "line": "{}"}):
        for limit, line in (
            ("read_only", "click Buy"),
            ("domains", "goto localhost:1"),
            ("confirm", "click Buy"),
            ("files", "screenshot --output /etc/x.png"),
        ):
            if limited_session == f"held_{limit}":
                answer = await daemon.ask({**envelope, "line": envelope["line"].format(line)})
                assert answer["error_kind"] in (
                    "read_only", "domain_not_allowed", "confirmation_required", "path_not_allowed",
                ), answer  # fmt: skip
    assert ("<page-" in (await daemon.ok("text", session="within"))["text"]) == (limited_session == "held_boundaries")
    assert await title(daemon, "within") == "shop"
    assert (await daemon.ask("@free click Buy", session="within"))["error_kind"] == "session_not_allowed"
    for line in ("session close within", f"session close {limited_session}"):
        assert (await daemon.ask(line, session="within"))["error_kind"] == "session_not_allowed"
    await daemon.ok("session close within", session=limited_session)
    assert limited_session in await names(daemon)


@pytest.mark.slow
async def test_inherited_limits_survive_a_daemon_kill(run: Any, tmp_path: Path, pages: Pages) -> None:
    pages["/"] = PAGE
    daemon = RunningDaemon(tmp_path / "home")
    await daemon.ok(f"goto {pages.url()}", session="limited_session", settings={"read_only": "true"})
    await daemon.ok("session new within", session="limited_session")
    await daemon.ok(f"goto {pages.url()}", session="within")
    await daemon.wait_until_saved("within", "limited_session")
    await daemon.kill()
    daemon.start()
    assert (await daemon.ask("click Buy", session="within"))["error_kind"] == "read_only"
    assert await daemon.stop() == 0


FOLDER = ("data", "daemon")


@pytest.mark.slow
@pytest.mark.parametrize("damage", ["none", "kill", "sessions.json", "row"])
@pytest.mark.parametrize("ephemeral", [True, False])
async def test_no_session_comes_back_without_its_limits(run: Any, tmp_path: Path, ephemeral: bool, damage: str) -> None:
    daemon = RunningDaemon(tmp_path / "home")
    settings = {"read_only": True} | ({"ephemeral": True} if ephemeral else {})
    await daemon.ok("goto about:blank", session="bound", settings=settings)
    await daemon.ok("goto about:blank", session="free", settings={"ephemeral": True})
    assert await (daemon.kill() if damage == "kill" else daemon.stop()) in (None, 0)
    file = daemon.home.joinpath(*FOLDER, "sessions.json")
    if damage == "sessions.json":
        file.write_text("{")
    if damage == "row" and not ephemeral:
        file.write_text(file.read_text().replace('"tabs"', '"sheets"'))
    daemon.start()
    assert await names(daemon) == {"bound"}
    assert (await daemon.ask("session new bound"))["error_kind"] == "session_exists"
    assert (await daemon.ask({"argv": ["eval", "6*7"]}, session="bound"))["error_kind"] == "read_only"
    other = await daemon.ask("eval 6*7", session="bound", settings={"read_only": False})
    assert other["error_kind"] == "session_exists"
    assert (await daemon.ok("eval 6*7", session="free"))["data"]["result"] == 42
    await daemon.ok({"argv": ["session", "close", "bound"]}, session="bound")
    assert (await daemon.ok("eval 6*7", session="bound"))["data"]["result"] == 42
    assert await daemon.stop() == 0


@pytest.mark.slow
async def test_no_session_opens_that_may_have_had_limits(tmp_path: Path) -> None:
    daemon = RunningDaemon(tmp_path / "home")
    await daemon.ok("url", session="bound", settings={"read_only": True, "ephemeral": True})
    await daemon.ok("url", session="saved")
    assert await daemon.stop() == 0
    file = daemon.home.joinpath(*FOLDER, "limits.json")
    before = file.read_text()
    file.write_text(before[:-9])
    daemon.start()
    answer = await daemon.ask("eval 6*7", session="bound")
    assert answer["error_kind"] == "file_error" and str(file) in answer["error"]
    assert (await daemon.ok("eval 6*7", session="saved"))["data"]["result"] == 42
    assert await daemon.stop() == 0
    file.write_text(before)
    daemon.start()
    assert (await daemon.ask("eval 6*7", session="bound"))["error_kind"] == "read_only"
    assert await daemon.stop() == 0


@pytest.mark.slow
async def test_limited_session_sees_no_endpoints_of_other_sessions(
    daemon: RunningDaemon, limited_session: str, pages: Pages
) -> None:
    await daemon.ok(f"goto {pages.url()}", session="open", settings={"attachable": "true"})
    told = {each["name"]: each for each in (await daemon.ok("sessions", session="free"))["data"]["result"]}
    assert told["open"]["endpoint"].startswith("ws://")
    answer = await daemon.ok("sessions", session=limited_session)
    assert "ws://" not in answer["text"]
    assert "ws://" not in str(answer["data"])


@pytest.mark.slow
async def test_assistants(daemon: RunningDaemon, limited_session: str) -> None:
    address = f"{daemon.url}/mcp?session={limited_session}&tools=all"
    async with assistant_at(address, "legacy", daemon.token) as assistant:
        for line in ("@free click Buy", "session close free", f"session close {limited_session}", "@free url"):
            result = await assistant.call_tool("oryn", {"line": line})
            assert result.is_error, line
            assert "SESSION_NOT_ALLOWED" in str(result.structured_content) + text_of(result)
        offered = {tool.name for tool in (await assistant.list_tools()).tools}
        for name in {"close", "session_close"} & offered:
            arguments = {"name": "free"} if name == "session_close" else {"all": True}
            assert (await assistant.call_tool(name, arguments)).is_error
        listed = {str(each.uri) for each in (await assistant.list_resources()).resources}
        assert f"oryn://{limited_session}/text" in listed
        assert not [uri for uri in listed if "//free/" in uri]
        with pytest.raises(Exception, match="not found"):
            await assistant.read_resource("oryn://free/text")
    assert await title(daemon) == "shop"
    assert {"free", limited_session} <= await names(daemon)
