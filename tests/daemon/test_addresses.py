"""Every address of a daemon: what its description says of it, and which parameters it takes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.routing import Route, WebSocketRoute

from oryn.daemon.app import QUERY_PARAMETERS, create_app
from oryn.daemon.daemon import Daemon
from oryn.daemon.http.openapi import description
from oryn.language.kinds import SESSION_NAME
from oryn.language.vocabulary import LINE_VOCABULARY
from oryn.mcp.http import OPTIONS
from oryn.settings import load
from oryn.system.paths import RESERVED_NAMES, find
from tests.daemon.daemon_process import RunningDaemon

NAMES = {"/mcp": OPTIONS, **QUERY_PARAMETERS}
"""The parameters that addresses take."""


UNKNOWN = ("read_only=1", "read_only", "Session=a", "token=x&x=1", "=1", "%00=1")


def example_paths(kind: str) -> Iterator[tuple[str, set[str]]]:
    """Paths with the parameters of a kind that the description has for them."""
    for path, about in description()["paths"].items():
        yield path, {each["name"] for each in about.get("parameters", ()) if each["in"] == kind}


async def test_the_description_has_every_address(tmp_path: Path) -> None:
    daemon = Daemon(load({}, find({"ORYN_HOME": str(tmp_path)}), {}))
    paths = description()["paths"]
    routes = create_app(daemon).routes
    await daemon.close()
    assert {route.path for route in routes if isinstance(route, Route | WebSocketRoute)} == set(paths)
    assert len(routes) == len(paths)
    for route in routes:
        if isinstance(route, Route) and route.methods:
            assert {each.lower() for each in route.methods - {"HEAD"}} == set(paths[route.path]) - {"parameters"}


def test_the_description_has_every_parameter() -> None:
    for path, names in example_paths("query"):
        assert names == set(NAMES.get(path, ())), path
    for path, names in example_paths("path"):
        assert all(f"{{{name}}}" in path for name in names) and len(names) == path.count("{"), path


@pytest.mark.parametrize("path", list(description()["paths"]))
async def test_unknown_query_parameter_is_rejected(daemon: RunningDaemon, path: str) -> None:
    """With the names that are known, by every method, and before anything is done."""
    known = NAMES.get(path, ())
    address = path.format(name="default", action_id="x", number=1)
    rows, methods = len(daemon.rows()), set(description()["paths"][path]) - {"parameters"}
    for method in methods:
        for query in (*UNKNOWN, *(f"{each}=1&x" for each in known)):
            response = await daemon.client.request(method, f"{address}?{query}")
            assert response.status_code == 400, (method, address, query, response.text)
            if path == "/mcp":
                assert "no parameter" in response.text and all(each in response.text for each in known)
                continue
            failure = response.json()
            assert failure["error_kind"] == "invalid_request" and "the address has no parameter" in failure["error"]
            assert failure["hint"] == (f"It takes {', '.join(known)}." if known else "It takes none.")
        for name in known:
            if name != "type":
                response = await daemon.client.request(method, f"{address}?{name}=1&{name}=2")
                assert response.status_code == 400 and "twice" in response.text
    assert len(daemon.rows()) == rows


async def test_parameters_that_are_known(daemon: RunningDaemon) -> None:
    assert (await daemon.client.get("/history?limit=1&errors=1&text=&session=default&action=goto&before=x")).is_success
    async with daemon.client.stream("GET", "/events?type=action.start&type=action.finish") as stream:
        assert stream.status_code == 200
    assert (await daemon.client.get("/status?")).status_code == 200
    assert (await daemon.client.get("/?code=wrong")).status_code == 401


# --- names of sessions ---

RESERVED = ["new", "close", "NEW", "Close"]


@pytest.mark.parametrize("name", RESERVED)
async def test_a_sub_command_of_session_is_no_sessions_name(daemon: RunningDaemon, name: str) -> None:
    for field in ("session", "browse_in"):
        response = await daemon.client.post("/command", json={"line": "help", field: name})
        assert response.status_code == 400, response.text
        assert response.json()["error"].startswith(f"{field}: ")
    assert (await daemon.ask({"argv": ["session", "new", name]}))["error_kind"] == "invalid_value"
    assert (await daemon.ask({"action": "session new", "args": {"name": name}}))["error_kind"] == "invalid_value"
    assert (await daemon.client.post("/command", json={"argv": ["help", "--session", name]})).status_code == 400
    assert name not in {each["name"] for each in (await daemon.status())["sessions"]}


def test_reserved_session_names_match_the_language() -> None:
    assert set(LINE_VOCABULARY.verbs["session"].chosen) == RESERVED_NAMES == set(SESSION_NAME.reserved)
