"""What a daemon says of its sessions: where a dormant one is, and how its callers go on in one."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from oryn.sessions.persistence.models import SessionRecord
from tests.daemon.daemon_process import RunningDaemon
from tests.headless.conftest import Pages

Start = Callable[..., RunningDaemon]


async def follow(daemon: RunningDaemon, advice: str) -> None:
    """Do what a hint or a note says, in the session `other`: each command in it is one that the daemon takes."""
    commands = re.findall(r"'([^']+)'", advice)
    assert commands, advice
    for command in commands:
        if not command.startswith("session close"):
            await daemon.ok(command.replace("…", "title"), session="other")


@pytest.mark.slow
async def test_the_daemon_recommends_nothing_that_it_refuses(daemon_of: Start, pages: Pages) -> None:
    pages["/"] = "<title>Shop</title>"
    daemon = daemon_of()
    await daemon.ok("url", session="other")
    opened = await daemon.ok("session new work", session="other")
    assert opened["data"]["notes"] == ["'@work …' runs one line in it"]
    await follow(daemon, opened["data"]["notes"][0])
    again = await daemon.ask("session new work", session="other")
    assert again["error_kind"] == "session_exists"
    await follow(daemon, again["hint"])
    await daemon.ok(f"@work goto {pages.url()}", session="other")
    await daemon.wait_until_saved("work")
    assert await daemon.stop() == 0
    daemon.start()
    dormant = await daemon.ask("session new work", session="other")
    assert dormant["error_kind"] == "session_exists" and "dormant" in dormant["error"]
    await follow(daemon, dormant["hint"])


@pytest.mark.slow
async def test_a_dormant_session_is_listed_with_its_page(daemon_of: Start, pages: Pages) -> None:
    pages["/cart"] = "<title>Cart</title>"
    daemon = daemon_of()
    await daemon.ok(f"goto {pages.url('/cart')}", session="work")
    await daemon.wait_until_saved("work")
    assert await daemon.stop() == 0
    daemon.start()
    (row,) = (await daemon.status())["sessions"]
    assert (row["name"], row["state"], row["url"]) == ("work", "dormant", pages.url("/cart"))


@pytest.mark.parametrize(
    ("secrets", "url"), [((), "https://a.org:1/x?code=7"), (("shop.code",), "https://a.org:1")], ids=["none", "vault"]
)
def test_a_list_has_no_value_of_the_vault(secrets: tuple[str, ...], url: str) -> None:
    about: dict[str, Any] = {"tabs": ("https://a.org:1/x?code=7",), "current": 0, "generation": 1}
    row = SessionRecord("work", "headless", None, False, {}, "2026-01-24T10:30:00Z", **about, secrets=secrets)
    assert row.listed_url == url
