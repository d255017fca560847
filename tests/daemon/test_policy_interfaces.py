"""The user's limits at the daemon's interfaces, and a person's confirmation there."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from oryn import Oryn
from tests.daemon.daemon_process import RunningDaemon, daemon_environment
from tests.headless.conftest import Pages

PAGE = """<link rel=icon href=data:,><title>shop</title><button onclick="document.title += '!'">Buy</button>"""
LIMITS = {
    "ORYN_CONFIRM": "click",
    "ORYN_BOUNDARIES": "true",
    "ORYN_DENIED_DOMAINS": "ads.localhost",
}


@pytest.fixture(scope="module")
def limited(run: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningDaemon]:
    daemon = RunningDaemon(tmp_path_factory.mktemp("policy"), LIMITS)
    yield daemon
    assert run(daemon.stop()) == 0, daemon.log()
    run(daemon.no_process())


def confirmation_id(answer: dict[str, Any]) -> str:
    """The name that a command waits under, which its answer tells."""
    assert answer["error_kind"] == "confirmation_required", answer
    return str(answer["text"].partition(" waits for a person's approval: ")[2].partition("\n")[0])


async def title(daemon: RunningDaemon, session: str = "default") -> str:
    told = (await daemon.ok("title", session=session))["text"]
    return str(told.split("\n")[-2])


@pytest.mark.slow
async def test_confirm_and_deny(limited: RunningDaemon, pages: Pages) -> None:
    pages["/"] = PAGE
    await limited.ok(f"goto {pages.url()}")
    id = confirmation_id(await limited.ask("click Buy"))
    assert await title(limited) == '"shop"'
    await limited.ok("help", session="other")
    assert (await limited.approve(id, session="other"))["error_kind"] == "session_not_found"
    await limited.ok("goto about:blank", session="other")
    assert (await limited.approve(id, session="other"))["error_kind"] == "confirmation_not_found"
    assert (await limited.ask({"argv": ["confirm", id]}))["error_kind"] == "unauthorized", "an agent has the token too"
    assert await title(limited) == '"shop"'
    done = await limited.approve(id)
    assert done["ok"], done
    assert done["text"].startswith('ok click "Buy"')
    assert done["action"] == "confirm"
    assert await title(limited) == '"shop!"'
    again = await limited.approve(id)
    assert again["error_kind"] == "confirmation_not_found"
    id = confirmation_id(await limited.ask("click Buy"))
    assert (await limited.ok({"action": "deny", "args": {"id": id}}))["text"] == f'ok deny {id}\n\ndropped: click "Buy"'
    assert (await limited.ask({"argv": ["deny", id]}))["error_kind"] == "confirmation_not_found"
    assert await title(limited) == '"shop!"'


async def test_confirm_is_no_line(limited: RunningDaemon) -> None:
    assert (await limited.ask("confirm c_1"))["error_kind"] == "unknown_command"


async def test_session_settings_can_not_loosen_host_limits(limited: RunningDaemon, pages: Pages) -> None:
    pages["/"] = PAGE
    for settings in ({"confirm": "upload"}, {"boundaries": "false"}, {"denied_domains": "a.org"}):
        answer = await limited.ask(f"goto {pages.url()}", session="loose", settings=settings)
        assert answer["error_kind"] == "invalid_setting"
        assert "is fixed by the host" in answer["error"]
    await limited.ok(f"goto {pages.url()}", session="tight", settings={"read_only": "true"})
    assert (await limited.ask('type 1 "a"', session="tight"))["error_kind"] == "read_only"


async def test_domains_and_boundaries(limited: RunningDaemon, pages: Pages) -> None:
    pages["/"] = PAGE
    answer = await limited.ask(f"goto {pages.url('/', 'ads.localhost')}")
    assert answer["error_kind"] == "domain_not_allowed"
    boundary = answer["data"]["boundary"]
    assert f"<page-{boundary}>\nads.localhost is in denied_domains\n</page-{boundary}>" in answer["text"]
    assert answer["error"] == "DOMAIN_NOT_ALLOWED", "what may be a page's words stands inside the fence alone"
    assert answer["hint"] == "Go elsewhere: only the user can change the setting."
    seen = await limited.ok(f"goto {pages.url()}")
    assert seen["data"][f"page-{seen['data']['boundary']}"]["page"]["title"] == "shop"


async def test_response_without_limits_is_unchanged(daemon: RunningDaemon, pages: Pages) -> None:
    pages["/"] = PAGE
    seen = await daemon.ok(f"goto {pages.url()}", session="free")
    assert seen["data"]["page"]["title"] == "shop"
    wrong = await daemon.ask("click 99", session="free")
    assert (wrong["error"], wrong["error_kind"]) == ("element not found", "element_not_found")
    await daemon.ok("click Buy", session="free")


async def test_a_person_confirms_in_a_terminal_and_by_the_library(
    limited: RunningDaemon, pages: Pages, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages["/"] = PAGE
    await limited.ok(f"goto {pages.url()}", session="person")
    id = confirmation_id(await limited.ask("click Buy", session="person"))
    program = [sys.executable, "-m", "oryn", "--session", "person", "confirm", id]
    environment = daemon_environment(limited.home)
    ended = await asyncio.to_thread(
        subprocess.run, program, env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert (ended.returncode, ended.stderr) == (0, ""), ended.stderr
    assert await title(limited, "person") == '"shop!"'
    id = confirmation_id(await limited.ask("click Buy", session="person"))
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    async with Oryn("daemon", session="person") as client:
        await client.confirm(id)
    assert await title(limited, "person") == '"shop!!"'
