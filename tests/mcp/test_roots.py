"""An assistant's roots bound the files of its commands."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from mcp.shared.exceptions import MCPDeprecationWarning
from mcp_types import ElicitResult, ErrorData, ListRootsResult, Root

from oryn.browsers.chromium import ChromiumBrowser
from oryn.engine import Options, Session
from oryn.engine.policy.policy import Policy
from oryn.mcp.roots import folders_of
from oryn.sessions.sessions import Sessions
from tests.mcp.conftest import Connect, text_of


@pytest.fixture
def sessions(chromium: ChromiumBrowser, run: Any, tmp_path: Path) -> Iterator[Sessions]:
    """The user lets the session `bound` use one folder, and wants to be asked before the session `asking` prints."""
    tmp_path.joinpath("allowed", "project").mkdir(parents=True)
    tmp_path.joinpath("elsewhere").mkdir()

    def make(name: str, settings: Mapping[str, Any]) -> Session:
        roots = (tmp_path / "allowed",) if name == "bound" else ()
        policy = Policy.of(confirm=["pdf"]) if name == "asking" else None
        options = Options(files_root=roots, policy=policy)
        return Session(ChromiumBrowser(runtime_dir=tmp_path / name, shared_with=chromium), name, options)

    sessions = Sessions(make)
    yield sessions
    run(sessions.close())


def working_in(*folders: Path) -> Callable[[Any], Any]:
    async def listed(_: Any) -> ListRootsResult:
        return ListRootsResult(roots=[Root(uri=folder.as_uri()) for folder in folders])  # type: ignore[arg-type]

    return listed


@pytest.mark.slow
@pytest.mark.browser
async def test_files_are_those_of_the_folders_that_the_assistant_works_in(
    connect: Connect, era: str, tmp_path: Path
) -> None:
    project = tmp_path / "elsewhere"
    async with connect(era, list_roots_callback=working_in(project)) as assistant:
        await assistant.call_tool("goto", {"url": "about:blank"})
        written = await assistant.call_tool("oryn", {"line": "pdf page.pdf"})
        assert not written.is_error, text_of(written)
        assert (project / "page.pdf").is_file()
        refused = await assistant.call_tool("oryn", {"line": f'pdf "{tmp_path / "allowed" / "page.pdf"}"'})
        assert refused.structured_content["error"]["code"] == "PATH_NOT_ALLOWED"
        assert f"Allowed: {project}." in text_of(refused)
        beside = await assistant.call_tool("oryn", {"line": "state save ../state.json"})
        assert beside.structured_content["error"]["code"] == "PATH_NOT_ALLOWED"


@pytest.mark.slow
@pytest.mark.browser
async def test_roots_restrict_but_never_extend_the_users_folders(connect: Connect, era: str, tmp_path: Path) -> None:
    """What the user has bound stays so."""
    roots = working_in(tmp_path / "elsewhere", tmp_path / "allowed" / "project")
    async with connect(era, session="bound", list_roots_callback=roots) as assistant:
        await assistant.call_tool("goto", {"url": "about:blank"})
        for folder, is_refused in (("elsewhere", True), ("allowed", True), ("allowed/project", False)):
            result = await assistant.call_tool("oryn", {"line": f'pdf "{tmp_path / folder / "page.pdf"}"'})
            assert result.is_error is is_refused, text_of(result)


@pytest.mark.browser
async def test_they_are_asked_for_when_they_must_be_known(connect: Connect, era: str, tmp_path: Path) -> None:
    """Once, or where calls stand alone by each that is about a file."""
    asked = []

    async def listed(_: Any) -> ListRootsResult:
        asked.append(1)
        return await working_in(tmp_path)(_)  # type: ignore[no-any-return]

    async with connect(era, list_roots_callback=listed) as assistant:
        assert not (await assistant.call_tool("goto", {"url": "about:blank"})).is_error
        await assistant.call_tool("oryn", {"line": "title"})
        assert len(asked) == (1 if era == "legacy" else 0)
        for number in (1, 2):
            await assistant.call_tool("oryn", {"line": "pdf page.pdf"})
            assert len(asked) == (1 if era == "legacy" else number)


@pytest.mark.browser
async def test_intents_are_bound_too(connect: Connect, era: str, tmp_path: Path) -> None:
    async with connect(era, offer="all", list_roots_callback=working_in(tmp_path / "allowed")) as assistant:
        await assistant.call_tool("goto", {"url": "about:blank"})
        await assistant.call_tool("define", {"name": "keep", "body": ["pdf page.pdf", "pdf ../page.pdf"]})
        done = await assistant.call_tool("run_intent", {"name": "keep"})
        assert done.is_error
        assert "outside the allowed folders" in text_of(done)
        assert (tmp_path / "allowed" / "page.pdf").is_file()
        assert not (tmp_path / "page.pdf").exists()


@pytest.mark.browser
async def test_changed_roots_are_read_after_a_notification(connect: Connect, tmp_path: Path) -> None:
    folders = [tmp_path / "allowed"]

    async def listed(_: Any) -> ListRootsResult:
        return await working_in(*folders)(_)  # type: ignore[no-any-return]

    async with connect("legacy", list_roots_callback=listed) as assistant:
        await assistant.call_tool("goto", {"url": "about:blank"})
        folders[:] = [tmp_path / "elsewhere"]
        with pytest.warns(MCPDeprecationWarning):
            await assistant.session.send_roots_list_changed()
        written = await assistant.call_tool("oryn", {"line": "pdf page.pdf"})
        assert (tmp_path / "elsewhere" / "page.pdf").is_file(), text_of(written)


@pytest.mark.browser
async def test_empty_roots_restrict_nothing(connect: Connect, era: str, tmp_path: Path) -> None:
    async with connect(era, list_roots_callback=working_in()) as assistant:
        await assistant.call_tool("goto", {"url": "about:blank"})
        assert not (await assistant.call_tool("oryn", {"line": f'pdf "{tmp_path / "page.pdf"}"'})).is_error


@pytest.mark.browser
async def test_failed_roots_request_restricts_nothing(connect: Connect, tmp_path: Path) -> None:
    async def failing(_: Any) -> ErrorData:
        return ErrorData(code=-32603, message="not now")

    async with connect("legacy", list_roots_callback=failing) as assistant:
        assert not (await assistant.call_tool("goto", {"url": "about:blank"})).is_error


@pytest.mark.browser
@pytest.mark.parametrize("bounds", [True, False])
async def test_a_question_to_the_person_does_not_lose_them(
    connect: Connect, era: str, tmp_path: Path, bounds: bool
) -> None:
    async def person(*_: Any) -> ElicitResult:
        return ElicitResult(action="accept", content={"agree": True})

    roots = working_in(tmp_path / "allowed") if bounds else working_in()
    async with connect(era, session="asking", list_roots_callback=roots, elicitation_callback=person) as assistant:
        await assistant.call_tool("goto", {"url": "about:blank"})
        inside = await assistant.call_tool("oryn", {"line": f'pdf "{tmp_path / "allowed" / "a.pdf"}"'})
        assert not inside.is_error, text_of(inside)
        outside = await assistant.call_tool("oryn", {"line": f'pdf "{tmp_path / "a.pdf"}"'})
        assert outside.is_error is bounds


def test_only_folders_of_this_machine_count() -> None:
    def folders(*addresses: str) -> tuple[Path, ...] | None:
        return folders_of([Root(uri=address) for address in addresses])  # type: ignore[arg-type]

    assert folders() is None
    assert folders("file:///a%20b/c", "file://localhost/d") == (Path("/a b/c"), Path("/d"))
    assert folders("file://server/share") == ()
