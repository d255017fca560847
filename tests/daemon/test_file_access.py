"""Which files commands read, show and replace, by every interface of real hosts."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from oryn.errors import PathNotAllowed
from oryn.hosts.session_factory import options_of
from oryn.settings import load
from oryn.system.paths import find
from tests.daemon.daemon_process import RunningDaemon
from tests.headless.conftest import Pages
from tests.host.test_process import answer, ask, environment, start
from tests.mcp.conftest import text_of
from tests.mcp.test_http import assistant_at
from tests.mcp.test_stdio import started_client

__all__ = ["environment"]

pytestmark = pytest.mark.browser

MINE = "what the user wrote"
PAGE = "<link rel=icon href=data:,><title>shop</title><input type=file aria-label=File>"


@pytest.fixture(scope="module")
def daemon(run: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningDaemon]:
    running = RunningDaemon(tmp_path_factory.mktemp("files") / "home")
    yield running
    assert run(running.stop()) == 0, running.log()
    run(running.no_process())


@pytest.fixture
def user_file(tmp_path: Path) -> Path:
    file = tmp_path / "mine.txt"
    write(file)
    return file


def text(file: Path) -> str:
    return file.read_text()


def write(file: Path) -> None:
    file.write_text(MINE)


def is_pdf(file: Path) -> bool:
    return file.read_bytes().startswith(b"%PDF")


def is_device(path: str) -> bool:
    return stat.S_ISCHR(os.stat(path).st_mode)


WRITING = (
    "screenshot --output {}",
    "screenshot --annotate --output {}",
    "pdf {}",
    "state save {}",
    "trace start {}",
    "record start {}",
    "har start {}",
    "export login --output {}",
)


@pytest.mark.slow
async def test_a_file_of_the_users_stays(daemon: RunningDaemon, pages: Pages, user_file: Path) -> None:
    pages["/"] = PAGE
    await daemon.ok(f"goto {pages.url()}")
    for line in WRITING:
        told = await daemon.ask(line.format(user_file))
        assert told["error_kind"] == "file_exists", (line, told)
        assert "--overwrite" in told["hint"]
        assert text(user_file) == MINE
    for action, args in (("screenshot", {"output": str(user_file)}), ("pdf", {"path": str(user_file)})):
        assert (await daemon.ask({"action": action, "args": args}))["error_kind"] == "file_exists"
    assert (await daemon.ask({"argv": ["pdf", str(user_file)]}))["error_kind"] == "file_exists"
    for command in ("har", "trace"):
        await daemon.ok(f"{command} start")
        assert (await daemon.ask(f"{command} stop {user_file}"))["error_kind"] == "file_exists"
        await daemon.ok(f"{command} stop {user_file.parent / command}.zip")
    assert text(user_file) == MINE


async def test_overwrite_replaces_it(daemon: RunningDaemon, pages: Pages, user_file: Path) -> None:
    pages["/"] = PAGE
    await daemon.ok(f"goto {pages.url()}")
    for envelope in (
        {"line": f"pdf {user_file} --overwrite"},
        {"argv": ["pdf", str(user_file), "--overwrite"]},
        {"action": "pdf", "args": {"path": str(user_file), "overwrite": True}},
    ):
        write(user_file)
        assert (await daemon.ok(envelope))["data"]["result"]["path"] == str(user_file)
        assert is_pdf(user_file)
    write(user_file)
    await daemon.ok(f"har start {user_file} --overwrite")
    await daemon.ok("har stop")
    assert '"log"' in text(user_file)


@pytest.mark.slow
async def test_what_oryn_has_made_it_replaces(run: Any, pages: Pages, tmp_path: Path) -> None:
    """Also after the daemon was started again, and from another process; not once somebody has changed it."""
    pages["/"] = PAGE
    daemon, file = RunningDaemon(tmp_path / "home"), tmp_path / "a.pdf"
    for _ in range(2):
        await daemon.ok(f"goto {pages.url()}")
        await daemon.ok(f"pdf {file}")
        await daemon.ok(f"screenshot --output {file}")
        await daemon.stop()
        daemon.start()
    file.write_text(MINE)
    assert (await daemon.ask(f"pdf {file}"))["error_kind"] == "file_exists"
    file.unlink()
    await daemon.ok(f"pdf {file}")
    other = tmp_path / "other.pdf"
    other.write_text(MINE)
    os.replace(other, file)
    assert (await daemon.ask(f"pdf {file}"))["error_kind"] == "file_exists"
    assert file.read_text() == MINE
    assert await daemon.stop() == 0


async def test_nothing_but_a_regular_file_is_replaced(daemon: RunningDaemon, tmp_path: Path, user_file: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(user_file)
    (tmp_path / "nowhere").symlink_to(tmp_path / "new")
    for path in ("/dev/null", "/dev/stdout", tmp_path / "pipe", tmp_path / "link", tmp_path / "nowhere", tmp_path):
        for overwrite in ("", " --overwrite"):
            told = await daemon.ask(f"state save {path}{overwrite}")
            assert told["error_kind"] in ("file_error", "path_not_allowed"), told
    assert text(user_file) == MINE
    assert is_device("/dev/null")
    assert not (tmp_path / "new").exists()


OWN = ("data/daemon/token", "data/daemon/actions.jsonl", "data/daemon/sessions.json", "config", "run", "data/ledger")


@pytest.mark.slow
async def test_oryns_own_files_are_opened_for_nobody(daemon: RunningDaemon, pages: Pages) -> None:
    pages["/"] = PAGE
    await daemon.ok(f"goto {pages.url()}")
    for name in OWN:
        file = daemon.home / name
        for line in (f"goto file://{file}", f"tab new file://{file}", f"goto file://localhost{file}"):
            told = await daemon.ask(line)
            assert told["error_kind"] == "path_not_allowed", (line, told)
        for line in (f'upload "File" {file}', f"state load {file}", f"script add {file}"):
            assert (await daemon.ask(line))["error_kind"] in ("path_not_allowed", "not_found"), line
    for line in ("goto file:///proc/self/environ", 'upload "File" /proc/self/environ'):
        assert (await daemon.ask(line))["error_kind"] == "path_not_allowed"
    assert daemon.token not in str(await daemon.ask("text")) + str(await daemon.ask("tabs"))


@pytest.mark.slow
async def test_a_session_that_only_looks_has_a_folder_of_its_own(
    daemon: RunningDaemon, pages: Pages, tmp_path: Path
) -> None:
    pages["/"] = PAGE
    limits: dict[str, Any] = {"session": "looks", "settings": {"read_only": "true"}}
    await daemon.ok(f"goto {pages.url()}", **limits)
    for line in (f"screenshot --output {tmp_path}/x.png", f"pdf {tmp_path}/x.pdf", "goto file:///etc/hostname"):
        assert (await daemon.ask(line, **limits))["error_kind"] == "path_not_allowed", line
    told = await daemon.ok("pdf x.pdf", **limits)
    assert told["data"]["result"]["path"] == str(daemon.home / "data" / "files" / "looks" / "x.pdf")
    assert str(daemon.home / "data" / "files" / "looks" / "x.pdf") in told["text"]
    await daemon.ok("screenshot", **limits)
    wide = {"session": "wide", "settings": {"read_only": "true", "files_root": str(tmp_path)}}
    await daemon.ok(f"goto {pages.url()}", **wide)
    await daemon.ok("pdf x.pdf", **wide)
    assert (tmp_path / "x.pdf").exists()


async def _confined(assistant: Any, url: str, home: Path, user_file: Path) -> None:
    await assistant.call_tool("goto", {"url": url})
    for line in (
        f'upload "File" {user_file}', f"pdf {user_file.parent}/x.pdf", f"pdf {user_file} --overwrite", f"goto file://{user_file}",
        f"state load {user_file}", "goto file:///etc/passwd", f"goto file://{home}/data/daemon/token",
    ):  # fmt: skip
        result = await assistant.call_tool("oryn", {"line": line})
        assert result.is_error, line
        assert "allowed folders" in text_of(result), line
        assert "--files-root" in text_of(result)
    result = await assistant.call_tool("oryn", {"line": "pdf a.pdf"})
    assert not result.is_error, text_of(result)
    written = next((home / "data" / "files").glob("*/a.pdf"))
    assert str(written) in text_of(result)
    assert not (await assistant.call_tool("oryn", {"line": 'upload "File" a.pdf'})).is_error
    assert text(user_file) == MINE


@pytest.mark.slow
@pytest.mark.parametrize("era", ["legacy", "auto"])
async def test_an_assistant_has_a_folder_of_its_own(tmp_path: Path, pages: Pages, user_file: Path, era: str) -> None:
    pages["/"] = PAGE
    home = tmp_path / "home"
    async with started_client(home, "mcp", "--tools", "all", era=era) as assistant:
        await _confined(assistant, pages.url(), home, user_file)
    async with started_client(home, "mcp", "--files-root", str(tmp_path), era=era) as assistant:
        await assistant.call_tool("goto", {"url": pages.url()})
        assert not (await assistant.call_tool("oryn", {"line": f"pdf {tmp_path}/x.pdf"})).is_error
        assert (await assistant.call_tool("oryn", {"line": f"pdf {user_file}"})).is_error


@pytest.mark.slow
async def test_so_has_one_of_the_daemon(daemon: RunningDaemon, pages: Pages, user_file: Path) -> None:
    pages["/"] = PAGE
    async with assistant_at(f"{daemon.url}/mcp?tools=all", "legacy", daemon.token) as assistant:
        await _confined(assistant, pages.url(), daemon.home, user_file)


@pytest.mark.slow
def test_the_line_protocol(environment: dict[str, str], user_file: Path, tmp_path: Path) -> None:
    with start(environment, "headless") as host:
        answer(host.stdout)
        assert b"did not create it" in ask(host, f"pdf {user_file}".encode()).encode()
        assert text(user_file) == MINE
        assert ask(host, f"pdf {tmp_path}/made.pdf".encode()).startswith("ok")
        for _ in range(2):
            assert ask(host, f"screenshot --output {tmp_path}/made.pdf".encode()).startswith("ok")
        assert "own folders" in ask(host, f"goto file://{tmp_path}/data/ledger".encode())
        assert ask(host, f"pdf {user_file} --overwrite".encode()).startswith("ok")
        assert is_pdf(user_file)
    with start(environment, "headless", "--read-only") as host:
        answer(host.stdout)
        assert "outside the allowed folders" in ask(host, f"screenshot --output {tmp_path}/x.png".encode())
        assert "outside the allowed folders" in ask(host, b"goto file:///etc/hostname")


async def test_research_opens_no_files(daemon: RunningDaemon) -> None:
    for line in (
        "extract file:///etc/hostname",
        "crawl file:///etc/hostname",
        "research ferns --url file:///etc/hostname",
    ):
        told = await daemon.ask({"argv": line.split()})
        assert not told["ok"], told
        assert told["error_kind"] in ("invalid_value", "not_supported"), told


@pytest.fixture
def secrets(tmp_path: Path) -> Path:
    """As a container engine mounts them: each file is a link, by way of a folder that it replaces."""
    (tmp_path / "..2026").mkdir()
    (tmp_path / "..2026" / "token").write_text("t0ken")
    (tmp_path / "..data").symlink_to("..2026")
    (tmp_path / "token").symlink_to("..data/token")
    (tmp_path / "client.pem").write_text("-----BEGIN PRIVATE KEY-----")
    (tmp_path / "beside.txt").write_text("beside")
    return tmp_path


@pytest.mark.slow
async def test_files_that_settings_name_for_secrets_are_closed(run: Any, secrets: Path, pages: Pages) -> None:
    pages["/"] = PAGE
    named = {"ORYN_TOKEN_FILE": str(secrets / "token"), "ORYN_OTHER_FILE": str(secrets / "client.pem")}
    daemon = RunningDaemon(secrets / "home", named)
    for file in ("token", "..data/token", "..2026/token", "client.pem", "./x/../client.pem"):
        path = secrets / file
        for line in (f'goto "file://{path}"', f'tab new "file://{path}"', f'script add "{path}"'):
            assert (await daemon.ask(line))["error_kind"] == "path_not_allowed", line
        await daemon.ok(f"goto {pages.url()}")
        for line in (f'upload File "{path}"', f'state load "{path}"', f'screenshot --output "{path}" --overwrite'):
            assert (await daemon.ask(line))["error_kind"] == "path_not_allowed", line
    (secrets / "..2027").mkdir()
    (secrets / "..2027" / "token").write_text("an0ther")
    (secrets / "..data").unlink()
    (secrets / "..data").symlink_to("..2027")
    for file in ("token", "..2027/token"):
        assert (await daemon.ask(f"goto {(secrets / file).as_uri()}"))["error_kind"] == "path_not_allowed", file
    await daemon.ok(f"goto {(secrets / 'beside.txt').as_uri()}")
    assert await daemon.stop() == 0


def test_the_key_of_a_client_certificate_is_closed(secrets: Path) -> None:
    chosen = {"client_certificate": str(secrets / "client.pem"), "client_certificate_origins": "https://a.example"}
    configuration = load(chosen, find({"ORYN_HOME": str(secrets / "home")}), {})
    with pytest.raises(PathNotAllowed):
        options_of(configuration, "default").file_access().readable(str(secrets / "client.pem"))
