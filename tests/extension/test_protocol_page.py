"""The server that docs/spec/extension-protocol.md shows is run, and the real extension connects to it."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from scripts.extension.browser import WAIT, ExtendedBrowser
from scripts.ports import free_port
from tests.extension.popup_user import User
from tests.headless.conftest import Pages

PAGE = Path(__file__).parent.parent.parent / "docs" / "spec" / "extension-protocol.md"
PORT = 8080


@asynccontextmanager
async def server(folder: Path, port: int, *arguments: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """The page's own code, on another port."""
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert code.count(str(PORT)) == 1
    program = folder / "server.py"
    program.write_text(code.replace(str(PORT), str(port)), "utf-8")
    pipe = asyncio.subprocess.PIPE
    running = await asyncio.create_subprocess_exec(
        sys.executable, str(program), *arguments, cwd=folder, stdin=pipe, stdout=pipe
    )
    try:
        yield running
    finally:
        running.kill()
        await running.wait()


async def next_line(running: asyncio.subprocess.Process) -> str:
    assert running.stdout is not None
    return (await asyncio.wait_for(running.stdout.readline(), WAIT)).decode().rstrip("\n")


async def ask(running: asyncio.subprocess.Process, line: str) -> str:
    """The first line of an answer."""
    assert running.stdin is not None
    running.stdin.write(f"{line}\n".encode())
    await running.stdin.drain()
    return await next_line(running)


@pytest.mark.slow
async def test_the_server_of_the_page(fresh_browser: ExtendedBrowser, pages: Pages, tmp_path: Path) -> None:
    port = free_port()
    user = await User.at(fresh_browser)
    await user.asks(type="settings", changes={"endpoint": f"ws://localhost:{port}"})
    await user.asks(type="connect")
    code = (await user.sees("state.code"))["code"]
    pages["/shop"] = "<title>Shop</title><p>Ferns</p>"
    async with server(tmp_path, port, code) as running:
        assert await next_line(running) == "connected"
        await fresh_browser.open(pages.url("/shop"))
        assert await ask(running, "title") == "ok title"
        assert "Shop" in (await next_line(running), await next_line(running))[1]
        assert (tmp_path / "keys.json").stat().st_mode & 0o777 == 0o600
    async with server(tmp_path, port) as running:
        assert await next_line(running) == "connected", "by the key that both have kept"
        assert await ask(running, "exit") == "ok exit"


async def test_a_page_of_the_web_can_not_connect_to_it(tmp_path: Path) -> None:
    from websockets.asyncio.client import connect
    from websockets.exceptions import InvalidStatus

    port = free_port()
    async with server(tmp_path, port, "AAAAAA"):
        async with asyncio.timeout(WAIT):
            while True:
                try:
                    async with connect(f"ws://127.0.0.1:{port}", origin="https://evil.example"):  # type: ignore[arg-type]
                        raise AssertionError("let in")
                except InvalidStatus as error:
                    assert error.response.status_code == 403
                    return
                except ConnectionRefusedError:
                    continue
