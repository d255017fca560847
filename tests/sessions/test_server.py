"""The socket's file: where it is, and that nothing of it is left. What is said over it: tests/headless."""

from __future__ import annotations

import asyncio
import stat
import sys
from pathlib import Path
from typing import Any

import pytest

from oryn.sessions.server import SessionServer
from oryn.system.socket_files import FALLBACK_PREFIX

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="sockets of POSIX systems")


def build_server(runtime: Path) -> SessionServer:
    sessions: Any = None
    return SessionServer(sessions, runtime)


async def test_it_is_there_until_it_is_closed(tmp_path: Path) -> None:
    session_server = build_server(tmp_path / "run")
    await session_server.open()
    assert session_server.path is not None
    assert stat.S_ISSOCK(session_server.path.stat().st_mode)
    assert stat.S_IMODE(session_server.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(session_server.path.parent.stat().st_mode) == 0o700
    await session_server.close()
    await session_server.close()
    assert list((tmp_path / "run").iterdir()) == []


async def test_where_the_folders_path_is_too_long_for_a_socket(tmp_path: Path) -> None:
    session_server = build_server(tmp_path / ("long" * 30))
    await session_server.open()
    path = session_server.path
    assert path is not None
    assert path.parent.name.startswith(FALLBACK_PREFIX)
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    await session_server.close()
    assert not path.parent.exists()


@pytest.mark.parametrize("folder", ["run", "long" * 30])
async def test_a_socket_that_is_gone_already_leaves_nothing(tmp_path: Path, folder: str) -> None:
    """From Python 3.13 on, asyncio removes it when its server closes."""
    session_server = build_server(tmp_path / folder)
    await session_server.open()
    path = session_server.path
    assert path is not None
    path.unlink()
    await session_server.close()
    assert not path.parent.exists() if path.parent.name.startswith(FALLBACK_PREFIX) else not list(path.parent.iterdir())


async def test_where_there_is_no_place_for_it(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("in the way")
    session_server = build_server(tmp_path / "file")
    await session_server.open()
    assert session_server.path is None
    assert "other processes can't reach these sessions" in caplog.text
    await session_server.close()


async def test_opening_that_is_given_up_leaves_nothing(tmp_path: Path) -> None:
    for steps in range(5):
        session_server = build_server(tmp_path / "run")
        opening = asyncio.create_task(session_server.open())
        for _ in range(steps):
            await asyncio.sleep(0)
        opening.cancel()
        await asyncio.wait([opening])
        await session_server.close()
        assert list((tmp_path / "run").glob("*")) == []


async def test_close_disconnects_all_clients(tmp_path: Path) -> None:
    session_server = build_server(tmp_path / "run")
    await session_server.open()
    reader, writer = await asyncio.open_unix_connection(session_server.path)
    writer.write(b"# nothing\n")
    assert await reader.readuntil(b"---\n") == b"---\n"
    await session_server.close()
    assert await reader.read() == b""
    writer.close()
    await writer.wait_closed()
