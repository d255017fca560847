"""What docs/daemon.md says: its requests are sent, its figures are those of the code."""

from __future__ import annotations

import json
import re
from pathlib import Path

from oryn.daemon.asked import LARGEST_ARGUMENTS
from oryn.daemon.bodies import DEEPEST, LARGEST_BODY
from oryn.daemon.connections import ARRIVAL_SECONDS, LARGEST_HEAD, MOST_CONNECTIONS
from oryn.daemon.dispatch import MOST_WAITING
from oryn.daemon.history import MOST_ROWS
from oryn.daemon.openapi import description
from oryn.settings import Settings
from tests.daemon.running import RunningDaemon

PAGE = (Path(__file__).parents[2] / "docs" / "daemon.md").read_text("utf-8")


async def test_its_requests_are_answered(daemon: RunningDaemon) -> None:
    requests = re.findall(r"^```json\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert len(requests) >= 5
    for request in requests:
        await daemon.ok(json.loads(request))


async def test_its_addresses_are_there(daemon: RunningDaemon) -> None:
    paths = set(re.findall(r"^\| `(?:GET|POST) (/\S+)`", PAGE, re.MULTILINE))
    assert paths <= set(description()["paths"])
    for path in paths - {"/stop", "/command", "/events", "/pair"}:
        assert (await daemon.client.get(path)).status_code == 200


def test_its_figures_are_those_of_the_code() -> None:
    limits = Settings()
    for told in (
        f"{LARGEST_BODY >> 20} MiB, {DEEPEST} lists", f"{LARGEST_HEAD >> 10} KiB", f"| {ARRIVAL_SECONDS:g} s |",
        f"| {MOST_CONNECTIONS}; the socket", f"`most_commands` ({limits.most_commands})", f"| {MOST_WAITING}, those",
        f"`most_pages` ({limits.most_pages})",
        f"`most_sessions` ({limits.most_sessions})", f"{LARGEST_ARGUMENTS:,} characters", f"{MOST_ROWS:,} rows",
    ):  # fmt: skip
        assert told in PAGE, told
