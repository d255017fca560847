"""What docs/daemon.md says: its requests are sent, its figures are those of the code."""

from __future__ import annotations

import json
import re
from pathlib import Path

from oryn.daemon.dispatcher import MAX_QUEUED_COMMANDS
from oryn.daemon.history.log import MAX_ROWS
from oryn.daemon.http.connections import ARRIVAL_SECONDS, MAX_CONNECTIONS, MAX_HEAD_BYTES
from oryn.daemon.http.openapi import description
from oryn.daemon.request.command import MAX_ARGUMENT_CHARACTERS
from oryn.daemon.request.json_body import MAX_BODY_BYTES, MAX_DEPTH
from oryn.language.result_schema import answer_schemas
from oryn.settings import Settings
from tests.daemon.daemon_process import RunningDaemon

PAGE = (Path(__file__).parents[2] / "docs" / "daemon.md").read_text("utf-8")


BY_RESEARCH = {"CollectionRow", "CrawlFigures", "DroppedCollection", "SearchHit", "SiteAddresses"}
"""Schemas of the command table in whose place the description has the more exact ones of research."""


async def test_its_requests_are_answered(daemon: RunningDaemon) -> None:
    requests = re.findall(r"^```json\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert len(requests) >= 5
    for request in requests:
        await daemon.ok(json.loads(request))


async def test_its_addresses_are_there(daemon: RunningDaemon) -> None:
    paths = set(re.findall(r"^\| `(?:GET|POST) (/\S+)`", PAGE, re.MULTILINE))
    assert paths <= set(description()["paths"])
    for path in paths - {"/drain", "/stop", "/command", "/events", "/pair", "/metrics", "/daemons"}:
        assert (await daemon.client.get(path)).status_code == 200


def test_its_figures_are_those_of_the_code() -> None:
    limits = Settings()
    for told in (
        f"{MAX_BODY_BYTES >> 20} MiB, {MAX_DEPTH} lists", f"{MAX_HEAD_BYTES >> 10} KiB", f"| {ARRIVAL_SECONDS:g} s |",
        f"| {MAX_CONNECTIONS}; the socket", f"`max_commands` ({limits.max_commands})",
        f"| {MAX_QUEUED_COMMANDS}, those",
        f"`max_pages` ({limits.max_pages})",
        f"`max_sessions` ({limits.max_sessions})", f"{MAX_ARGUMENT_CHARACTERS:,} characters", f"{MAX_ROWS:,} rows",
    ):  # fmt: skip
        assert told in PAGE, told


def test_the_names_of_the_schemas_stay() -> None:
    """Clients are generated from them: they don't follow the names of classes."""
    schemas = description()["components"]["schemas"]
    assert {name for name in schemas if not name.startswith("Research")} == {
        "BrowserStatus", "Command", "DaemonList", "Draining", "Failure", "HistoryPage", "Link", "Pair", "Pairing",
        "ProviderStatus", "QueuedCommand", "Response", "SessionStatus", "SharingDaemon", "Status", "Stopping",
        *answer_schemas(),
    } - BY_RESEARCH  # fmt: skip
    assert all(schema["title"] == name for name, schema in schemas.items())
    references = set(re.findall(r'"#/components/schemas/(\w+)"', json.dumps(description())))
    assert references <= set(schemas)
    command = description()["paths"]["/command"]["post"]
    assert command["requestBody"]["content"]["application/json"]["schema"]["$ref"].endswith("/Command")
