"""The life of a daemon: one only, ready when it says so, and nothing left when it ends."""

from __future__ import annotations

from collections.abc import Callable

from tests.daemon.running import RunningDaemon
from tests.headless.conftest import Pages


async def test_a_command_and_the_end(daemon_of: Callable[..., RunningDaemon], pages: Pages) -> None:
    pages["/"] = "<h1>Hello</h1>"
    daemon = daemon_of()
    assert daemon.about["port"] == daemon.port
    answer = await daemon.ok(f"goto {pages.url()}")
    assert answer["action"] == "goto" and answer["session"] == "default"
    assert daemon.processes()
    assert await daemon.stop() == 0
    await daemon.no_process()
    assert not (daemon.home / "run" / "daemon.json").exists()
    assert not (daemon.home / "run" / "daemon.sock").exists()
